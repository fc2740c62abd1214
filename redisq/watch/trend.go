package watch

import (
	"math"
	"time"

	"example.com/unacked/redisq"
)

const (
	trendPoints = 24               // passes that are kept of each group
	trendWindow = 15 * time.Second // over which rates are taken, or two passes where these are further apart
	trendLeast  = time.Second
)

// trend is the last passes of one group: little, for there are thousands of groups.
type trend struct {
	kept []trendPoint // oldest first
}

type trendPoint struct {
	at                      time.Time
	added, backlog, trimmed redisq.Number
}

func (t *trend) add(at time.Time, added, backlog, trimmed redisq.Number) {
	p := trendPoint{at, added, backlog, trimmed}
	if n := len(t.kept); n > 0 {
		last := t.kept[n-1]
		if !at.After(last.at) {
			return
		}
		if last.added.Known && added.Known && added.Value < last.added.Value {
			t.kept = t.kept[:0] // it is another stream
		}
	}
	if len(t.kept) < trendPoints {
		t.kept = append(t.kept, p)
		return
	}
	copy(t.kept, t.kept[1:])
	t.kept[trendPoints-1] = p
}

// points is the backlog at each pass, NaN where it was not known.
func (t *trend) points() []float64 {
	all := make([]float64, len(t.kept))
	for i, p := range t.kept {
		all[i] = math.NaN()
		if p.backlog.Known {
			all[i] = float64(p.backlog.Value)
		}
	}
	return all
}

// rates are what comes in and what is done, as a [redisq.History] has them.
func (t *trend) rates() (in, done redisq.Rate) {
	n := len(t.kept)
	none := redisq.Rate{Reason: "watched for less than a second"}
	if n < 2 {
		return none, none
	}
	last := t.kept[n-1]
	from := n - 2
	for from > 0 && last.at.Sub(t.kept[from-1].at) <= trendWindow {
		from--
	}
	first := t.kept[from]
	seconds := last.at.Sub(first.at).Seconds()
	if seconds < trendLeast.Seconds() {
		return none, none
	}
	added, ok := grown(first.added, last.added)
	if !ok {
		why := redisq.Rate{Reason: reason(first.added, last.added)}
		return why, why
	}
	in = redisq.Rate{PerSecond: added / seconds, Known: true}
	backlog, okB := grown(first.backlog, last.backlog)
	trimmed, okT := grown(first.trimmed, last.trimmed)
	switch {
	case !okB:
		return in, redisq.Rate{Reason: reason(first.backlog, last.backlog)}
	case !okT:
		return in, redisq.Rate{Reason: reason(first.trimmed, last.trimmed)}
	}
	return in, redisq.Rate{PerSecond: max(added-backlog-trimmed, 0) / seconds, Known: true}
}

// grown is by how much a number grew, where both are known well enough.
func grown(a, b redisq.Number) (float64, bool) {
	if !a.Known || !b.Known || (a.AtLeast || b.AtLeast) && a != b {
		return 0, false
	}
	return float64(b.Value - a.Value), true
}

func reason(a, b redisq.Number) string {
	for _, n := range []redisq.Number{b, a} {
		if !n.Known {
			return n.Reason
		}
	}
	return "only a lower bound is known"
}
