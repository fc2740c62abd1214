package ui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// explainDialog tells where a figure comes from, with the present numbers.
type explainDialog struct{ what string }

// askExplain explains the figure under the cursor, or the one that the pane with the focus is about.
func (m *Model) askExplain() {
	what := ""
	switch p := m.focused(); {
	case p == pane(m.figures):
		what = m.figures.Selected()
	case p == m.first:
		what = figures[rowDone].name
	case p == m.pending:
		what = figures[rowPending].name
	case p == m.dead:
		what = figures[rowDead].name
	}
	if what == "" || explain(m.d, what) == nil {
		elsewhere := keyOf(m.keys.NextPane, "tab") + " goes to another pane"
		if m.view != 0 {
			elsewhere = "the figures are in view " + keyOf(m.keys.Views[0], "1")
		}
		m.say(m.focused().Name() + ": no figure to explain here; " + elsewhere)
		return
	}
	m.dialog = &explainDialog{what}
}

func (e *explainDialog) title(*Model) string { return "Where " + e.what + " comes from" }

const explainWidth = 96

func (e *explainDialog) wrapped(m *Model, width int) (lines []string) {
	for _, text := range explain(m.d, e.what) {
		lines = append(lines, wrapWords(text, width, 4)...)
	}
	return lines
}

func (e *explainDialog) size(m *Model, width, height int) (int, int) {
	w := min(width, explainWidth)
	return w, min(len(e.wrapped(m, w-2)), height)
}

func (e *explainDialog) lines(m *Model, width, _ int) []string {
	lines := e.wrapped(m, width)
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "From: "):
			lines[i] = m.d.look.theme.Accent.On(line)
		case i == 0:
			lines[i] = m.d.look.theme.Value.On(line)
		}
	}
	return lines
}

func (e *explainDialog) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	return nil, key.Matches(k, m.keys.Explain)
}

func (*explainDialog) help(k KeyMap) []key.Binding { return []key.Binding{says(k.Back, "close")} }
