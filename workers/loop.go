package workers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/unacked/redisq"
)

const (
	// blockMost is how long a worker without work waits in one read at most. The server serves the reader first that has
	// waited longest, so that each gets its turn; one that comes again before its turn goes to the end of the row.
	blockMost = 10 * time.Second
	// popMost is the same for the list, where the wait cannot be cut short when the worker is told something.
	popMost = 2 * time.Second
	// claimPage is how many pending entries one look for a claim scans at most.
	claimPage = 100
	// noBlock is the block of a read that returns at once.
	noBlock = -1
	// The bounds of the time between two looks.
	claimSoonest, claimLatest = 20 * time.Millisecond, time.Second
	// buryAgain is when a dead-letter move that the server refused is tried again.
	buryAgain = time.Second
)

// claimPeriod is how often a worker looks for entries past their lease, so that one is claimed within a tenth of it.
func claimPeriod(lease time.Duration) time.Duration {
	return min(max(lease/10, claimSoonest), claimLatest)
}

// work is the worker's loop. It returns an error only when the worker cannot start.
func (w *worker) work(ctx context.Context) error {
	w.say(Event{Kind: EventStarted})
	err := w.open(ctx)
	for err == nil && ctx.Err() == nil && !w.stopping() {
		if err := w.turn(ctx); err != nil {
			w.backOff(ctx, err)
			continue
		}
		w.pauses.Reset()
	}
	if ctx.Err() == nil {
		// What is done is acked, or stays pending where the server does not answer.
		_ = w.drain(ctx)
	}
	reason := ""
	switch {
	case err != nil:
		reason = err.Error()
	case ctx.Err() != nil:
		reason = context.Cause(ctx).Error()
	}
	w.say(Event{Kind: EventStopped, Reason: reason})
	return err
}

// open looks whether the keys are what this worker needs and it has the right to them, as soon as the server answers.
func (w *worker) open(ctx context.Context) error {
	for ctx.Err() == nil && !w.stopping() {
		err := w.call(ctx, w.q.CheckKeys)
		if err == nil && w.settings.Load().Kind != redisq.List {
			err = w.ensure(ctx)
		}
		switch {
		case err == nil:
			return nil
		case final(err):
			return err
		}
		w.backOff(ctx, err)
	}
	return nil
}

// turn is one round: at most one command that takes work, and the work.
func (w *worker) turn(ctx context.Context) error {
	select {
	case <-w.changed: // it is looked at now
	default:
	}
	s := *w.settings.Load()
	switch {
	case s.Paused:
		w.waiting("paused")
		w.pause(ctx, time.Minute, true)
		return nil
	case s.Kind == redisq.List:
		return w.turnList(ctx)
	}
	return w.turnStream(ctx, s)
}

func (w *worker) turnList(ctx context.Context) error {
	var entry redisq.Entry
	var popped bool
	err := w.callFor(ctx, popMost, func(ctx context.Context) (err error) {
		entry, popped, err = w.q.Pop(ctx, popMost)
		return err
	})
	if err != nil {
		return err
	}
	if !popped {
		w.waiting("")
		return nil
	}
	w.idle = false
	t := newTaken(entry, 1, ViaPopped, "")
	w.delivered(t)
	return w.take(ctx, t)
}

func (w *worker) turnStream(ctx context.Context, s Settings) error {
	if !w.ready {
		if err := w.ensure(ctx); err != nil {
			return err
		}
	}
	due := w.own || w.found || !time.Now().Before(w.claimAt)
	if due && !w.fair {
		took, err := w.claim(ctx, s)
		if took || err != nil {
			return err
		}
	}
	w.fair = false
	return w.readNew(ctx, s)
}

func (w *worker) ensure(ctx context.Context) error {
	var created bool
	err := w.call(ctx, func(ctx context.Context) (err error) {
		created, err = w.q.Ensure(ctx)
		return err
	})
	if err != nil {
		return err
	}
	w.ready, w.own, w.ownCursor, w.cursor = true, true, "", ""
	if created {
		w.say(Event{Kind: EventGroupCreated})
	}
	return nil
}

// readNew takes entries that the group has not been given. It blocks only when the worker had nothing to do before.
func (w *worker) readNew(ctx context.Context, s Settings) error {
	count := max(s.Batch, 1)
	if s.MaxDeliveries == 1 {
		// What waits in a batch counts as delivered: after a crash it would be over the limit without having begun.
		count = 1
	}
	var (
		entries []redisq.Entry
		err     error
	)
	sent, waited := time.Now(), w.idle
	if waited {
		entries, err = w.await(ctx, s, count)
	} else {
		err = w.call(ctx, func(ctx context.Context) (err error) {
			entries, err = w.q.ReadNew(ctx, w.consumer, count, noBlock)
			return err
		})
	}
	switch {
	case err != nil:
		return err
	case len(entries) == 0:
		if err := w.drain(ctx); err != nil {
			return err
		}
		if time.Now().Before(w.claimAt) && !w.own {
			w.waiting("")
		}
		return nil
	}
	w.idle = false
	if waited {
		sent = time.Now()
	}
	batch := make([]taken, len(entries))
	for i, entry := range entries {
		batch[i] = newTaken(entry, 1, ViaNew, "")
		w.keeper.hold(batch[i].held(), batch[i].m.Order, s.Lease, sent)
		w.delivered(batch[i])
	}
	return w.takeAll(ctx, batch)
}

// takeAll handles the entries of one read in their order. What cannot begin stays pending.
func (w *worker) takeAll(ctx context.Context, batch []taken) error {
	defer func() {
		for _, t := range batch {
			w.keeper.abandon(t.m.ID)
		}
	}()
	// The acks of the batch before may be under way, but no more than those.
	if !w.acker.wait(len(batch)) {
		if err := w.drain(ctx); err != nil {
			return err
		}
	}
	for i, t := range batch {
		if i > 0 {
			if ctx.Err() != nil || w.stopping() {
				return nil
			}
			ours, err := w.keeper.still(ctx, t.m.ID)
			if err != nil {
				return err
			}
			if !ours {
				continue
			}
		}
		if err := w.take(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// claim looks for one entry of ours (at first, and after an error) or past its lease, and handles it. took says that
// there was one.
func (w *worker) claim(ctx context.Context, s Settings) (took bool, err error) {
	// What is done but not acked yet is not to be found again.
	if err := w.drain(ctx); err != nil {
		return false, err
	}
	var c redisq.Claim
	own, sent := w.own, time.Now()
	o := redisq.ClaimOptions{Lease: s.Lease, MaxDeliveries: s.MaxDeliveries, Cursor: w.cursor, Own: own, Count: claimPage}
	if own {
		o.Cursor = w.ownCursor
	}
	err = w.call(ctx, func(ctx context.Context) (err error) {
		c, err = w.q.Claim(ctx, w.consumer, o)
		return err
	})
	if err != nil {
		return false, err
	}
	switch {
	case !own:
		w.found = false
		w.nextLook(c, s, sent)
	case c.Cursor != "":
		w.ownCursor = c.Cursor
	default:
		w.own, w.ownCursor = false, ""
		w.claimAt = sent.Add(claimPeriod(s.Lease))
	}
	if c.Found == redisq.ClaimNone {
		return own, nil
	}
	// Entries that were given back must not keep new ones waiting for ever.
	w.fair = !own
	w.idle = false
	via, from := ViaClaimed, c.From
	if from == w.consumer {
		via, from = ViaOwn, ""
	}
	t := newTaken(c.Entry, c.Deliveries, via, from)
	switch c.Found {
	case redisq.ClaimVanished:
		w.say(Event{Kind: EventVanished, ID: t.m.ID, From: c.From})
		return true, nil
	case redisq.ClaimAtLimit:
		return true, w.bury(ctx, t, c.From, fmt.Sprintf("delivered %s and never finished, last by %s",
			times(c.Deliveries), nobody(c.From)))
	}
	w.keeper.hold(t.held(), t.m.Order, s.Lease, sent)
	w.delivered(t)
	return true, w.takeAll(ctx, []taken{t})
}

// waiting says once that there is nothing to do.
func (w *worker) waiting(why string) {
	if !w.idle {
		w.idle = true
		w.say(Event{Kind: EventWaiting, Reason: why})
	}
}

// call sends one command with a limit to the wait for its answer.
func (w *worker) call(ctx context.Context, f func(context.Context) error) error {
	return w.callFor(ctx, 0, f)
}

// callFor is call for a command that may block for some time.
func (w *worker) callFor(ctx context.Context, block time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, block+callTimeout)
	defer cancel()
	return f(ctx)
}

// insist repeats a call that is safe to repeat until the server answers. It gives up when the worker has to end or is
// told to stop, and when the answer is a refusal. doubt says that a failed try may have taken effect.
func (w *worker) insist(ctx context.Context, f func(context.Context) error) (doubt bool, err error) {
	for {
		err = w.call(ctx, f)
		if err == nil {
			w.pauses.Reset()
			return doubt, nil
		}
		doubt = doubt || doubtful(err)
		if !transient(err) || ctx.Err() != nil || w.stopping() {
			return doubt, err
		}
		w.backOff(ctx, err)
	}
}

// backOff waits after an error of the queue, longer after each. Where the reply may have been a message, or the server
// another one, our own history comes first again; after a refusal it would only repeat what was refused.
func (w *worker) backOff(ctx context.Context, err error) {
	if errors.Is(err, errEnding) || ctx.Err() != nil {
		return
	}
	if redisq.CodeOf(err) == "NOGROUP" {
		w.ready = false
	}
	if transient(err) {
		w.own, w.ownCursor, w.cursor = true, "", ""
	}
	w.idle = false
	d := w.pauses.NextBackOff()
	w.say(Event{Kind: EventBackingOff, Reason: err.Error(), Took: d})
	w.pause(ctx, d, false)
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func nobody(consumer string) string {
	if consumer == "" {
		return "a consumer that gave it back"
	}
	return consumer
}
