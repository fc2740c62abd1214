package ui

import (
	"strconv"
	"strings"

	"example.com/unacked/ui/cell"
)

// View draws what is stored: exactly as many lines as the terminal has, each exactly as wide as it is.
func (m *Model) View() string {
	if m.fresh && m.frame != "" {
		return m.frame
	}
	m.frame, m.fresh = m.d.look.glyphs.Frame(m.draw()), true
	return m.frame
}

func (m *Model) draw() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	if m.tooSmall() {
		return joinLines(m.needMore(), m.width, m.height)
	}
	l := m.arrange()
	lines := make([]string, 0, m.height)
	lines = append(lines, m.header())
	if m.present {
		lines = append(lines, m.presentTop(l.present)...)
	} else {
		lines = append(lines, verdictLines(m.d, m.width)...)
		lines = append(lines, m.narration()...)
	}
	switch {
	case l.figures == 0:
	case l.figures == 1:
		lines = append(lines, figuresLine(m.d, m.width))
	default:
		lines = append(lines, m.figures.chart(m.d, m.width, l.figures, m.focus == pane(m.figures) && m.view == 0 && m.detail == nil)...)
	}
	if l.strip {
		lines = append(lines, m.strip())
	}
	body := len(lines)
	lines = append(lines, m.drawBody(l)...)
	lines = append(lines, m.noteLines(l.notes)...)
	if m.present {
		lines = append(lines, m.pressedLine())
	}
	lines = append(lines, m.keyBar())
	if m.dialog != nil {
		m.overlay(lines, body, body+l.bodyHeight)
	}
	return joinLines(lines, m.width, m.height)
}

// strip is a line about who works, for when they have no pane: the lab's workers, or what the consumers get done.
func (m *Model) strip() string {
	if m.watcher != nil {
		return capacityLine(m.d, m.width)
	}
	return m.workers.strip(m.d, m.width)
}

// drawBody draws the panes with their borders.
func (m *Model) drawBody(l layout) []string {
	t, g := m.d.look.theme, m.d.look.glyphs
	columns := make([][]string, len(l.body))
	for i, s := range l.body {
		for _, slot := range s.slots {
			focused := slot.pane == m.focused() && m.dialog == nil
			w, h := cell.Inside(s.width, slot.height)
			inside := slot.pane.Lines(m.d, w, h, focused)
			columns[i] = append(columns[i], cell.Box(slot.pane.Title(m.d), inside, s.width, slot.height, focused, t, g)...)
		}
	}
	if len(columns) == 1 {
		return columns[0]
	}
	return cell.Join(columns...)
}

// needMore is the screen of a terminal that is too small.
func (m *Model) needMore() []string {
	size := func(w, h int) string { return strconv.Itoa(w) + "x" + strconv.Itoa(h) }
	text := "need " + size(minWidth, minHeight) + ", have " + size(m.width, m.height) + "; the work goes on"
	return wrapWords(text, m.width, m.height)
}

// joinLines makes one string of exactly height lines of exactly width cells.
func joinLines(lines []string, width, height int) string {
	var b strings.Builder
	b.Grow(height * (width + 64))
	for i := range height {
		if i > 0 {
			b.WriteByte('\n')
		}
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		if cell.Width(line) == width {
			b.WriteString(line)
		} else {
			b.WriteString(cell.Pad(line, width))
		}
	}
	return b.String()
}
