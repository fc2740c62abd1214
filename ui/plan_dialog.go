package ui

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/ui/cell"
)

// planDialog shows what an action would send and change; enter does it.
type planDialog struct {
	plan desk.Plan
	text []string // effects and commands, made harmless
	cut  int      // index of the first command in text
	top  int
	most int
}

func newPlanDialog(p desk.Plan) *planDialog {
	d := &planDialog{plan: p}
	for _, e := range p.Effects {
		d.text = append(d.text, clean(e))
	}
	d.cut = len(d.text)
	for _, c := range p.Commands {
		d.text = append(d.text, clean(redisq.RedisCLI(c)))
	}
	return d
}

func (p *planDialog) title(*Model) string { return clean(p.plan.Title) + "?" }

func (p *planDialog) size(_ *Model, width, height int) (int, int) {
	w := 60
	for _, line := range p.text {
		w = max(w, cell.Width(line)+6)
	}
	w = min(w, width)
	return w, min(len(p.wrapped(w-4))+4, height)
}

// wrapped is the effects and commands broken to a width.
func (p *planDialog) wrapped(width int) (lines []planLine) {
	for i, text := range p.text {
		if i == p.cut {
			if i > 0 {
				lines = append(lines, planLine{})
			}
			lines = append(lines, planLine{text: "Sent to Redis:", head: true})
		}
		for j, line := range wrapWords(text, max(width-2, 8), 4) {
			if j > 0 {
				line = "  " + line
			}
			lines = append(lines, planLine{text: line, command: i >= p.cut})
		}
	}
	return lines
}

type planLine struct {
	text          string
	command, head bool
}

func (p *planDialog) lines(m *Model, width, height int) []string {
	t := m.d.look.theme
	all := p.wrapped(width)
	room := max(height-2, 1)
	p.most = max(len(all)-room, 0)
	p.top = max(min(p.top, p.most), 0)
	var lines []string
	for _, line := range all[p.top:min(p.top+room, len(all))] {
		switch {
		case line.head:
			lines = append(lines, t.Label.On(line.text))
		case line.command:
			lines = append(lines, "  "+t.Accent.On(line.text))
		default:
			lines = append(lines, line.text)
		}
	}
	if rest := p.most - p.top; rest > 0 {
		lines[len(lines)-1] = t.Dim.On(strconv.Itoa(rest+1) + " more lines, " + keyOf(m.keys.Down, "down") + " shows them")
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	do := " does it"
	style := t.Value
	if p.plan.Destructive {
		if p.plan.Count > 0 || p.plan.AtLeast {
			do += " to " + atLeast(p.plan.AtLeast) + many(int64(p.plan.Count), countedIn(p.plan.Wish.Deed))
		}
		style = t.Bad
	}
	return append(lines, style.On(keyOf(m.keys.Open, "enter")+do)+t.Dim.On("   "+keyOf(m.keys.Back, "esc")+" leaves everything as it is"))
}

func (p *planDialog) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	switch {
	case key.Matches(k, m.keys.Open):
		return m.run(p.plan), true
	case key.Matches(k, m.keys.Up):
		p.top = max(p.top-1, 0)
	case key.Matches(k, m.keys.Down):
		p.top = min(p.top+1, p.most)
	}
	return nil, false
}

func (*planDialog) help(k KeyMap) []key.Binding {
	return []key.Binding{says(k.Open, "do it"), says(k.Back, "leave it"), k.Up, k.Down}
}

func atLeast(is bool) string {
	if is {
		return "at least "
	}
	return ""
}

// countedIn is what the count of a deed counts.
func countedIn(deed desk.Deed) string {
	switch deed {
	case desk.Replay, desk.Discard, desk.Move, desk.BringBack:
		return "letter"
	case desk.RemoveIdle:
		return "consumer"
	}
	return "entry"
}
