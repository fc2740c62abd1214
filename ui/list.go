package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/unacked/ui/cell"
)

// list is a windowed table: of any number of rows only those on the screen are formatted and styled. The selection is
// an id and keeps to it when rows move; where the id leaves, the nearest row that stayed is selected and left tells
// what went.
//
// It is drawn and changed from the program's goroutine only.
type list struct {
	cols   []column
	header bool
	follow bool // the selection stays on the last row while it is there

	src   rows
	order []int    // rows that pass the filter, as indexes into src, in the order shown
	ids   []string // their ids
	texts [][]string

	cursor int // index into order
	sel    string
	left   string // see leaver
	leftAt time.Time
	now    time.Time // of the last set or draw
	top    int       // first row drawn
	height int       // rows that were drawn last, for the page keys
	drawn  []int     // widths of the columns that were drawn last

	marks   map[string]bool // ids; see markKey
	sort    sorting
	pointed int // column under the column cursor, -1 is none
	filter  filter
}

// newList returns a list without rows that is not sorted by a column.
func newList(cols []column) list {
	return list{cols: cols, header: true, sort: sorting{col: -1}, pointed: -1}
}

// rows is where a list has its rows from. The functions are called until the next set.
type rows struct {
	n     int
	id    func(row int) string
	cells func(row int) []string // made harmless, one text a column, the same for one reading
	less  func(a, b int) int     // order of the sorting chosen, nil keeps the rows' own
}

// sorting says which column is sorted by, for the mark in the header.
type sorting struct {
	col  int // -1 is none
	down bool
}

func (s sorting) mark(d *data) string {
	if s.down {
		return d.look.glyphs.Down
	}
	return d.look.glyphs.Up
}

// set takes the rows of a reading, which came now, and keeps the selection. Where the selected id is not among them
// and the filter is not what hides it, it has left.
func (l *list) set(src rows, now time.Time) {
	was := l.sel
	l.now = now
	l.src = src
	l.texts = make([][]string, src.n)
	l.arrange()
	if was != "" && was != l.sel && l.left == "" && !l.stored(was) {
		l.left, l.leftAt = was, now
	}
}

// leftWithin is how long after the selected row went away a key may still have been meant for it.
const leftWithin = time.Second

// gone returns what left from under the cursor a moment ago: see leaver.
func (l *list) gone() string {
	if l.left == "" || l.now.Sub(l.leftAt) > leftWithin {
		l.left = ""
	}
	return l.left
}

// arrange filters and sorts the rows, then finds the selected id again, or the row nearest to where it was.
func (l *list) arrange() {
	old, cursor, above := l.ids, l.cursor, l.cursor-l.top
	atEnd := l.cursor >= len(l.ids)-1

	l.order = make([]int, 0, l.src.n)
	for i := range l.src.n {
		if l.filter.passes(l.row, i) {
			l.order = append(l.order, i)
		}
	}
	if l.src.less != nil {
		slices.SortStableFunc(l.order, l.src.less)
	}
	l.ids = make([]string, len(l.order))
	for at, i := range l.order {
		l.ids[at] = l.src.id(i)
	}

	switch at := l.find(l.sel, cursor); {
	case l.follow && atEnd:
		l.cursor = len(l.ids) - 1
	case at >= 0:
		l.cursor = at
	case l.sel == "":
		l.cursor = 0
	default:
		l.cursor = nearest(old, cursor, l.ids)
	}
	l.cursor = max(0, min(l.cursor, len(l.ids)-1))
	l.sel = ""
	if len(l.ids) > 0 {
		l.sel = l.ids[l.cursor]
	}
	l.top = l.cursor - above // the cursor stays on its line of the screen
}

// find returns where id is shown, or -1. near is looked at first.
func (l *list) find(id string, near int) int {
	if id == "" {
		return -1
	}
	if near >= 0 && near < len(l.ids) && l.ids[near] == id {
		return near
	}
	return slices.Index(l.ids, id)
}

// stored says whether any row has the id, shown or not.
func (l *list) stored(id string) bool {
	for i := range l.src.n {
		if l.src.id(i) == id {
			return true
		}
	}
	return false
}

// nearest returns where in now the row is that was closest to old[from] and is still there; the one after it wins over
// the one before. from itself is the answer when none is.
func nearest(old []string, from int, now []string) int {
	at := make(map[string]int, len(now))
	for i, id := range now {
		at[id] = i
	}
	for step := 1; step < len(old); step++ {
		for _, i := range [2]int{from + step, from - step} {
			if i < 0 || i >= len(old) {
				continue
			}
			if found, ok := at[old[i]]; ok {
				return found
			}
		}
	}
	return from
}

// row returns the texts of a row; they are made at first need and kept until the next set.
func (l *list) row(i int) []string {
	if l.texts[i] == nil {
		l.texts[i] = l.src.cells(i)
	}
	return l.texts[i]
}

// at returns the row of src under the cursor.
func (l *list) at() (row int, ok bool) {
	if l.cursor < 0 || l.cursor >= len(l.order) {
		return 0, false
	}
	return l.order[l.cursor], true
}

// move puts the cursor delta rows on, stopping at the ends.
func (l *list) move(delta int) { l.jump(l.cursor + delta) }

func (l *list) jump(to int) {
	l.cursor = max(0, min(to, len(l.ids)-1))
	l.sel = ""
	if len(l.ids) > 0 {
		l.sel = l.ids[l.cursor]
	}
}

// count is "3", or "2 of 3" where the filter hides some.
func (l *list) count() string {
	if l.filter.on() {
		return strconv.Itoa(len(l.ids)) + " of " + strconv.Itoa(l.src.n)
	}
	return strconv.Itoa(l.src.n)
}

// painter returns what is drawn of a cell: it may put in what changes with the clock, and a style. It is called for
// the rows on the screen only.
type painter func(row, col int, text string) (string, cell.Style)

// lines draws the list: exactly height lines of exactly width cells.
func (l *list) lines(d *data, width, height int, focused bool, paint painter) []string {
	if height <= 0 {
		return nil
	}
	l.now = d.now
	width = max(width, 0)
	out := make([]string, 0, height)
	room := height
	if l.header && height > 1 {
		room--
	}
	foot := l.filter.shown() && room > 1
	if foot {
		room--
	}
	l.height = room
	l.top = max(0, min(l.top, len(l.ids)-room, l.cursor))
	l.top = max(l.top, l.cursor-room+1)
	l.look(room)
	widths, gap := fit(l.cols, width-markWidth)
	l.drawn = widths
	if l.header && height > 1 {
		out = append(out, l.head(d, widths, gap, width))
	}

	for at := l.top; at < len(l.order) && at < l.top+room; at++ {
		out = append(out, l.line(d, at, widths, gap, width, focused, paint))
	}
	blank := cell.Spaces(width)
	for len(out) < height {
		out = append(out, blank)
	}
	if foot {
		out[height-1] = l.filter.line(d, l, width)
	}
	return out
}

// markWidth is the room of the selection mark before a row: "> ".
const markWidth = 2

func (l *list) head(d *data, widths []int, gap, width int) string {
	var b strings.Builder
	b.WriteString(cell.Spaces(markWidth))
	first := true
	for c, w := range widths {
		if w == 0 {
			continue
		}
		if !first {
			b.WriteString(cell.Spaces(gap))
		}
		first = false
		title := l.cols[c].title
		if l.sort.col == c {
			title += l.sort.mark(d)
		}
		if l.pointed == c {
			title = d.look.glyphs.Into + title
		}
		b.WriteString(align(title, w, l.cols[c].right))
	}
	return d.look.theme.Label.On(cell.Pad(b.String(), width))
}

func (l *list) line(d *data, at int, widths []int, gap, width int, focused bool, paint painter) string {
	i := l.order[at]
	selected := at == l.cursor
	// A style inside a line ends with a reset, which would end the line's own: a line that has one takes no others.
	whole := selected && focused || d.stale
	var b strings.Builder
	b.Grow(width * 2)
	if selected {
		b.WriteString(d.look.glyphs.Cursor)
	} else {
		b.WriteByte(' ')
	}
	if l.marks[l.ids[at]] {
		b.WriteString(markSign)
	} else {
		b.WriteByte(' ')
	}
	texts := l.row(i)
	first := true
	for c, w := range widths {
		if w == 0 {
			continue
		}
		if !first {
			b.WriteString(cell.Spaces(gap))
		}
		first = false
		text, style := paint(i, c, texts[c])
		if l.cols[c].ends {
			text = cell.Middle(text, w)
		}
		text = align(text, w, l.cols[c].right)
		if !whole {
			text = style.On(text)
		}
		b.WriteString(text)
	}
	line := cell.Pad(b.String(), width)
	switch {
	case selected && focused:
		return d.look.theme.Selected.On(line)
	case d.stale:
		return d.look.theme.Stale.On(line)
	}
	return line
}

func align(text string, width int, right bool) string {
	if right {
		return cell.PadLeft(text, width)
	}
	return cell.Pad(text, width)
}

// point moves the column cursor among the columns that were drawn last.
func (l *list) point(by int) {
	for c := l.pointed + by; c >= 0 && c < len(l.cols); c += by {
		if c < len(l.drawn) && l.drawn[c] > 0 {
			l.pointed = c
			return
		}
	}
}
