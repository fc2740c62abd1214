package watch

import (
	"cmp"
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
	kept []redisq.Flow // oldest first
}

func (t *trend) add(p redisq.Flow) {
	if n := len(t.kept); n > 0 {
		last := t.kept[n-1]
		if !p.At.After(last.At) {
			return
		}
		if last.Added.Known && p.Added.Known && p.Added.Value < last.Added.Value {
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
		if p.Backlog.Known {
			all[i] = float64(p.Backlog.Value)
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
	first := t.kept[n-2]
	var meter redisq.DoneMeter
	meter.Between(first, last)
	for from := n - 2; from > 0 && last.At.Sub(t.kept[from-1].At) <= trendWindow; from-- {
		first = t.kept[from-1]
		meter.Between(first, t.kept[from])
	}
	seconds := last.At.Sub(first.At).Seconds()
	if seconds < trendLeast.Seconds() {
		return none, none
	}
	if !first.Added.Known || !last.Added.Known {
		why := redisq.Rate{Reason: cmp.Or(last.Added.Reason, first.Added.Reason)}
		return why, why
	}
	in = redisq.Rate{PerSecond: float64(last.Added.Value-first.Added.Value) / seconds, Known: true}
	switch {
	case !last.Backlog.Known:
		return in, redisq.Rate{Reason: last.Backlog.Reason}
	case last.Backlog.AtLeast:
		return in, redisq.Rate{Reason: "only a lower bound is known"}
	}
	done, _ = meter.Rate()
	return in, done
}
