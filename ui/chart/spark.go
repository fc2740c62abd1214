package chart

import (
	"math"
	"strings"
	"time"

	"example.com/unacked/ui/cell"
)

// Spark returns points, oldest first, as one line of width cells from from to to. limit is the value of a full cell;
// 0 takes the highest value in sight. Zero is the lowest level, not a blank; blank is the time before the first point.
func Spark(points []Point, from, to time.Time, width int, limit float64, g cell.Glyphs) string {
	if width <= 0 {
		return ""
	}
	values := buckets(points, from, to, width)
	high := top(values, limit)
	var b strings.Builder
	b.Grow(3 * width)
	for _, v := range values {
		switch {
		case v == notYet:
			b.WriteByte(' ')
		case math.IsNaN(v):
			b.WriteString(g.Gap)
		default:
			b.WriteString(g.Spark[level(v, high, len(g.Spark)-1)])
		}
	}
	return b.String()
}

// Row returns the line of [Tall], the topmost being 0, in which a column of value v ends.
func Row(v, limit float64, height int, g cell.Glyphs) int {
	steps := len(g.Spark)
	n := max(level(v, limit, height*steps), 1)
	return height - (n+steps-1)/steps
}

// Tall returns points as height lines of width cells, the topmost first. See [Spark].
func Tall(points []Point, from, to time.Time, width, height int, limit float64, g cell.Glyphs) []string {
	if width <= 0 || height <= 0 {
		return nil
	}
	values := buckets(points, from, to, width)
	high := top(values, limit)
	steps := len(g.Spark)
	lines := make([]string, height)
	var b strings.Builder
	for row := range lines {
		b.Reset()
		b.Grow(3 * width)
		floor := (height - 1 - row) * steps // what lies in the rows below
		for _, v := range values {
			switch {
			case math.IsNaN(v) && floor == 0:
				b.WriteString(g.Gap)
			case math.IsNaN(v), v == notYet:
				b.WriteByte(' ')
			default:
				// The lowest row is never blank: zero is its lowest level.
				n := min(max(level(v, high, height*steps), 1)-floor, steps)
				if n <= 0 {
					b.WriteByte(' ')
				} else {
					b.WriteString(g.Spark[n-1])
				}
			}
		}
		lines[row] = b.String()
	}
	return lines
}
