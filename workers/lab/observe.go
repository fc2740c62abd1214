package lab

import (
	"context"
	"slices"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
)

// soonest is the least time between the ends of one reading and the beginning of the next.
const soonest = 20 * time.Millisecond

// Updates is where each reading comes out. It holds the newest only: a slow reader misses those between. It is closed
// when the lab has ended.
func (l *Lab) Updates() <-chan Update { return l.updates }

// SetInterval sets the time between two readings, 50 ms … 1 min.
func (l *Lab) SetInterval(d time.Duration) {
	d = min(max(d, redisq.MinInterval), redisq.MaxInterval)
	select {
	case <-l.interval: // one that was not taken up yet
	default:
	}
	select {
	case l.interval <- d:
	default: // another call was quicker
	}
}

// Watch names the entry whose story comes with each update; "" is none.
func (l *Lab) Watch(id string) {
	l.watched.Store(&id)
	l.hurry()
}

// SetFilter sets which pending entries are read.
func (l *Lab) SetFilter(f redisq.PendingFilter) {
	l.observer.SetFilter(f)
	l.hurry()
}

// hurry asks for a reading now.
func (l *Lab) hurry() {
	select {
	case l.poke <- struct{}{}:
	default:
	}
}

// observe reads until the lab ends, one reading at a time.
func (l *Lab) observe() {
	every := l.o.Interval
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-next.C:
		case <-l.poke:
		case every = <-l.interval:
		case <-l.stop.Done():
			return
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(l.stop, readTimeout)
		snapshot := l.observer.Read(ctx)
		cancel()
		if l.stop.Err() != nil {
			return // the reading was cut short by the end of the lab
		}
		l.cost.Add("reading", l.o.Clock(), snapshot.Took, snapshot.Err)
		l.publish(snapshot, l.state())
		wait := max(every-time.Since(began), soonest)
		if l.paused.Load() {
			wait = redisq.MaxInterval // Resume asks for a reading
		}
		next.Reset(wait)
	}
}

func (l *Lab) publish(snapshot *redisq.Snapshot, state *State) {
	watched := *l.watched.Load()
	update := Update{
		Snapshot: snapshot,
		State:    state,
		Commands: l.lastCommands(),
		Cost:     l.cost.PerSecond(state.At),
		Watched:  watched,
		Log:      l.log.last(),
		Doctor:   l.doctor.Load(),
	}
	if watched != "" {
		update.Story = l.stories.tell(watched, state.At)
	}
	select {
	case <-l.updates: // one that nobody took
	default:
	}
	l.updates <- update // there is room: nobody else sends
}

// lastCommands are what the lab itself sent, oldest first.
func (l *Lab) lastCommands() []redisq.Command {
	var all []redisq.Command
	for _, role := range l.commands {
		all = append(all, role.Last(commandsKept)...)
	}
	slices.SortStableFunc(all, func(a, b redisq.Command) int { return a.At.Compare(b.At) })
	return all
}

// state is the lab now.
func (l *Lab) state() *State {
	l.mu.Lock()
	decisions := l.decisions
	l.mu.Unlock()
	state := &State{
		At:        l.o.Clock(),
		Decisions: decisions,
		Workers:   l.supervisor.States(),
		Producer:  checkoutFigures(l.producer.Count()),
		Sink:      l.sinkFigures(),
		Books:     *l.books.Load(),
	}
	for i := range state.Workers {
		state.Workers[i].Reason = safe.TextN(state.Workers[i].Reason, maxReason)
	}
	state.Marks, state.Notices = l.journal.all()
	return state
}

func (l *Lab) sinkFigures() Sink {
	if l.sink == nil {
		return Sink{Reason: "the mail goes to " + l.o.SMTP + ", which is not ours to ask"}
	}
	c := l.sink.Count()
	return Sink{Known: true, Mails: c.Mails, Refused: c.Refused, Once: c.Once, Twice: c.Twice, TwiceIDs: c.TwiceIDs}
}

// pushed tells what carries the orders now, and counts what was put into the list, which no server does.
func (l *Lab) pushed() (redisq.Kind, redisq.Number) {
	l.mu.Lock()
	kind := l.decisions.Worker.Kind
	l.mu.Unlock()
	l.witness.mu.Lock()
	defer l.witness.mu.Unlock()
	return kind, redisq.Exact(l.witness.pushed, redisq.Counted)
}

// added counts what was put into the stream, for servers that do not tell.
func (l *Lab) added() redisq.Number {
	l.witness.mu.Lock()
	defer l.witness.mu.Unlock()
	return redisq.Exact(l.witness.added, redisq.Counted)
}
