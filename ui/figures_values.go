package ui

import (
	"strconv"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/lab"
)

func numberValue(n redisq.Number) (string, bool) { return n.String(), n.Known }

func backlogValue(d *data) (string, bool) { return numberValue(d.waiting()) }

func backlogNote(d *data) string {
	n := d.waiting()
	switch {
	case !n.Known:
		return clean(n.Reason)
	case d.drain.Stalled && d.rates.Done.PerSecond < 0.05:
		return "stands still: nothing is done"
	case d.drain.Stalled:
		return "done as fast as it comes in"
	case d.drain.Known && n.Value > 0:
		return d.drain.Text
	case d.isList():
		return "in the list"
	}
	g := d.good.Group
	return g.Undelivered.String() + " not delivered yet"
}

func pendingValue(d *data) (string, bool) {
	if d.good == nil {
		return "?", false
	}
	return numberValue(d.good.Group.Pending)
}

func pendingNote(d *data) string {
	switch {
	case d.good == nil:
		return ""
	case !d.good.Group.Pending.Known:
		return clean(d.good.Group.Pending.Reason)
	case d.isList() && d.good.Group.Pending.Value > 0:
		return "left on the stream"
	case d.isList():
		return "a list has no pending entries"
	}
	var held []string
	for _, c := range d.good.Pending.ByConsumer {
		if c.Pending > 0 {
			held = append(held, clean(c.Name)+" "+strconv.FormatInt(c.Pending, 10))
		}
	}
	return listed(held, fewNames+1)
}

func inValue(d *data) (string, bool) { return rateText(d.rates.In), d.rates.In.Known }

func inNote(d *data) string {
	if !d.rates.In.Known {
		return clean(d.rates.In.Reason)
	}
	if d.watch != nil {
		return d.good.Stream.Added.String() + " added ever"
	}
	p, dec := d.state().Producer, d.state().Decisions
	text := "checkout " + perSecond(dec.Rate)
	switch {
	case p.Error != "":
		text += ": " + clean(p.Error)
	case p.Waiting && dec.Full == lab.Wait:
		text += " waits for room"
	case p.Refused > 0:
		text += ", " + strconv.FormatInt(p.Refused, 10) + " refused"
	case p.P99 > 0:
		text += ", p99 " + latency(p.P99)
	}
	return text
}

func doneValue(d *data) (string, bool) { return rateText(d.rates.Done), d.rates.Done.Known }

func doneNote(d *data) string {
	if !d.rates.Done.Known {
		return clean(d.rates.Done.Reason)
	}
	n := d.crew()
	if d.watch != nil {
		text := many(int64(n), "active consumer")
		if n > 1 && d.rates.Done.PerSecond >= 0.05 {
			text += ", " + perSecond(d.rates.Done.PerSecond/float64(n)) + " each"
		}
		return text
	}
	text := many(int64(n), "worker")
	if s := d.state().Decisions.Service; s > 0 && n > 0 {
		text += ", at most " + perSecond(float64(n)/s.Seconds())
	}
	return text
}

// oldest is the largest idle time among the pending entries by the screen's clock.
func oldest(d *data) (time.Duration, bool) {
	if d.good == nil {
		return 0, false
	}
	n, pending := d.good.Group.OldestIdle, d.good.Group.Pending
	if !n.Known || pending.Known && pending.Value == 0 {
		return 0, n.Known
	}
	idle := time.Duration(n.Value) * time.Millisecond
	if !d.stale {
		idle += d.sinceReading()
	}
	return idle, true
}

func oldestValue(d *data) (string, bool) {
	idle, known := oldest(d)
	switch {
	case !known:
		return "?", false
	case idle == 0:
		return "0", true
	}
	text := durShort(idle)
	if d.good.Group.OldestIdle.AtLeast {
		text += "+"
	}
	return text, true
}

func oldestNote(d *data) string {
	idle, known := oldest(d)
	if !known {
		if d.good == nil {
			return ""
		}
		return clean(d.good.Group.OldestIdle.Reason)
	}
	if d.isList() && idle == 0 {
		return "a list keeps no time"
	}
	lease := d.lease()
	if idle > lease {
		return "past the lease of " + durText(lease)
	}
	return "lease " + durText(lease)
}

func deadValue(d *data) (string, bool) {
	if d.good == nil {
		return "?", false
	}
	return numberValue(d.good.Dead.Length)
}

func deadNote(d *data) string {
	if d.good != nil && !d.good.Dead.Length.Known {
		return clean(d.good.Dead.Length.Reason)
	}
	switch {
	case d.isList() && d.good != nil && d.good.Dead.Length.Value == 0:
		return "none: a failure is lost"
	case d.watch == nil:
	case d.good == nil:
		return ""
	case d.good.Dead.Missing:
		return "no key " + clean(d.good.Queue.DeadLetter)
	default:
		return "in " + clean(d.good.Queue.DeadLetter)
	}
	if limit := d.limit(); limit > 0 {
		return "after " + many(limit, "delivery")
	}
	return "no limit: none is given up"
}

// latency writes a latency with the precision that matters for one: "0.4 ms", "12 ms", "1.2 s".
func latency(l time.Duration) string {
	if l < 10*time.Millisecond {
		return decimal(float64(l.Microseconds())/1000) + " ms"
	}
	return durText(l)
}
