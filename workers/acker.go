package workers

import (
	"context"
	"sync"

	"example.com/unacked/redisq"
)

// acker acknowledges what a worker that reads in batches has done, while the worker goes on: each command takes along
// what was done during the one before. It tries once; after an error the rest is the loop's, which can wait and repeat.
type acker struct {
	q        queue
	consumer string
	acked    func([]taken, []redisq.HeldResult)
	kick     chan struct{} // capacity 1: there is something to do

	mu     sync.Mutex // guards the rest
	change *sync.Cond // of mu: queue is shorter, or failed
	queue  []taken    // done and not acknowledged, in their order
	failed bool       // the last command failed: nothing is sent until rest
	ended  bool       // nothing is sent any more
	doubt  bool       // it may have taken effect
}

func newAcker(q queue, consumer string, acked func([]taken, []redisq.HeldResult)) *acker {
	a := &acker{q: q, consumer: consumer, acked: acked, kick: make(chan struct{}, 1)}
	a.change = sync.NewCond(&a.mu)
	return a
}

func (a *acker) add(t taken) {
	a.mu.Lock()
	a.queue = append(a.queue, t)
	a.mu.Unlock()
	select {
	case a.kick <- struct{}{}:
	default:
	}
}

// wait waits until at most n are left, and returns true, or until nothing is sent any more, and returns false.
func (a *acker) wait(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.queue) > n && !a.failed && !a.ended {
		a.change.Wait()
	}
	return !a.failed && !a.ended
}

// rest gives what is left to the caller, and whether a try for it may have taken effect; it begins anew.
func (a *acker) rest() (left []taken, doubt bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	left, doubt = a.queue, a.doubt
	a.queue, a.failed, a.doubt = nil, false, false
	return left, doubt
}

// run acknowledges until ctx ends.
func (a *acker) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			a.mu.Lock()
			a.ended = true
			a.change.Broadcast()
			a.mu.Unlock()
			return
		case <-a.kick:
			a.send(ctx)
		}
	}
}

func (a *acker) send(ctx context.Context) {
	for {
		a.mu.Lock()
		if a.failed || len(a.queue) == 0 {
			a.mu.Unlock()
			return
		}
		batch := a.queue
		a.mu.Unlock()
		held := make([]redisq.Held, len(batch))
		for i, t := range batch {
			held[i] = t.held()
		}
		call, cancel := context.WithTimeout(ctx, callTimeout)
		results, err := a.q.Ack(call, a.consumer, held...)
		cancel()
		if err == nil {
			a.acked(batch, results)
		}
		a.mu.Lock()
		if err != nil {
			a.failed, a.doubt = true, doubtful(err)
		} else {
			a.queue = a.queue[len(batch):]
		}
		a.change.Broadcast()
		a.mu.Unlock()
	}
}
