package ui

import (
	"context"
	"errors"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
)

// letterSweeper is a Source that can look at all dead letters, however many there are.
type letterSweeper interface {
	// SweepLetters blocks until it is done or ctx ends; progress is called now and then meanwhile.
	SweepLetters(ctx context.Context, deadLetter string, progress func(redisq.LetterSweep)) (redisq.LetterSweep, error)
}

// lettersLook is a look at all dead letters, under way or done.
type lettersLook struct {
	redisq.LetterSweep
	at   time.Time // when it ended, by the screen's clock; zero while it is under way
	stop context.CancelFunc
	told newest[redisq.LetterSweep] // closed at the end
}

// lettersAskMsg asks the root to look at all dead letters, or to stop.
type lettersAskMsg struct{}

// lettersMsg is the progress of a look, or its end.
type lettersMsg struct {
	of   *lettersLook
	got  redisq.LetterSweep
	done bool
	err  error
}

// newest holds what a goroutine told last and nobody has taken yet. Only one goroutine tells.
type newest[T any] chan T

func newNewest[T any]() newest[T] { return make(newest[T], 1) }

func (n newest[T]) tell(v T) {
	select {
	case <-n:
	default:
	}
	n <- v // there is room: nobody else sends
}

// running says that it is under way.
func (l *lettersLook) running() bool { return l != nil && l.at.IsZero() }

// askLetters begins to look at all dead letters, or stops the look that is under way.
func (m *Model) askLetters() tea.Cmd {
	by, ok := m.source.(letterSweeper)
	switch {
	case m.d.letters.running():
		m.d.letters.stop()
		return nil
	case m.d.good == nil:
		m.complain("nothing was read yet")
		return nil
	case !ok:
		m.say("there is nothing to count: here the newest dead letters are looked at in each reading")
		return nil
	}
	return m.lookAtLetters(by)
}

func (m *Model) lookAtLetters(by letterSweeper) tea.Cmd {
	ctx, stop := context.WithCancel(m.ctx)
	l := &lettersLook{stop: stop, told: newNewest[redisq.LetterSweep]()}
	if before := m.d.letters; before != nil {
		l.LetterSweep = before.LetterSweep // until there is more to show
	}
	m.d.letters = l
	key := m.d.good.Queue.DeadLetter
	run := func() tea.Msg {
		defer stop()
		defer close(l.told)
		got, err := by.SweepLetters(ctx, key, l.told.tell)
		return lettersMsg{of: l, got: got, done: true, err: err}
	}
	return tea.Batch(run, l.listen())
}

func (l *lettersLook) listen() tea.Cmd {
	return func() tea.Msg {
		got, ok := <-l.told
		if !ok {
			return nil
		}
		return lettersMsg{of: l, got: got}
	}
}

// lookedAtLetters takes what a look brings, unless another was begun since or its group was left.
func (m *Model) lookedAtLetters(msg lettersMsg) tea.Cmd {
	l := m.d.letters
	if l != msg.of || !l.running() {
		return nil
	}
	l.LetterSweep = msg.got
	var next tea.Cmd
	switch {
	case !msg.done:
		next = l.listen()
	case errors.Is(msg.err, context.Canceled):
		m.say("stopped after " + many(l.Looked, "letter"))
	case msg.err != nil:
		m.complain("not all dead letters could be looked at: " + clean(msg.err.Error()))
	}
	if msg.done {
		l.at = m.d.now
	}
	for _, p := range m.panes() {
		if dead, ok := p.(*deadPane); ok {
			dead.Data(m.d)
		}
	}
	return next
}

// lettersActed looks again after letters were changed, where all were looked at before.
func (m *Model) lettersActed() tea.Cmd {
	by, ok := m.source.(letterSweeper)
	if m.d.letters == nil || !ok || m.d.good == nil {
		return nil
	}
	m.d.letters.stop()
	return m.lookAtLetters(by)
}

// forgetLetters ends the look: its letters are of another group.
func (d *data) forgetLetters() {
	if d.letters.running() {
		d.letters.stop()
	}
	d.letters = nil
}

// text says what the reasons are of.
func (l *lettersLook) text(d *data) string {
	looked := strconv.FormatInt(l.Looked, 10)
	switch {
	case l.running():
		return looked + " of " + l.Total.String() + " looked at; " + keyOf(d.keys.Sweep, "n") + " stops"
	case !l.Done:
		return "the newest " + looked + " of " + l.Total.String() + " were looked at"
	}
	return "all " + looked + " looked at until " + clockText(l.at)
}

// letter finds a letter among those that the look has kept.
func (l *lettersLook) letter(id string) (redisq.DeadLetter, bool) {
	if l == nil {
		return redisq.DeadLetter{}, false
	}
	for _, r := range l.Reasons {
		for i := range r.Newest {
			if r.Newest[i].ID == id {
				return r.Newest[i], true
			}
		}
	}
	return redisq.DeadLetter{}, false
}
