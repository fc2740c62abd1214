package ui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq/desk"
	"example.com/unacked/ui/cell"
)

// actMenu lists what can be done to what is selected. It keeps the selection that it was opened for.
type actMenu struct {
	head    string
	items   []actItem
	at, top int
}

// actItem is one line of the menu.
type actItem struct {
	deed desk.Deed
	name string
	line string // what it does, in one line
	off  string // why it cannot be done now, "" where it can
	do   func(m *Model) tea.Cmd
}

// askAct opens the menu.
func (m *Model) askAct() tea.Cmd {
	if !m.mayAct("") {
		return nil
	}
	if m.browsing() || m.d.good == nil {
		m.complain("open a group first: what can be done to it is listed there")
		return nil
	}
	t, ok := m.aimed()
	if !ok {
		return nil
	}
	menu := &actMenu{head: "Act", items: m.actItems(t)}
	if t.finding != nil {
		menu.head = "Act on " + string(t.finding.Code)
	}
	m.dialog = menu
	return m.askRights(true)
}

func (a *actMenu) title(*Model) string { return a.head }

const (
	actWidth = 100
	actFoot  = 3 // lines about the item under the cursor
	actNames = 38
)

func (a *actMenu) size(_ *Model, width, height int) (int, int) {
	return min(width, actWidth), min(len(a.items)+actFoot, height)
}

func (a *actMenu) lines(m *Model, width, height int) []string {
	t, g := m.d.look.theme, m.d.look.glyphs
	room := max(height-actFoot, 1)
	a.top = max(min(a.top, a.at), a.at-room+1)
	names := 0
	for _, item := range a.items {
		names = max(names, cell.Width(item.name))
	}
	names = min(names, actNames)
	var out []string
	for i := a.top; i < len(a.items) && i < a.top+room; i++ {
		item := a.items[i]
		text, style := item.line, t.Dim
		if why := a.why(m, i); why != "" {
			text = why
		}
		name := cell.Pad(item.name, names)
		if i == a.at {
			out = append(out, t.Selected.On(cell.Pad(g.Cursor+" "+name+"  "+text, width)))
			continue
		}
		named := t.Value
		if a.why(m, i) != "" {
			named = t.Dim
		}
		out = append(out, named.On("  "+name)+"  "+style.On(cell.Cut(text, max(width-names-4, 0))))
	}
	for len(out) < height-actFoot {
		out = append(out, "")
	}
	about, style := a.items[a.at].line, t.Text
	if why := a.why(m, a.at); why != "" {
		about, style = "off: "+why, t.Warn
	}
	about2 := wrapWords(about, width, actFoot-1)
	out = append(out, "")
	for _, line := range about2 {
		out = append(out, style.On(line))
	}
	return out
}

// why is why an item cannot be done now.
func (a *actMenu) why(m *Model, i int) string {
	if a.items[i].off != "" {
		return a.items[i].off
	}
	return m.d.whyNot(a.items[i].deed)
}

func (a *actMenu) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	switch {
	case key.Matches(k, m.keys.Up):
		a.at = max(a.at-1, 0)
	case key.Matches(k, m.keys.Down):
		a.at = min(a.at+1, len(a.items)-1)
	case key.Matches(k, m.keys.Home):
		a.at = 0
	case key.Matches(k, m.keys.End):
		a.at = len(a.items) - 1
	case key.Matches(k, m.keys.Act):
		return nil, true
	case key.Matches(k, m.keys.Open):
		if why := a.why(m, a.at); why != "" {
			m.complain(a.items[a.at].name + " is off: " + why)
			return nil, false
		}
		m.dialog = nil
		return a.items[a.at].do(m), true
	}
	return nil, false
}

func (*actMenu) help(k KeyMap) []key.Binding {
	return []key.Binding{says(k.Open, "choose"), k.Up, k.Down, says(k.Back, "leave it")}
}
