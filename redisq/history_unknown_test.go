package redisq

import (
	"strings"
	"testing"
	"time"
)

// A stream that did not exist some seconds ago and exists now: why its figures were not known then is not true any more.
func TestRatesGiveNoReasonOfThePast(t *testing.T) {
	f := newFilm()
	gone := Unknown("the stream q does not exist")
	f.at = f.at.Add(time.Second)
	f.h.Add(&Snapshot{
		At: f.at, Stream: StreamFigures{Missing: true, Added: gone},
		Group: GroupFigures{Backlog: gone, Undelivered: gone, Pending: gone, OldestIdle: gone, TrimmedUnread: gone},
	})
	f.step(2*time.Second, 5, 5)
	for name, r := range map[string]Rate{"in": f.h.Rates().In, "done": f.h.Rates().Done} {
		if r.Known || r.Reason == "" || strings.Contains(r.Reason, "does not exist") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
