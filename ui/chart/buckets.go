package chart

import (
	"math"
	"time"
)

// Point is a figure at a moment.
type Point struct {
	At    time.Time
	Value float64 // NaN is not known
	Gap   bool    // nothing was read then
}

func (p Point) known() bool { return !p.Gap && !math.IsNaN(p.Value) }

// shortHold is for how long the last value stands when the points around tell nothing about their usual distance.
const shortHold = 2500 * time.Millisecond

// notYet is a bucket before the first point: nobody had begun to look. It is drawn as nothing at all.
var notYet = math.Inf(-1)

// buckets puts points, oldest first, into n equal parts of from … to. A bucket is the highest value in it; one
// without points holds the value before it, as a step does, unless the distance to the next point is out of the
// ordinary: then nobody looked in between. NaN is a bucket of which
// nothing is known. Values are never negative, but for notYet.
func buckets(points []Point, from, to time.Time, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = notYet
	}
	span := to.Sub(from)
	if span <= 0 {
		return out
	}
	column := func(at time.Time) int {
		return int(math.Floor(float64(at.Sub(from)) / float64(span) * float64(n)))
	}
	if len(points) > 0 {
		for c := max(column(points[0].At), 0); c < n; c++ {
			out[c] = math.NaN()
		}
	}
	for i, p := range points {
		if !p.known() || p.At.After(to) {
			continue
		}
		// The value stands from its own column up to the one before the next point's.
		first, last := column(p.At), 0
		switch {
		case i+1 < len(points) && !points[i+1].At.After(to):
			last = first
			if distance := points[i+1].At.Sub(p.At); distance <= hold(points, i) {
				last = column(points[i+1].At) - 1
			}
		case to.Sub(p.At) <= hold(points, i):
			last = n - 1
		default:
			last = first
		}
		if p.At.Before(from) && last < 0 {
			continue
		}
		for c := max(first, 0); c <= min(max(last, first), n-1); c++ {
			if v := max(p.Value, 0); math.IsNaN(out[c]) || v > out[c] {
				out[c] = v
			}
		}
	}
	return out
}

// hold is for how long point i may stand: three times the distance of its neighbours. So a change of how often is
// read makes no gap, and a pause of minutes does.
func hold(points []Point, i int) time.Duration {
	var usual time.Duration
	if i > 0 {
		usual = points[i].At.Sub(points[i-1].At)
	}
	if i+2 < len(points) {
		usual = max(usual, points[i+2].At.Sub(points[i+1].At))
	}
	return max(3*usual, shortHold)
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
