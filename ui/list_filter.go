package ui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
)

// filter hides the rows of a list that do not have its text in any cell, whatever the case of the letters. A text that
// begins with ! hides those that have it. The zero filter hides nothing.
type filter struct {
	in   input
	open bool
	text string // in lower case, without the !
	not  bool
}

// on says whether the filter may hide rows.
func (f *filter) on() bool { return f.text != "" }

// shown says whether the filter has a line of the list for itself.
func (f *filter) shown() bool { return f.open || f.on() }

// passes says whether a row is shown.
func (f *filter) passes(cells func(row int) []string, row int) bool {
	if f.text == "" {
		return true
	}
	for _, c := range cells(row) {
		if strings.Contains(strings.ToLower(c), f.text) {
			return !f.not
		}
	}
	return f.not
}

func (f *filter) take(text string) {
	f.text, f.not = strings.CutPrefix(strings.ToLower(text), "!")
}

// line draws the filter at the foot of its list.
func (f *filter) line(d *data, l *list, width int) string {
	t := d.look.theme
	counted := " " + l.count() + " "
	if !f.open {
		return t.Accent.On(cell.Pad("/"+clean(f.in.text())+counted, width))
	}
	hint := "enter keep  esc clear  ! not"
	room := max(width-1-cell.Width(counted)-cell.Width(hint), min(width-1, 12))
	return cell.Pad(t.Accent.On("/")+f.in.draw(d, room, true)+t.Accent.On(counted)+t.Dim.On(hint), width)
}

// key handles a key of the list: the filter's while it is open, else those that move the cursor. It returns false for
// a key that means nothing here.
func (l *list) key(d *data, k tea.KeyMsg) bool {
	if l.filter.open {
		l.filterKey(d, k)
		return true
	}
	page := max(1, l.height-1)
	switch {
	case k.Paste: // text that nobody asked for must not be taken for keys
		return false
	case key.Matches(k, d.keys.Up):
		l.move(-1)
	case key.Matches(k, d.keys.Down):
		l.move(1)
	case key.Matches(k, d.keys.PageUp):
		l.move(-page)
	case key.Matches(k, d.keys.PageDown):
		l.move(page)
	case key.Matches(k, d.keys.Home):
		l.jump(0)
	case key.Matches(k, d.keys.End):
		l.jump(len(l.ids) - 1)
	case key.Matches(k, d.keys.Filter):
		l.filter.open = true
	case key.Matches(k, d.keys.Back) && l.filter.on():
		l.filter = filter{}
		l.arrange()
	default:
		return false
	}
	l.left = ""
	return true
}

func (l *list) filterKey(d *data, k tea.KeyMsg) {
	switch {
	case !k.Paste && k.Type == tea.KeyEnter:
		l.filter.open = false
	case !k.Paste && k.Type == tea.KeyEsc:
		l.filter = filter{}
		l.arrange()
	case !k.Paste && (k.Type == tea.KeyUp || k.Type == tea.KeyDown):
		l.move(map[tea.KeyType]int{tea.KeyUp: -1, tea.KeyDown: 1}[k.Type])
	default:
		before := l.filter.in.text()
		l.filter.in.key(k)
		if after := l.filter.in.text(); after != before {
			l.filter.take(after)
			l.arrange()
		}
	}
}
