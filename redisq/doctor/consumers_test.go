package doctor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
)

// holding makes w2 hold the rows; its calls are that long ago.
func holding(idle, inactive time.Duration, rows ...redisq.PendingEntry) func(r *Reading, g *redisq.GroupReading) {
	return func(_ *Reading, g *redisq.GroupReading) {
		g.Rows = append(g.Rows[:1:1], rows...)
		g.Pending = told(int64(len(g.Rows)))
		g.Backlog = exact(g.Pending.Value + 2)
		g.Consumers[1] = consumer("w2", int64(len(rows)), idle, inactive)
	}
}

const minutes = 4 * time.Minute

func TestStuckConsumer(t *testing.T) {
	check(t, []state{
		{"dead for minutes", holding(minutes, minutes, row("8-0", "w2", minutes, 1)), "critical stuck-consumer w2"},
		{"dead, but not yet for the lease", holding(50*time.Second, 50*time.Second, row("8-0", "w2", 50*time.Second, 1)), ""},
		{"long at work, with a heartbeat", holding(minutes, minutes, row("8-0", "w2", 10*time.Second, 1)), ""},
		{"holds nothing", holding(minutes, minutes), ""},
		{"before 7.2, nothing got for minutes", func(r *Reading, g *redisq.GroupReading) {
			holding(minutes, minutes, row("8-0", "w2", minutes, 1))(r, g)
			g.Consumers[1].Inactive = redisq.Unknown("not told before Redis 7.2")
		}, "critical stuck-consumer w2"},
		{"nothing told of consumers, and all rows old", func(r *Reading, g *redisq.GroupReading) {
			holding(minutes, minutes, row("8-0", "w2", minutes, 1))(r, g)
			g.Consumers[1].Idle, g.Consumers[1].Inactive = redisq.Unknown("embedded"), redisq.Unknown("embedded")
		}, "critical stuck-consumer w2"},
		{"no right to ask for consumers", func(r *Reading, g *redisq.GroupReading) {
			holding(minutes, minutes, row("8-0", "w2", minutes, 1))(r, g)
			g.Consumers = nil
		}, "critical stuck-consumer w2"},
		{"its rows were not among those looked at", func(r *Reading, g *redisq.GroupReading) {
			holding(minutes, minutes)(r, g)
			g.Consumers[1].Pending, g.All, g.Pending = 500, false, told(501)
		}, "critical stuck-consumer w2"},
		{"ghosts only", func(r *Reading, g *redisq.GroupReading) {
			ghost := row("8-0", "w2", minutes, 1)
			ghost.Gone, ghost.Fields = true, nil
			holding(minutes, minutes, ghost)(r, g)
			g.Ghosts = exact(1)
		}, "warning ghost-entries"},
	})
	r := well(0)
	holding(minutes, minutes, row("8-0", "w2", minutes, 1), row("9-0", "w2", time.Second, 1), row("10-0", "w2", 2*minutes, 3))(&r, &r.Groups[0])
	f := has(t, Diagnose([]Reading{r}, Defaults()), StuckConsumer)
	says(t, f, "w2 holds 3 entries, 2 of them past the lease of 60 s (the oldest for 8 min)", "last asked for something 4 min ago")
	if got := strings.Join(f.IDs, " "); got != "8-0 10-0" {
		t.Errorf("ids %s", got)
	}
	mends(t, f, "XCLAIM q g w1 60000 8-0 10-0", "XREADGROUP GROUP g w2 COUNT 10 STREAMS q 0")
	// All that w2 holds was looked at: XAUTOCLAIM would find no more, and erase ghosts.
	if strings.Contains(commands(f), "XAUTOCLAIM") {
		t.Errorf("commands:\n%s", commands(f))
	}
	part := r.Groups[0]
	part.All, part.Pending = false, told(1000)
	some := r
	some.Groups = []redisq.GroupReading{part}
	mends(t, has(t, Diagnose([]Reading{some}, Defaults()), StuckConsumer), "XAUTOCLAIM q g w1 60000 0-0 COUNT 100")

	// Nobody else is alive: a new consumer takes them.
	r.Groups[0].Consumers = r.Groups[0].Consumers[1:]
	r.Groups[0].Rows = r.Groups[0].Rows[1:]
	mends(t, has(t, Diagnose([]Reading{r}, Defaults()), StuckConsumer), "XCLAIM q g rescue 60000 8-0 10-0", "XREADGROUP GROUP g rescue COUNT 10 STREAMS q 0")

	// One that is alive and waits for work is better than a new one; one that was not heard of for long is not.
	for name, quiet := range map[string]time.Duration{"w3": time.Second, rescue: minutes} {
		r.Groups[0].Consumers = append(r.Groups[0].Consumers[:1:1], consumer("w3", 0, quiet, minutes))
		mends(t, has(t, Diagnose([]Reading{r}, Defaults()), StuckConsumer), "XCLAIM q g "+name+" 60000 8-0 10-0")
	}

	short := Defaults()
	short.Lease = 10 * time.Minute
	if got := codes(Diagnose([]Reading{r}, short)); got != "" {
		t.Errorf("within a longer lease: %s", got)
	}
}

func TestManyStuckConsumersAreSaidTogether(t *testing.T) {
	r := well(0)
	g := &r.Groups[0]
	g.Consumers, g.Rows = nil, nil
	for i := range 500 {
		name := fmt.Sprintf("worker-7f7684b54f-%03d", i)
		g.Consumers = append(g.Consumers, consumer(name, 1, minutes, minutes))
		g.Rows = append(g.Rows, row(fmt.Sprintf("%d-0", i+1), name, minutes, 1))
	}
	g.Members, g.Pending, g.Undelivered, g.Backlog, g.LastDelivered, g.Lag = told(500), told(500), exact(0), exact(500), "500-0", told(0)
	r.Stream.TopID, r.Stream.LastID = "500-0", "500-0"
	got := Diagnose([]Reading{r}, Defaults())
	if len(got) != mostConsumers+1 {
		t.Fatalf("%d findings, want %d and one for the rest", len(got), mostConsumers)
	}
	f := got[mostConsumers]
	says(t, f, "480 more consumers of g (worker-7f7684b54f-… (480)) hold 480 entries")
	if len(f.IDs) != mostIDs || len(f.Others) != 480 {
		t.Errorf("%d ids, %d others", len(f.IDs), len(f.Others))
	}
	sound(t, got)
}

// fleet is a group of n consumers that hold an entry each, all long dead.
func fleet(n int) []Reading {
	return again(6, func(_ int, r *Reading) {
		g := &r.Groups[0]
		g.Consumers, g.Rows, g.All = nil, nil, false
		for i := range n {
			name := fmt.Sprintf("worker-7f7684b54f-%05d", i)
			g.Consumers = append(g.Consumers, consumer(name, 1, minutes, minutes))
			if i < 1000 {
				g.Rows = append(g.Rows, row(fmt.Sprintf("%d-0", i+1), name, minutes, 1))
			}
		}
		g.Members, g.Pending, g.Undelivered, g.Backlog = told(int64(n)), told(int64(n)), exact(0), exact(int64(n))
		g.LastDelivered, g.Lag = fmt.Sprintf("%d-0", n), told(0)
		r.Stream.TopID, r.Stream.LastID = g.LastDelivered, g.LastDelivered
	})
}

func TestFiftyThousandConsumers(t *testing.T) {
	f := has(t, Diagnose(fleet(50_000), Defaults())[mostConsumers:], StuckConsumer)
	says(t, f, "49,980 more consumers of g", "hold 49,980 entries")
}

// BenchmarkConsumers grows with their number, not with its square.
func BenchmarkConsumers(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 50_000} {
		readings := fleet(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Diagnose(readings, Defaults())
			}
		})
	}
}

func TestNotAcking(t *testing.T) {
	check(t, []state{
		{"alive, and late", holding(time.Second, time.Second, row("8-0", "w2", minutes, 1)), "warning not-acking w2"},
		{"alive by what it got last", holding(minutes, time.Second, row("8-0", "w2", minutes, 1), row("9-0", "w2", time.Second, 1)), "warning not-acking w2"},
		{"alive and in time", holding(time.Second, time.Second, row("8-0", "w2", 30*time.Second, 1)), ""},
	})

	// It takes ten a second and acknowledges none.
	leak := func(i int, r *Reading) {
		var rows []redisq.PendingEntry
		for n := range 10*i + 1 {
			rows = append(rows, row(fmt.Sprintf("%d-0", 100+n), "w2", time.Second, 1))
		}
		holding(time.Millisecond, time.Millisecond, rows...)(r, &r.Groups[0])
		r.Groups[0].LastDelivered = fmt.Sprintf("%d-0", 100+10*i)
		r.Groups[0].Backlog = exact(100)
		r.Stream.TopID, r.Stream.LastID = "999-0", "999-0"
	}
	f := has(t, Diagnose(again(6, leak), Defaults()), NotAcking)
	says(t, f, "w2 took 50 entries in 5 s and acknowledged none")
	if f.Severity != Critical {
		t.Errorf("%s", f.Severity)
	}
	// One batch taken at once and worked on is no leak.
	if got := codes(Diagnose(again(6, func(i int, r *Reading) { leak(5*min(i, 1), r) }), Defaults())); got != "" {
		t.Errorf("a batch: %s", got)
	}
	// It acknowledges what it takes, while its queue grows longer.
	acks := func(i int, r *Reading) {
		leak(i, r)
		rows := r.Groups[0].Rows
		for k := range rows[1:] {
			rows[k+1].ID = fmt.Sprintf("%d-0", 100+50*i+k)
		}
	}
	if got := codes(Diagnose(again(6, acks), Defaults())); got != "" {
		t.Errorf("it acknowledges: %s", got)
	}

	// One was forgotten after a lost reply; the others are acknowledged.
	forgot := func(i int, r *Reading) {
		id := fmt.Sprintf("%d-0", 9+i)
		holding(time.Millisecond, time.Millisecond, row("8-0", "w2", minutes, 1), row(id, "w2", 20*time.Millisecond, 1))(r, &r.Groups[0])
		r.Groups[0].LastDelivered, r.Stream.TopID, r.Stream.LastID = id, "99-0", "99-0"
	}
	f = has(t, Diagnose(again(6, forgot), Defaults()), NotAcking)
	says(t, f, "1 of them past the lease", "while it acknowledges others: these were forgotten")
	if f.Severity != Warning || strings.Join(f.IDs, " ") != "8-0" {
		t.Errorf("%s %v", f.Severity, f.IDs)
	}
	mends(t, f, "XPENDING q g - + 10 w2", "XACK q g 8-0")
}

func TestIdleConsumers(t *testing.T) {
	many := func(n int, idle time.Duration) func(r *Reading, g *redisq.GroupReading) {
		return func(_ *Reading, g *redisq.GroupReading) {
			for i := range n {
				g.Consumers = append(g.Consumers, redisq.Consumer{
					Name: fmt.Sprintf("worker-7f7684b54f-%d", i), Idle: told(idle.Milliseconds()), Inactive: redisq.Unknown(redisq.NeverActive),
				})
			}
			g.Members = told(int64(n + 2))
		}
	}
	check(t, []state{
		{"many, for hours", many(30, 3*time.Hour), "info idle-consumers"},
		{"many, lately", many(30, 30*time.Minute), ""},
		{"a few", many(9, 3*time.Hour), ""},
		{"just enough", many(10, 3*time.Hour), "info idle-consumers"},
	})
	r := well(0)
	many(30, 3*time.Hour)(&r, &r.Groups[0])
	f := has(t, Diagnose([]Reading{r}, Defaults()), IdleConsumers)
	says(t, f, "Of 32 consumers of g, 30 hold nothing", "worker-7f7684b54f-… (30)")
	mends(t, f, "XGROUP DELCONSUMER q g worker-7f7684b54f-0")
	if strings.Contains(commands(f), "w1") {
		t.Error("a consumer that holds something is never deleted")
	}
	short := Defaults()
	short.Lease = time.Second // and so a minute without doing anything
	if got := codes(Diagnose(again(1, func(_ int, r *Reading) { many(30, 2*time.Minute)(r, &r.Groups[0]) }), short)); got != "info idle-consumers" {
		t.Errorf("measured by a shorter lease: %s", got)
	}
}

func TestPoison(t *testing.T) {
	with := func(n int64) func(r *Reading, g *redisq.GroupReading) {
		return holding(time.Millisecond, time.Millisecond, row("8-0", "w2", time.Second, n))
	}
	check(t, []state{
		{"at the limit", with(5), "warning poison"},
		{"below", with(4), ""},
		{"over", with(40), "warning poison"},
	})
	r := well(0)
	with(14)(&r, &r.Groups[0])
	f := has(t, Diagnose([]Reading{r}, Defaults()), Poison)
	says(t, f, "1 entry of g is at or over the limit of 5 deliveries", "up to 14 times")
	mends(t, f,
		"XRANGE q 8-0 8-0",
		"XADD {q}:dead * unacked:stream q unacked:group g unacked:entry 8-0 unacked:original 8-0 unacked:deliveries 14 "+
			"unacked:consumer w2 unacked:reason delivered too often unacked:time 1767323045000 unacked:replays 0 order 31",
		"XACK q g 8-0")
	none := Defaults()
	none.MaxDeliveries = 0
	if got := codes(Diagnose([]Reading{r}, none)); got != "" {
		t.Errorf("without a limit: %s", got)
	}
	r.Groups[0].All, r.Groups[0].Pending = false, told(4000)
	says(t, has(t, Diagnose([]Reading{r}, Defaults()), Poison), "1+ entries of g are")
}

func TestGhostsAndReleased(t *testing.T) {
	check(t, []state{
		{"one body is gone", func(_ *Reading, g *redisq.GroupReading) {
			g.Rows[0].Gone, g.Rows[0].Fields, g.Ghosts = true, nil, exact(1)
		}, "warning ghost-entries"},
		{"not all were looked at, and none of the others is gone", func(_ *Reading, g *redisq.GroupReading) { g.Ghosts = redisq.AtLeast(0, redisq.Derived) }, ""},
		{"not known", func(_ *Reading, g *redisq.GroupReading) { g.Ghosts = redisq.Unknown("no permission") }, ""},
		{"released", func(_ *Reading, g *redisq.GroupReading) { g.Rows = append(g.Rows, row("9-0", "", -1, 3)) }, "info released-entries"},
		{"released and fatal", func(_ *Reading, g *redisq.GroupReading) {
			g.Rows = append(g.Rows, row("9-0", "", -1, redisq.FatalDeliveries))
		}, "warning released-entries"},
	})
	r := well(0)
	g := &r.Groups[0]
	g.Rows[0].Gone, g.Rows[0].Fields, g.Ghosts = true, nil, redisq.AtLeast(1, redisq.Derived)
	f := has(t, Diagnose([]Reading{r}, Defaults()), GhostEntries)
	says(t, f, "1+ entries of g are pending without a body")
	mends(t, f, "XACK q g 7-0")

	r = well(0)
	g = &r.Groups[0]
	g.Rows = append(g.Rows, row("9-0", "", -1, redisq.FatalDeliveries), row("10-0", "", -1, 2))
	f = has(t, Diagnose([]Reading{r}, Defaults()), ReleasedEntries)
	says(t, f, "2 entries of g are pending under nobody", "1 of them was marked fatal")
	if got := commands(f); !strings.HasPrefix(got, "XADD {q}:dead * ") || !strings.Contains(got, "\nXCLAIM q g w1 0 10-0") {
		t.Errorf("commands:\n%s", got)
	}
}
