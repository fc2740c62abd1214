package ui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
	"example.com/unacked/ui/chart"
)

// tallChart is one figure of the figures, the one under their cursor, as high as there is room: it can be read from afar.
type tallChart struct{ *figuresPane }

func (p tallChart) Title(d *data) string {
	f := figures[p.at]
	title := f.name + dot(d) + "the last " + durText(axisFor(d))
	if p.at < len(p.points) {
		if high, seen := highest(p.points[p.at], d.now.Add(-axisFor(d))); seen {
			title += dot(d) + "max " + f.scale(high)
		}
	}
	return strings.ToUpper(title[:1]) + title[1:]
}

func (tallChart) Key(*data, tea.KeyMsg) (tea.Cmd, bool) { return nil, false }

func (tallChart) Help(*data) []key.Binding { return nil }

func (p tallChart) Lines(d *data, width, height int, _ bool) []string {
	t, g := d.look.theme, d.look.glyphs
	rows := height - axisLines
	if rows < 1 || p.at >= len(p.points) {
		return exactly(nil, width, height)
	}
	room := max(width-2, 0)
	from, to := axis(d, room)
	points := p.points[p.at]
	style := figures[p.at].style(t)
	if high, _ := highest(points, from); high == 0 {
		style = t.Dim
	}
	if d.stale {
		style = t.Stale
	}
	lines := make([]string, 0, height)
	for _, line := range chart.Tall(points, from, to, room, rows, p.limit(d, p.at, from), g) {
		lines = append(lines, cell.Pad(" "+style.On(line), width))
	}
	lines = append(
		lines,
		cell.Pad(" "+t.Mark.On(chart.Marks(p.marks, from, to, room, g)), width),
		cell.Pad(" "+t.Dim.On(chart.Axis(from, to, room)), width),
	)
	return exactly(lines, width, height)
}
