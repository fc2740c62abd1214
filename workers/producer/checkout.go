package producer

import (
	"context"
	"errors"
	"strconv"
	"time"

	"example.com/unacked/redisq"
)

// checkout places one order: one customer's experience, from the click to the answer.
func (p *Producer) checkout(number uint64, bad bool, load *Load) {
	order := Order{Number: number, Name: strconv.FormatUint(number, 10), Bad: bad, At: p.options.Now()}
	fields := []redisq.Field{
		{Name: "order", Value: order.Name},
		{Name: "to", Value: address(number, bad)},
		{Name: "at", Value: strconv.FormatInt(order.At.UnixMilli(), 10)},
	}
	room := turn{producer: p}
	defer room.leave()
	// Who comes while others wait must not overtake them.
	if p.someoneWaits() && !room.await() {
		return
	}
	for {
		settings, changed := p.current()
		if settings.Closed {
			select {
			case <-changed:
				continue
			case <-p.stop.Done():
				return
			}
		}
		id, err := p.add(number, settings, fields)
		if !errors.Is(err, redisq.ErrFull) {
			order.ID, order.Kind, order.Waited, order.Took = id, settings.Kind, room.counted, p.options.Now().Sub(order.At)
			p.finish(order, load, err)
			return
		}
		if !settings.Wait {
			p.refuse(load)
			return
		}
		if !room.await() || !p.pause(changed) {
			return
		}
	}
}

// add is one attempt to add the order to the queue.
func (p *Producer) add(number uint64, s Settings, fields []redisq.Field) (id string, err error) {
	p.mu.Lock()
	p.adding[number] = p.options.Now()
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(p.calls, addTimeout)
	defer func() {
		cancel()
		p.mu.Lock()
		delete(p.adding, number)
		p.mu.Unlock()
	}()
	o := redisq.AddOptions{MaxLen: s.MaxLen, Limit: s.Limit}
	if s.Kind == redisq.List {
		return "", p.options.Queue.Push(ctx, fields, o)
	}
	return p.options.Queue.Add(ctx, fields, o)
}

// finish counts a checkout that is over: the order is in the queue, or may be, or is not.
func (p *Producer) finish(order Order, load *Load, err error) {
	order.Unknown = err != nil && mayBeDone(err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count.Err = err
	switch {
	case err == nil:
		p.count.Accepted++
		load.answered(accepted, nil)
		// The histogram's range ends at an hour; a checkout that took longer counts as one.
		_ = p.latencies.RecordValue(min(max(order.Took.Microseconds(), 1), p.latencies.HighestTrackableValue()))
	case order.Unknown:
		order.ID = ""
		p.count.Unknown++
		load.answered(unknown, err)
	default:
		p.count.Failed++
		load.answered(failed, err)
		return
	}
	if p.options.OnOrder != nil {
		p.options.OnOrder(order)
	}
}

// mayBeDone says whether the server may have added the order although err came back.
func mayBeDone(err error) bool {
	switch redisq.CodeOf(err) {
	case redisq.CodeLostReply:
		return true
	case "": // not of redisq: nobody knows
		return true
	}
	return false
}

func (p *Producer) refuse(load *Load) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count.Refused++
	load.answered(refused, nil)
}

// pause waits before the next look for room; false when the producer ends.
func (p *Producer) pause(changed <-chan struct{}) bool {
	timer := time.NewTimer(pollRoom)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-changed:
		return true
	case <-p.stop.Done():
		return false
	}
}

func (p *Producer) someoneWaits() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiting > 0 && p.settings.Wait
}

// turn is a checkout's place in the line of those that wait for room. Only the first in line asks the server.
type turn struct {
	producer *Producer
	counted  bool
	first    bool // it holds the door
}

// await stands in line until it is the first; false when the producer ends.
func (t *turn) await() bool {
	if t.first {
		return true
	}
	t.count(1)
	select {
	case t.producer.door <- struct{}{}:
		t.first = true
		return true
	case <-t.producer.stop.Done():
		return false
	}
}

// leave gives the place up; without one it does nothing.
func (t *turn) leave() {
	if t.first {
		<-t.producer.door
	}
	if t.counted {
		t.count(-1)
	}
}

func (t *turn) count(by int) {
	t.producer.mu.Lock()
	defer t.producer.mu.Unlock()
	t.producer.waiting += by
	t.counted = by > 0
}
