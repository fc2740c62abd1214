package ui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
)

// formDialog asks for the particulars of an action: texts that are typed, and switches that space turns on.
type formDialog struct {
	head   string
	intro  []string
	fields []formField
	at     int
	wrong  string
	top    int // first field drawn
	do     string
	submit func(m *Model, f *formDialog) (tea.Cmd, error)
}

// formField is one line of a form.
type formField struct {
	label   string
	hint    string   // said below the form while the field is being filled in
	choices []string // nil is a text
	chosen  int
	in      input
}

func textField(label, preset, hint string) formField {
	f := formField{label: label, hint: hint}
	f.in.set(preset)
	return f
}

func choiceField(label, hint string, choices ...string) formField {
	return formField{label: label, hint: hint, choices: choices}
}

// switchField is off until it is turned on.
func switchField(label, hint string) formField { return choiceField(label, hint, "no", "yes") }

func (f *formField) on() bool { return f.chosen > 0 }

func (*formDialog) typing() {}

func (f *formDialog) title(*Model) string { return f.head }

// Sizes of a form.
const (
	formWidth  = 76
	formHints  = 2 // lines
	formLabels = 24
)

func (f *formDialog) size(_ *Model, width, height int) (int, int) {
	w := min(width, formWidth)
	return w, min(len(f.introLines(w-2))+len(f.fields)+formHints+2, height)
}

func (f *formDialog) introLines(width int) (lines []string) {
	for _, text := range f.intro {
		lines = append(lines, wrapWords(text, width, 2)...)
	}
	return lines
}

func (f *formDialog) lines(m *Model, width, height int) []string {
	t, g := m.d.look.theme, m.d.look.glyphs
	var out []string
	room := height - formHints - 1
	if intro := f.introLines(width); len(intro)+len(f.fields) <= room {
		for _, line := range intro {
			out = append(out, t.Dim.On(line))
		}
		room -= len(intro)
	}
	room = max(room, 1)
	f.top = max(min(f.top, f.at), f.at-room+1)
	labels := 0
	for i := range f.fields {
		labels = max(labels, cell.Width(f.fields[i].label))
	}
	labels = min(labels, formLabels)
	for i := f.top; i < len(f.fields) && i < f.top+room; i++ {
		field := &f.fields[i]
		cursor, style := "  ", t.Label
		if i == f.at {
			cursor, style = t.Value.On(g.Cursor+" "), t.Accent
		}
		wide := max(width-labels-4, 1)
		value := field.in.draw(m.d, wide, i == f.at)
		if field.choices != nil {
			value = cell.Pad(field.choices[field.chosen], wide)
			if i == f.at {
				value = t.Selected.On(" "+field.choices[field.chosen]+" ") + t.Dim.On("  space changes it")
			}
		}
		out = append(out, cursor+style.On(cell.Pad(field.label, labels))+"  "+value)
	}
	for len(out) < height-formHints-1 {
		out = append(out, "")
	}
	hint, style := wrapWords(f.fields[f.at].hint, width, formHints), t.Dim
	if f.wrong != "" {
		hint, style = wrapWords(f.wrong, width, formHints), t.Bad
	}
	for i := range formHints {
		line := ""
		if i < len(hint) {
			line = hint[i]
		}
		out = append(out, style.On(line))
	}
	return append(out, t.Value.On("enter")+t.Dim.On(" "+f.do+"   tab next   esc leaves everything as it is"))
}

func (f *formDialog) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	field := &f.fields[f.at]
	switch {
	case k.Paste:
		if field.choices == nil {
			field.in.key(k)
		}
		return nil, false
	case k.Type == tea.KeyEnter:
		cmd, err := f.submit(m, f)
		if err != nil {
			f.wrong = clean(err.Error())
			return nil, false
		}
		return cmd, true
	case k.Type == tea.KeyTab, k.Type == tea.KeyDown:
		f.at, f.wrong = (f.at+1)%len(f.fields), ""
	case k.Type == tea.KeyShiftTab, k.Type == tea.KeyUp:
		f.at, f.wrong = (f.at+len(f.fields)-1)%len(f.fields), ""
	case field.choices == nil:
		f.wrong = ""
		field.in.key(k)
	case k.Type == tea.KeySpace, k.Type == tea.KeyRight:
		field.chosen = (field.chosen + 1) % len(field.choices)
	case k.Type == tea.KeyLeft:
		field.chosen = (field.chosen + len(field.choices) - 1) % len(field.choices)
	}
	return nil, false
}

func (*formDialog) help(KeyMap) []key.Binding {
	return []key.Binding{
		key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", "go on")), key.NewBinding(key.WithKeys("tab"), key.WithHelp("tab", "next")),
		key.NewBinding(key.WithKeys("esc"), key.WithHelp("esc", "leave it")),
	}
}
