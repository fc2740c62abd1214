package ui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"example.com/unacked/ui/cell"
)

// palette lists every action by name, and does the one that is chosen as if its key had been pressed. It is made from
// the groups of the help, and so has what they have.
type palette struct {
	all   []action
	found []int // into all, the best first
	in    input
	at    int
	top   int
	rows  int // drawn last
}

// action is one line of the palette.
type action struct {
	binding key.Binding
	name    string
	does    string
}

// text is what is searched.
func (a action) text() string { return a.name + " " + a.does }

// typing is a dialog with an input: it has every key but ctrl+c and esc.
type typing interface{ typing() }

func (*palette) typing() {}

func newPalette(m *Model) *palette {
	p := &palette{all: m.actions()}
	p.search()
	return p
}

// actions are those of the help, one for each key.
func (m *Model) actions() []action {
	groups := keyGroups(m.keys)
	if m.watcher != nil {
		groups = watchKeyGroups(m.keys)
	}
	var all []action
	seen := map[string]int{} // the last group that has a key tells best what it does
	for _, g := range groups {
		for _, line := range g.lines {
			for i, b := range line.keys {
				name := b.Help().Desc
				if !b.Enabled() || len(b.Keys()) == 0 || name == "" || b.Keys()[0] == firstKey(m.keys.Palette) {
					continue
				}
				does := line.does
				if line.apart != nil {
					does = line.apart[i]
				}
				if at, ok := seen[b.Help().Key]; ok {
					all[at].does = does
					continue
				}
				seen[b.Help().Key] = len(all)
				all = append(all, action{b, name, does})
			}
		}
	}
	return all
}

func firstKey(b key.Binding) string {
	if len(b.Keys()) == 0 {
		return ""
	}
	return b.Keys()[0]
}

func (p *palette) search() {
	p.found, p.at, p.top = p.found[:0], 0, 0
	want := strings.TrimSpace(p.in.text())
	if want == "" {
		for i := range p.all {
			p.found = append(p.found, i)
		}
		return
	}
	names, texts := make([]string, len(p.all)), make([]string, len(p.all))
	for i, a := range p.all {
		names[i], texts[i] = a.name, a.text()
	}
	for _, matches := range []fuzzy.Matches{fuzzy.Find(want, names), fuzzy.Find(want, texts)} { // a name counts more
		for _, f := range matches {
			if !slices.Contains(p.found, f.Index) {
				p.found = append(p.found, f.Index)
			}
		}
	}
}

func (*palette) title(*Model) string { return "Do what?" }

const paletteWidth = 76

func (p *palette) size(_ *Model, width, height int) (int, int) {
	return min(width, paletteWidth), min(len(p.all)+1, height)
}

// Widths in the palette.
const (
	paletteKey  = 10
	paletteName = 18
)

func (p *palette) lines(m *Model, width, height int) []string {
	t, g := m.d.look.theme, m.d.look.glyphs
	lines := []string{t.Accent.On(":") + p.in.draw(m.d, max(width-1, 0), true)}
	p.rows = max(height-1, 1)
	p.top = max(min(p.top, p.at, len(p.found)-p.rows), p.at-p.rows+1, 0)
	for i := p.top; i < min(p.top+p.rows, len(p.found)); i++ {
		a := p.all[p.found[i]]
		name, key := cell.Pad(a.name, paletteName), cell.PadLeft(a.binding.Help().Key, paletteKey)
		room := max(width-2-paletteName-1-paletteKey-1, 0)
		does := cell.Pad(a.does, room)
		if i == p.at {
			lines = append(lines, t.Selected.On(cell.Pad(g.Cursor+" "+name+" "+does+" "+key, width)))
			continue
		}
		lines = append(lines, "  "+t.Value.On(name)+" "+t.Dim.On(does)+" "+t.Key.On(key))
	}
	if len(p.found) == 0 {
		lines = append(lines, t.Dim.On("  no action of "+strconv.Itoa(len(p.all))+" has that in its name"))
	}
	return lines
}

func (p *palette) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	switch k.Type {
	case tea.KeyEnter:
		if p.at >= len(p.found) {
			return nil, false
		}
		press, ok := keyFor(firstKey(p.all[p.found[p.at]].binding))
		if !ok {
			return nil, true
		}
		m.dialog = nil
		return m.key(press), true
	case tea.KeyUp, tea.KeyShiftTab, tea.KeyCtrlP:
		p.at--
	case tea.KeyDown, tea.KeyTab, tea.KeyCtrlN:
		p.at++
	case tea.KeyPgUp:
		p.at -= p.rows
	case tea.KeyPgDown:
		p.at += p.rows
	default:
		before := p.in.text()
		if p.in.key(k); p.in.text() != before {
			p.search()
		}
	}
	p.at = max(min(p.at, len(p.found)-1), 0)
	return nil, false
}

func (*palette) help(k KeyMap) []key.Binding {
	return []key.Binding{
		says(k.Open, "do it"), k.Up, k.Down, says(k.Back, "close"),
	}
}

// keyTypes are the keys that are no characters, by name.
var keyTypes = func() map[string]tea.KeyType {
	all := map[string]tea.KeyType{}
	const ends = 127
	for t := tea.KeyType(ends); t > -ends; t-- {
		if name := (tea.KeyMsg{Type: t}).String(); name != "" && t != tea.KeyRunes {
			all[name] = t
		}
	}
	return all
}()

// keyFor returns the message of a key as bindings name it; false where there is no such key.
func keyFor(name string) (tea.KeyMsg, bool) {
	if name == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}, true
	}
	rest, alt := strings.CutPrefix(name, "alt+")
	if t, ok := keyTypes[rest]; ok {
		return tea.KeyMsg{Type: t, Alt: alt}, true
	}
	if r := []rune(rest); len(r) == 1 {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: r, Alt: alt}, true
	}
	return tea.KeyMsg{}, false
}
