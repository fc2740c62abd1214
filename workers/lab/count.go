package lab

import (
	"context"
	"time"

	"example.com/unacked/redisq"
)

const (
	// countEvery is the time between two counts of the books, where they are short.
	countEvery = 250 * time.Millisecond
	// pagePause is the pause for each page of entries that a count read: a long one must not load the server.
	pagePause = 20 * time.Millisecond
	// countTimeout bounds one count.
	countTimeout = 10 * time.Second
)

// count keeps the books until the lab ends.
func (l *Lab) count() {
	if l.sink == nil {
		l.books.Store(&Books{Reason: "the mail goes to " + l.o.SMTP + ", which is not ours to ask"})
		return
	}
	c := counter{
		lab: l, ledger: newLedger(l.producer.Found), sight: newSight(l.counting, l.queue),
	}
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-pause.C:
		case <-l.stop.Done():
			return
		}
		// Where Redis does not answer, or the lab is set aside, the last books stand, with their time.
		var pages int
		if !l.paused.Load() {
			books, err := c.once(l.stop)
			if err == nil {
				l.books.Store(&books)
			}
			var spent time.Duration
			spent, pages = c.sight.take()
			l.cost.Add("books", l.o.Clock(), spent, err)
		}
		pause.Reset(countEvery + time.Duration(pages)*pagePause)
	}
}

// counter makes counts. It belongs to one goroutine.
type counter struct {
	lab    *Lab
	ledger *ledger
	sight  *sight
}

// once makes one count, in the direction in which orders flow: the checkout, Redis, the workers' hands, the mail
// server. An order that moves on meanwhile is so met at least once.
func (c *counter) once(ctx context.Context) (Books, error) {
	l := c.lab
	before := l.producer.Count().Accepted
	for _, order := range l.witness.takeOrders() {
		c.ledger.checkedOut(order)
	}
	orders, after := c.ledger.orders, l.producer.Count().Accepted

	ctx, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	seen, err := c.sight.look(ctx, c.ledger.waitsFor(redisq.Stream), c.ledger.waitsFor(redisq.List), c.ledger.seen)
	if err != nil {
		return Books{}, err
	}
	held := l.hands.living(l.supervisor.States())
	for _, order := range l.sink.Busy() {
		held[order] = true
	}
	for _, m := range l.witness.takeMails() {
		c.ledger.mailed(m.order, m.mails)
	}
	books := c.ledger.balance(l.o.Clock(), func(name string, o *openOrder) place {
		at := seen.where(name, o)
		if (at == nowhere || at == notLooked) && held[name] {
			return somewhere
		}
		return at
	})
	books.Vanished = l.witness.gone()
	books.against(orders, before, after)
	return books, nil
}
