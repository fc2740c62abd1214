package ui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"example.com/unacked/ui/cell"
)

// The mouse is off unless a person asks for it. What it does is what keys do: a click gives a pane the focus and moves
// its cursor to the row, a click on the row under the cursor opens it, the wheel moves the cursor.

const wheelRows = 3

// mouse handles a message of the mouse.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.tooSmall() || msg.Action != tea.MouseActionPress {
		return nil
	}
	up, down := keyOr(m.keys.Up, tea.KeyUp), keyOr(m.keys.Down, tea.KeyDown)
	step := down
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		step = up
	case tea.MouseButtonWheelDown:
	case tea.MouseButtonLeft:
		if m.dialog == nil {
			return m.click(msg.X, msg.Y, up, down)
		}
		return nil
	default:
		return nil
	}
	if m.dialog != nil {
		return m.dialogKey(step)
	}
	if p, _, _, _ := m.paneAt(msg.X, msg.Y); p != nil {
		for range wheelRows {
			p.Key(m.d, step)
		}
		m.followCursor(p)
	}
	return nil
}

// keyOr is the first key of a binding, or another where it has none.
func keyOr(b key.Binding, other tea.KeyType) tea.KeyMsg {
	if k, ok := keyFor(firstKey(b)); ok {
		return k
	}
	return tea.KeyMsg{Type: other}
}

// click gives the pane the focus and moves its cursor to the row.
func (m *Model) click(x, y int, up, down tea.KeyMsg) tea.Cmd {
	p, row, w, h := m.paneAt(x, y)
	if p == nil || p.Capturing() || m.focused().Capturing() {
		return nil
	}
	was := m.focused()
	for _, r := range m.ring() {
		if r == p && m.view == 0 && m.detail == nil && !m.browsing() {
			m.focus = p
		}
	}
	if p != m.focused() {
		return nil
	}
	at, ok := m.cursorRow(p, w, h)
	if !ok || row < 0 || row >= h || strings.TrimSpace(ansi.Strip(p.Lines(m.d, w, h, true)[row])) == "" {
		return nil
	}
	if at == row && was == p {
		return m.key(keyOr(m.keys.Open, tea.KeyEnter))
	}
	step, n := down, row-at
	if n < 0 {
		step, n = up, -n
	}
	for range n {
		p.Key(m.d, step)
	}
	m.followCursor(p)
	return nil
}

// followCursor keeps what a key of the pane would have kept.
func (m *Model) followCursor(p pane) {
	if p == pane(m.workers) {
		m.d.chosen = m.workers.Selected()
	}
}

// cursorRow is the line of a pane that has the cursor.
func (m *Model) cursorRow(p pane, w, h int) (row int, ok bool) {
	for i, line := range p.Lines(m.d, w, h, true) {
		if text := ansi.Strip(line); strings.HasPrefix(strings.TrimPrefix(text, " "), m.d.look.glyphs.Cursor+" ") {
			return i, true
		}
	}
	return 0, false
}

// paneAt returns the pane at a cell of the screen, the line inside of its border (-1 on the border), and its inner size.
func (m *Model) paneAt(x, y int) (p pane, row, w, h int) {
	l := m.arrange()
	left := 0
	for _, s := range l.body {
		top := m.bodyTop(l)
		for _, slot := range s.slots {
			if x >= left && x < left+s.width && y >= top && y < top+slot.height {
				w, h = cell.Inside(s.width, slot.height)
				row = y - top - 1
				if row >= h {
					row = -1
				}
				return slot.pane, row, w, h
			}
			top += slot.height
		}
		left += s.width
	}
	return nil, -1, 0, 0
}

// bodyTop is the line of the screen on which the panes begin.
func (m *Model) bodyTop(l layout) int {
	if m.present {
		return l.present.top
	}
	top := 1 + verdictHeight + m.narrationLines() + l.figures
	if l.strip {
		top++
	}
	return top
}
