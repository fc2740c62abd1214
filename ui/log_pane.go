package ui

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
)

// logPane is the last lines of what libraries and workers logged, the newest last. It follows the newest as the commands
// do.
type logPane struct {
	list  list
	lines []string
	ids   []string
}

func newLogPane() pane {
	p := &logPane{list: newList([]column{{title: "LINE", min: 12, grow: true}})}
	p.list.header, p.list.follow = false, true
	return p
}

func (*logPane) Name() string { return "Log" }

func (p *logPane) Title(*data) string { return "Log " + p.list.count() + " of libraries and workers" }

func (p *logPane) Data(d *data) {
	p.lines, p.ids = d.last.Log, make([]string, len(d.last.Log))
	seen := map[string]int{}
	for i := len(p.lines) - 1; i >= 0; i-- { // the oldest drop out: the same lines are told apart from the end
		seen[p.lines[i]]++
		p.ids[i] = p.lines[i] + "/" + strconv.Itoa(seen[p.lines[i]])
	}
	p.list.set(rows{
		n:     len(p.lines),
		id:    func(row int) string { return p.ids[row] },
		cells: func(row int) []string { return []string{clean(p.lines[row])} },
	}, d.now)
}

func (p *logPane) Lines(d *data, width, height int, focused bool) []string {
	if len(p.lines) == 0 {
		return paragraph(d, []string{"Nothing was logged. What libraries and workers log stands here, and never on the screen; --log FILE keeps it."}, width, height)
	}
	fresh := *d
	fresh.stale = false
	return p.list.lines(&fresh, width, height, focused, func(_, _ int, text string) (string, cell.Style) { return text, d.look.theme.Text })
}

func (p *logPane) Key(d *data, k tea.KeyMsg) (tea.Cmd, bool) {
	if p.list.key(d, k) {
		return nil, true
	}
	if k.Paste || !key.Matches(k, d.keys.Copy) {
		return nil, false
	}
	row, ok := p.list.at()
	if !ok {
		return copied(d, ""), true
	}
	return copied(d, clean(p.lines[row])), true
}

func (*logPane) Help(d *data) []key.Binding {
	return []key.Binding{d.keys.Up, d.keys.End, d.keys.Filter, d.keys.Copy}
}

func (p *logPane) Capturing() bool { return p.list.filter.open }
