package watch

import (
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/redistest"
)

// A list of streams, the worst first; one is chosen, and what happens to its messages is told.
func TestWatchListsAndTells(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		o := connect(t, s.URL)
		key := s.Key(t, "orders")
		calm := strings.TrimSuffix(key, "orders") + "calm"
		o.do("XGROUP CREATE " + calm + " g 0 MKSTREAM")
		o.do("XGROUP CREATE " + key + " mailers 0 MKSTREAM")
		id := o.do("XADD " + key + " * order 1").(string)
		w := begin(t, s.URL, s.Embedded, Options{Match: strings.TrimSuffix(key, "orders") + "*"})

		u := until(t, w, "both streams", func(u Update) bool { return u.Streams != nil && len(u.Streams.Rows) == 2 })
		if first := u.Streams.Rows[0]; first.Stream != key || first.Trouble != redisq.TroubleNobody || first.Undelivered.Value != 1 {
			t.Errorf("the first row is %+v: nobody reads %s", first, key)
		}
		if u.Chosen != (Choice{}) {
			t.Errorf("%v was chosen: there are two", u.Chosen)
		}
		w.Choose(key, "mailers")
		until(t, w, "a reading of the chosen group", func(u Update) bool {
			return good(u) && u.Snapshot.Queue.Stream == key && u.Snapshot.Group.Undelivered.Value == 1
		})
		o.do("XREADGROUP GROUP mailers w1 COUNT 1 STREAMS " + key + " >")
		until(t, w, "the entry with w1", func(u Update) bool {
			return len(u.Snapshot.Pending.Rows) == 1 && u.Snapshot.Pending.Rows[0].Consumer == "w1"
		})
		w.Watch(id)
		o.do("XCLAIM " + key + " mailers w2 0 " + id)
		until(t, w, "the entry with w2", func(u Update) bool {
			return len(u.Snapshot.Pending.Rows) == 1 && u.Snapshot.Pending.Rows[0].Consumer == "w2"
		})
		o.do("XACK " + key + " mailers " + id)
		u = until(t, w, "the end of the story", func(u Update) bool { return strings.Contains(told(u.Story), "vanished") })
		want := []string{
			"added, by the time in its id", "delivered to w1", "claimed by w2 from w1 (delivery 2)",
			"vanished from the pending list, last with w2: acked, or its consumer was deleted",
		}
		if got := told(u.Story); got != strings.Join(want, "\n") {
			t.Errorf("the story is\n%s\nshould be\n%s", got, strings.Join(want, "\n"))
		}
		claimed := false
		for _, e := range u.Events {
			claimed = claimed || e.ID == id && strings.Contains(e.Text, "claimed by w2 from w1")
		}
		if !claimed {
			t.Errorf("the claim is none of the events %+v", u.Events)
		}
		if len(u.Commands) == 0 || u.Cost <= 0 {
			t.Errorf("%d commands, a cost of %v", len(u.Commands), u.Cost)
		}
	})
}

// The only group there is need not be chosen, and the doctor looks at it.
func TestWatchChoosesTheOnlyGroup(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		o := connect(t, s.URL)
		key := s.Key(t, "only")
		o.do("XGROUP CREATE " + key + " g 0 MKSTREAM")
		o.do("XADD " + key + " * f v")
		o.do("XADD " + key + ":dlq * f v")
		w := begin(t, s.URL, s.Embedded, Options{Match: key + "*"})
		u := until(t, w, "what the doctor finds", func(u Update) bool { return good(u) && u.Doctor != nil })
		if u.Chosen != (Choice{key, "g"}) {
			t.Errorf("%v is chosen", u.Chosen)
		}
		codes := map[doctor.Code]bool{}
		for _, f := range u.Doctor.Findings {
			codes[f.Code] = true
		}
		if !codes[doctor.NoConsumers] || !codes[doctor.DeadLetters] {
			t.Errorf("found %v: nobody reads it, and there is a dead letter", codes)
		}
		until(t, w, "the dead letters under a usual name", func(u Update) bool {
			return good(u) && u.Snapshot.Queue.DeadLetter == key+":dlq" && u.Snapshot.Dead.Length.Value == 1
		})
	})
}

// What was asked for and is not there, or is no stream, is said, and seen when it comes.
func TestWatchWhatIsNotThere(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		o := connect(t, s.URL)
		key := s.Key(t, "later")
		w := begin(t, s.URL, s.Embedded, Options{Stream: key, Group: "g"})
		until(t, w, "a missing stream", func(u Update) bool { return good(u) && u.Snapshot.Stream.Missing })
		o.do("SET " + key + " text")
		until(t, w, "a key of another type", func(u Update) bool { return good(u) && u.Snapshot.Stream.WrongType == "string" })
		o.do("DEL " + key)
		o.do("XADD " + key + " * f v")
		until(t, w, "a missing group", func(u Update) bool {
			return good(u) && !u.Snapshot.Stream.Missing && u.Snapshot.Stream.WrongType == "" && u.Snapshot.Group.Missing
		})
		o.do("XGROUP CREATE " + key + " g 0")
		u := until(t, w, "the group", func(u Update) bool { return good(u) && u.Snapshot.Group.Backlog.Value == 1 })
		said := ""
		for _, e := range u.Events {
			said += e.Text + "\n"
		}
		for _, want := range []string{"stream created", "group created"} {
			if !strings.Contains(said, want) {
				t.Errorf("the events do not say %q:\n%s", want, said)
			}
		}
	})
}

// A server that goes away and comes back is said, and watched again.
func TestWatchSurvivesALostServer(t *testing.T) {
	private := redistest.Private(t)
	o := connect(t, private.URL())
	o.do("XGROUP CREATE s g 0 MKSTREAM")
	w := begin(t, private.URL(), private.Embedded(), Options{Stream: "s", Group: "g"})
	until(t, w, "a reading", good)
	if err := private.Kill(); err != nil {
		t.Fatal(err)
	}
	until(t, w, "no answer", func(u Update) bool { return u.Snapshot.Err != nil })
	if err := private.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	u := until(t, w, "an answer", good)
	if u.Snapshot.Generation == 0 {
		t.Error("the reading has no generation")
	}
	said := ""
	for _, e := range u.Events {
		said += e.Text + "\n"
	}
	if !strings.Contains(said, "no answer") || !strings.Contains(said, "answers again") {
		t.Errorf("the events say %q", said)
	}
}

// Watching changes nothing on the server: it sends no command that writes, and no entry is touched.
func TestWatchOnlyReads(t *testing.T) {
	private := redistest.Private(t)
	o := connect(t, private.URL())
	o.do("XGROUP CREATE s g 0 MKSTREAM")
	id := o.do("XADD s * f v").(string)
	o.do("XREADGROUP GROUP g w COUNT 1 STREAMS s >")
	w := begin(t, private.URL(), private.Embedded(), Options{})
	until(t, w, "readings, the list and the doctor", func(u Update) bool {
		return good(u) && u.Doctor != nil && u.Streams != nil && u.Snapshot.Generation > 10
	})
	w.SetFilter(redisq.PendingFilter{MinIdle: time.Millisecond})
	u := until(t, w, "the filter", func(u Update) bool { return good(u) && u.Snapshot.Pending.Filter.MinIdle > 0 })
	for _, c := range u.Commands {
		switch strings.ToUpper(c.Args[0]) {
		case "HELLO", "TIME", "XINFO", "XPENDING", "XRANGE", "XREVRANGE", "XLEN", "SCAN", "TYPE", "COMMAND", "CLUSTER":
		default:
			t.Errorf("sent %q", c.Args)
		}
	}
	rows := o.do("XPENDING s g - + 10").([]any)
	if row := rows[0].([]any); len(rows) != 1 || row[0] != id || row[1] != "w" || row[3] != int64(1) {
		t.Errorf("the pending entries are %v", rows)
	}
	if private.Embedded() {
		return // it keeps no count of its commands
	}
	stats := o.do("INFO commandstats").(string)
	for _, command := range []string{"xadd", "xreadgroup"} {
		if !strings.Contains(stats, "cmdstat_"+command+":calls=1,") {
			t.Errorf("%s was called more than once:\n%s", command, stats)
		}
	}
	for _, command := range []string{"xack", "xclaim", "xautoclaim", "xdel", "xtrim", "xsetid", "set", "del", "expire", "eval"} {
		if strings.Contains(stats, "cmdstat_"+command+":") {
			t.Errorf("%s was called:\n%s", command, stats)
		}
	}
}

// An old choice's readings never come under the new one.
func TestWatchChangesTheChoice(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		o := connect(t, s.URL)
		a := s.Key(t, "a")
		b := a + "b"
		for _, key := range []string{a, b} {
			o.do("XGROUP CREATE " + key + " g 0 MKSTREAM")
		}
		w := begin(t, s.URL, s.Embedded, Options{Match: a + "*"})
		last := uint64(0)
		for i := range 6 {
			want := Choice{a, "g"}
			if i%2 == 1 {
				want.Stream = b
			}
			w.Choose(want.Stream, want.Group)
			until(t, w, "a reading of "+want.Stream, func(u Update) bool {
				if u.Snapshot != nil {
					if u.Snapshot.Queue.Stream != u.Chosen.Stream {
						t.Fatalf("%v is chosen, %v was read", u.Chosen, u.Snapshot.Queue)
					}
					if u.Snapshot.Generation < last {
						t.Fatalf("generation %d after %d", u.Snapshot.Generation, last)
					}
					last = u.Snapshot.Generation
				}
				return good(u) && u.Chosen == want
			})
		}
	})
}

// Closing ends the reads too, also where the server does not answer.
func TestCloseIsQuick(t *testing.T) {
	target, err := redisq.ParseTarget("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	const every = time.Minute
	w, err := New(Options{Target: target, Stream: "s", Group: "g", Interval: every})
	if err != nil {
		t.Fatal(err)
	}
	w.Start()
	until(t, w, "no answer", func(u Update) bool { return u.Snapshot != nil && u.Snapshot.Err != nil })
	began := time.Now()
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > every/2 {
		t.Errorf("closing took %v: it waited for a reading", took)
	}
	if err := w.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	for range w.Updates() { // drains, and ends
	}
}
