package lab

import (
	"fmt"
	"slices"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/mail"
	"example.com/unacked/workers/producer"
)

const (
	// settle is how far two counts must be apart that agree on an order being nowhere, before it is said to be lost: a
	// message on its way from one place to the next can be missed once.
	settle = 300 * time.Millisecond
	// maxNeverIDs bounds the lost orders that are named.
	maxNeverIDs = 100
)

// ledger is the lab's accounting of orders: each accepted one has no mail yet, exactly one, or more. It remembers only
// the orders without a mail. It belongs to one goroutine.
type ledger struct {
	orders  int64 // accepted
	once    int64
	twice   int64
	open    map[string]*openOrder // accepted, no mail yet
	early   map[string]int        // mails of orders whose checkout has no answer yet
	unknown map[string]redisq.Kind
	found   func() // called when an order with a lost reply turns out to be in the queue
}

// openOrder is an accepted order without a mail.
type openOrder struct {
	kind    redisq.Kind
	id      string    // of its entry; the last one where it was replayed; "" in a list
	missing time.Time // since when each count found it nowhere; zero when the last one found it
}

func newLedger(found func()) *ledger {
	return &ledger{
		open: make(map[string]*openOrder), early: make(map[string]int), unknown: make(map[string]redisq.Kind), found: found,
	}
}

// checkedOut takes what the checkout says of an order.
func (l *ledger) checkedOut(o producer.Order) {
	if !o.Unknown {
		l.accept(o.Name, o.Kind, o.ID)
		return
	}
	l.unknown[o.Name] = o.Kind
	if l.early[o.Name] > 0 {
		l.seen(o.Name, "")
	}
}

func (l *ledger) accept(name string, kind redisq.Kind, id string) {
	l.orders++
	switch mails := l.early[name]; {
	case mails == 1:
		l.once++
	case mails > 1:
		l.twice++
	default:
		l.open[name] = &openOrder{kind: kind, id: id}
	}
	delete(l.early, name)
}

// seen takes that an order was met in the queue, under the given id; "" in a list, or where only its mail was seen.
func (l *ledger) seen(name, id string) {
	if kind, ok := l.unknown[name]; ok {
		delete(l.unknown, name)
		l.found()
		l.accept(name, kind, id)
		return
	}
	if o := l.open[name]; o != nil && id != "" {
		o.id = id
	}
}

// mailed takes the mail server's word: mails is how many the order has now.
func (l *ledger) mailed(name string, mails int) {
	_, isEarly := l.early[name]
	_, isOpen := l.open[name]
	_, isUnknown := l.unknown[name]
	switch {
	case isUnknown:
		l.early[name] = mails
		l.seen(name, "")
	case isOpen:
		delete(l.open, name)
		l.once++
	case isEarly, mails == 1:
		l.early[name] = mails
	case mails == 2:
		l.once--
		l.twice++
	}
}

// waitsFor says whether orders of that kind have no mail yet, or may be in the queue without our knowing.
func (l *ledger) waitsFor(kind redisq.Kind) bool {
	for _, o := range l.open {
		if o.kind == kind {
			return true
		}
	}
	for _, k := range l.unknown {
		if k == kind {
			return true
		}
	}
	return false
}

// place is where an order without a mail was met.
type place int

const (
	nowhere place = iota
	somewhere
	deadLetters
	notLooked // the count could not look everywhere: no verdict
)

// balance makes the books of one count: where says where it met an order.
func (l *ledger) balance(at time.Time, where func(name string, o *openOrder) place) Books {
	b := Books{At: at, Known: true, Orders: l.orders, Once: l.once, Twice: l.twice}
	for name, o := range l.open {
		switch where(name, o) {
		case deadLetters:
			b.Dead++
			o.missing = time.Time{}
		case somewhere:
			o.missing = time.Time{}
		case nowhere:
			if o.missing.IsZero() {
				o.missing = at
			}
		}
		if o.missing.IsZero() || at.Sub(o.missing) < settle {
			b.NotYet++
			continue
		}
		b.Never++
		b.NeverIDs = append(b.NeverIDs, name)
	}
	slices.SortFunc(b.NeverIDs, mail.CompareOrders)
	b.NeverIDs = slices.Clip(b.NeverIDs[:min(len(b.NeverIDs), maxNeverIDs)])
	b.check()
	return b
}

// check sets Balanced and Off.
func (b *Books) check() {
	sum := b.Once + b.Twice + b.NotYet + b.Never
	b.Balanced, b.Off = sum == b.Orders, ""
	if !b.Balanced {
		b.Off = fmt.Sprintf("%d orders, but once %d + twice %d + not yet %d + never %d = %d",
			b.Orders, b.Once, b.Twice, b.NotYet, b.Never, sum)
	}
}

// against compares the orders that the ledger knew with the checkout's own count, read before and after the ledger took
// its log.
func (b *Books) against(known, before, after int64) {
	if b.Balanced && (known < before || known > after) {
		b.Balanced = false
		b.Off = fmt.Sprintf("the checkout counts %d accepted orders, the books %d", after, known)
	}
}
