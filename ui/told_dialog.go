package ui

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
)

// toldDialog is lines to read.
type toldDialog struct {
	head      string
	text      []string
	top, most int
	rows      int // drawn last
}

const (
	toldWidth = 92
	toldLines = 60 // of one text
)

func newTold(head string, lines []string) *toldDialog {
	t := &toldDialog{head: clean(head)}
	for _, line := range lines {
		t.text = append(t.text, cleanLong(line))
	}
	return t
}

func (t *toldDialog) title(*Model) string { return t.head }

func (t *toldDialog) wrapped(width int) (lines []string) {
	for _, text := range t.text {
		for i, line := range wrapWords(text, max(width-2, 8), toldLines) {
			if i > 0 {
				line = "  " + line
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func (t *toldDialog) size(_ *Model, width, height int) (int, int) {
	w := min(width, toldWidth)
	return w, min(len(t.wrapped(w-2))+1, height)
}

func (t *toldDialog) lines(m *Model, width, height int) []string {
	all := t.wrapped(width)
	t.rows = max(height-1, 1)
	t.most = max(len(all)-t.rows, 0)
	t.top = max(min(t.top, t.most), 0)
	out := append([]string(nil), all[t.top:min(t.top+t.rows, len(all))]...)
	foot := keyOf(m.keys.Back, "esc") + " closes this"
	if rest := t.most - t.top; rest > 0 {
		foot += ", " + keyOf(m.keys.Down, "down") + " shows " + many(int64(rest), "more line")
	}
	return append(out, m.d.look.theme.Dim.On(foot))
}

func (t *toldDialog) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	if key.Matches(k, m.keys.Open) {
		return nil, true
	}
	t.top, _ = moved(m.keys, k, t.top, t.rows, t.most)
	return nil, false
}

func (*toldDialog) help(k KeyMap) []key.Binding {
	return []key.Binding{says(k.Back, "close"), k.Up, k.Down}
}

// progressDialog is how far an action is that takes a while.
type progressDialog struct{ *relay }

func (p *progressDialog) title(*Model) string { return clean(p.plan.Title) }

func (*progressDialog) size(_ *Model, width, _ int) (int, int) { return min(width, 70), 5 }

func (p *progressDialog) lines(m *Model, width, _ int) []string {
	t := m.d.look.theme
	return []string{
		t.Accent.On(cell.Meter(p.share(), min(width, 60), m.d.look.glyphs)),
		p.text(),
		t.Bad.On(clean(p.shown.notice)),
		"",
		t.Dim.On(keyOf(m.keys.Back, "esc") + " stops after what is in hand, " + keyOf(m.keys.Open, "enter") + " lets it go on behind the screen"),
	}
}

func (p *progressDialog) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	if key.Matches(k, m.keys.Open) {
		p.hidden = true
		return nil, true
	}
	return nil, false
}

// closed stops the action after what is in hand.
func (p *progressDialog) closed(m *Model) {
	p.cancel()
	p.hidden = true
	m.say("stopping after what is in hand …")
}

func (*progressDialog) help(k KeyMap) []key.Binding {
	return []key.Binding{says(k.Back, "stop"), says(k.Open, "go on behind the screen")}
}

func itoa(n int) string { return strconv.Itoa(n) }
