package lab_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
	"example.com/unacked/workers/producer"
)

// A kill that names an order waits for that one, whoever has it; what was said on the way is told to the scenario.
func TestKillAtAnOrder(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		var orders, mails, delivered atomic.Int64
		d := quick()
		d.Workers = 2
		d.Worker.Lease = 2 * time.Second // longer than a busy machine keeps a worker waiting
		o := on(t, s, d)
		o.OnOrder = func(producer.Order) { orders.Add(1) }
		o.OnMail = func(time.Time, string, int) { mails.Add(1) }
		o.OnEvent = func(e workers.Event) {
			if e.Kind == workers.EventDelivered && e.Order == "3" {
				delivered.Add(1)
			}
		}
		l := start(t, o)
		for _, bad := range []struct {
			at    workers.CrashPoint
			order string
		}{{workers.CrashNone, "3"}, {workers.CrashBeforeWork, ""}} {
			if err := l.KillAt(bad.at, bad.order); err == nil {
				t.Errorf("a kill at %q of order %q was taken", bad.at, bad.order)
			}
		}
		await(t, l, "both waiting for work", func(u lab.Update) bool {
			return len(u.State.Workers) == 2 && !slices.ContainsFunc(u.State.Workers, func(w workers.State) bool { return w.Phase != workers.PhaseWaiting })
		})
		if err := l.KillAt(workers.CrashAfterWork, "3"); err != nil {
			t.Fatal(err)
		}
		l.Place(5, false)
		got := await(t, l, "every order is mailed, order 3 twice", func(u lab.Update) bool {
			return u.State.Books.Once == 4 && u.State.Books.Twice == 1 && u.Snapshot.Group.Backlog.Value == 0
		})
		for _, w := range got.State.Workers {
			if !w.Alive() && w.Order != "3" {
				t.Errorf("%s was killed with order %q, want 3", w.Name, w.Order)
			}
		}
		if orders.Load() != 5 || mails.Load() != 6 || delivered.Load() != 2 {
			t.Errorf("told of %d orders, %d mails, %d deliveries of order 3; want 5, 6, 2", orders.Load(), mails.Load(), delivered.Load())
		}
		if c := l.Checkouts(); c.Accepted != 5 || c.Offered != 5 {
			t.Errorf("checkouts %+v, want 5", c)
		}
		for _, m := range got.State.Marks {
			if m.Text == "+5" {
				t.Error("Place set a mark")
			}
		}
	})
}

// nowhere takes orders and keeps none.
type nowhere struct{ added atomic.Int64 }

func (n *nowhere) Add(context.Context, []redisq.Field, redisq.AddOptions) (string, error) {
	n.added.Add(1)
	return "", nil
}

func (n *nowhere) Push(context.Context, []redisq.Field, redisq.AddOptions) error { return nil }

func TestAnotherCheckout(t *testing.T) {
	queue := &nowhere{}
	var mailServer string
	l := start(t, lab.Options{Decisions: quick(), Checkout: func(_ producer.Queue, smtp string) producer.Queue {
		mailServer = smtp
		return queue
	}})
	l.Place(3, false)
	await(t, l, "three orders that are nowhere in Redis", func(u lab.Update) bool { return u.State.Books.Never == 3 })
	if queue.added.Load() != 3 || mailServer == "" {
		t.Errorf("%d orders went to the given queue, mail server %q", queue.added.Load(), mailServer)
	}
}
