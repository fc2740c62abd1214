package experiment

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
	"example.com/unacked/workers/mail"
	"example.com/unacked/workers/producer"
)

// facts are what figures are made of: the last reading, and all that was said until then.
type facts struct {
	*stage
	*reading
}

// foreign says why the mail server's count is not known; "" when it is.
func (f *facts) foreign() string {
	if f.o.SMTP == "" {
		return ""
	}
	return "the mail goes to " + f.o.SMTP + ": what arrived there is not ours to know"
}

// The figures. Each is one way of measuring.

func answeredOK(f *facts) Measured { return count(f.checkout.Accepted) }

// checkoutMedian is how long half of the customers who were told ok waited at most, in ms.
func checkoutMedian(f *facts) Measured {
	var took []time.Duration
	for _, o := range f.accepted {
		took = append(took, o.Took)
	}
	return median(took, "no checkout was answered")
}

// waitedMedian is that of the customers who found the queue full and waited for room.
func waitedMedian(f *facts) Measured {
	var took []time.Duration
	for _, o := range f.accepted {
		if o.Waited {
			took = append(took, o.Took)
		}
	}
	m := median(took, "nobody had to wait")
	return m.noted(fmt.Sprintf("%d customers waited", len(took)))
}

// refusedMedian is how long it took to tell a customer that the queue is full, in ms.
func refusedMedian(f *facts) Measured {
	took := f.witness.refusals()
	m := median(took, "nobody was refused")
	return m.noted(fmt.Sprintf("%d customers were refused", len(took)))
}

func median(took []time.Duration, none string) Measured {
	if len(took) == 0 {
		return unknown(none)
	}
	slices.Sort(took)
	middle := took[len(took)/2]
	if len(took)%2 == 0 {
		middle = (took[len(took)/2-1] + middle) / 2
	}
	return ms(middle)
}

func ms(d time.Duration) Measured {
	return Measured{Known: true, Value: float64(d.Microseconds()) / 1000}
}

// waiting are the messages that no worker was given.
func waiting(f *facts) Measured { return count(len(f.standing.Undelivered) + len(f.standing.List)) }

func pending(f *facts) Measured { return count(len(f.standing.Pending)) }

func pendingAfterKill(f *facts) Measured {
	if f.killed == nil {
		return unknown("no worker was killed")
	}
	return count(len(f.killed.standing.Pending))
}

// mails are all that arrived.
func mails(f *facts) Measured {
	sum := 0
	for _, n := range f.mails {
		sum += n
	}
	return count(sum)
}

// mailedOrders are those with a mail, one or more.
func mailedOrders(f *facts) Measured { return count(len(f.mails)) }

// twice are the orders with two mails or more.
func twice(f *facts) Measured {
	var orders []string
	for order, n := range f.mails {
		if n > 1 {
			orders = append(orders, order)
		}
	}
	slices.SortFunc(orders, mail.CompareOrders)
	return named(orders)
}

// lost are the accepted orders without a mail that nothing in Redis knows of.
func lost(f *facts) Measured { return named(f.lost) }

// dropped counts them.
func dropped(f *facts) Measured {
	m := named(f.lost)
	m.Named = false
	return m
}

// known counts how often the queue in Redis still names an order: waiting, pending, dead-lettered.
func known(order string) func(*facts) Measured {
	return func(f *facts) Measured {
		if f.inRedis()[order] {
			return count(1)
		}
		return count(0)
	}
}

// deliveries are how often an order was handed to a worker, as Redis counted: from what is pending or dead-lettered, and
// where it is neither any more, from what the workers were told.
func deliveries(order string) func(*facts) Measured {
	return func(f *facts) Measured {
		for _, p := range f.standing.Pending {
			if name, _ := p.Get("order"); name == order {
				return count(p.Deliveries)
			}
		}
		for _, d := range f.standing.Dead {
			if name, _ := (redisq.Entry{Fields: d.Fields}).Get("order"); name == order {
				return count(d.Deliveries)
			}
		}
		var most int64
		for _, e := range f.witness.told(workers.EventDelivered) {
			if e.Order == order {
				most = max(most, e.Deliveries)
			}
		}
		return count(most)
	}
}

// skipped is how often a worker left an order alone because of its record.
func skipped(order string) func(*facts) Measured {
	return func(f *facts) Measured {
		n := 0
		for _, e := range f.witness.told(workers.EventDuplicate) {
			if e.Order == order {
				n++
			}
		}
		return count(n)
	}
}

func deadLetters(f *facts) Measured { return count(len(f.standing.Dead)) }

// explained counts the dead letters that carry the mail server's reason and the id under which the order was added.
func explained(f *facts) Measured {
	ids := make(map[string]string)
	for _, o := range f.accepted {
		ids[o.ID] = o.Name
	}
	n, note := 0, ""
	for _, d := range f.standing.Dead {
		name, _ := (redisq.Entry{Fields: d.Fields}).Get("order")
		if !d.Foreign && d.Reason != "" && ids[d.Original] == name {
			n++
			note = fmt.Sprintf("%s, order %s: %s", d.Original, name, d.Reason)
		}
	}
	return count(n).noted(note)
}

// mostBacklog is the largest backlog that was ever seen.
func mostBacklog(f *facts) Measured {
	most := int64(f.standing.Backlog())
	for _, s := range f.samples {
		most = max(most, s.undelivered+s.pending)
	}
	return count(most)
}

// mostWaiting is the largest number of waiting messages that was seen after a time since the first order.
func mostWaiting(since time.Duration) func(*facts) Measured {
	return func(f *facts) Measured {
		most := int64(len(f.standing.Undelivered))
		for _, s := range f.samples {
			if s.after > since {
				most = max(most, s.undelivered)
			}
		}
		return count(most)
	}
}

// meanInHand is how many messages workers had in hand on average, after a time since the first order.
func meanInHand(since time.Duration) func(*facts) Measured {
	return func(f *facts) Measured {
		var sum, n int64
		for _, s := range f.samples {
			if s.after > since {
				sum += s.pending
				n++
			}
		}
		if n == 0 {
			return unknown("the backlog was never counted")
		}
		return Measured{Known: true, Value: float64(sum*10/n) / 10}
	}
}

// unaccounted are the accepted orders that were neither mailed nor wait nor are in hand.
func unaccounted(f *facts) Measured {
	places := f.inRedis()
	sent, inQueue := 0, 0
	for _, o := range f.accepted {
		switch {
		case f.mails[o.Name] > 0:
			sent++
		case places[o.Name]:
			inQueue++
		}
	}
	all := len(f.accepted)
	return count(all - sent - inQueue).noted(fmt.Sprintf("%d accepted = %d sent + %d waiting or in hand", all, sent, inQueue))
}

// moment is one of the four times of a message's life.
type moment int

const (
	added moment = iota
	taken
	sent
	acked
)

// at is when order 1 got to that moment, in ms since its checkout sent it to the queue, by this machine's wall clock, which
// the checkout, the workers and the sink read alike.
func at(m moment) func(*facts) Measured {
	return func(f *facts) Measured {
		when, ok := f.moments()[m]
		if !ok {
			return unknown("it never got there")
		}
		measured := ms(when)
		if m == added {
			return measured.noted("all times by this machine's wall clock, since the checkout sent the order to the queue")
		}
		return measured
	}
}

// between is the time from one moment to another, in ms.
func between(from, to moment) func(*facts) Measured {
	return func(f *facts) Measured {
		all := f.moments()
		a, okA := all[from]
		b, okB := all[to]
		if !okA || !okB {
			return unknown("it never got there")
		}
		return ms(b - a)
	}
}

func (f *facts) moments() map[moment]time.Duration {
	times := make(map[moment]time.Time)
	i := slices.IndexFunc(f.accepted, func(o producer.Order) bool { return o.Name == "1" })
	if i < 0 {
		return nil
	}
	order := f.accepted[i]
	times[added] = order.At.Add(order.Took)
	for kind, m := range map[workers.EventKind]moment{workers.EventDelivered: taken, workers.EventAcked: acked} {
		for _, e := range f.witness.told(kind) {
			if e.Order == order.Name {
				times[m] = e.At
			}
		}
	}
	if t, ok := f.witness.sentAt(order.Name); ok {
		times[sent] = t
	}
	since := make(map[moment]time.Duration)
	for m := range maps.Keys(times) {
		// Without the monotonic reading: the workers' times come from other processes, which share the wall clock only.
		since[m] = times[m].Round(0).Sub(order.At.Round(0))
	}
	return since
}
