package ui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// moved is where a key that moves brings a cursor, or the first line of what is scrolled, that is at a place between 0
// and last; page is how far a page goes. ok is false for any other key.
func moved(keys KeyMap, k tea.KeyMsg, at, page, last int) (to int, ok bool) {
	page = max(page, 1)
	switch {
	case key.Matches(k, keys.Up):
		at--
	case key.Matches(k, keys.Down):
		at++
	case key.Matches(k, keys.PageUp):
		at -= page
	case key.Matches(k, keys.PageDown):
		at += page
	case key.Matches(k, keys.Home):
		at = 0
	case key.Matches(k, keys.End):
		at = last
	default:
		return at, false
	}
	return max(min(at, last), 0), true
}
