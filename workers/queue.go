package workers

import (
	"context"
	"sync"
	"time"

	"example.com/unacked/redisq"
)

// recordTTL is how long the idempotent consumer remembers a message: longer than a dead letter is likely to lie before
// somebody replays it.
const recordTTL = 7 * 24 * time.Hour

// queue is what the loop needs of [redisq.Group].
type queue interface {
	CheckKeys(ctx context.Context) error
	Ensure(ctx context.Context) (created bool, err error)
	// ReadNew ends when ctx does, blocked or not: what it was given at that moment is pending under consumer.
	ReadNew(ctx context.Context, consumer string, count int, block time.Duration) ([]redisq.Entry, error)
	Claim(ctx context.Context, consumer string, o redisq.ClaimOptions) (redisq.Claim, error)
	Ack(ctx context.Context, consumer string, held ...redisq.Held) ([]redisq.HeldResult, error)
	Extend(ctx context.Context, consumer string, held ...redisq.Held) ([]redisq.HeldResult, error)
	DeadLetter(ctx context.Context, owner string, h redisq.Held, reason string) (redisq.HeldResult, error)
	Pop(ctx context.Context, block time.Duration) (redisq.Entry, bool, error)
	Record(ctx context.Context, id string, ttl time.Duration) (fresh bool, err error)
	Recorded(ctx context.Context, id string) (bool, error)
	Forget(ctx context.Context, id string) error
}

// redisQueue is the real one. Its reads that block have a connection of their own, so that the server can be asked
// other things meanwhile, and that they can be ended: by closing it, for a blocked read minds no context.
type redisQueue struct {
	*redisq.Group
	client *redisq.Client
	queue  redisq.Queue
	dial   func() (*redisq.Client, error) // makes the connection for reads that block

	mu     sync.Mutex
	reader *redisq.Client // guarded by mu; nil when there is none at the moment
	closed bool           // guarded by mu
}

func newRedisQueue(c Config) (*redisQueue, error) {
	connect := func(o redisq.Options) (*redisq.Client, error) {
		o.Name, o.Embedded = "worker", c.Embedded
		return redisq.Connect(c.Target, o)
	}
	// One connection each for the loop and for the heartbeat, and one to spare while a broken one is replaced.
	client, err := connect(redisq.Options{PoolSize: 3})
	if err != nil {
		return nil, err
	}
	return &redisQueue{
		Group: redisq.NewGroup(client, c.Queue), client: client, queue: c.Queue,
		dial: func() (*redisq.Client, error) { return connect(redisq.Options{PoolSize: 1, Reader: true}) },
	}, nil
}

func (q *redisQueue) ReadNew(ctx context.Context, consumer string, count int, block time.Duration) ([]redisq.Entry, error) {
	if block <= 0 {
		return q.Group.ReadNew(ctx, consumer, count, block)
	}
	reader, err := q.reading()
	if err != nil {
		return nil, err
	}
	hungUp := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(hungUp)
		q.hangUp(reader)
	})
	entries, err := redisq.NewGroup(reader, q.queue).ReadNew(ctx, consumer, count, block)
	if !stop() {
		<-hungUp // or the next read would have the connection closed under it
	}
	return entries, err
}

// Pop waits on the same connection, to the end of its block: a message that it was given as the connection closes
// would be lost.
func (q *redisQueue) Pop(ctx context.Context, block time.Duration) (redisq.Entry, bool, error) {
	reader, err := q.reading()
	if err != nil {
		return redisq.Entry{}, false, err
	}
	return redisq.NewGroup(reader, q.queue).Pop(ctx, block)
}

// reading returns the client whose reads may block.
func (q *redisQueue) reading() (*redisq.Client, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return q.client, nil // which says that it is closed
	case q.reader != nil:
		return q.reader, nil
	}
	reader, err := q.dial()
	if err == nil {
		q.reader = reader
	}
	return reader, err
}

// hangUp ends what a reader waits for; the next read makes another.
func (q *redisQueue) hangUp(reader *redisq.Client) {
	q.mu.Lock()
	if q.reader == reader {
		q.reader = nil
	}
	q.mu.Unlock()
	_ = reader.Close()
}

// close ends every command that waits for its answer.
func (q *redisQueue) close() {
	q.mu.Lock()
	reader := q.reader
	q.closed, q.reader = true, nil
	q.mu.Unlock()
	if reader != nil {
		_ = reader.Close()
	}
	_ = q.client.Close()
}

// Forget takes a record back: the work that it was written before has failed.
func (q *redisQueue) Forget(ctx context.Context, id string) error {
	_, err := q.client.Do(ctx, "DEL", q.queue.Seen+id)
	return err
}

// transient says that the same call may succeed later: there was no answer, or the server said "not now".
func transient(err error) bool {
	switch redisq.CodeOf(err) {
	case "WRONGTYPE", "NOPERM", "NOAUTH", "WRONGPASS", "NOGROUP", "CROSSSLOT", "OOM", "ERR",
		redisq.CodeSlot, redisq.CodeTLS, redisq.CodeTooBig, redisq.CodeBadReply, redisq.CodeReadOnly:
		return false
	}
	return true
}

// final says that a worker need not start: no waiting mends it.
func final(err error) bool {
	code := redisq.CodeOf(err)
	return !transient(err) && code != "NOGROUP" && code != "OOM"
}

// doubtful says that the call may have taken effect though it failed.
func doubtful(err error) bool {
	code := redisq.CodeOf(err)
	return code == redisq.CodeLostReply || code == redisq.CodeTimeout || code == redisq.CodeLost
}
