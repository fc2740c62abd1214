package ui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"example.com/unacked/ui/cell"
)

// dialog is what asks or tells over the screen. It has every key while it is open; esc and q close it.
type dialog interface {
	title(m *Model) string
	// size is what it likes to have inside of its border; it gets at most the given room.
	size(m *Model, width, height int) (int, int)
	// lines draws the inside; they are cut and filled to it.
	lines(m *Model, width, height int) []string
	// key handles a key; true closes the dialog.
	key(m *Model, k tea.KeyMsg) (tea.Cmd, bool)
	help(k KeyMap) []key.Binding
}

// closer is a dialog that does something when esc or q closes it.
type closer interface{ closed(m *Model) }

// overlay draws the dialog over lines. It stays within top … bottom, which are dimmed, as long as it fits there; the
// header and the verdict stay in sight, and so does what an experiment tells.
func (m *Model) overlay(lines []string, top, bottom int) {
	t, g := m.d.look.theme, m.d.look.glyphs
	first := 1 + verdictHeight + m.narrationLines()
	w, h := m.dialog.size(m, m.width-4, bottom-first-2)
	w, h = min(max(w, 1), m.width-4)+2, min(max(h, 1), bottom-first-2)+2
	y := top + (bottom-top-h)/2
	if h > bottom-top {
		y = bottom - h
	}
	x := (m.width - w) / 2
	inside := m.dialog.lines(m, w-4, h-2)
	for i := range inside {
		inside[i] = " " + inside[i]
	}
	box := cell.Box(m.dialog.title(m), inside, w, h, true, t, g)
	for i := min(top, y); i < bottom; i++ {
		if i < y || i >= y+h {
			lines[i] = t.Dim.On(ansi.Strip(lines[i]))
			continue
		}
		behind := ansi.Strip(lines[i])
		left := cell.Pad(ansi.Cut(behind, 0, x), x)
		right := cell.PadLeft(ansi.Cut(behind, x+w, m.width), m.width-x-w)
		lines[i] = t.Dim.On(left) + box[i-y] + t.Dim.On(right)
	}
}
