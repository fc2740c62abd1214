package experiment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/unacked/workers/lab"
)

// Times between two samples of the backlog: at full scale, and at least.
const (
	sampleEvery = 100 * time.Millisecond
	sampleLeast = 50 * time.Millisecond
)

// answerWithin is how long the last checkouts of a load may take before the last reading is taken all the same. On a
// machine that keeps up it is a matter of milliseconds.
const answerWithin = 10 * time.Second

// sample is the backlog at one moment.
type sample struct {
	after                time.Duration // since the first order, at full scale
	undelivered, pending int64
}

// load has customers order at a rate, for a time, whatever the answers: perSecond × d orders, each begun when it is
// due. The last reading is taken when the time is over; no order is placed after it.
func load(perSecond float64, d time.Duration) action {
	return func(ctx context.Context, s *stage) (err error) {
		s.lab.Mark(fmt.Sprintf("%s for %v", rate(perSecond/s.scale), s.span(d)))
		began := time.Now()
		sampling, stop := context.WithCancel(ctx)
		sampled := make(chan error, 1)
		go func() { sampled <- s.sample(sampling, began) }()
		defer func() {
			stop()
			if failed := <-sampled; err == nil {
				err = failed
			}
		}()

		period := time.Duration(float64(time.Second) * s.scale / perSecond)
		all := int(perSecond * d.Seconds())
		for placed := 0; placed < all; {
			due := min(int(time.Since(began)/period)+1, all) - placed
			s.lab.Place(due, false)
			placed += due
			if err := sleep(ctx, began.Add(time.Duration(placed)*period)); err != nil {
				return err
			}
		}
		if err := sleep(ctx, began.Add(s.span(d))); err != nil {
			return err
		}
		if s.setup.Full != lab.Wait { // the last customers have their answer in a moment
			err := s.await(ctx, "every checkout is answered", answerWithin, func() bool { return s.answered() >= int64(all) })
			if err != nil && !errors.Is(err, errLate) {
				return err
			}
		}
		return s.finish(ctx)
	}
}

// sample counts the backlog again and again until ctx ends.
func (s *stage) sample(ctx context.Context, began time.Time) error {
	every := max(s.span(sampleEvery), sampleLeast)
	for next := began.Add(every); sleep(ctx, next) == nil; next = time.Now().Add(every) {
		undelivered, pending, err := s.group.Backlog(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("count the backlog: %w", err)
		}
		after := time.Duration(float64(time.Since(began)) / s.scale)
		s.samples = append(s.samples, sample{after, undelivered, pending})
	}
	return nil
}
