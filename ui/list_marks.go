package ui

import (
	"slices"
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// markSign stands before a marked row, beside the cursor.
const markSign = "*"

// markKey handles the keys that mark rows; false for any other.
func (l *list) markKey(d *data, k tea.KeyMsg) bool {
	switch {
	case l.filter.open || k.Paste:
		return false
	case key.Matches(k, d.keys.Mark):
		if l.sel != "" {
			l.mark(!l.marks[l.sel], l.sel)
			l.move(1)
		}
	case key.Matches(k, d.keys.MarkAll):
		all := !slices.ContainsFunc(l.ids, func(id string) bool { return !l.marks[id] })
		l.mark(!all, l.ids...)
	case key.Matches(k, d.keys.Back) && len(l.marks) > 0 && !l.filter.on():
		l.marks = nil
	default:
		return false
	}
	l.left = ""
	return true
}

func (l *list) mark(on bool, ids ...string) {
	if l.marks == nil {
		l.marks = make(map[string]bool, len(ids))
	}
	for _, id := range ids {
		if on {
			l.marks[id] = true
		} else {
			delete(l.marks, id)
		}
	}
}

// marked returns the rows of src that are marked, in their order there, and how many marks have lost their row.
func (l *list) marked() (rows []int, gone int) {
	if len(l.marks) == 0 {
		return nil, 0
	}
	for i := range l.src.n {
		if l.marks[l.src.id(i)] {
			rows = append(rows, i)
		}
	}
	return rows, len(l.marks) - len(rows)
}

// markedText is ", 3 marked" for a title, "" where none is.
func (l *list) markedText() string {
	if n := len(l.marks); n > 0 {
		return ", " + strconv.Itoa(n) + " marked"
	}
	return ""
}
