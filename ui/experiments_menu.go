package ui

import (
	"slices"
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
	"example.com/unacked/workers/experiment"
)

// experimentsMenu chooses an experiment to play.
type experimentsMenu struct {
	all     []experiment.Experiment
	at, top int
	rows    int // of the list, drawn last
}

const (
	experimentsWidth = 100
	experimentName   = 20 // cells of a name, with the gap after it
	experimentTitle  = 60 // cells that a title may need
	experimentLeft   = experimentName + 5
	teachesLines     = 3 // under the list: what the selected one teaches
)

func (*experimentsMenu) title(*Model) string { return "Experiments" }

func (e *experimentsMenu) size(_ *Model, width, height int) (int, int) {
	w := min(width, experimentsWidth)
	return w, min(len(e.all)+1+len(e.chosen(w-2)), height)
}

// chosen is what is said of the selected experiment: its title, where the list has to cut it, and what it teaches.
func (e *experimentsMenu) chosen(width int) []string {
	var lines []string
	if e.at >= len(e.all) {
		return nil
	}
	x := e.all[e.at]
	if width < experimentLeft+experimentTitle {
		lines = append(lines, cell.Cut(x.Title, width))
	}
	teaches := wrapWords(x.Teaches+" About "+durText(x.Takes)+", without the pauses.", width, teachesLines)
	for len(teaches) < teachesLines {
		teaches = append(teaches, "")
	}
	return append(lines, teaches...)
}

func (e *experimentsMenu) lines(m *Model, width, height int) []string {
	t := m.d.look.theme
	under := e.chosen(width)
	if height > 2*len(under) {
		under = append([]string{""}, under...)
	}
	e.rows = max(height-len(under), 1)
	e.top = max(min(e.top, e.at, len(e.all)-e.rows), e.at-e.rows+1, 0)
	lines := make([]string, 0, height)
	for i := e.top; i < min(e.top+e.rows, len(e.all)); i++ {
		lines = append(lines, e.row(m, i, width))
	}
	below := len(e.all) - e.top - e.rows
	for i, line := range under {
		if i == 0 && line == "" && below > 0 {
			line = cell.PadLeft(keyOf(m.keys.Down, "down")+" "+strconv.Itoa(below)+" more ", width)
		}
		lines = append(lines, t.Accent.On(line))
	}
	return lines
}

// row is one experiment: its name, whether it held when it was played here, and what is done.
func (e *experimentsMenu) row(m *Model, i, width int) string {
	t, g := m.d.look.theme, m.d.look.glyphs
	x := e.all[i]
	played, style := " ", t.Text
	if holds, ok := m.results[x.Name]; ok {
		played, style = g.Dead, t.Bad
		if holds {
			played, style = g.Check, t.Good
		}
	}
	title := cell.Cut(x.Title, max(width-experimentLeft, 0))
	name := cell.Pad(x.Name, experimentName)
	if i == e.at {
		return t.Selected.On(cell.Pad(g.Cursor+" "+name+" "+played+" "+title, width))
	}
	return "  " + t.Value.On(name) + " " + style.On(played) + " " + t.Dim.On(title)
}

func (e *experimentsMenu) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	last := len(e.all) - 1
	switch {
	case key.Matches(k, m.keys.Experiments):
		return nil, true
	case key.Matches(k, m.keys.Open):
		if e.at > last {
			return nil, true
		}
		return m.begin(e.all[e.at]), true
	}
	e.at, _ = moved(m.keys, k, e.at, e.rows, last)
	return nil, false
}

func (*experimentsMenu) help(k KeyMap) []key.Binding {
	return slices.Concat([]key.Binding{says(k.Open, "play it"), k.Up, k.Down, says(k.Back, "close")})
}
