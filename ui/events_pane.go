package ui

import (
	"slices"
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
	"example.com/unacked/workers/lab"
)

// eventsPane is what was done and what happened by itself, the newest first.
type eventsPane struct {
	rows []event
}

type event struct {
	lab.Mark
	done bool // it has a mark on the time axis; else it happened by itself
}

// eventsMost bounds what is kept in order.
const eventsMost = 200

func (*eventsPane) Name() string { return "Events" }

func (p *eventsPane) Title(*data) string { return "Events " + strconv.Itoa(len(p.rows)) }

func (p *eventsPane) Data(d *data) {
	s := d.state()
	p.rows = p.rows[:0]
	for _, m := range s.Marks {
		p.rows = append(p.rows, event{m, true})
	}
	for _, m := range s.Notices {
		p.rows = append(p.rows, event{m, false})
	}
	if d.watch != nil {
		for _, e := range d.watch.events {
			p.rows = append(p.rows, event{lab.Mark{At: e.At, Text: e.Text, ID: e.ID}, e.Mark})
		}
	}
	slices.SortStableFunc(p.rows, func(a, b event) int { return b.At.Compare(a.At) })
	p.rows = p.rows[:min(len(p.rows), eventsMost)]
}

func (*eventsPane) Key(*data, tea.KeyMsg) (tea.Cmd, bool) { return nil, false }

func (*eventsPane) Help(*data) []key.Binding { return nil }

func (*eventsPane) Capturing() bool { return false }

func (p *eventsPane) Lines(d *data, width, height int, _ bool) []string {
	t, g := d.look.theme, d.look.glyphs
	lines := make([]string, 0, max(height, 0))
	for i := 0; i < len(p.rows) && len(lines) < height; i++ {
		e := p.rows[i]
		bullet := t.Dim.On(g.Bullet)
		if e.done {
			bullet = t.Mark.On(g.Mark)
		}
		lines = append(lines, cell.Pad(" "+t.Dim.On(clockText(e.At))+" "+bullet+" "+clean(e.Text), width))
	}
	for len(lines) < height {
		text := ""
		if len(p.rows) == 0 && len(lines) == 0 {
			text = " nothing was done yet"
			if d.watch != nil {
				text = " nothing was seen to happen yet"
			}
		}
		lines = append(lines, t.Dim.On(cell.Pad(text, width)))
	}
	return lines
}
