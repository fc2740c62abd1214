package experiment

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
	"example.com/unacked/workers/mail"
	"example.com/unacked/workers/producer"
)

// witness notes what the checkout, the mail sink and the workers say. Safe from any goroutine.
type witness struct {
	mu      sync.Mutex // guards what follows
	orders  []producer.Order
	refused []time.Duration // how long it took to tell each customer that the queue is full
	mails   map[string]int  // that arrived, by order
	sent    map[string]time.Time
	events  []workers.Event
}

func newWitness() *witness {
	return &witness{mails: make(map[string]int), sent: make(map[string]time.Time)}
}

func (w *witness) onOrder(o producer.Order) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orders = append(w.orders, o)
}

func (w *witness) onMail(at time.Time, order string, mails int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mails[order] = mails
	if mails == 1 {
		w.sent[order] = at
	}
}

func (w *witness) onEvent(e workers.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

// accepted returns the orders that are in the queue, or may be, by number.
func (w *witness) accepted() []producer.Order {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(slices.Values(w.orders), func(a, b producer.Order) int {
		return mail.CompareOrders(a.Name, b.Name)
	})
}

// arrived returns how many mails each order got so far.
func (w *witness) arrived() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.mails)
}

// sentAt is when an order's first mail arrived.
func (w *witness) sentAt(order string) (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, ok := w.sent[order]
	return at, ok
}

func (w *witness) refusals() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.refused)
}

// told returns the events of a kind.
func (w *witness) told(kind workers.EventKind) []workers.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []workers.Event
	for _, e := range w.events {
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}

// till is the queue as the checkout sees it: it notes how long a customer who is refused waited.
type till struct {
	producer.Queue
	witness *witness
}

func (t till) Add(ctx context.Context, fields []redisq.Field, o redisq.AddOptions) (string, error) {
	began := time.Now()
	id, err := t.Queue.Add(ctx, fields, o)
	if errors.Is(err, redisq.ErrFull) {
		took := time.Since(began)
		t.witness.mu.Lock()
		defer t.witness.mu.Unlock()
		t.witness.refused = append(t.witness.refused, took)
	}
	return id, err
}

// direct is a checkout without a queue: it sends the mail, while the customer waits.
type direct struct{ mailer workers.Handler }

func (d direct) Add(ctx context.Context, fields []redisq.Field, _ redisq.AddOptions) (string, error) {
	entry := redisq.Entry{Fields: fields}
	order, _ := entry.Get("order")
	return "", d.mailer.Handle(ctx, workers.Message{Order: order, Entry: entry, Deliveries: 1})
}

func (d direct) Push(ctx context.Context, fields []redisq.Field, o redisq.AddOptions) error {
	_, err := d.Add(ctx, fields, o)
	return err
}

// rate writes orders a second.
func rate(perSecond float64) string { return strconv.FormatFloat(perSecond, 'g', 4, 64) + "/s" }
