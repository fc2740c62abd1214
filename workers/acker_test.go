package workers

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"example.com/unacked/redisq"
)

// ackQueue answers acks as the test says; everything else is a fault.
type ackQueue struct {
	fake
	ack func(held []redisq.Held) ([]redisq.HeldResult, error)
}

func (q *ackQueue) Ack(_ context.Context, _ string, held ...redisq.Held) ([]redisq.HeldResult, error) {
	return q.ack(held)
}

// Every message of a batch is acked exactly once, however many commands it takes, and an ack whose reply was lost is
// repeated until the server says what became of it.
func TestAckerSettlesEverything(t *testing.T) {
	tests := []struct {
		name      string
		fail      map[int]error // by number of the call
		applied   bool          // a failed call took effect
		acked     int
		backedOff int
	}{
		{name: "all is well", acked: 100},
		{name: "reply lost, done", fail: map[int]error{1: failing(redisq.CodeLostReply)}, applied: true, acked: 100},
		{name: "reply lost, not done", fail: map[int]error{1: failing(redisq.CodeLostReply)}, acked: 100},
		{
			name: "server away for a while", acked: 100, backedOff: 2,
			fail: map[int]error{1: failing(redisq.CodeLost), 2: failing(redisq.CodeRefused), 3: failing(redisq.CodeRefused)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &rig{t: t}
				ctx, cancel := context.WithCancel(t.Context())
				var mu sync.Mutex
				pending := map[string]bool{}
				calls := 0
				q := &ackQueue{ack: func(held []redisq.Held) (results []redisq.HeldResult, err error) {
					mu.Lock()
					defer mu.Unlock()
					calls++
					if err = tt.fail[calls]; err != nil && !tt.applied {
						return nil, err
					}
					for _, h := range held {
						results = append(results, redisq.HeldResult{ID: h.ID, OK: pending[h.ID]})
						delete(pending, h.ID)
					}
					return results, err
				}}
				w := newWorker(Config{Consumer: "w1", Settings: DefaultSettings(), Handler: okHandler}, q)
				w.say = r.on
				go w.acker.run(ctx)
				s := DefaultSettings()
				s.Batch = 10
				for n := range 100 {
					taken := newTaken(entry(fmt.Sprintf("7-%d", n)), 1, ViaNew, "")
					mu.Lock()
					pending[taken.m.ID] = true
					mu.Unlock()
					if err := w.settle(ctx, taken, s, false); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.drain(ctx); err != nil {
					t.Fatal(err)
				}
				if got := r.count(EventAcked); got != tt.acked || r.count(EventNotOurs) != 0 {
					t.Errorf("%d acked, %d not ours; want %d and none", got, r.count(EventNotOurs), tt.acked)
				}
				if n := r.count(EventBackingOff); n != tt.backedOff {
					t.Errorf("backed off %d times, want %d", n, tt.backedOff)
				}
				if len(pending) != 0 {
					t.Errorf("%d are still pending", len(pending))
				}
				cancel()
				synctest.Wait()
				if w.acker.wait(0) {
					t.Error("a worker that ended says that it sends acks")
				}
			})
		})
	}
}
