package ui

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// noUse says where a key means something that means nothing here, "" for one that means nothing anywhere.
func (m *Model) noUse(k tea.KeyMsg) string {
	keys := m.keys
	view := func(n int) string { return "view " + keyOf(keys.Views[n-1], strconv.Itoa(n)) }
	opens := "; " + keyOf(keys.Open, "enter") + " opens one"
	switch {
	case key.Matches(k, keys.Form):
		return "the XPENDING form is in " + view(2)
	case key.Matches(k, keys.Sweep):
		return "what is pending is counted in " + view(2) + ", dead letters in " + view(4)
	case key.Matches(k, keys.Fold):
		return "dead letters stand by their reason in " + view(4)
	case key.Matches(k, keys.Format):
		return "text, JSON or hex is for an opened message" + opens
	case key.Matches(k, keys.Save):
		return "only an opened message is written to a file" + opens
	case key.Matches(k, keys.Pace):
		return "steps are of an experiment; " + keyOf(keys.Experiments, "m") + " plays one"
	case key.Matches(k, keys.Streams):
		return "there is one stream here; unacked watch lists all that a server has"
	}
	for _, b := range []key.Binding{keys.Filter, keys.Sort, keys.Copy, keys.Open, keys.Mark, keys.MarkAll} {
		if key.Matches(k, b) {
			return m.focused().Name() + ": nothing here to " + b.Help().Desc + "; " + keyOf(keys.NextPane, "tab") + " goes to another pane"
		}
	}
	return ""
}
