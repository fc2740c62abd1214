package workers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// An address that the mail server refuses is offered as often as the limit says, then it is one dead letter with the
// server's words; the good order behind it is not touched.
func TestPoisonIsDeadLetteredAtTheLimit(t *testing.T) {
	redistest.Each(t, func(t *testing.T, server redistest.Server) {
		r := rigOn(t, server)
		mails := newSink(t, 0)
		s := quick()
		s.MaxDeliveries = 3
		r.run("w1", s, SMTP(mails.addr))
		r.run("w2", s, SMTP(mails.addr))
		r.badOrders(1, 1)
		r.orders(2, 2)
		r.finished(2)

		if n := mails.refusals(); n != 3 {
			t.Errorf("the mail server refused order 1 %d times, want 3", n)
		}
		if n := r.count(EventDelivered, order("1")); n != 3 {
			t.Errorf("order 1 delivered %d times, want 3", n)
		}
		if total, by := mails.counts(); total != 1 || by["2"] != 1 {
			t.Errorf("mails %v, want one of order 2", by)
		}
		dead := r.dead()
		if len(dead) != 1 || dead[0]["order"] != "1" {
			t.Fatalf("dead letters %v, want order 1", dead)
		}
		if !hasValue(dead[0], "550 5.1.1 no such user") {
			t.Errorf("dead letter %v, want the reason 550 5.1.1 no such user", dead[0])
		}
		if n := r.count(EventDeadLettered, order("1")); n != 1 {
			t.Errorf("told of %d dead letters, want 1", n)
		}
	})
}

func hasValue(fields map[string]any, want string) bool {
	for _, v := range fields {
		if v == want {
			return true
		}
	}
	return false
}

// A message that kills its worker before anything is counted is given out as often as the limit says, and no fourth time.
func TestCrashLoopEndsAtTheLimit(t *testing.T) {
	redistest.Each(t, func(t *testing.T, server redistest.Server) {
		r := rigOn(t, server)
		s := quick()
		s.MaxDeliveries = 3
		sup := r.supervise(s, map[string]string{"": "crash"}, "w1")
		r.xadd("order", "1", "boom", "1")
		r.xadd("order", "2")
		r.await("all handled", func() bool { return r.handled() && r.count(EventAcked, order("2")) == 1 })

		if n := r.count(EventWorking, order("1")); n != 3 {
			t.Errorf("the handler saw order 1 %d times, want 3", n)
		}
		if dead := r.dead(); len(dead) != 1 || dead[0]["order"] != "1" {
			t.Errorf("dead letters %v, want order 1", dead)
		}
		if n := r.count(EventExited); n != 3 {
			t.Errorf("the worker ended %d times, want 3", n)
		}
		if n := r.count(EventExited, reason("exit status 3: about to crash")); n != 3 {
			t.Errorf("%d ends told with their cause, want 3", n)
		}
		if st := state(sup, "w1"); !st.Alive() || st.Restarts != 3 {
			t.Errorf("w1 is %s after %d restarts, want it alive after 3", st.Phase, st.Restarts)
		}
	})
}

// A worker that stalls past its lease loses the message to another; its late ack takes nothing from the new owner.
func TestLateAckIsRefused(t *testing.T) {
	redistest.Each(t, func(t *testing.T, server redistest.Server) {
		r := rigOn(t, server)
		dir := t.TempDir()
		until := func(file string) string {
			return fmt.Sprintf("exec until [ -e '%s' ]; do sleep 0.01; done", filepath.Join(dir, file))
		}
		finish := func(file string) {
			if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		sup := r.supervise(quick(), map[string]string{"w1": until("first"), "w2": until("second")}, "w1")
		r.orders(1, 1)
		r.await("w1 works", func() bool { return r.count(EventWorking, by("w1")) == 1 })
		pid := state(sup, "w1").PID
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		finish("first")
		if err := sup.Start("w2"); err != nil {
			t.Fatal(err)
		}
		r.await("w2 works on it", func() bool { return r.count(EventWorking, by("w2")) == 1 })
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		refused := func(e Event) bool { return e.From == "w2" && e.Reason == reasonAckRefused && e.Order == "1" }
		r.await("w1 hears that its ack is refused", func() bool { return r.count(EventNotOurs, by("w1"), refused) == 1 })
		rows := must[[]redis.XPendingExt](t)(r.rdb.XPendingExt(t.Context(), &redis.XPendingExtArgs{
			Stream: r.queue.Stream, Group: testGroup, Start: "-", End: "+", Count: 10,
		}).Result())
		if len(rows) != 1 || rows[0].Consumer != "w2" || rows[0].RetryCount != 2 {
			t.Errorf("pending %v, want one entry of w2, delivered twice", rows)
		}
		finish("second")
		r.finished(1)
		if r.count(EventAcked, by("w1")) != 0 || r.count(EventAcked, by("w2")) != 1 {
			t.Error("want one ack, by w2")
		}
		if len(r.dead()) != 0 {
			t.Error("a dead letter of a message that was done")
		}
	})
}

// The heartbeat keeps a message that takes longer than its lease, and one that waits in the batch behind it.
func TestSlowWorkerKeepsItsMessages(t *testing.T) {
	redistest.Each(t, func(t *testing.T, server redistest.Server) {
		t.Parallel()
		r := rigOn(t, server)
		s := quick()
		s.Batch = 2
		r.orders(1, 2)
		r.run("w1", s, Noop(3*s.Lease/2))
		r.await("w1 has both", func() bool { return r.count(EventDelivered) == 2 })
		r.run("w2", s, Noop(0))
		r.await("w2 waits", func() bool { return r.count(EventWaiting, by("w2")) == 1 })
		r.finished(2)
		if n := r.count(EventDelivered); n != 2 {
			t.Errorf("%d deliveries of 2 messages, want 2", n)
		}
		if n := r.count(EventAcked, by("w1")); n != 2 {
			t.Errorf("w1 acked %d, want 2", n)
		}
		if r.count(EventHeld) == 0 {
			t.Error("no renewal was told")
		}
		if n := r.count(EventNotOurs); n != 0 {
			t.Errorf("%d messages lost", n)
		}
	})
}

// A lease that is made shorter while a message is in hand counts at once.
func TestShorterLeaseReachesTheMessageInHand(t *testing.T) {
	s := redistest.Servers(t)[0]
	r := rigOn(t, s)
	long, short := quick(), quick()
	long.Lease = time.Minute
	l := r.run("w1", long, Noop(3*short.Lease/2))
	r.orders(1, 1)
	r.await("w1 works", func() bool { return r.count(EventWorking) == 1 })
	l.tell(t, Control{Settings: &short})
	r.run("w2", short, Noop(0))
	r.finished(1)
	if n := r.count(EventDelivered); n != 1 {
		t.Errorf("delivered %d times, want once", n)
	}
}

func TestPanicFailsTheMessageOnly(t *testing.T) {
	redistest.Each(t, func(t *testing.T, server redistest.Server) {
		r := rigOn(t, server)
		s := quick()
		s.MaxDeliveries = 2
		r.run("w1", s, handlerFunc(func(_ context.Context, m Message) error {
			if m.Order == "1" {
				var nobody *Message
				return errors.New(nobody.ID)
			}
			return nil
		}))
		r.orders(1, 2)
		r.finished(2)
		want := "the handler panicked: runtime error: invalid memory address or nil pointer dereference"
		if n := r.count(EventFailed, order("1"), reason(want)); n != 2 {
			t.Errorf("%d failures with the panic's words, want 2", n)
		}
		if dead := r.dead(); len(dead) != 1 || !hasValue(dead[0], want) {
			t.Errorf("dead letters %v, want one with the panic's words", dead)
		}
		if r.count(EventAcked, order("2")) != 1 {
			t.Error("order 2 was not done")
		}
		named := func(e Event) bool { return strings.Contains(e.Reason, "delivery_test.go:") }
		if r.count(EventLog, named) != 2 {
			t.Error("the place of the panic was not told")
		}
	})
}

// Settings that are switched while a message is in hand are those of the next one.
func TestSettingsCountFromTheNextMessage(t *testing.T) {
	r := rigOn(t, redistest.Servers(t)[0])
	working := make(chan string)
	release := make(chan struct{})
	s := quick()
	l := r.run("w1", s, handlerFunc(func(_ context.Context, m Message) error {
		working <- m.Order
		<-release
		return nil
	}))
	r.orders(1, 2)
	<-working
	s.AckBefore = true
	l.tell(t, Control{Settings: &s, Crash: CrashAfterWork, Order: "none"})
	r.await("the worker has the settings", func() bool { return r.count(EventArmed) == 1 })
	if n := r.pending(); n != 1 {
		t.Errorf("%d pending while the first is in hand, want 1: it was delivered before the switch", n)
	}
	release <- struct{}{}
	if o := <-working; o != "2" {
		t.Fatalf("order %s is next, want 2", o)
	}
	if n := r.pending(); n != 0 {
		t.Errorf("%d pending while the second is in hand, want 0: it was acked before the work", n)
	}
	s.Paused = true
	l.tell(t, Control{Settings: &s, Disarm: true})
	r.await("the worker is to pause", func() bool { return r.count(EventArmed) == 2 })
	r.orders(3, 3)
	release <- struct{}{}
	r.await("the worker pauses", func() bool { return r.count(EventWaiting, reason("paused")) == 1 })
	if n := r.count(EventDelivered); n != 2 {
		t.Errorf("%d delivered to a worker that pauses after the second", n)
	}
	s.Paused = false
	l.tell(t, Control{Settings: &s})
	if o := <-working; o != "3" {
		t.Fatalf("order %s is next, want 3", o)
	}
	release <- struct{}{}
	r.await("all done", func() bool { return r.count(EventDone) == 3 })
}

// What the idempotent consumer goes by is the id that a message had first: a replayed dead letter is not done twice.
func TestReplayedMessageIsKnownByItsFirstID(t *testing.T) {
	redistest.Each(t, func(t *testing.T, server redistest.Server) {
		for _, when := range []Idempotence{RecordBefore, RecordAfter} {
			t.Run(string(when), func(t *testing.T) {
				r := rigOn(t, server)
				client := must[*redisq.Client](t)(redisq.Connect(
					must[redisq.Target](t)(redisq.ParseTarget(r.url)), redisq.Options{Name: "action"}))
				t.Cleanup(func() { _ = client.Close() })
				group := redisq.NewGroup(client, r.queue)

				// The work is done at the second time of asking, and fails once more after it: as a lost answer would.
				var works atomic.Int64
				s := quick()
				s.MaxDeliveries, s.Idempotent = 1, when
				r.run("w1", s, handlerFunc(func(_ context.Context, m Message) error {
					if works.Add(1) == 1 {
						return errTest
					}
					return nil
				}))
				first := r.xadd("order", "1")
				r.await("a dead letter", func() bool { return len(r.dead()) == 1 })
				letters := must[[]redis.XMessage](t)(r.rdb.XRange(t.Context(), r.queue.DeadLetter, "-", "+").Result())
				outcome := group.PlanReplay(nil, []string{letters[0].ID}).Run(t.Context())
				if outcome.Err != nil || outcome.Done != 1 {
					t.Fatalf("replay: %+v", outcome)
				}
				r.await("done after the replay", func() bool { return r.count(EventAcked) == 1 })
				if n := works.Load(); n != 2 {
					t.Errorf("the handler ran %d times, want 2: a failed message is not recorded as done", n)
				}
				recorded := must[int64](t)(r.rdb.Exists(t.Context(), r.queue.Seen+first).Result())
				if recorded != 1 {
					t.Errorf("no record under the first id %s", first)
				}
				// The same once more by hand, as a half-done replay leaves it.
				r.xadd("order", "1", "unacked:original", first, "unacked:replays", "2")
				r.await("skipped", func() bool { return r.count(EventDuplicate) == 1 && r.handled() })
				if n := works.Load(); n != 2 {
					t.Errorf("the handler ran %d times, want 2", n)
				}
			})
		}
	})
}

// A worker that dies of the first message of a batch does not bring the others nearer to the dead letters than it did
// itself.
func TestPoisonDoesNotDragItsBatch(t *testing.T) {
	redistest.Each(t, func(t *testing.T, server redistest.Server) {
		r := rigOn(t, server)
		s := quick()
		s.MaxDeliveries, s.Batch = 3, 5
		r.xadd("order", "1", "boom", "1")
		for n := 2; n <= 5; n++ {
			r.xadd("order", strconv.Itoa(n))
		}
		sup := r.supervise(s, map[string]string{"": "crash"})
		if err := sup.Start("w1"); err != nil {
			t.Fatal(err)
		}
		r.finished(5)
		dead := r.dead()
		if len(dead) != 1 || dead[0]["order"] != "1" {
			t.Errorf("dead letters %v, want order 1 alone", dead)
		}
		for n := 2; n <= 5; n++ {
			if got := r.count(EventAcked, order(strconv.Itoa(n))); got != 1 {
				t.Errorf("order %d acked %d times, want 1", n, got)
			}
		}
	})
}
