package chart

import (
	"math"
	"sort"
	"time"
)

// Point is a figure at a moment.
type Point struct {
	At    time.Time
	Value float64 // NaN is not known
	Gap   bool    // nothing was read then
}

func (p Point) known() bool { return !p.Gap && !math.IsNaN(p.Value) }

// A value stands for at most three times the distance of the points before and after it: so a change of how often is
// read makes no gap, and a pause of minutes does. shortHold is for where these tell nothing.
const shortHold = 2500 * time.Millisecond

// notYet is a bucket before the first point: nobody had begun to look. It is drawn as nothing at all.
var notYet = math.Inf(-1)

// buckets puts points, oldest first, into n equal parts of from … to. A bucket is the highest value in it; one
// without points holds the value before it, as a step does, unless the distance to the next point is out of the
// ordinary: then nobody looked in between. NaN is a bucket of which nothing is known. Values are never negative, but for
// notYet.
func buckets(points []Point, from, to time.Time, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = notYet
	}
	span := to.Sub(from)
	if span <= 0 || len(points) == 0 {
		return out
	}
	column := func(since time.Duration) int { // since from; before it is -1, after to is n or more
		if since < 0 {
			return -1
		}
		return int(float64(since) * float64(n) / float64(span))
	}
	for c := max(column(points[0].At.Sub(from)), 0); c < n; c++ {
		out[c] = math.NaN()
	}
	// The first point that matters is the last one before from: its value may still stand.
	begin := max(sort.Search(len(points), func(i int) bool { return !points[i].At.Before(from) })-1, 0)
	since := func(i int) time.Duration { return points[min(i, len(points)-1)].At.Sub(from) }
	// Of the points around i, each looked at once. Beside the ends stand the ends themselves, at no distance.
	before, here, next, after := since(max(begin-1, 0)), since(begin), since(begin+1), since(begin+2)
	for i := begin; i < len(points) && here <= span; i++ {
		if points[i].known() {
			first := column(here)
			last := first
			hold := max(3*max(here-before, after-next), shortHold)
			switch {
			case i+1 < len(points) && next <= span:
				if next-here <= hold {
					last = column(next) - 1
				}
			case span-here <= hold:
				last = n - 1
			}
			v := max(points[i].Value, 0)
			for c := max(first, 0); c <= min(max(last, first), n-1); c++ {
				if math.IsNaN(out[c]) || v > out[c] {
					out[c] = v
				}
			}
		}
		before, here, next, after = here, next, after, since(i+3)
	}
	return out
}

// top is the value of a full column: limit where it is a positive number, else the highest known value, or 1.
func top(values []float64, limit float64) float64 {
	if limit > 0 && !math.IsInf(limit, 0) {
		return limit
	}
	high := 0.0
	for _, v := range values {
		if v > high && !math.IsInf(v, 0) { // false for NaN
			high = v
		}
	}
	if high == 0 {
		return 1
	}
	return high
}

// level returns v as 0 … steps. Only zero and less is 0; a little is 1.
func level(v, top float64, steps int) int {
	if v <= 0 {
		return 0
	}
	if v >= top {
		return steps
	}
	return max(1, int(math.Round(v/top*float64(steps))))
}
