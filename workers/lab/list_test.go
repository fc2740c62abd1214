package lab_test

import (
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/workers/lab"
)

// With a list in use, what comes in is the checkouts' rate and what is done is what the workers take: 5 a second each.
func TestTheRatesOfAListAreThoseOfTheCheckouts(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		d := lab.Defaults()
		d.Worker.Kind, d.Rate = redisq.List, 5
		l := start(t, on(t, s, d))
		var h redisq.History
		h.Window = 3 * time.Second
		await(t, l, "4 … 6 a second that come in and are done", func(u lab.Update) bool {
			h.Add(u.Snapshot)
			r := h.Rates()
			return r.Window > 2*time.Second && r.In.PerSecond >= 4 && r.In.PerSecond <= 6 && r.Done.PerSecond >= 4 && r.Done.PerSecond <= 6
		})
	})
}
