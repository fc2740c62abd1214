package producer

import (
	"context"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"example.com/unacked/redisq"
)

const (
	// maxUnderWay bounds the checkouts that are under way at a time. When all wait, later customers stand before the door
	// and are not counted as offered yet.
	maxUnderWay = 64
	// maxBehind is how far the schedule may be behind; orders that are later than this are not made up for.
	maxBehind = time.Second
	// maxBurst bounds the orders of bursts that were asked for and not begun.
	maxBurst = 1_000_000
	// pollRoom is how often a waiting checkout looks for room.
	pollRoom = 10 * time.Millisecond
	// addTimeout bounds one attempt to add an order.
	addTimeout = 2 * time.Second
	// slowAdd is the time after which a checkout counts as waiting for the server.
	slowAdd = 250 * time.Millisecond
)

// Queue is where orders go; a [redisq.Group] is one.
type Queue interface {
	Add(ctx context.Context, fields []redisq.Field, o redisq.AddOptions) (id string, err error)
	Push(ctx context.Context, fields []redisq.Field, o redisq.AddOptions) error
}

// Options are what a Producer is made of. Queue is wanted; the others have usable zero values.
type Options struct {
	Queue    Queue
	Settings Settings
	// OnOrder is called for each order that is in the queue, or may be. It runs under the producer's lock, so that the
	// calls agree with Count: it must be quick and must not call the producer. nil is nobody.
	OnOrder func(Order)
	Now     func() time.Time // nil is time.Now
	Go      func(func())     // starts a goroutine; nil is a plain go statement
}

// Order is a checkout that put an order into the queue, or may have.
type Order struct {
	Number  uint64 // 1 … in the order in which the checkouts began
	Name    string // the number as it stands in the field "order"
	ID      string // of the entry; "" in a list, and when Unknown
	Kind    redisq.Kind
	Bad     bool // the address is refused by the mail server
	Unknown bool // the reply was lost: it may be in the queue
	Waited  bool // it found the queue full, or others waiting, and waited for room
	At      time.Time
	Took    time.Duration
}

// Count is what became of the checkouts. Those under way are Offered and nothing else yet.
type Count struct {
	Offered  int64
	Accepted int64
	Refused  int64 // the queue was full
	Unknown  int64 // the reply was lost
	Failed   int64 // the server said no, or was not there
	Queued   int64 // orders of bursts that have not begun
	Waiting  bool  // one waits for room, or for the server
	Err      error // of the last Failed or Unknown; nil after a checkout went well

	P50, P99, Max time.Duration // of the accepted ones, in all; 0 before the first
}

// Producer places orders until Close. Its methods are safe from any goroutine.
type Producer struct {
	options Options
	running sync.WaitGroup
	slots   chan struct{} // one is held by each checkout under way
	door    chan struct{} // held by the one checkout that looks for room; the others wait behind it in order
	stop    context.Context
	cancel  context.CancelFunc // ends schedules and waiting
	calls   context.Context
	hangUp  context.CancelFunc // ends calls to the server

	mu        sync.Mutex // guards what follows
	settings  Settings
	changed   chan struct{} // closed and replaced when settings or bursts change
	bursts    []*Load       // those with orders that have not begun, oldest first
	count     Count
	waiting   int                  // checkouts that found the queue full
	adding    map[uint64]time.Time // when each call to the server began
	latencies *hdrhistogram.Histogram
}

// Start begins to place orders.
func Start(o Options) *Producer {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Go == nil {
		o.Go = func(f func()) { go f() }
	}
	p := &Producer{
		options:   o,
		slots:     make(chan struct{}, maxUnderWay),
		door:      make(chan struct{}, 1),
		settings:  o.Settings.clean(),
		changed:   make(chan struct{}),
		adding:    make(map[uint64]time.Time),
		latencies: hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 3),
	}
	p.stop, p.cancel = context.WithCancel(context.Background())
	p.calls, p.hangUp = context.WithCancel(context.Background())
	p.spawn(p.schedule)
	p.spawn(p.burst)
	return p
}

func (p *Producer) spawn(f func()) {
	p.running.Add(1)
	p.options.Go(func() {
		defer p.running.Done()
		f()
	})
}

// Close ends the producer: no checkout begins any more, those that wait give up, and those that wait for a reply are
// given until ctx ends; their orders are unknown then. It returns when every goroutine ended.
func (p *Producer) Close(ctx context.Context) {
	p.cancel()
	ended := make(chan struct{})
	p.options.Go(func() {
		defer close(ended)
		p.running.Wait()
	})
	select {
	case <-ended:
	case <-ctx.Done():
	}
	p.hangUp()
	<-ended
}

// Configure switches the settings.
func (p *Producer) Configure(s Settings) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settings = s.clean()
	p.tell()
}

// AddLoad places further orders as quickly as the queue takes them, all of them with bad addresses when bad is set; it
// does not wait for them. At most a million are kept waiting; the rest is dropped, and is not in the Load.
func (p *Producer) AddLoad(orders int, bad bool) *Load {
	p.mu.Lock()
	defer p.mu.Unlock()
	orders = max(min(orders, maxBurst-int(p.count.Queued)), 0)
	l := &Load{
		producer: p, bad: bad, done: make(chan struct{}), left: orders, count: LoadCount{Sent: orders, Waiting: orders},
	}
	if orders == 0 {
		close(l.done)
		return l
	}
	p.count.Queued += int64(orders)
	p.bursts = append(p.bursts, l)
	p.tell()
	return l
}

// Found says that an order whose reply was lost is known to be in the queue: it counts as accepted from now on.
func (p *Producer) Found() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count.Unknown--
	p.count.Accepted++
}

// Count returns what became of the checkouts so far.
func (p *Producer) Count() Count {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.count
	c.Waiting = p.waiting > 0
	for _, since := range p.adding {
		c.Waiting = c.Waiting || p.options.Now().Sub(since) > slowAdd
	}
	if p.latencies.TotalCount() > 0 {
		micro := func(us int64) time.Duration { return time.Duration(us) * time.Microsecond }
		c.P50 = micro(p.latencies.ValueAtQuantile(50))
		c.P99 = micro(p.latencies.ValueAtQuantile(99))
		c.Max = micro(p.latencies.Max())
	}
	return c
}

// tell wakes whoever goes by the settings or bursts. p.mu is held.
func (p *Producer) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *Producer) current() (Settings, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.settings, p.changed
}
