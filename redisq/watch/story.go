package watch

import (
	"slices"
	"time"

	"example.com/unacked/redisq"
)

const (
	maxStories = 5000 // messages whose story is kept; those that left longest ago are dropped first
	maxLines   = 200  // lines of one story; those after the first few go first
	firstLines = 10
)

// stories tell what happened to each message, as far as successive readings show it: an entry is given to another
// between two readings, and what happened twice between them is seen once. It is guarded by its Watch.
type stories struct {
	told   map[string]*story
	ages   []string // ids of told, in the order in which they were first seen
	rows   map[string]redisq.PendingEntry
	filter redisq.PendingFilter
	last   string // id of the last row of the last reading, "" where that was all there is
	at     time.Time
}

type story struct {
	lines   []StoryLine
	renewed int // how often the last line, one of renewed holds, was said
}

func newStories() *stories {
	return &stories{told: map[string]*story{}, rows: map[string]redisq.PendingEntry{}}
}

// take compares a good reading with the one before, and returns what is worth an event.
func (s *stories) take(now *redisq.Snapshot) []Event {
	rows := make(map[string]redisq.PendingEntry, len(now.Pending.Rows))
	first := s.at.IsZero() || s.filter != now.Pending.Filter
	var events []Event
	say := func(id string, at time.Time, text string, event bool) {
		if at.Before(s.at) && !first {
			at = s.at // it happened since the last reading
		}
		s.of(id).add(at, text)
		if event {
			events = append(events, Event{At: at, Text: id + " " + text, ID: id})
		}
	}
	for _, e := range now.Pending.Rows {
		rows[e.ID] = e
		at := now.At
		if e.Idle > 0 {
			at = at.Add(-e.Idle) // the idle time begins with each delivery, claim and renewal
		}
		old, had := s.rows[e.ID]
		if !had {
			// One that was not looked at before may have been there for long. Its idle time was told at some moment of the
			// reading, which may have taken long too.
			fresh := !first && !at.Add(now.Took).Before(s.at) && (s.last == "" || after(e.ID, s.last))
			say(e.ID, at, met(e, fresh), false)
			continue
		}
		switch owner, was := short(e.Consumer), short(old.Consumer); {
		case e.Consumer == "" && old.Consumer != "":
			say(e.ID, now.At, "given back by "+was+" (XNACK), "+delivery(e.Deliveries), true)
		case old.Consumer == "" && e.Consumer != "":
			say(e.ID, at, "taken by "+owner+" ("+delivery(e.Deliveries)+")", true)
		case e.Consumer != old.Consumer:
			say(e.ID, at, "claimed by "+owner+" from "+was+" ("+delivery(e.Deliveries)+")", true)
		case e.Deliveries > old.Deliveries:
			say(e.ID, at, "delivered to "+owner+" again ("+delivery(e.Deliveries)+")", true)
		case e.Deliveries < old.Deliveries:
			say(e.ID, at, "its delivery count was set back to "+delivery(e.Deliveries), true)
		case e.Idle >= 0 && e.Idle+time.Second/2 < old.Idle:
			s.of(e.ID).renew(at, owner)
		}
		if e.Gone && !old.Gone {
			say(e.ID, now.At, "its body was deleted or trimmed: a ghost", true)
		}
	}
	if !first {
		for id, old := range s.rows {
			if _, still := rows[id]; !still {
				if text := s.left(now, id, old); text != "" {
					say(id, now.At, text, false)
				}
			}
		}
	}
	s.rows, s.filter, s.at, s.last = rows, now.Pending.Filter, now.At, ""
	if n := len(now.Pending.Rows); now.Pending.More && n > 0 {
		s.last = now.Pending.Rows[n-1].ID
	}
	slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
	return events
}

// met is how an entry is first seen. fresh says that it was given out since the last reading.
func met(e redisq.PendingEntry, fresh bool) string {
	switch {
	case e.Consumer == "":
		return "seen without an owner: given back (XNACK), " + delivery(e.Deliveries)
	case fresh && e.Deliveries <= 1:
		return "delivered to " + short(e.Consumer)
	case fresh:
		return "delivered to " + short(e.Consumer) + " (" + delivery(e.Deliveries) + ")"
	case e.Deliveries <= 1:
		return "delivered to " + short(e.Consumer) + ", by its idle time; what was before is not known"
	}
	return "last given to " + short(e.Consumer) + " (" + delivery(e.Deliveries) + "), by its idle time; what was before is not known"
}

// left says what became of an entry that is not among the rows any more, "" where its absence says nothing.
func (s *stories) left(now *redisq.Snapshot, id string, old redisq.PendingEntry) string {
	f, rows := now.Pending.Filter, now.Pending.Rows
	for _, p := range now.Problems {
		if p.Panel == "pending" {
			return ""
		}
	}
	switch {
	case now.Stream.Missing:
		return "gone with its stream"
	case now.Group.Missing:
		return "gone with its group"
	case f.MinIdle > 0 || f.Consumer != "":
		return "" // it may be pending all the same
	case now.Pending.More && (len(rows) == 0 || after(id, rows[len(rows)-1].ID)):
		return ""
	}
	for _, l := range now.Dead.Rows {
		if !l.Foreign && (l.Entry == id || l.Original == id) {
			return "dead-lettered after " + count(old.Deliveries, "delivery") + ": " + short(l.Reason)
		}
	}
	who := short(old.Consumer)
	if who == "" {
		who = "nobody"
	}
	if old.Gone {
		return "vanished from the pending list, last with " + who + ": acked, or dropped by a claim as its body was gone"
	}
	return "vanished from the pending list, last with " + who + ": acked, or its consumer was deleted"
}

func after(a, b string) bool {
	order, ok := redisq.CompareIDs(a, b)
	return ok && order > 0
}

// of returns the story of an entry, a new one where there is none.
func (s *stories) of(id string) *story {
	if t := s.told[id]; t != nil {
		return t
	}
	t := &story{}
	if at, ok := redisq.TimeOfID(id); ok {
		t.lines = append(t.lines, StoryLine{At: at, Text: "added, by the time in its id"})
	}
	s.told[id] = t
	s.ages = append(s.ages, id)
	if len(s.ages) > maxStories {
		s.forget()
	}
	return t
}

// forget drops the oldest tenth of those that are not pending.
func (s *stories) forget() {
	drop := maxStories / 10
	s.ages = slices.DeleteFunc(s.ages, func(id string) bool {
		if _, pending := s.rows[id]; pending || drop == 0 {
			return false
		}
		drop--
		delete(s.told, id)
		return true
	})
}

func (t *story) add(at time.Time, text string) {
	t.renewed = 0
	if len(t.lines) >= maxLines {
		t.lines = slices.Delete(t.lines, firstLines, firstLines+1)
	}
	t.lines = append(t.lines, StoryLine{At: at, Text: text})
}

// renew notes that a consumer keeps its hold on the entry without a delivery being counted.
func (t *story) renew(at time.Time, owner string) {
	times := t.renewed + 1
	text := "renewed by " + owner + " (XCLAIM to itself)"
	if t.renewed > 0 {
		t.lines = t.lines[:len(t.lines)-1]
		text += ", seen " + count(int64(times), "time")
	}
	t.add(at, text)
	t.renewed = times
}

// tell returns the story of an entry, oldest line first.
func (s *stories) tell(id string) []StoryLine {
	t := s.told[id]
	if t == nil {
		return nil
	}
	return slices.Clone(t.lines)
}
