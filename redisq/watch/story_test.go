package watch

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// at is a reading that many seconds after noon.
func at(seconds int, rows ...redisq.PendingEntry) *redisq.Snapshot {
	return &redisq.Snapshot{At: noon.Add(time.Duration(seconds) * time.Second), Pending: redisq.PendingPage{Rows: rows}}
}

func pending(id, consumer string, idle time.Duration, deliveries int64) redisq.PendingEntry {
	return redisq.PendingEntry{Entry: redisq.Entry{ID: id}, Consumer: consumer, Idle: idle, Deliveries: deliveries}
}

func TestStories(t *testing.T) {
	gone := pending("5-0", "a", 2*time.Second, 1)
	gone.Gone = true
	dead := at(1)
	dead.Dead.Rows = []redisq.DeadLetter{{ID: "9-0", Entry: "5-0", Original: "5-0", Reason: "550\x1b[2J no"}}
	more := at(1, pending("3-0", "b", 0, 1))
	more.Pending.More = true
	filtered := at(1)
	filtered.Pending.Filter.Consumer = "b"
	unread := at(1)
	unread.Problems = []redisq.Problem{{Panel: "pending", Text: "no permission"}}
	missing := at(1)
	missing.Stream.Missing = true
	first := at(0, pending("5-0", "a", time.Second, 1))
	for _, c := range []struct {
		name   string
		before *redisq.Snapshot
		now    *redisq.Snapshot
		says   string // the last line, "" is that nothing new is said
	}{
		{"acked", first, at(1), "vanished from the pending list, last with a: acked, or its consumer was deleted"},
		{"claimed", first, at(1, pending("5-0", "b\x1b[1m", 0, 2)), "claimed by b␛[1m from a (delivery 2)"},
		{"again", first, at(1, pending("5-0", "a", 0, 2)), "delivered to a again (delivery 2)"},
		{"renewed", first, at(1, pending("5-0", "a", 0, 1)), "renewed by a (XCLAIM to itself)"},
		{"nothing", first, at(1, pending("5-0", "a", 2*time.Second, 1)), ""},
		{"set back", at(0, pending("5-0", "a", 0, 7)), at(1, pending("5-0", "a", 0, 1)), "its delivery count was set back to delivery 1"},
		{"released", first, at(1, pending("5-0", "", -1, math.MaxInt64)), "given back by a (XNACK), marked fatal"},
		{"taken", at(0, pending("5-0", "", -1, 1)), at(1, pending("5-0", "b", 0, 2)), "taken by b (delivery 2)"},
		{"ghost", first, at(1, gone), "its body was deleted or trimmed: a ghost"},
		{"ghost left", at(0, gone), at(1), "vanished from the pending list, last with a: acked, or dropped by a claim as its body was gone"},
		{"dead-lettered", first, dead, "dead-lettered after 1 delivery: 550␛[2J no"},
		{"past the page", first, more, ""},
		{"another filter", first, filtered, ""},
		{"not read", first, unread, ""},
		{"stream gone", first, missing, "gone with its stream"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStories()
			s.take(c.before)
			had := len(s.tell("5-0"))
			s.take(c.now)
			lines := s.tell("5-0")
			switch {
			case c.says == "" && len(lines) != had:
				t.Errorf("said %q", lines[len(lines)-1].Text)
			case c.says != "" && (len(lines) == had || lines[len(lines)-1].Text != c.says):
				t.Errorf("said\n%s\nshould end in\n%s", told(lines), c.says)
			}
		})
	}
}

// The time of a deed is that of its idle time, and never before the reading that did not have it.
func TestStoryTimes(t *testing.T) {
	s := newStories()
	s.take(at(0))
	s.take(at(10, pending("5-0", "a", 4*time.Second, 1)))
	s.take(at(20, pending("5-0", "b", 15*time.Second, 2))) // its clock is not ours
	lines := s.tell("5-0")
	if len(lines) != 2 || !lines[0].At.Equal(noon.Add(6*time.Second)) || !lines[1].At.Equal(noon.Add(10*time.Second)) {
		t.Errorf("%+v", lines)
	}
	if lines[0].Text != "delivered to a" {
		t.Errorf("%q: it was not there at the reading before", lines[0].Text)
	}
}

// A reading that takes long tells an idle time of its end: the entry was given out since the reading before all the same.
func TestStoryOfASlowReading(t *testing.T) {
	s := newStories()
	s.take(at(10))
	slow := at(11, pending("5-0", "a", 1500*time.Millisecond, 1)) // delivered at 10.5, told at 12
	slow.Took = time.Second
	s.take(slow)
	if got := told(s.tell("5-0")); got != "delivered to a" {
		t.Errorf("said %q", got)
	}
}

// A heartbeat a second makes one line, and nothing grows without bound.
func TestStoriesAreBounded(t *testing.T) {
	s := newStories()
	for i := range 1000 {
		s.take(at(i, pending("5-0", "a", time.Duration(i%2)*900*time.Millisecond, 1)))
	}
	if lines := s.tell("5-0"); len(lines) != 2 || !strings.HasSuffix(lines[1].Text, "seen 499 times") {
		t.Errorf("%d lines: %s", len(lines), told(lines))
	}
	for i := range 3 * maxStories {
		s.take(at(1000+i, pending("5-0", "a", time.Hour, 1), pending(strconv.Itoa(10+i)+"-0", "b", 0, 1)))
	}
	if len(s.told) > maxStories || len(s.ages) != len(s.told) {
		t.Errorf("%d stories are kept, %d in order", len(s.told), len(s.ages))
	}
	if s.tell("5-0") == nil {
		t.Error("the story of a pending entry was dropped")
	}
}

func TestTrend(t *testing.T) {
	exact := func(n int64) redisq.Number { return redisq.Exact(n, redisq.FromServer) }
	var tr trend
	add := func(after time.Duration, added int64, backlog redisq.Number, losses int64) {
		tr.add(redisq.Flow{At: noon.Add(after), Added: exact(added), Backlog: backlog, Losses: losses})
	}
	for i := range 10 { // 5 a second come in, 3 are done
		add(time.Duration(i)*2*time.Second, int64(10*i), exact(int64(4*i)), int64(min(i, 5))) // some are lost in the first 10 s
	}
	in, done := tr.rates()
	if !in.Known || math.Abs(in.PerSecond-5) > 1e-9 || !done.Known || math.Abs(done.PerSecond-3) > 1e-9 {
		t.Errorf("in %+v, done %+v", in, done)
	}
	add(20*time.Second, 100, redisq.Unknown("lost"), 5)
	if in, done = tr.rates(); !in.Known || done.Known || done.Reason != "lost" {
		t.Errorf("with an unknown backlog: in %+v, done %+v", in, done)
	}
	if points := tr.points(); !math.IsNaN(points[len(points)-1]) || points[1] != 4 {
		t.Errorf("%v: unknown is never a number", points)
	}
	add(22*time.Second, 3, exact(3), 5)
	if in, _ = tr.rates(); in.Known {
		t.Errorf("the stream is another one, and comes in at %+v", in)
	}
	for i := range 100 {
		add(time.Hour+time.Duration(i)*time.Second, int64(i), exact(0), 5)
	}
	if len(tr.kept) != trendPoints {
		t.Errorf("%d are kept", len(tr.kept))
	}
}
