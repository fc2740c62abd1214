package producer_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/producer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// queue is a queue in memory that takes a set time, holds a backlog, and can answer with an error.
type queue struct {
	mu      sync.Mutex
	takes   time.Duration
	err     error
	backlog int64
	highest int64
	calls   int
	orders  []string // as they were added
	to      []string
	caps    []int64
	pushed  int // by Push
	busy    int
	busiest int
}

func (q *queue) Add(ctx context.Context, fields []redisq.Field, o redisq.AddOptions) (string, error) {
	q.mu.Lock()
	q.calls++
	q.busy++
	q.busiest = max(q.busiest, q.busy)
	takes := q.takes
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		q.busy--
		q.mu.Unlock()
	}()
	if takes > 0 {
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return "", &redisq.Error{Op: "XADD", Code: redisq.CodeLostReply, Err: ctx.Err()}
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.err != nil:
		return "", q.err
	case o.Limit > 0 && q.backlog >= o.Limit:
		return "", fmt.Errorf("orders: %w", redisq.ErrFull)
	}
	q.backlog++
	q.highest = max(q.highest, q.backlog)
	q.orders = append(q.orders, fields[0].Value)
	q.to = append(q.to, fields[1].Value)
	q.caps = append(q.caps, o.MaxLen)
	return fmt.Sprintf("%d-0", len(q.orders)), nil
}

func (q *queue) Push(ctx context.Context, fields []redisq.Field, o redisq.AddOptions) error {
	_, err := q.Add(ctx, fields, o)
	q.set(func() { q.pushed++ })
	return err
}

// set changes the queue while others use it.
func (q *queue) set(change func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change()
}

func (q *queue) get(figure func() int64) int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return figure()
}

// log collects what OnOrder says.
type orders struct {
	mu  sync.Mutex
	got []producer.Order
}

func (o *orders) add(order producer.Order) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.got = append(o.got, order)
}

func (o *orders) all() []producer.Order {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]producer.Order(nil), o.got...)
}

// closeNow ends a producer without patience for calls to the server.
func closeNow(p *producer.Producer) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p.Close(ctx)
}
