package redisq

import (
	"context"
	"sync"
	"time"
)

// ObserverOptions are how an Observer reads. The zero value reads 50 pending rows and 50 dead letters.
type ObserverOptions struct {
	PendingRows int              // rows of XPENDING that are kept with their bodies, 0 is 50
	DeadRows    int              // dead letters that are kept, the newest, 0 is 50
	Clock       func() time.Time // nil is time.Now
	// Added tells how many entries were ever added, where the server does not count (the embedded one, Redis before
	// 7.0); nil is not known.
	Added func() Number
}

// Observer reads one queue. Read is for one goroutine at a time; SetFilter is safe from any.
type Observer struct {
	c *Client
	q Queue
	o ObserverOptions

	mu     sync.Mutex
	filter PendingFilter // guarded by mu
}

// NewObserver returns an observer of queue q through client c, which may be read-only.
func NewObserver(c *Client, q Queue, o ObserverOptions) *Observer {
	if o.PendingRows <= 0 {
		o.PendingRows = 50
	}
	if o.DeadRows <= 0 {
		o.DeadRows = 50
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Observer{c: c, q: q, o: o}
}

// SetFilter sets the form of XPENDING for the readings that begin after it.
func (o *Observer) SetFilter(f PendingFilter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.filter = f
}

// Read reads the queue once.
func (o *Observer) Read(ctx context.Context) *Snapshot {
	return &Snapshot{At: o.o.Clock(), Queue: o.q}
}
