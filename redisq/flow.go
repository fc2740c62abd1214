package redisq

import (
	"cmp"
	"time"
)

// Flow is what one reading tells of how the entries of a group move.
type Flow struct {
	At                    time.Time
	Added, Backlog        Number
	RemovedUnread, Losses int64 // as [GroupFigures] have them
}

// DoneMeter measures what is done a second, from neighbouring readings: what came in, less the growth of the backlog and
// what was removed unread. Readings between which an unknown number was removed unread are left out, with their time.
// The zero value is ready.
type DoneMeter struct {
	done   int64
	over   time.Duration
	reason string
}

// Between takes in two neighbouring readings; the newest come first, whose reason stays.
func (d *DoneMeter) Between(a, b Flow) {
	if reason := unmeasured(a, b); reason != "" {
		d.reason = cmp.Or(d.reason, reason)
		return
	}
	d.done += b.Added.Value - a.Added.Value - (b.Backlog.Value - a.Backlog.Value) - (b.RemovedUnread - a.RemovedUnread)
	d.over += b.At.Sub(a.At)
}

// unmeasured says why two readings do not tell what was done between them, "" where they do.
func unmeasured(a, b Flow) string {
	if a.Backlog.AtLeast || b.Backlog.AtLeast {
		// Two bounds that are the same, as where counting ends at 1,000, say nothing of what lies beyond.
		return boundReason
	}
	if reason := cmp.Or(unknownReason(a.Added, b.Added), unknownReason(a.Backlog, b.Backlog)); reason != "" {
		return reason
	}
	if a.Losses != b.Losses {
		return LossReason
	}
	return ""
}

// Rate is what was done a second, and the time that it rests on. It is not known from less than a second.
func (d *DoneMeter) Rate() (Rate, time.Duration) {
	switch {
	case d.over >= leastWindow:
		// The figures of one reading are some microseconds apart, so that in may be counted before it is seen waiting.
		return Rate{PerSecond: float64(max(d.done, 0)) / d.over.Seconds(), Known: true}, d.over
	case d.reason != "":
		return Rate{Reason: d.reason}, 0
	}
	return Rate{Reason: "watched for less than a second"}, 0
}

const boundReason = "only a lower bound is known"

// unknownReason says why the difference of two numbers is not known, "" when it is. Why the first one was not known, as
// with a stream that did not exist then, need not be true any more.
func unknownReason(first, last Number) string {
	switch {
	case !last.Known:
		return last.Reason
	case !first.Known:
		return "not known for all of the time that is reckoned with"
	case (first.AtLeast || last.AtLeast) && first != last:
		return boundReason
	}
	return ""
}
