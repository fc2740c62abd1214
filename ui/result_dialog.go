package ui

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
	"example.com/unacked/workers/experiment"
)

// resultDialog is the verdict on an experiment: each figure as expected, as measured, and whether it holds.
type resultDialog struct {
	result    experiment.Result
	top, most int
	rows      int // drawn last
}

func (r *resultDialog) title(*Model) string {
	title := r.result.Name + " " + holdsText(r.result.Holds())
	if off := len(r.result.Off()); off > 0 {
		return title + ": " + many(int64(off), "figure") + " off"
	}
	return title + ", as the article says"
}

// Widths of the result's columns.
const (
	resultWidth  = 92
	resultFigure = 28 // at most
	resultLeast  = 18 // of the figure's name, before the other columns give way
	resultColumn = 24 // of expected and measured, at most
	resultHolds  = 5
	resultGap    = 2
	resultFoot   = 1 // the line that says how to leave
)

func (r *resultDialog) size(m *Model, width, height int) (int, int) {
	w := min(width, resultWidth)
	return w, min(len(r.table(m, w-2))+resultFoot, height)
}

// table is the figures and the question that the experiment asks.
func (r *resultDialog) table(m *Model, width int) []string {
	t := m.d.look.theme
	name, expected, measured := r.columns(width)
	gap := cell.Spaces(resultGap)
	lines := []string{t.Label.On(cell.Pad("figure", name) + gap + cell.Pad("expected", expected) + gap +
		cell.Pad("measured", measured) + gap + "holds")}
	for _, row := range r.result.Rows {
		word, style := "?", t.Warn
		switch row.Holds {
		case experiment.Yes:
			word, style = "yes", t.Good
		case experiment.No:
			word, style = "NO", t.Bad
		}
		lines = append(lines, cell.Pad(clean(row.Name), name)+gap+t.Dim.On(cell.Pad(expectedText(row), expected))+gap+
			t.Value.On(cell.Pad(measuredText(row), measured))+gap+style.On(word))
		for _, more := range []string{row.Reason, row.Measured.Note, allOrders(row)} {
			if more != "" {
				for _, line := range wrapWords(clean(more), max(width-2, 1), 2) {
					lines = append(lines, "  "+t.Dim.On(line))
				}
			}
		}
	}
	lines = append(lines, "")
	for _, line := range wrapWords(r.result.Decision, width, 2) {
		lines = append(lines, t.Accent.On(line))
	}
	return lines
}

// columns are as wide as what stands in them, and give way where there is not room for all, the figures' names first.
func (r *resultDialog) columns(width int) (name, expected, measured int) {
	expected, measured = len("expected"), len("measured")
	for _, row := range r.result.Rows {
		name = max(name, cell.Width(row.Name))
		expected = max(expected, cell.Width(expectedText(row)))
		measured = max(measured, cell.Width(measuredText(row)))
	}
	name, expected, measured = min(name, resultFigure), min(expected, resultColumn), min(measured, resultColumn)
	over := name + expected + measured + 3*resultGap + resultHolds - width
	for _, c := range []struct {
		column *int
		least  int
	}{{&name, resultLeast}, {&expected, len("expected")}, {&measured, len("measured")}, {&name, 0}} {
		if cut := min(over, max(*c.column-c.least, 0)); cut > 0 {
			*c.column, over = *c.column-cut, over-cut
		}
	}
	return name, expected, measured
}

func expectedText(row experiment.Row) string { return clean(withUnit(row.Expected, row)) }

// measuredText is the figure, or how many orders where their names do not fit.
func measuredText(row experiment.Row) string {
	text := row.Measured.String()
	if row.Measured.Named && cell.Width(text) > resultColumn {
		return strconv.Itoa(len(row.Measured.Orders)) + " orders"
	}
	return clean(withUnit(text, row))
}

// allOrders names the orders that measuredText only counts.
func allOrders(row experiment.Row) string {
	if text := experiment.Orders(row.Measured.Orders); row.Measured.Named && cell.Width(text) > resultColumn {
		return text
	}
	return ""
}

// withUnit adds the unit of a time; what is counted is said by the figure's name.
func withUnit(text string, row experiment.Row) string {
	if row.Unit != "ms" || text == "?" {
		return text
	}
	return text + " ms"
}

func (r *resultDialog) lines(m *Model, width, height int) []string {
	t := m.d.look.theme
	all := r.table(m, width)
	r.rows = max(height-resultFoot, 1)
	r.most = max(len(all)-r.rows, 0)
	r.top = max(min(r.top, r.most), 0)
	lines := append([]string(nil), all[r.top:min(r.top+r.rows, len(all))]...)
	foot := keyOf(m.keys.Pause, "space") + " goes back to the demonstration"
	if rest := r.most - r.top; rest > 0 {
		foot = keyOf(m.keys.Pause, "space") + " goes back, " + keyOf(m.keys.Down, "down") + " shows " + many(int64(rest), "more line")
	}
	return append(lines, t.Dim.On(foot))
}

func (r *resultDialog) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	if key.Matches(k, m.keys.Pause, m.keys.Open, m.keys.Right) {
		r.closed(m)
		return nil, true
	}
	r.top, _ = moved(m.keys, k, r.top, r.rows, r.most)
	return nil, false
}

// closed lets the experiment end, and the demonstration come back.
func (*resultDialog) closed(m *Model) { m.play.stepOn() }

func (*resultDialog) help(k KeyMap) []key.Binding {
	return []key.Binding{says(k.Pause, "back to the demonstration"), k.Up, k.Down}
}
