package workers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"example.com/unacked/redisq"
)

// errEnding says that the worker has to end in the middle of a message, which stays as it is.
var errEnding = errors.New("the worker ends")

// crash is an armed crash point.
type crash struct {
	at    CrashPoint
	order string // "" is any
}

// taken is a message that the worker was given.
type taken struct {
	m         Message
	via, from string
}

func newTaken(e redisq.Entry, deliveries int64, via, from string) taken {
	order, _ := e.Get("order")
	t := taken{m: Message{ID: e.ID, Order: order, Entry: e, Deliveries: deliveries}, via: via, from: from}
	if e.ID != "" {
		t.m.Original, _, t.m.Entry.Fields = redisq.Original(e)
	}
	return t
}

func (t taken) held() redisq.Held { return redisq.Held{ID: t.m.ID, Deliveries: t.m.Deliveries} }

// event makes an event about the message.
func (t taken) event(kind EventKind) Event {
	return Event{Kind: kind, ID: t.m.ID, Order: t.m.Order, Deliveries: t.m.Deliveries}
}

func (w *worker) delivered(t taken) {
	e := t.event(EventDelivered)
	e.Via, e.From = t.via, t.from
	w.say(e)
}

// take handles one message from its delivery to its end. An error is one of the queue, or errEnding; what the handler
// says is an outcome.
func (w *worker) take(ctx context.Context, t taken) error {
	s := *w.settings.Load()
	// What the list gave is not pending anywhere: it is done with, or lost with this process.
	settled := t.via == ViaPopped
	if s.AckBefore && !settled {
		ours, err := w.ack(ctx, t)
		if err != nil || !ours {
			return err
		}
		settled = true
	}
	if err := w.point(ctx, CrashBeforeWork, t); err != nil {
		return err
	}

	idempotent := s.Idempotent
	if t.m.Original == "" {
		idempotent = RecordNever
	}
	again, err := w.seen(ctx, t, idempotent)
	switch {
	case err != nil:
		return err
	case again:
		w.say(t.event(EventDuplicate))
		return w.settle(ctx, t, s, settled)
	}
	if idempotent == RecordBefore {
		w.say(t.event(EventRecorded))
		if err := w.point(ctx, CrashAfterRecord, t); err != nil {
			return err
		}
	}

	w.say(t.event(EventWorking))
	began := time.Now()
	w.keeper.began(t.m.ID)
	err = w.handle(ctx, t.m)
	if ctx.Err() != nil {
		return errEnding
	}
	if err != nil {
		return w.failed(ctx, t, s, idempotent, settled, err)
	}
	done := t.event(EventDone)
	done.Took = time.Since(began)
	w.say(done)
	if err := w.point(ctx, CrashAfterWork, t); err != nil {
		return err
	}

	if idempotent == RecordAfter {
		_, err := w.insist(ctx, func(ctx context.Context) error {
			_, err := w.q.Record(ctx, t.m.Original, recordTTL)
			return err
		})
		if err != nil {
			return err
		}
		w.say(t.event(EventRecorded))
	}
	if idempotent != RecordBefore {
		if err := w.point(ctx, CrashAfterRecord, t); err != nil {
			return err
		}
	}
	return w.settle(ctx, t, s, settled)
}

// seen says whether the message's work was done before, by its record. With RecordBefore it writes the record.
func (w *worker) seen(ctx context.Context, t taken, i Idempotence) (again bool, err error) {
	switch i {
	case RecordBefore:
		var fresh bool
		doubt, err := w.insist(ctx, func(ctx context.Context) (err error) {
			fresh, err = w.q.Record(ctx, t.m.Original, recordTTL)
			return err
		})
		// A record that is there after a try of ours whose reply was lost is our own: we hold the message.
		return err == nil && !fresh && !doubt, err
	case RecordAfter:
		_, err := w.insist(ctx, func(ctx context.Context) (err error) {
			again, err = w.q.Recorded(ctx, t.m.Original)
			return err
		})
		return again, err
	}
	return false, nil
}

// handle runs the handler; its panic is a failure of the message, not of the worker.
func (w *worker) handle(ctx context.Context, m Message) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.say(Event{Kind: EventLog, ID: m.ID, Order: m.Order, Reason: where(debug.Stack())})
			err = fmt.Errorf("the handler panicked: %v", p)
		}
	}()
	return w.handler.Handle(ctx, m)
}

// where is the place of a panic in its trace: the first function below the panic that is not the runtime's.
func where(stack []byte) string {
	_, below, _ := strings.Cut(string(stack), "\npanic(")
	frames := strings.Split(below, "\n")
	// The first two lines are the panic's own; then each frame is a line of its function and one of its place.
	for i := 2; i+1 < len(frames); i += 2 {
		if !strings.HasPrefix(frames[i], "runtime.") {
			place, _, _ := strings.Cut(strings.TrimSpace(frames[i+1]), " +0x")
			return "panic in " + frames[i] + " at " + place
		}
	}
	return "panic at an unknown place"
}

// failed keeps the reason; the message stays pending, unless that was its last delivery.
func (w *worker) failed(
	ctx context.Context, t taken, s Settings, i Idempotence, settled bool, cause error,
) error {
	reason := clip(cause.Error())
	e := t.event(EventFailed)
	e.Reason = reason
	if settled {
		e.Reason += "; not tried again: it was acked before the work"
		if t.via == ViaPopped {
			e.Reason = reason + "; not tried again: it left the list before the work"
		}
	}
	w.say(e)
	if i == RecordBefore {
		// The record would make the next delivery skip work that was not done.
		_, err := w.insist(ctx, func(ctx context.Context) error { return w.q.Forget(ctx, t.m.Original) })
		if err != nil {
			return err
		}
	}
	if settled || s.MaxDeliveries <= 0 || t.m.Deliveries < s.MaxDeliveries {
		return nil
	}
	return w.bury(ctx, t, w.consumer, reason)
}

// settle ends a message that is done: by an ack, where it was not acked before. In a batch the next message need not
// wait for it.
func (w *worker) settle(ctx context.Context, t taken, s Settings, settled bool) error {
	switch {
	case settled:
		return nil
	case s.Batch > 1:
		w.keeper.settle(t.m.ID)
		w.acker.add(t)
		return nil
	}
	_, err := w.ack(ctx, t)
	return err
}

// drain waits until all acks of the batches are answered. It returns an error when the worker had to give up.
func (w *worker) drain(ctx context.Context) error {
	if w.acker.wait(0) {
		return nil
	}
	left, doubt := w.acker.rest()
	if len(left) == 0 {
		return nil
	}
	held := make([]redisq.Held, len(left))
	for i, t := range left {
		held[i] = t.held()
	}
	var results []redisq.HeldResult
	again, err := w.insist(ctx, func(ctx context.Context) (err error) {
		results, err = w.q.Ack(ctx, w.consumer, held...)
		return err
	})
	if err != nil {
		for _, t := range left {
			w.keeper.drop(t.m.ID)
		}
		return err
	}
	w.acked(left, results, doubt || again)
	return nil
}

// acked says what came of the ack of a batch. It is called from the acker too.
func (w *worker) acked(batch []taken, results []redisq.HeldResult, doubt bool) {
	for i, t := range batch {
		w.keeper.drop(t.m.ID)
		var r redisq.HeldResult
		if i < len(results) {
			r = results[i]
		}
		w.outcome(t, r, doubt, t.event(EventAcked), reasonAckRefused)
	}
}

// ack acknowledges the message if it is still ours, and says what came of it.
func (w *worker) ack(ctx context.Context, t taken) (ours bool, err error) {
	w.keeper.settle(t.m.ID)
	var results []redisq.HeldResult
	doubt, err := w.insist(ctx, func(ctx context.Context) (err error) {
		results, err = w.q.Ack(ctx, w.consumer, t.held())
		return err
	})
	w.keeper.drop(t.m.ID)
	if err != nil {
		return false, err
	}
	var r redisq.HeldResult
	if len(results) == 1 {
		r = results[0]
	}
	return w.outcome(t, r, doubt, t.event(EventAcked), reasonAckRefused), nil
}

// bury moves a message to the dead letters if it is still its owner's. A refusal by the server leaves it pending.
func (w *worker) bury(ctx context.Context, t taken, owner, reason string) error {
	w.keeper.settle(t.m.ID)
	var result redisq.HeldResult
	doubt, err := w.insist(ctx, func(ctx context.Context) (err error) {
		result, err = w.q.DeadLetter(ctx, owner, t.held(), reason)
		return err
	})
	w.keeper.drop(t.m.ID)
	switch {
	case err == nil:
	case transient(err) || redisq.CodeOf(err) == "NOGROUP":
		return err
	default:
		e := t.event(EventFailed)
		e.Reason = "the move to the dead letters failed: " + err.Error() + "; it is still pending"
		w.say(e)
		w.claimAt = time.Now().Add(buryAgain)
		return nil
	}
	e := t.event(EventDeadLettered)
	e.Reason = reason
	w.outcome(t, result, doubt, e, reasonDeadLetter)
	return nil
}

// outcome says what an owner-checked command did: what it was for, or nothing because the message is not ours.
func (w *worker) outcome(t taken, r redisq.HeldResult, doubt bool, did Event, refused string) (ours bool) {
	switch {
	case r.Gone:
		w.say(Event{Kind: EventVanished, ID: t.m.ID, From: t.from})
		return false
	case r.OK && (!r.Already || doubt):
	case doubt && r.Owner == "":
		// A try of ours whose reply was lost has done it.
		if did.Reason == "" {
			did.Reason = "the reply was lost, but it is not pending any more"
		}
	default:
		w.say(Event{Kind: EventNotOurs, ID: t.m.ID, Order: t.m.Order, From: r.Owner, Reason: refused})
		return false
	}
	w.say(did)
	return true
}

// point waits to be killed when this is the armed crash point, without renewing any lease.
func (w *worker) point(ctx context.Context, at CrashPoint, t taken) error {
	c := w.crash.Load()
	if c == nil || c.at != at || (c.order != "" && c.order != t.m.Order) {
		return nil
	}
	// Where it is killed says nothing of the messages before: they are settled.
	if err := w.drain(ctx); err != nil {
		return err
	}
	w.keeper.halt()
	e := t.event(EventAtPoint)
	e.Point = at
	w.say(e)
	<-ctx.Done()
	return errEnding
}
