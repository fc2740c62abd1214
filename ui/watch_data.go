package ui

import (
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/watch"
	"example.com/unacked/workers/lab"
)

// watching is what there is to draw besides where streams of others are watched. Nil is a lab.
type watching struct {
	address    string // of the server, until one has told what it is
	thresholds doctor.Thresholds
	chosen     watch.Choice
	streams    *watch.Streams // nil before the first look
	events     []watch.Event
	browsing   bool          // the list of streams is on the screen
	bytes      int64         // about what our readings bring a second
	pace       time.Duration // between two readings, where they bring too much for what was asked for; else 0
}

// lease is the idle time after which an entry is late: decided in a lab, else the person's word. 0 is not known.
func (d *data) lease() time.Duration {
	if d.watch != nil {
		return d.watch.thresholds.Lease
	}
	return d.state().Decisions.Worker.Lease
}

// limit is the number of deliveries at which an entry is given up, 0 where there is none or nobody knows: what others
// do with their messages is not told.
func (d *data) limit() int64 { return d.state().Decisions.Worker.MaxDeliveries }

// period is the time between two readings.
func (d *data) period() time.Duration {
	if d.watch != nil {
		return max(d.every, d.watch.pace)
	}
	return d.every
}

// poisonFrom is the number of deliveries from which an entry stands out, 0 where none does.
func (d *data) poisonFrom() int64 {
	if d.watch != nil {
		return d.watch.thresholds.MaxDeliveries
	}
	return d.limit()
}

// crew is how many work on the queue: the lab's workers, or the consumers that have done something within the lease.
func (d *data) crew() int {
	if d.watch == nil {
		return len(d.alive())
	}
	if d.good == nil {
		return 0
	}
	n := 0
	for i := range d.good.Group.Consumers {
		if activeConsumer(d, &d.good.Group.Consumers[i]) {
			n++
		}
	}
	return n
}

// activeConsumer says that a consumer has asked for something within the lease; before Redis 7.2, and on the embedded
// server, that it has got something.
func activeConsumer(d *data, c *redisq.Consumer) bool {
	if !c.Idle.Known {
		return c.Pending > 0
	}
	return time.Duration(c.Idle.Value)*time.Millisecond < d.lease()
}

// findings of the doctor, nil before the first look.
func (d *data) findings() []doctor.Finding {
	if d.last.Doctor == nil {
		return nil
	}
	return d.last.Doctor.Findings
}

// asLab is the part of an update that a lab brings too.
func asLab(u watch.Update) lab.Update {
	return lab.Update{
		Snapshot: u.Snapshot, Commands: u.Commands, Cost: u.Cost, Watched: u.Watched, Story: u.Story, Doctor: u.Doctor,
	}
}

// begin forgets everything that was of another group.
func (d *data) begin(chosen watch.Choice) {
	if d.watch.chosen == chosen {
		return
	}
	d.watch.chosen, d.watch.events = chosen, nil
	d.last, d.good, d.stale, d.news = lab.Update{Commands: d.last.Commands, Cost: d.last.Cost}, nil, false, news{}
	d.silent = time.Time{}
	d.history = &redisq.History{}
	if d.sweep.running() {
		d.sweep.stop()
	}
	d.sweep = nil
	d.forgetLetters()
	d.rates, d.drain = redisq.Rates{}, redisq.Drain{}
}

// hear takes what is only there where streams are watched. It returns false where the readings are of a group that was
// chosen before.
func (d *data) hear(u watch.Update) bool {
	if u.Streams != nil {
		d.watch.streams = u.Streams
		d.now = later(d.now, u.Streams.At)
	}
	if d.watch.chosen == (watch.Choice{}) && u.Chosen != (watch.Choice{}) {
		d.begin(u.Chosen) // it was the only one
		d.watch.browsing = false
	}
	if u.Chosen != d.watch.chosen {
		return false
	}
	d.watch.events, d.watch.bytes, d.watch.pace = u.Events, u.Bytes, u.Pace
	return true
}
