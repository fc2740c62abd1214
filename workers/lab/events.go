package lab

import (
	"fmt"
	"sync"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/workers"
	"example.com/unacked/workers/producer"
)

// witness collects what the checkout, the workers and the mail server say, for the count that comes next. Safe from
// any goroutine.
type witness struct {
	mu       sync.Mutex // guards what follows
	orders   []producer.Order
	mails    []mailed
	vanished int64
	added    int64 // entries put into the stream: orders and replays
	pushed   int64 // orders put into the list
}

type mailed struct {
	order string
	mails int
}

// takeOrders returns the orders since it was last asked.
func (w *witness) takeOrders() []producer.Order {
	w.mu.Lock()
	defer w.mu.Unlock()
	orders := w.orders
	w.orders = nil
	return orders
}

// takeMails returns the mails since it was last asked.
func (w *witness) takeMails() []mailed {
	w.mu.Lock()
	defer w.mu.Unlock()
	mails := w.mails
	w.mails = nil
	return mails
}

func (w *witness) gone() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.vanished
}

// onOrder is told of each order that is in the queue, or may be.
func (l *Lab) onOrder(o producer.Order) {
	if l.o.OnOrder != nil {
		l.o.OnOrder(o)
	}
	l.stories.checkedOut(o)
	l.witness.mu.Lock()
	defer l.witness.mu.Unlock()
	switch {
	case o.ID != "":
		l.witness.added++
	case o.Kind == redisq.List && !o.Unknown:
		l.witness.pushed++
	}
	if l.sink != nil { // without a witness nobody counts
		l.witness.orders = append(l.witness.orders, o)
	}
}

// onMail is told of each mail that arrived.
func (l *Lab) onMail(order string, mails int) {
	at := l.o.Clock()
	if l.o.OnMail != nil {
		l.o.OnMail(at, order, mails)
	}
	l.stories.mailed(at, order, mails)
	l.witness.mu.Lock()
	defer l.witness.mu.Unlock()
	l.witness.mails = append(l.witness.mails, mailed{order, mails})
}

// onEvent is told of everything that workers report. It must not call the supervisor.
func (l *Lab) onEvent(e workers.Event) {
	if l.o.OnEvent != nil {
		l.o.OnEvent(e)
	}
	l.hands.take(e)
	l.stories.take(e)
	worker, reason := safe.TextN(e.Worker, maxReason), safe.TextN(e.Reason, maxReason)
	switch e.Kind {
	case workers.EventAtPoint:
		// The supervisor kills it as soon as it hears this.
		l.journal.mark(fmt.Sprintf("killed %s %s%s", worker, pointWords(e.Point), holding(e.Order)), e.ID)
	case workers.EventDelivered:
		switch e.Via {
		case workers.ViaClaimed:
			l.journal.notice(fmt.Sprintf("%s claimed %s from %s (delivery %d)", worker, about(e), safe.TextN(e.From, maxReason), e.Deliveries), e.ID)
		case workers.ViaOwn:
			l.journal.notice(fmt.Sprintf("%s took up its own %s again (delivery %d)", worker, about(e), e.Deliveries), e.ID)
		}
	case workers.EventFailed:
		l.journal.notice(fmt.Sprintf("%s failed at %s: %s", worker, about(e), reason), e.ID)
	case workers.EventDeadLettered:
		l.journal.notice(fmt.Sprintf("%s is a dead letter after %d deliveries: %s", about(e), e.Deliveries, reason), e.ID)
	case workers.EventDuplicate:
		l.journal.notice(fmt.Sprintf("%s skipped %s: it was done before", worker, about(e)), e.ID)
	case workers.EventNotOurs:
		if e.From == "" {
			l.journal.notice(fmt.Sprintf("%s came too late with %s: it was not pending any more", worker, about(e)), e.ID)
		} else {
			l.journal.notice(fmt.Sprintf("%s came too late with %s: it belongs to %s", worker, about(e), safe.TextN(e.From, maxReason)), e.ID)
		}
	case workers.EventGroupCreated:
		l.journal.notice(worker+" created the group again, at 0", "")
	case workers.EventVanished:
		l.witness.mu.Lock()
		l.witness.vanished++
		l.witness.mu.Unlock()
		l.journal.notice("a pending entry vanished: its body had been cut", e.ID)
	case workers.EventLog:
		fmt.Fprintf(l.log, "%s: %s\n", worker, reason)
	case workers.EventExited:
		if reason != "" && reason != exitKilled {
			l.journal.notice(worker+" ended by itself: "+reason+holding(e.Order), e.ID)
		}
	case workers.EventStopped:
		if reason != "" {
			fmt.Fprintf(l.log, "%s ended: %s\n", worker, reason)
		}
	}
}

// exitKilled is the reason of an EventExited after our SIGKILL.
const exitKilled = "killed"

// about names the message of an event: by its order, else by its id.
func about(e workers.Event) string {
	if e.Order == "" {
		return safe.TextN(e.ID, maxReason)
	}
	return "order " + safe.TextN(e.Order, maxReason)
}

func holding(order string) string {
	if order == "" {
		return ""
	}
	return ", holding order " + safe.TextN(order, maxReason)
}
