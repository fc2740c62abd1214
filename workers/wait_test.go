package workers

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"example.com/unacked/redisq"
)

var (
	waiting   = step{call: "read 1 and wait"}
	noneDue   = step{call: `look from ""`, answer: nothing}
	due       = step{call: `look from ""`, answer: redisq.Claim{Found: redisq.ClaimDue}}
	ownNone   = step{call: `claim own from ""`, answer: nothing}
	claimNone = step{call: `claim expired from ""`, answer: nothing}
)

// after is a read that blocks and is answered after that time.
func after(d time.Duration, entries ...redisq.Entry) step {
	return step{call: waiting.call, after: d, answer: entries}
}

// The server gives an entry to the reader that has waited longest, so a worker looks for claims without giving up its
// place: every tenth of the lease of 7 s, seven times in a read of 5 s, and once in the next.
func TestAWaitingWorkerKeepsItsPlace(t *testing.T) {
	s := DefaultSettings()
	s.Lease = 7 * time.Second
	steps := opening(read(), after(5*time.Second)) // nothing came
	for range 7 {
		steps = append(steps, noneDue)
	}
	steps = append(steps, after(time.Second, entry("7-0")), noneDue, step{call: "ack 7-0 1", answer: okAck})
	r := play(t, s, okHandler, steps...)
	if r.count(EventDelivered, via(ViaNew)) != 1 || r.count(EventWaiting) != 1 {
		t.Error("want one wait, which ends with the entry")
	}
}

// What is past its lease is claimed at once, and by the worker that has no other message.
func TestAWaitingWorkerClaims(t *testing.T) {
	taken := step{
		call:   `claim expired from ""`,
		answer: redisq.Claim{Found: redisq.ClaimTaken, Entry: entry("3-0"), Deliveries: 2, From: "w9"},
	}
	t.Run("after it gave up its read", func(t *testing.T) {
		r := play(t, DefaultSettings(), okHandler, opening(read(), waiting, noneDue, due, ownNone, taken,
			step{call: "ack 3-0 2", answer: okAck}, read())...)
		if r.count(EventDelivered, via(ViaClaimed)) != 1 {
			t.Error("want it to claim the entry")
		}
	})
	t.Run("and another was first", func(t *testing.T) {
		r := play(t, DefaultSettings(), okHandler, opening(read(), waiting, due, ownNone, claimNone, waiting, noneDue)...)
		if r.count(EventDelivered) != 0 {
			t.Error("want it to wait again")
		}
	})
	t.Run("after the entry that it was given as it gave up", func(t *testing.T) {
		given := after(time.Minute, entry("7-0"))
		given.given = true
		r := play(t, DefaultSettings(), okHandler, opening(read(), given, due, step{call: "ack 7-0 1", answer: okAck}, taken,
			step{call: "ack 3-0 2", answer: okAck}, read())...)
		if r.count(EventDelivered, via(ViaNew)) != 1 || r.count(EventDelivered, via(ViaClaimed)) != 1 {
			t.Error("want both, one after the other")
		}
	})
	t.Run("after the entry whose answer it gave up", func(t *testing.T) {
		own := step{call: ownNone.call, answer: redisq.Claim{Found: redisq.ClaimTaken, Cursor: "8-0", Entry: entry("7-0"), Deliveries: 2, From: "w1"}}
		r := play(t, DefaultSettings(), okHandler, opening(read(), waiting, due, own, step{call: "ack 7-0 2", answer: okAck},
			step{call: `claim own from "8-0"`, answer: nothing}, taken, step{call: "ack 3-0 2", answer: okAck})...)
		if r.count(EventDelivered, via(ViaOwn)) != 1 || r.count(EventDelivered, via(ViaClaimed)) != 1 {
			t.Error("want both, its own first")
		}
	})
}

// A server that does not answer is noticed by the look, long before the read is over.
func TestAWaitingWorkerNoticesThatTheServerIsSilent(t *testing.T) {
	r := play(t, DefaultSettings(), okHandler, opening(read(), waiting,
		step{call: noneDue.call, err: failing(redisq.CodeTimeout)}, ownNone, read(entry("7-0")), step{call: "ack 7-0 1", answer: okAck})...)
	if r.count(EventBackingOff, reason("test: "+redisq.CodeTimeout)) != 1 || r.count(EventAcked) != 1 {
		t.Error("want one pause, and the work after it")
	}
}

// A worker that waits does at once what it is told.
func TestAWaitingWorkerListens(t *testing.T) {
	s := DefaultSettings()
	paused, list := s, s
	paused.Paused, list.Kind = true, redisq.List
	tests := []struct {
		name string
		tell Control
		then []step
	}{
		{"stop", Control{Stop: true}, nil},
		{"pause", Control{Settings: &paused}, nil},
		{"list", Control{Settings: &list}, []step{{call: "pop"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				in, w := io.Pipe()
				defer func() { _ = w.Close() }()
				l := &local{in: w}
				f := &fake{t: t, end: cancel, steps: append(opening(read(), waiting), tt.then...)}
				done := make(chan error, 1)
				go func() {
					done <- run(ctx, Config{Consumer: "w1", Settings: s, Handler: okHandler, In: in}, f, func() {})
				}()
				l.tell(t, Control{Settings: &s})
				synctest.Wait() // it waits in its read
				l.tell(t, tt.tell)
				synctest.Wait()
				if took := time.Since(began); took != 0 {
					t.Errorf("%v went by", took)
				}
				f.mu.Lock()
				if f.done != len(f.steps) {
					t.Errorf("%d calls, want %d", f.done, len(f.steps))
				}
				f.mu.Unlock()
				select {
				case err := <-done:
					if tt.name == "pause" || err != nil {
						t.Errorf("it ended, %v", err)
					}
				default:
					if tt.name != "pause" {
						t.Error("it still waits")
					}
				}
			})
		})
	}
}
