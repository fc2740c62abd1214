package workers

import (
	"context"
	"sync"
	"time"

	"example.com/unacked/redisq"
)

// keeper renews the lease of what a worker holds, the message in hand and those of its batch that wait, so that a
// slow but living worker loses none. It renews after a third of the lease: short work costs no command.
type keeper struct {
	q        queue
	consumer string
	say      func(Event)
	kick     chan struct{} // capacity 1: look at the deadlines again

	beating sync.Mutex // held during a heartbeat

	mu     sync.Mutex // guards the rest
	held   map[string]*lease
	wake   time.Time // when run looks next; zero is when kicked
	retry  time.Time // not before that, after a heartbeat that failed
	halted bool
	silent bool // the last heartbeat failed, and that was said
}

// lease is what is known of one entry that the worker holds.
type lease struct {
	redisq.Held
	order    string
	length   time.Duration // the shortest that was in force since the delivery
	touched  time.Time     // last delivery, claim or renewal, by our clock before the command went out
	began    time.Time     // when its handler began; zero before
	settling bool          // ack or dead letter is under way: its answer tells what there is to tell
	lost     bool
}

func newKeeper(q queue, consumer string, say func(Event)) *keeper {
	return &keeper{q: q, consumer: consumer, say: say, kick: make(chan struct{}, 1), held: map[string]*lease{}}
}

// hold begins to renew the lease of an entry that was delivered by a command sent at the given time.
func (k *keeper) hold(h redisq.Held, order string, length time.Duration, sent time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := &lease{Held: h, order: order, length: length, touched: sent}
	k.held[h.ID] = l
	if k.wake.IsZero() || l.due().Before(k.wake) {
		k.poke()
	}
}

func (k *keeper) began(id string) { k.change(id, func(l *lease) { l.began = time.Now() }) }

func (k *keeper) settle(id string) { k.change(id, func(l *lease) { l.settling = true }) }

func (k *keeper) change(id string, f func(*lease)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l := k.held[id]; l != nil {
		f(l)
	}
}

// abandon ends the renewing of an entry that is left pending; one that is being settled is kept until it is.
func (k *keeper) abandon(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l := k.held[id]; l != nil && !l.settling {
		delete(k.held, id)
	}
}

func (k *keeper) drop(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.held, id)
}

// shorten makes a shorter lease count at once: other workers may go by it already.
func (k *keeper) shorten(length time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range k.held {
		l.length = min(l.length, length)
	}
	k.poke()
}

// halt ends all renewing: the worker waits to be killed.
func (k *keeper) halt() {
	k.beating.Lock()
	defer k.beating.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.halted = true
}

func (k *keeper) poke() {
	select {
	case k.kick <- struct{}{}:
	default:
	}
}

// due is when the lease is to be renewed.
func (l *lease) due() time.Time { return l.touched.Add(l.length / 3) }

// run renews until ctx ends.
func (k *keeper) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		next := k.next()
		if next.IsZero() {
			timer.Stop()
		} else {
			timer.Reset(time.Until(next))
		}
		select {
		case <-ctx.Done():
			return
		case <-k.kick:
		case <-timer.C:
			k.beat(ctx)
		}
	}
}

// next returns when run has to look again; zero is when it is kicked.
func (k *keeper) next() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wake = time.Time{}
	if k.halted {
		return k.wake
	}
	for _, l := range k.held {
		if !l.lost && (k.wake.IsZero() || l.due().Before(k.wake)) {
			k.wake = l.due()
		}
	}
	if !k.wake.IsZero() && k.wake.Before(k.retry) {
		k.wake = k.retry
	}
	return k.wake
}

// beat renews every lease of which half the time to its renewal is over, in one command.
func (k *keeper) beat(ctx context.Context) {
	k.beating.Lock()
	defer k.beating.Unlock()
	now := time.Now()
	var which []redisq.Held
	shortest := time.Duration(0)
	k.mu.Lock()
	if !k.halted {
		for _, l := range k.held {
			if !l.lost && now.Sub(l.touched) >= l.length/6 {
				which = append(which, l.Held)
				if shortest == 0 || l.length < shortest {
					shortest = l.length
				}
			}
		}
	}
	k.mu.Unlock()
	if len(which) == 0 {
		return
	}
	results, err := k.extend(ctx, which)
	if err != nil {
		k.mu.Lock()
		k.retry = time.Now().Add(claimPeriod(shortest))
		said := k.silent
		k.silent = true
		k.mu.Unlock()
		if !said && ctx.Err() == nil {
			k.say(Event{Kind: EventLog, Reason: "heartbeat: " + err.Error()})
		}
		return
	}
	for _, e := range k.renewed(results, now) {
		k.say(e)
	}
}

// extend renews leases; a lost reply is as good as none, so there is a limit to the wait.
func (k *keeper) extend(ctx context.Context, which []redisq.Held) ([]redisq.HeldResult, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return k.q.Extend(ctx, k.consumer, which...)
}

// renewed notes the answers to a heartbeat sent at the given time and returns what there is to say.
func (k *keeper) renewed(results []redisq.HeldResult, sent time.Time) []Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.retry, k.silent = time.Time{}, false
	var events []Event
	for _, r := range results {
		l := k.held[r.ID]
		switch {
		case l == nil: // done meanwhile
		case r.OK:
			l.touched = sent
			if !l.began.IsZero() && !l.settling {
				events = append(events, Event{Kind: EventHeld, ID: r.ID, Order: l.order, Took: sent.Sub(l.began)})
			}
		default:
			l.lost = true
			if !l.settling {
				events = append(events, Event{
					Kind: EventNotOurs, ID: r.ID, Order: l.order, From: r.Owner, Reason: reasonLeaseLost,
				})
			}
		}
	}
	return events
}

// still says whether an entry that waited in the batch is ours: it asks the server when its lease may have run out.
func (k *keeper) still(ctx context.Context, id string) (bool, error) {
	k.mu.Lock()
	l := k.held[id]
	if l == nil || l.lost {
		k.mu.Unlock()
		return false, nil
	}
	now, h := time.Now(), l.Held
	fresh := now.Sub(l.touched) < l.length*2/3
	k.mu.Unlock()
	if fresh {
		return true, nil
	}
	results, err := k.extend(ctx, []redisq.Held{h})
	if err != nil {
		return false, err
	}
	for _, e := range k.renewed(results, now) {
		k.say(e)
	}
	return len(results) == 1 && results[0].OK, nil
}
