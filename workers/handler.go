package workers

import (
	"context"
	"time"

	"example.com/unacked/redisq"
)

// Message is one entry as a handler gets it.
type Message struct {
	ID         string       // of the entry; "" for one from the list
	Original   string       // ID, or for a replayed entry the id that it had first: what the idempotent consumer goes by
	Order      string       // the entry's field "order", or ""
	Entry      redisq.Entry // without what a replay added
	Deliveries int64        // this one included, >= 1; 1 for one from the list
}

// Handler does the work of a message. An error leaves the message pending, its text is the reason that is kept; nil is
// done. Handle must return soon after ctx ends: the worker is going away and the message stays pending.
// A worker calls Handle from one goroutine at a time.
type Handler interface {
	Handle(ctx context.Context, m Message) error
}

// Noop returns a handler that does nothing for the given time and succeeds.
func Noop(delay time.Duration) Handler { return noop(delay) }

type noop time.Duration

func (d noop) Handle(ctx context.Context, _ Message) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(time.Duration(d))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
