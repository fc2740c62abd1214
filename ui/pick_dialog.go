package ui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
)

// pickDialog chooses a consumer from those of the group, or takes a name that is typed.
type pickDialog struct {
	head    string
	all     []redisq.Consumer // those that may be chosen, the likely ones first
	found   []int             // into all, those that the text matches
	in      input
	at, top int
	counts  bool // there is a switch for counting the delivery
	count   bool
	picked  func(m *Model, name string, count bool) tea.Cmd
}

// newPick offers the consumers of the group but one: first those that have done something lately.
func newPick(m *Model, head, but string, counts bool, picked func(m *Model, name string, count bool) tea.Cmd) *pickDialog {
	p := &pickDialog{head: head, counts: counts, picked: picked}
	if m.d.good != nil {
		for _, c := range m.d.good.Group.Consumers {
			if c.Name != but {
				p.all = append(p.all, c)
			}
		}
	}
	slices.SortStableFunc(p.all, func(a, b redisq.Consumer) int {
		return cmp.Or(cmp.Compare(quietness(m.d, &a), quietness(m.d, &b)), cmp.Compare(a.Name, b.Name))
	})
	p.search()
	return p
}

// quietness is 0 for a consumer that works, as far as that is known.
func quietness(d *data, c *redisq.Consumer) int {
	if w, ours := d.worker(c.Name); ours && !w.Alive() || !activeConsumer(d, c) {
		return 1
	}
	return 0
}

func (p *pickDialog) search() {
	p.found = p.found[:0]
	text := strings.ToLower(p.in.text())
	for i := range p.all {
		if strings.Contains(strings.ToLower(clean(p.all[i].Name)), text) {
			p.found = append(p.found, i)
		}
	}
	p.at, p.top = 0, 0
}

// typed is the name that was typed where no consumer has it, else "".
func (p *pickDialog) typed() string {
	text := p.in.text()
	for i := range p.all {
		if p.all[i].Name == text {
			return ""
		}
	}
	return text
}

func (p *pickDialog) rows() int {
	n := len(p.found)
	if p.typed() != "" {
		n++
	}
	return n
}

func (*pickDialog) typing() {}

func (p *pickDialog) title(*Model) string { return p.head }

func (p *pickDialog) size(_ *Model, width, height int) (int, int) {
	return min(width, 70), min(max(len(p.all), 3)+5, height)
}

func (p *pickDialog) lines(m *Model, width, height int) []string {
	t, g := m.d.look.theme, m.d.look.glyphs
	out := []string{t.Label.On("consumer ") + p.in.draw(m.d, max(width-10, 1), true)}
	foot := 1
	if p.counts {
		foot++
	}
	room := max(height-len(out)-foot, 1)
	p.top = max(min(p.top, p.at), p.at-room+1)
	for i := p.top; i < p.rows() && i < p.top+room; i++ {
		text := ""
		if i < len(p.found) {
			text = pickText(m.d, &p.all[p.found[i]])
		} else {
			text = "a new consumer named " + clean(p.typed())
		}
		if i == p.at {
			out = append(out, t.Selected.On(cell.Pad(g.Cursor+" "+text, width)))
		} else {
			out = append(out, "  "+text)
		}
	}
	if p.rows() == 0 {
		out = append(out, t.Dim.On("  the group has no other consumer: type the name of one"))
	}
	for len(out) < height-foot {
		out = append(out, "")
	}
	if p.counts {
		text := "not counted as a delivery"
		if p.count {
			text = "counted as a delivery: its limit comes nearer"
		}
		out = append(out, t.Label.On("tab")+" "+text)
	}
	return append(out, t.Value.On("enter")+t.Dim.On(" chooses it, type to search or to name a new one, esc leaves it"))
}

func pickText(d *data, c *redisq.Consumer) string {
	state := "quiet"
	if quietness(d, c) == 0 {
		state = "active"
	}
	if w, ours := d.worker(c.Name); ours {
		state = clean(string(w.Phase))
	}
	return cell.Pad(clean(c.Name), 28) + " " + cell.Pad(state, 10) + " holds " + strconv.FormatInt(c.Pending, 10)
}

func (p *pickDialog) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	switch {
	case k.Paste:
		p.in.key(k)
		p.search()
	case k.Type == tea.KeyEnter:
		name := p.typed()
		if p.at < len(p.found) {
			name = p.all[p.found[p.at]].Name
		}
		if name == "" {
			return nil, false
		}
		m.dialog = nil
		return p.picked(m, name, p.count), true
	case k.Type == tea.KeyUp:
		p.at = max(p.at-1, 0)
	case k.Type == tea.KeyDown:
		p.at = max(min(p.at+1, p.rows()-1), 0)
	case k.Type == tea.KeyTab && p.counts:
		p.count = !p.count
	default:
		p.in.key(k)
		p.search()
	}
	return nil, false
}

func (*pickDialog) help(KeyMap) []key.Binding {
	return []key.Binding{
		key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "choose")), key.NewBinding(key.WithKeys("esc"), key.WithHelp("esc", "leave it")),
	}
}
