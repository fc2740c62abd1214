package ui

import (
	"context"
	"errors"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
)

// sweeper is a Source that can look at every pending entry of the group, however many there are.
type sweeper interface {
	// Sweep blocks until it is done or ctx ends; progress is called now and then meanwhile.
	Sweep(ctx context.Context, progress func(redisq.Sweep)) (redisq.Sweep, error)
}

// sweep is a look at every pending entry, under way or done.
type sweep struct {
	redisq.Sweep
	at      time.Time // when it ended, by the screen's clock; zero while it is under way
	err     error
	stop    context.CancelFunc
	updates newest[redisq.Sweep] // closed at the end
}

// sweepAskMsg asks the root to look at all pending entries, or to stop.
type sweepAskMsg struct{}

// sweepMsg is the progress of a sweep, or its end.
type sweepMsg struct {
	of   *sweep
	got  redisq.Sweep
	done bool
	err  error
}

// beginSweep starts to look at all pending entries. It returns the sweep, and what carries it out.
func beginSweep(ctx context.Context, by sweeper) (*sweep, tea.Cmd) {
	ctx, stop := context.WithCancel(ctx)
	s := &sweep{stop: stop, updates: newNewest[redisq.Sweep]()}
	run := func() tea.Msg {
		defer stop()
		defer close(s.updates)
		got, err := by.Sweep(ctx, s.updates.tell)
		return sweepMsg{of: s, got: got, done: true, err: err}
	}
	return s, tea.Batch(run, s.listen())
}

// listen waits for progress.
func (s *sweep) listen() tea.Cmd {
	return func() tea.Msg {
		p, ok := <-s.updates
		if !ok {
			return nil
		}
		return sweepMsg{of: s, got: p}
	}
}

// running says that it is under way.
func (s *sweep) running() bool { return s != nil && s.at.IsZero() }

// askSweep begins a sweep, or stops the one that is under way.
func (m *Model) askSweep() tea.Cmd {
	by, ok := m.source.(sweeper)
	switch {
	case m.d.sweep.running():
		m.d.sweep.stop()
		return nil
	case !ok:
		m.say("there is nothing to count: here all pending entries are looked at in each reading")
		return nil
	case m.d.good == nil:
		m.complain("nothing was read yet")
		return nil
	}
	var run tea.Cmd
	m.d.sweep, run = beginSweep(m.ctx, by)
	return run
}

// swept takes what a sweep brings, unless another was begun since or its group was left.
func (m *Model) swept(msg sweepMsg) tea.Cmd {
	s := m.d.sweep
	if s != msg.of || !s.running() {
		return nil
	}
	s.Sweep = msg.got
	if !msg.done {
		return s.listen()
	}
	s.at, s.err = m.d.now, msg.err
	switch {
	case errors.Is(msg.err, context.Canceled):
		m.say("stopped after " + many(s.Looked, "pending entry"))
	case msg.err != nil:
		m.complain("not all pending entries could be looked at: " + clean(msg.err.Error()))
	}
	return nil
}

// text says what the sums are of.
func (s *sweep) text(d *data) string {
	looked := strconv.FormatInt(s.Looked, 10)
	switch {
	case s.running():
		return "looking at all pending entries: " + looked + " of " + s.Total.String() + "; " + keyOf(d.keys.Sweep, "n") + " stops"
	case !s.Done:
		return "the sums are of the first " + looked + " of " + s.Total.String() + " pending entries"
	}
	text := "the sums are of all " + looked + " pending entries, looked at in " + durText(s.Took) + " until " + clockText(s.at)
	if s.OldestID != "" {
		text += dot(d) + "oldest idle " + clean(s.OldestID) + " " + durText(s.OldestIdle)
	}
	if s.MaxID != "" && s.MaxDeliveries > 1 {
		text += dot(d) + "most delivered " + clean(s.MaxID) + " " + many(s.MaxDeliveries, "delivery")
	}
	if s.BodyGone > 0 {
		text += dot(d) + strconv.FormatInt(s.BodyGone, 10) + " ghosts among " + strconv.FormatInt(s.BodyAsked, 10) + " looked for"
	}
	return text
}
