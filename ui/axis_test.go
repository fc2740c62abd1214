package ui

import (
	"testing"
	"time"

	"example.com/unacked/redisq"
)

func TestTheTimeAxisGrowsWithWhatWasSeen(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d := &data{history: &redisq.History{}, every: 250 * time.Millisecond}
	d.history.Add(&redisq.Snapshot{At: start})
	for _, c := range []struct{ seen, span time.Duration }{
		{time.Second, 15 * time.Second},
		{14 * time.Second, 15 * time.Second},
		{16 * time.Second, 30 * time.Second},
		{31 * time.Second, time.Minute},
		{10 * time.Minute, time.Minute},
	} {
		d.now = start.Add(c.seen)
		if got := axisFor(d); got != c.span {
			t.Errorf("after %v: %v, want %v", c.seen, got, c.span)
		}
	}
}
