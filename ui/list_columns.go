package ui

import (
	"cmp"
	"slices"

	"example.com/unacked/ui/cell"
)

// column is one column of a list.
type column struct {
	title string
	min   int  // cells; narrower only when it is the last one standing
	want  int  // cells when there is room; 0 is min
	grow  bool // the first to get what it wants, and takes what is left; one column of a list
	right bool // aligned at its right edge
	drop  int  // when the room is short the highest goes first; 0 stays
	most  int  // where it is not 0 the column wants what its texts on the screen want, up to this, before the growing one
	ends  bool // its texts differ at their ends: they are cut in the middle
	off   bool // it is not there: nothing would ever stand in it

	seen int // cells of the widest text that was on the screen, where most is set
}

// Columns of these importances and less go before the texts of others are cut to less than readableMost cells, and before
// columns stand close together.
const (
	dropSecond   = 5
	dropThird    = 9
	readableMost = 24
)

// readable is how wide a column has to be for its texts to be read.
func (c column) readable() int {
	if c.most > 0 {
		return max(c.min, min(c.seen, c.most, readableMost))
	}
	return c.min
}

// fit shares width cells among the columns: the cells of each, 0 for a dropped one, and the gap between them.
func fit(cols []column, width int) (widths []int, gap int) {
	widths = make([]int, len(cols))
	keep := make([]int, 0, len(cols))
	for i := range cols {
		if !cols[i].off {
			keep = append(keep, i)
		}
	}
	need := func(gap int, of func(column) int) int {
		sum := gap * (len(keep) - 1)
		for _, i := range keep {
			sum += of(cols[i])
		}
		return sum
	}
	drop := func(from, gap int, of func(column) int) {
		for len(keep) > 1 && need(gap, of) > width {
			worst := slices.MaxFunc(keep, func(a, b int) int { return cmp.Compare(cols[a].drop, cols[b].drop) })
			if cols[worst].drop < from {
				return
			}
			keep = slices.DeleteFunc(keep, func(i int) bool { return i == worst })
		}
	}
	drop(dropThird, 2, column.readable)
	drop(dropSecond, 1, column.readable)
	drop(1, 1, func(c column) int { return c.min })
	if len(keep) == 0 {
		return widths, 1
	}
	grows := slices.IndexFunc(keep, func(i int) bool { return cols[i].grow })
	gap = 1
	for gap < 3 && len(keep) > 1 && need(gap+1, column.wanted) <= width && (gap < 2 || grows < 0) {
		gap++
	}
	left := width - gap*(len(keep)-1)
	for _, i := range keep {
		widths[i] = max(0, min(cols[i].min, left))
		left -= widths[i]
	}
	widen := func(i, to int) {
		more := max(0, min(to-widths[i], left))
		widths[i] += more
		left -= more
	}
	byImportance := slices.Clone(keep)
	slices.SortStableFunc(byImportance, func(a, b int) int { return cmp.Compare(cols[a].drop, cols[b].drop) })
	for _, i := range byImportance {
		if cols[i].most > 0 {
			widen(i, cols[i].wanted())
		}
	}
	if grows >= 0 {
		widen(keep[grows], cols[keep[grows]].wanted())
	}
	for _, i := range keep {
		widen(i, cols[i].wanted())
	}
	if grows >= 0 {
		widen(keep[grows], width)
	}
	return widths, gap
}

func (c column) wanted() int {
	if c.most > 0 {
		return max(c.min, min(c.seen, c.most))
	}
	return max(c.min, c.want)
}

// look has the columns remember how wide the texts of the rows on the screen are. They do not shrink again while there
// are rows, so that nothing moves to and fro.
func (l *list) look(rows int) {
	if len(l.ids) == 0 {
		for c := range l.cols {
			l.cols[c].seen = 0
		}
		return
	}
	for at := l.top; at < len(l.order) && at < l.top+rows; at++ {
		texts := l.row(l.order[at])
		for c := range l.cols {
			if col := &l.cols[c]; col.seen < col.most {
				col.seen = max(col.seen, cell.Width(texts[c]))
			}
		}
	}
}
