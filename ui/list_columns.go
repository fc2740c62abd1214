package ui

import (
	"cmp"
	"slices"
)

// column is one column of a list.
type column struct {
	title string
	min   int  // cells; narrower only when it is the last one standing
	want  int  // cells when there is room; 0 is min
	grow  bool // the first to get what it wants, and takes what is left; one column of a list
	right bool // aligned at its right edge
	drop  int  // when the room is short the highest goes first; 0 stays
}

// fit shares width cells among the columns: the cells of each, 0 for a dropped one, and the gap between them.
func fit(cols []column, width int) (widths []int, gap int) {
	widths = make([]int, len(cols))
	keep := make([]int, 0, len(cols))
	for i := range cols {
		keep = append(keep, i)
	}
	need := func(gap int, of func(column) int) int {
		sum := gap * (len(keep) - 1)
		for _, i := range keep {
			sum += of(cols[i])
		}
		return sum
	}
	least := func(c column) int { return c.min }
	for len(keep) > 1 && need(1, least) > width {
		worst := slices.MaxFunc(keep, func(a, b int) int { return cmp.Compare(cols[a].drop, cols[b].drop) })
		if cols[worst].drop == 0 {
			break
		}
		keep = slices.DeleteFunc(keep, func(i int) bool { return i == worst })
	}
	if len(keep) == 0 {
		return widths, 1
	}
	gap = 1
	if len(keep) > 1 && need(2, column.wanted) <= width {
		gap = 2
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
	grows := slices.IndexFunc(keep, func(i int) bool { return cols[i].grow })
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

func (c column) wanted() int { return max(c.min, c.want) }
