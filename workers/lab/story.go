package lab

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/workers"
	"example.com/unacked/workers/producer"
)

const (
	maxStories = 5000 // messages whose story is kept; the oldest are dropped
	maxLines   = 200  // lines of one story; those after the first few go first
	firstLines = 10
	maxReplays = 20 // stories that are told as the past of one message
	maxReason  = 300
	// sayDelay is how much later than the server's deed a worker may say it.
	sayDelay = 50 * time.Millisecond
)

// stories keep what happened to each message, as the checkout, the workers and the mail server said. Safe from any
// goroutine.
type stories struct {
	lease func() time.Duration // in force now

	mu      sync.Mutex // guards what follows
	told    map[string]*story
	ages    []string          // ids of told, oldest first
	byOrder map[string]string // the last entry of each order in told
}

// story is one message's.
type story struct {
	order   string
	past    string // id of the entry that this one is a replay of, or ""
	lines   []StoryLine
	holder  string    // the worker that it was delivered to; "" when it is not pending
	touched time.Time // when it was delivered, or its lease renewed
	held    bool      // the last line is one of renewed leases
	renewed int
	dead    bool
}

func newStories(lease func() time.Duration) *stories {
	return &stories{lease: lease, told: make(map[string]*story), byOrder: make(map[string]string)}
}

// checkedOut begins the story of an accepted order.
func (s *stories) checkedOut(o producer.Order) {
	if o.ID == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf("added as order %s; the checkout took %s", o.Name, span(o.Took))
	if o.Bad {
		text += "; the address is bad"
	}
	s.of(o.ID, o.Name).add(o.At, text)
}

// mailed notes the mail server's word.
func (s *stories) mailed(at time.Time, order string, mails int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok := s.byOrder[order]
	if !ok {
		return
	}
	text := "the mail arrived"
	if mails > 1 {
		text = fmt.Sprintf("the mail arrived again: mail %d of order %s", mails, safe.TextN(order, maxReason))
	}
	s.told[id].add(at, text)
}

// of returns the story of an entry, a new one where there is none. s.mu is held.
func (s *stories) of(id, order string) *story {
	if t := s.told[id]; t != nil {
		if t.order == "" {
			t.order = order
		}
		return t
	}
	t := &story{order: order}
	if order != "" {
		if past := s.byOrder[order]; past != "" && s.told[past].dead {
			t.past = past
			at, ok := redisq.TimeOfID(id)
			if !ok {
				at = s.told[past].touched
			}
			s.told[past].add(at, "put back to work as "+safe.TextN(id, maxReason))
			t.add(at, "put back to work")
		}
		s.byOrder[order] = id
	}
	s.told[id] = t
	s.ages = append(s.ages, id)
	if len(s.ages) > maxStories {
		oldest := s.ages[0]
		s.ages = s.ages[1:]
		if order := s.told[oldest].order; s.byOrder[order] == oldest {
			delete(s.byOrder, order)
		}
		delete(s.told, oldest)
	}
	return t
}

// take adds what a worker reports.
func (s *stories) take(e workers.Event) {
	if e.ID == "" {
		return
	}
	text, ok := words(e)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.of(e.ID, e.Order)
	if e.Kind == workers.EventExited && t.holder != e.Worker {
		return // it had gone to another worker, or was settled
	}
	switch e.Kind {
	case workers.EventDelivered:
		lease, idle := s.lease(), e.At.Sub(t.touched)
		if !t.touched.IsZero() && (e.Via == workers.ViaClaimed || idle >= lease-sayDelay) {
			t.add(t.touched.Add(min(lease, idle)), idleText(lease))
		}
		t.holder, t.touched = e.Worker, e.At
	case workers.EventHeld:
		t.touched = e.At
		if t.held {
			t.renewed++
			t.lines[len(t.lines)-1] = StoryLine{At: e.At, Text: fmt.Sprintf("%s (%d times)", text, t.renewed)}
			return
		}
		t.add(e.At, text)
		t.held, t.renewed = true, 1
		return
	case workers.EventAcked, workers.EventVanished:
		t.holder = ""
	case workers.EventDeadLettered:
		t.holder, t.dead, t.touched = "", true, e.At
	}
	t.add(e.At, text)
}

func (t *story) add(at time.Time, text string) {
	t.held = false
	if len(t.lines) >= maxLines {
		t.lines = slices.Delete(t.lines, firstLines, firstLines+1)
	}
	t.lines = append(t.lines, StoryLine{At: at, Text: text})
}

// tell returns the story of an entry, oldest line first, after that of the entry that it was replayed from.
func (s *stories) tell(id string, now time.Time) []StoryLine {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.told[id]
	if t == nil {
		return nil
	}
	var lines []StoryLine
	for range maxReplays {
		lines = append(slices.Clone(t.lines), lines...)
		if t = s.told[t.past]; t == nil {
			break
		}
	}
	if last := s.told[id]; last.holder != "" {
		if over := last.touched.Add(s.lease()); now.After(over) {
			lines = append(lines, StoryLine{At: over, Text: idleText(s.lease()) + "; it may be claimed"})
		}
	}
	slices.SortStableFunc(lines, func(a, b StoryLine) int { return a.At.Compare(b.At) })
	return lines
}

func idleText(lease time.Duration) string { return "idle for " + span(lease) + ": the lease is over" }

// words say what a worker's event means for its message; false for what concerns none.
func words(e workers.Event) (string, bool) {
	reason := safe.TextN(e.Reason, maxReason)
	w, from := safe.TextN(e.Worker, maxReason), safe.TextN(e.From, maxReason)
	switch e.Kind {
	case workers.EventDelivered:
		switch {
		case e.Via == workers.ViaOwn, e.Via == workers.ViaClaimed && e.From == e.Worker:
			return fmt.Sprintf("taken up again by %s (delivery %d)", w, e.Deliveries), true
		case e.Via == workers.ViaClaimed:
			return fmt.Sprintf("claimed by %s from %s (delivery %d)", w, from, e.Deliveries), true
		}
		return "delivered to " + w, true
	case workers.EventWorking:
		return w + " begins the work", true
	case workers.EventDone:
		return fmt.Sprintf("sent by %s in %s", w, span(e.Took)), true
	case workers.EventRecorded:
		return w + " recorded the order", true
	case workers.EventDuplicate:
		return "skipped by " + w + ": the record says that the work was done", true
	case workers.EventAcked:
		return "acked by " + w, true
	case workers.EventNotOurs:
		if e.From == "" {
			return w + " has lost it: it is no longer pending", true
		}
		return w + " has lost it: it is " + from + "'s now", true
	case workers.EventFailed:
		return "failed: " + reason, true
	case workers.EventDeadLettered:
		return fmt.Sprintf("dead-lettered after %s: %s", deliveries(e.Deliveries), reason), true
	case workers.EventVanished:
		return "gone: its body had been cut from the stream, so the claim dropped it", true
	case workers.EventAtPoint:
		return w + " waits " + pointWords(e.Point) + " to be killed", true
	case workers.EventExited:
		switch reason {
		case "":
			return w + " ended, holding it", true
		case exitKilled:
			return w + " was killed, holding it", true
		}
		return w + " ended by itself, holding it: " + reason, true
	case workers.EventHeld:
		return w + " renewed its lease", true
	}
	return "", false
}

func deliveries(n int64) string {
	if n == 1 {
		return "1 delivery"
	}
	return fmt.Sprintf("%d deliveries", n)
}

// pointWords say where a crash point is.
func pointWords(p workers.CrashPoint) string {
	switch p {
	case workers.CrashBeforeWork:
		return "before the work"
	case workers.CrashAfterWork:
		return "after the work, before the ack"
	case workers.CrashAfterRecord:
		return "right after the record"
	}
	return "now"
}

// span writes a duration shortly: 340µs, 4.1ms, 301ms, 2.5s, 1m30s.
func span(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		d = d.Round(time.Microsecond)
	case d < 10*time.Millisecond:
		d = d.Round(100 * time.Microsecond)
	case d < time.Second:
		d = d.Round(time.Millisecond)
	case d < time.Minute:
		d = d.Round(100 * time.Millisecond)
	default:
		d = d.Round(time.Second)
	}
	return d.String()
}
