package watch

import (
	"context"
	"slices"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
)

const (
	// soonest is the least time between the end of one reading and the beginning of the next.
	soonest = 20 * time.Millisecond
	// idleCheck is how often a goroutine without work looks whether it has some; it is woken when it has.
	idleCheck = time.Minute
)

// observe reads the chosen group until watching ends, one reading at a time.
func (w *Watch) observe() {
	var (
		observer *redisq.Observer
		of       redisq.Queue
		failed   int
	)
	for {
		w.mu.Lock()
		chosen, filter, every, wanted := w.now.Chosen, w.filter, w.interval, w.now.Watched
		queue := redisq.Queue{Stream: chosen.Stream, Group: chosen.Group, DeadLetter: w.letters}
		w.mu.Unlock()
		if chosen == (Choice{}) {
			if !w.rest(idleCheck, w.reading) {
				return
			}
			continue
		}
		if queue.DeadLetter == queue.Stream {
			queue.DeadLetter = ""
		}
		if observer == nil || queue != of {
			observer, of = redisq.NewObserver(w.client, queue, redisq.ObserverOptions{Clock: w.o.Clock}), queue
		}
		observer.SetFilter(filter)
		observer.Want(wanted)
		began := time.Now()
		ctx, cancel := context.WithTimeout(w.stop, readTimeout)
		snapshot := observer.Read(ctx)
		cancel()
		if w.stop.Err() != nil {
			return // the reading was cut short by the end
		}
		w.cost.Add("reading", w.o.Clock(), snapshot.Took, snapshot.Err)
		w.traffic.Add(w.o.Clock(), snapshot.Bytes)
		pace := digest(snapshot.Bytes)
		if pace <= every {
			pace = 0
		}
		w.take(chosen, snapshot, pace)
		pause := max(every-time.Since(began), pace, soonest)
		if snapshot.Err != nil {
			failed++
			pause = max(pause, retry(failed, snapshot.Err, patience))
		} else {
			if failed > 0 { // it answers again: the others need not wait out their pauses
				wake(w.listing)
				wake(w.examining)
			}
			failed = 0
		}
		if !w.rest(pause, w.reading) {
			return
		}
	}
}

// take publishes a reading, unless another group was chosen meanwhile.
func (w *Watch) take(of Choice, s *redisq.Snapshot, pace time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if of != w.now.Chosen {
		return
	}
	// An observer counts its own readings only; there may be a new one at each choice.
	w.generation++
	s.Generation = w.generation
	w.now.Events = append(slices.Clip(w.now.Events), w.events(w.now.Snapshot, s)...)
	if over := len(w.now.Events) - eventsKept; over > 0 {
		w.now.Events = slices.Clone(w.now.Events[over:])
	}
	w.now.Snapshot, w.now.Pace = s, pace
	if w.now.Watched != "" {
		w.now.Story = w.stories.tell(w.now.Watched)
	}
	w.publish()
}

// eventsKept bounds the events.
const eventsKept = 200

// events says what happened since the reading before, which may be nil.
func (w *Watch) events(before, now *redisq.Snapshot) []Event {
	came := "answers again"
	if !w.answered {
		came = "answers"
	}
	w.answered = w.answered || now.Err == nil
	switch {
	case before == nil && now.Err == nil:
		w.stories.take(now)
		return nil
	case now.Err != nil && (before == nil || before.Err == nil):
		return []Event{{At: now.At, Text: "no answer: " + safe.Text(now.Err.Error()), Mark: true}}
	case now.Err != nil:
		return nil
	case before.Err != nil:
		w.stories.take(now)
		return []Event{{At: now.At, Text: came, Mark: true}}
	}
	var all []Event
	for _, change := range []struct {
		was, is    bool
		went, came string
	}{
		{before.Stream.Missing, now.Stream.Missing, "stream deleted", "stream created"},
		{before.Group.Missing && !before.Stream.Missing, now.Group.Missing && !now.Stream.Missing, "group destroyed", "group created"},
		{before.Server.Role == "replica", now.Server.Role == "replica", "server became a replica", "server became a master"},
	} {
		switch {
		case !change.was && change.is:
			all = append(all, Event{At: now.At, Text: change.went, Mark: true})
		case change.was && !change.is:
			all = append(all, Event{At: now.At, Text: change.came, Mark: true})
		}
	}
	if p, ok := problem(now, redisq.ProblemReplaced); ok {
		if _, said := problem(before, redisq.ProblemReplaced); !said {
			all = append(all, Event{At: now.At, Text: "went back: " + p.Text, Mark: true})
		}
	}
	all = append(all, membersChanged(before, now)...)
	return append(all, w.stories.take(now)...)
}

func problem(s *redisq.Snapshot, code string) (redisq.Problem, bool) {
	for _, p := range s.Problems {
		if p.Code == code {
			return p, true
		}
	}
	return redisq.Problem{}, false
}

// fewChanges is how many consumers that came or went in one reading are named one by one.
const fewChanges = 3

// membersChanged says which consumers came and went.
func membersChanged(before, now *redisq.Snapshot) []Event {
	a, b := before.Group.Consumers, now.Group.Consumers
	if len(a) == 0 && len(b) == 0 || len(a) > 0 && len(b) > 0 && &a[0] == &b[0] {
		return nil
	}
	if before.Group.Missing || now.Group.Missing || !before.Group.Members.Known || !now.Group.Members.Known {
		return nil
	}
	// Some could not be read: what is not there need not have gone.
	if before.Group.Members.Value != int64(len(a)) || now.Group.Members.Value != int64(len(b)) {
		return nil
	}
	had := make(map[string]bool, len(a))
	for _, c := range a {
		had[c.Name] = true
	}
	var came, went []string
	for _, c := range b {
		if !had[c.Name] {
			came = append(came, c.Name)
		}
		delete(had, c.Name)
	}
	for _, c := range a {
		if had[c.Name] {
			went = append(went, c.Name)
		}
	}
	return append(membersEvents(now.At, came, "came"), membersEvents(now.At, went, "was removed")...)
}

func membersEvents(at time.Time, names []string, verb string) []Event {
	if len(names) > fewChanges {
		return []Event{{At: at, Text: count(int64(len(names)), "consumer") + " " + plural(verb), Mark: true}}
	}
	all := make([]Event, len(names))
	for i, name := range names {
		all[i] = Event{At: at, Text: "consumer " + short(name) + " " + verb, Mark: true}
	}
	return all
}

func plural(verb string) string {
	if verb == "was removed" {
		return "were removed"
	}
	return verb
}
