package experiment

import (
	"context"
	"fmt"
	"slices"
	"time"

	"example.com/unacked/workers"
)

// What steps do. Times are at full scale; orders are numbered from 1 in the order in which the checkouts began.

// place has n customers order, one after the other; those in bad give an address that the mail server refuses.
func place(n int, bad ...int) action {
	return func(ctx context.Context, s *stage) error {
		s.lab.Mark(fmt.Sprintf("%d orders", n))
		for i := 1; i <= n; i++ {
			s.lab.Place(1, slices.Contains(bad, i))
			err := s.await(ctx, "a checkout is answered", s.patience(2*time.Second), func() bool {
				return s.answered() >= int64(i)
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// answered is how many checkouts are over.
func (s *stage) answered() int64 {
	c := s.lab.Checkouts()
	return c.Accepted + c.Refused + c.Unknown + c.Failed
}

// arm lets whichever worker comes to the point of that order be killed there.
func arm(at workers.CrashPoint, order string) action {
	return func(_ context.Context, s *stage) error { return s.lab.KillAt(at, order) }
}

// killed waits until the armed worker is gone, and looks at what it left.
func killed() action {
	return func(ctx context.Context, s *stage) error {
		err := s.await(ctx, "the worker is killed", s.patience(10*time.Second), func() bool {
			return slices.ContainsFunc(s.witness.told(workers.EventExited), func(e workers.Event) bool {
				return e.Reason == "killed"
			})
		})
		if err != nil {
			return err
		}
		s.killed, err = s.read(ctx)
		return err
	}
}

// hire starts a new worker.
func hire() action {
	return func(_ context.Context, s *stage) error {
		_, err := s.lab.AddWorker()
		return err
	}
}

// settle waits until nothing is left to do: Redis holds no message that is not done, and no worker has one in hand.
func settle() action {
	const calm = 3 // looks in a row: a message can be between two places in one
	return func(ctx context.Context, s *stage) error {
		deadline := time.Now().Add(s.patience(60 * time.Second))
		for quiet := 0; quiet < calm && time.Now().Before(deadline); {
			r, err := s.read(ctx)
			if err != nil {
				return err
			}
			quiet++
			if r.standing.Backlog()+len(r.standing.List) > 0 || s.busy() {
				quiet = 0
			}
			if err := sleep(ctx, time.Now().Add(20*time.Millisecond)); err != nil {
				return err
			}
		}
		return nil // what is not done by now is for the figures to tell
	}
}

// busy says whether a living worker has a message in hand.
func (s *stage) busy() bool {
	return slices.ContainsFunc(s.lab.Workers(), func(w workers.State) bool {
		return w.Alive() && (w.ID != "" || w.Order != "")
	})
}

// watch lets time pass, and takes the last reading at its end.
func watch(d time.Duration) action {
	return func(ctx context.Context, s *stage) error {
		if err := sleep(ctx, time.Now().Add(s.span(d))); err != nil {
			return err
		}
		return s.finish(ctx)
	}
}

// both does one after the other, in one step.
func both(first, second action) action {
	return func(ctx context.Context, s *stage) error {
		if err := first(ctx, s); err != nil {
			return err
		}
		return second(ctx, s)
	}
}
