package ui

import (
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// What counts as stale: no good reading for this many intervals, and never less than the grace.
const (
	staleIntervals = 4
	staleGrace     = 1500 * time.Millisecond
)

// news remembers when lasting facts last grew, so that the verdict can say them while they are new and then let the
// present speak again. The zero times are long ago.
type news struct {
	never, twice, dead, refused time.Time
}

// state returns the lab's state of the last update, or an empty one.
func (d *data) state() *lab.State {
	if d.last.State == nil {
		return &lab.State{}
	}
	return d.last.State
}

// isList says that a list carries the messages now.
func (d *data) isList() bool { return d.state().Decisions.Worker.Kind == redisq.List }

// waiting is how many messages wait or are in hand: the backlog of the group, or the length of the list.
func (d *data) waiting() redisq.Number {
	switch {
	case d.good == nil:
		return redisq.Unknown("nothing was read yet")
	case d.isList():
		return d.good.ListLen
	}
	return d.good.Group.Backlog
}

// sinceReading is how much older than the last good reading the screen's clock is.
func (d *data) sinceReading() time.Duration {
	if d.good == nil {
		return 0
	}
	return max(0, d.now.Sub(d.good.At))
}

// idleNow is a pending entry's idle time by the screen's clock, or -1 when it was released. Redis tells it at the time
// of the reading; unless the data is stale, it has grown since.
func (d *data) idleNow(e redisq.PendingEntry) time.Duration {
	switch {
	case e.Idle < 0:
		return -1
	case d.stale:
		return e.Idle
	}
	return e.Idle + d.sinceReading()
}

// worker returns the state of the worker of that name.
func (d *data) worker(name string) (workers.State, bool) {
	for _, w := range d.state().Workers {
		if w.Name == name {
			return w, true
		}
	}
	return workers.State{}, false
}

// alive lists the names of the workers that run, in their order.
func (d *data) alive() []string {
	var names []string
	for _, w := range d.state().Workers {
		if w.Alive() {
			names = append(names, clean(w.Name))
		}
	}
	return names
}

// take stores a reading. It returns false where the reading is older than what is there already.
func (d *data) take(u lab.Update) bool {
	s := u.Snapshot
	if old := d.last.Snapshot; s != nil && old != nil && s.Generation < old.Generation {
		return false
	}
	before := d.state()
	first := d.last.State == nil
	d.last = u
	if s != nil {
		switch {
		case s.Err == nil:
			d.good, d.silent = s, time.Time{}
			d.now = later(d.now, s.At.Add(s.Took))
		case d.silent.IsZero():
			d.silent = s.At
		}
		d.now = later(d.now, s.At)
	}
	if st := u.State; st != nil {
		d.now = later(d.now, st.At)
		if !first {
			d.news.note(before, st, d.now)
		}
	}
	return true
}

func (n *news) note(before, after *lab.State, now time.Time) {
	if after.Books.Never > before.Books.Never {
		n.never = now
	}
	if after.Books.Twice > before.Books.Twice {
		n.twice = now
	}
	if after.Books.Dead > before.Books.Dead {
		n.dead = now
	}
	if after.Producer.Refused > before.Producer.Refused {
		n.refused = now
	}
}

// age sets stale from the clock.
func (d *data) age() {
	d.stale = false
	if d.good == nil {
		return
	}
	if s := d.last.Snapshot; s != nil && s.Err != nil {
		d.stale = true
		return
	}
	d.stale = d.now.Sub(d.good.At) > max(staleGrace, staleIntervals*d.period())
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
