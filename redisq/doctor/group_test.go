package doctor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
)

func TestUnread(t *testing.T) {
	check(t, []state{
		{"trimmed past the group", func(r *Reading, g *redisq.GroupReading) {
			r.Stream.FirstID, r.Stream.Added, g.TrimmedUnread = "10-0", told(17), exact(7)
		}, "critical trimmed-unread"},
		{"trimmed, and it is not known how many", func(r *Reading, g *redisq.GroupReading) {
			r.Stream.FirstID, r.Stream.Added, r.Stream.MaxDeleted = "10-0", told(20), "4-0"
			g.TrimmedUnread = redisq.Unknown(redisq.LostSome)
		}, "critical trimmed-unread"},
		{"trimmed behind the group", func(r *Reading, g *redisq.GroupReading) {
			r.Stream.FirstID, r.Stream.Added = "7-0", told(16)
		}, ""},
		{"trimmed while it reads, and it has read most of what is left", func(r *Reading, g *redisq.GroupReading) {
			r.Stream.Added, g.TrimmedUnread = told(200), redisq.Unknown(redisq.LossReason)
		}, ""},
		{"trimmed while it reads, and it has read little of what is left", func(r *Reading, g *redisq.GroupReading) {
			r.Stream.Added, g.TrimmedUnread = told(200), redisq.Unknown(redisq.LossReason)
			r.Stream.FirstID, g.Undelivered, g.Backlog = "7-0", told(8), exact(10)
		}, "critical trimmed-unread"},
		{"not known, as with old servers", func(r *Reading, g *redisq.GroupReading) {
			r.Stream.Added, g.TrimmedUnread = redisq.Unknown("6.2"), redisq.Unknown("6.2")
		}, ""},
		{"emptied before the group had read all", func(r *Reading, g *redisq.GroupReading) {
			r.Stream.FirstID, r.Stream.TopID, r.Stream.Length = "", "", told(0)
			r.Stream.Added, g.TrimmedUnread = redisq.Unknown("6.2"), redisq.Unknown("6.2")
			g.Undelivered, g.Backlog = exact(0), exact(2)
			g.Lag = redisq.Unknown(redisq.LagUntold)
		}, "critical trimmed-unread"},
		{"one deleted ahead of the group", func(r *Reading, g *redisq.GroupReading) {
			r.Stream.Length, r.Stream.MaxDeleted = told(9), "9-0"
			g.Undelivered, g.Backlog = exact(1), exact(3)
			g.TrimmedUnread, g.Lag = redisq.Unknown(redisq.LostSome), redisq.Unknown(redisq.LagNil)
		}, "warning holes, info lag-unknown"},
		{"one deleted behind the group", func(r *Reading, g *redisq.GroupReading) { r.Stream.Length, r.Stream.MaxDeleted = told(9), "5-0" }, ""},
		{"the last one deleted, on a server that does not tell", func(r *Reading, g *redisq.GroupReading) {
			r.Stream.TopID, r.Stream.Added = "9-0", redisq.Unknown("embedded")
			g.TrimmedUnread, g.Lag = redisq.Unknown("embedded"), redisq.Unknown("embedded")
		}, "warning holes"},
	})
	r := well(0)
	r.Stream.FirstID, r.Stream.Added, r.Groups[0].TrimmedUnread = "10-0", told(17), exact(7)
	f := has(t, Diagnose([]Reading{r}, Defaults()), TrimmedUnread)
	says(t, f, "7 entries were trimmed from q before g read them")
	r.Groups[0].TrimmedUnread = redisq.AtLeast(3, redisq.Derived)
	says(t, has(t, Diagnose([]Reading{r}, Defaults()), TrimmedUnread),
		"At least 3 entries were trimmed from q before g read them, and perhaps far more: this server forgets them when the group reads on")
	r.Stream.FirstID, r.Groups[0].TrimmedUnread, r.Groups[0].Undelivered = "7-0", redisq.Unknown(redisq.LossReason), told(8)
	says(t, has(t, Diagnose([]Reading{r}, Defaults()), TrimmedUnread),
		"Entries are trimmed from q past where g was, and of the 10 that are left it has yet to be given 8", "how many, this server does not tell")

	// A server without counters: the first entry was unread, and is gone in the next reading.
	all := again(2, func(i int, r *Reading) {
		g := &r.Groups[0]
		g.LastDelivered, g.TrimmedUnread = "0-0", redisq.Unknown("6.2")
		r.Stream.Added, g.Read, g.Lag = redisq.Unknown("6.2"), redisq.Unknown("6.2"), redisq.Unknown(redisq.LagUntold)
		r.Stream.FirstID = fmt.Sprintf("%d-0", 1+i)
	})
	if got := codes(Diagnose(all, Defaults())); got != "critical trimmed-unread" {
		t.Errorf("seen while watching: %s", got)
	}
	if got := codes(Diagnose(all[:1], Defaults())); got != "" {
		t.Errorf("with one reading: %s", got)
	}
}

func TestLag(t *testing.T) {
	check(t, []state{
		{"right", func(*Reading, *redisq.GroupReading) {}, ""},
		{"too large", func(_ *Reading, g *redisq.GroupReading) { g.Lag, g.Undelivered = told(4), exact(2) }, "info lag-wrong"},
		{"too small", func(_ *Reading, g *redisq.GroupReading) { g.Lag, g.Undelivered = told(1), exact(2) }, "info lag-wrong"},
		{"a bound says nothing against a larger one", func(_ *Reading, g *redisq.GroupReading) {
			g.Lag, g.Undelivered = told(4000), redisq.AtLeast(1000, redisq.Counted)
			g.Backlog = redisq.AtLeast(1002, redisq.Counted)
		}, ""},
		{"a bound and less than that", func(_ *Reading, g *redisq.GroupReading) {
			g.Lag, g.Undelivered = told(400), redisq.AtLeast(1000, redisq.Counted)
			g.Backlog = redisq.AtLeast(1002, redisq.Counted)
		}, "info lag-wrong"},
		{"nil: the group was made inside the stream", func(_ *Reading, g *redisq.GroupReading) {
			g.Lag, g.Read, g.Undelivered = redisq.Unknown(redisq.LagNil), redisq.Unknown("nil"), exact(2)
		}, "info lag-unknown"},
		{"nil: beyond the end", func(_ *Reading, g *redisq.GroupReading) {
			g.LastDelivered, g.Lag, g.Undelivered, g.Backlog = "99-0", redisq.Unknown(redisq.LagNil), exact(0), exact(2)
		}, "warning lag-unknown"},
		{"not told by an old server", func(_ *Reading, g *redisq.GroupReading) {
			g.Lag, g.Undelivered = redisq.Unknown(redisq.LagUntold), exact(2)
		}, ""},
		{"nil on a replica", func(r *Reading, g *redisq.GroupReading) {
			r.Server.Role, g.Lag = "replica", redisq.Unknown(redisq.LagNil)
		}, "info replica"},
	})
	r := well(0)
	r.Groups[0].Lag, r.Groups[0].Undelivered = told(4), exact(2)
	f := has(t, Diagnose([]Reading{r}, Defaults()), LagWrong)
	says(t, f, "a lag of 4", "2 entries are undelivered")
	mends(t, f, "XGROUP SETID q g 8-0 ENTRIESREAD 8")

	// Under traffic two commands never see quite the same.
	busy := again(6, func(i int, r *Reading) {
		g := &r.Groups[0]
		r.Stream.LastID, r.Stream.TopID, g.LastDelivered = fmt.Sprintf("%d-0", 100+i), fmt.Sprintf("%d-0", 100+i), fmt.Sprintf("%d-0", 90+i)
		g.Lag, g.Undelivered = told(5), exact(8)
	})
	if got := codes(Diagnose(busy, Defaults())); got != "" {
		t.Errorf("a few apart while entries come and go: %s", got)
	}
	for i := range busy {
		busy[i].Groups[0].Lag = told(5000)
	}
	if got := codes(Diagnose(busy, Defaults())); got != "info lag-wrong" {
		t.Errorf("thousands apart: %s", got)
	}
}

func TestSkippedStart(t *testing.T) {
	fresh := func(r *Reading, g *redisq.GroupReading) {
		g.LastDelivered, g.Read, g.Lag = "10-0", redisq.Unknown("nil"), told(0)
		g.Pending, g.Undelivered, g.Backlog, g.Members, g.Consumers, g.Rows = told(0), exact(0), exact(0), told(0), nil, nil
	}
	and := func(more func(r *Reading, g *redisq.GroupReading)) func(r *Reading, g *redisq.GroupReading) {
		return func(r *Reading, g *redisq.GroupReading) {
			fresh(r, g)
			more(r, g)
		}
	}
	check(t, []state{
		{"created at the end", fresh, "warning skipped-start"},
		{"its workers wait for something new", and(func(_ *Reading, g *redisq.GroupReading) {
			g.Members = told(1)
			g.Consumers = []redisq.Consumer{{Name: "w1", Idle: told(20), Inactive: redisq.Unknown(redisq.NeverActive)}}
		}), "warning skipped-start"},
		{"it was given something", and(func(_ *Reading, g *redisq.GroupReading) {
			g.Members, g.Consumers = told(1), []redisq.Consumer{consumer("w1", 0, 20*time.Millisecond, time.Second)}
		}), ""},
		{"created at the beginning of an empty stream", and(func(r *Reading, g *redisq.GroupReading) {
			r.Stream.FirstID, r.Stream.TopID, r.Stream.LastID, g.LastDelivered = "", "", "0-0", "0-0"
			r.Stream.Length, r.Stream.Added = told(0), told(0)
		}), ""},
		{"all before it was trimmed", and(func(r *Reading, g *redisq.GroupReading) {
			r.Stream.FirstID, g.LastDelivered, g.Undelivered, g.Backlog, g.Members = "10-0", "9-0", exact(1), exact(1), told(1)
			r.Stream.Length, g.Lag = told(1), told(1)
			g.Consumers = []redisq.Consumer{consumer("w1", 0, time.Millisecond, time.Millisecond)}
		}), ""},
		{"a server that does not tell it from one that read all", and(func(_ *Reading, g *redisq.GroupReading) {
			g.Lag = redisq.Unknown(redisq.LagUntold)
		}), "info skipped-start"},
		{"a replica tells nothing of it", and(func(r *Reading, g *redisq.GroupReading) { r.Server.Role = "replica" }), "info replica"},
	})
	r := well(0)
	fresh(&r, &r.Groups[0])
	f := has(t, Diagnose([]Reading{r}, Defaults()), SkippedStart)
	says(t, f, "g was created at 10-0, past 10 stored entries")
	mends(t, f, "XGROUP SETID q g 0")
	r.Groups[0].LastDelivered, r.Groups[0].Lag = "99-0", redisq.Unknown(redisq.LagNil)
	says(t, has(t, Diagnose([]Reading{r}, Defaults()), SkippedStart),
		"g was created at 99-0, beyond the last id 10-0: it is never given the 10 stored entries, nor what is added until the ids are past that.")
}

func TestNoConsumers(t *testing.T) {
	silent := func(idle time.Duration) func(r *Reading, g *redisq.GroupReading) {
		return func(_ *Reading, g *redisq.GroupReading) {
			g.Pending, g.Rows, g.Backlog = told(0), nil, exact(2)
			g.Consumers = []redisq.Consumer{consumer("w1", 0, idle, idle), consumer("w2", 0, 2*idle, 2*idle)}
		}
	}
	check(t, []state{
		{"none", func(_ *Reading, g *redisq.GroupReading) {
			g.Members, g.Consumers, g.Pending, g.Rows, g.Backlog = told(0), []redisq.Consumer{}, told(0), nil, exact(2)
		}, "critical no-consumers"},
		{"none, and nothing to do", func(_ *Reading, g *redisq.GroupReading) {
			g.Members, g.Consumers, g.Pending, g.Rows = told(0), nil, told(0), nil
			g.LastDelivered, g.Undelivered, g.Backlog, g.Lag, g.Read = "10-0", exact(0), exact(0), told(0), told(10)
		}, ""},
		{"all silent for longer than the lease", silent(2 * time.Minute), "critical no-consumers"},
		{"all asked lately", silent(10 * time.Second), ""},
		{"silent, on a server that tells only of the last delivery", func(r *Reading, g *redisq.GroupReading) {
			silent(2*time.Minute)(r, g)
			for i := range g.Consumers {
				g.Consumers[i].Inactive = redisq.Unknown("not told before Redis 7.2")
			}
		}, ""},
		{"how many are undelivered is not known", func(r *Reading, g *redisq.GroupReading) {
			g.Members, g.Consumers, g.Rows, g.Pending = told(0), nil, nil, told(0)
			g.Undelivered, g.Backlog = redisq.Unknown("no permission"), redisq.Unknown("no permission")
			g.Lag = redisq.Unknown(redisq.LagUntold)
		}, ""},
	})
	// Before 7.2 a second reading shows that nothing was taken though something waits.
	all := again(2, func(_ int, r *Reading) {
		silent(2*time.Minute)(r, &r.Groups[0])
		for i := range r.Groups[0].Consumers {
			r.Groups[0].Consumers[i].Inactive = redisq.Unknown("not told before Redis 7.2")
		}
	})
	f := has(t, Diagnose(all, Defaults()), NoConsumers)
	says(t, f, "Nobody reads from g: 2 entries wait", "of its 2 consumers none", "2 min")
}

func TestFallingBehind(t *testing.T) {
	grows := func(n int, backlog func(i int) int64, in int64) []Reading {
		return again(n, func(i int, r *Reading) {
			g := &r.Groups[0]
			b := backlog(i)
			r.Stream.Added, r.Stream.Length = told(1000+in*int64(i)), told(1000)
			g.Undelivered, g.Backlog = told(b-2), exact(b)
			g.Lag = g.Undelivered
		})
	}
	line := func(per int64) func(i int) int64 { return func(i int) int64 { return 100 + per*int64(i) } }
	f := has(t, Diagnose(grows(6, line(40), 50), Defaults()), FallingBehind)
	says(t, f, "grew by 200 in 5 s, to 300", "50/s come in and 10/s are done", "11 workers like the present 2 would do")
	if got := fact(t, f, "workers_needed"); got != "11" { // two do 5/s each: 10 do 50/s, which is not less than what comes in
		t.Errorf("workers needed: %s", got)
	}
	for name, quiet := range map[string][]Reading{
		"one reading":            grows(1, line(40), 50),
		"it shrinks":             grows(6, line(-10), 5),
		"it stays":               grows(6, line(0), 50),
		"by a few only":          grows(6, func(i int) int64 { return 100 + int64(i%2) }, 50),
		"one burst":              grows(6, func(i int) int64 { return 100 + 80*int64(min(i, 1)) }, 16),
		"it grew by less than 5": grows(4, line(1), 50),
	} {
		if got := codes(Diagnose(quiet, Defaults())); strings.Contains(got, "falling") {
			t.Errorf("%s: %s", name, got)
		}
	}
	// A server that does not count what is added still shows that the backlog grows.
	uncounted := grows(6, line(40), 50)
	for i := range uncounted {
		uncounted[i].Stream.Added = redisq.Unknown("embedded")
	}
	says(t, has(t, Diagnose(uncounted, Defaults()), FallingBehind), "grew by 200 in 5 s, to 300. It never drains")
}

func TestReadingsAreOfTheSameGroup(t *testing.T) {
	all := again(6, func(i int, r *Reading) {
		g := &r.Groups[0]
		g.Backlog = exact(int64(100 + 40*i))
		g.Undelivered = exact(g.Backlog.Value - 2)
		g.Lag = g.Undelivered
		if i == 5 {
			g.Problems = []redisq.Problem{{Panel: "stream", Code: redisq.ProblemReplaced, Text: "the stream was replaced"}}
		}
	})
	if got := codes(Diagnose(all, Defaults())); got != "" {
		t.Errorf("a stream that was replaced is not compared with what was before: %s", got)
	}
}
