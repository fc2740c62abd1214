package ui

import (
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/workers/lab"
)

// The messages that come back from commands.
type (
	tickMsg   struct{ now time.Time }
	updateMsg struct{ lab.Update }
	closedMsg struct{} // the channel of updates was closed
	labMsg    struct { // the lab is up, or is not
		lab     Lab
		updates <-chan lab.Update
		warning string // what the person is to know, "" is nothing
		err     error
	}
	planMsg struct {
		generation uint64
		plan       desk.Plan
		err        error
	}
	outcomeMsg struct {
		plan    desk.Plan
		outcome redisq.Outcome
	}
	killedMsg struct {
		kill
		err error
	}
)

// How often the clock moves the screen. It only moves texts that depend on the time: nothing is read for it.
const (
	tickWorking = 80 * time.Millisecond // a worker is at work: its progress is drawn
	tickPending = 250 * time.Millisecond
	tickIdle    = time.Second
)

// tick waits for the next tick. Only Init and the handler of tickMsg call it, so that there is one clock.
func (m *Model) tick() tea.Cmd {
	now := m.now
	return tea.Tick(m.tickPeriod(), func(time.Time) tea.Msg { return tickMsg{now()} })
}

func (m *Model) tickPeriod() time.Duration {
	if m.d.held {
		return tickIdle
	}
	for _, w := range m.d.state().Workers {
		if w.Alive() && !w.WorkSince.IsZero() {
			return tickWorking
		}
	}
	if n := m.d.waiting(); m.play != nil || m.d.good == nil || n.Value > 0 || m.note.text != "" {
		return tickPending
	}
	return tickIdle
}

// listen waits for the next reading.
func (s *scene) listen() tea.Cmd {
	updates, number := s.updates, s.number
	if updates == nil {
		return nil
	}
	return func() tea.Msg {
		u, ok := <-updates
		if !ok {
			return sceneMsg{number, closedMsg{}}
		}
		return sceneMsg{number, updateMsg{u}}
	}
}

// start opens the lab.
func (m *Model) start() tea.Cmd {
	open, ctx := m.open, m.ctx
	return func() tea.Msg {
		l, updates, err := open(ctx)
		msg := labMsg{lab: l, updates: updates, err: err}
		if w, ok := l.(interface{ Warning() string }); ok && err == nil {
			msg.warning = w.Warning()
		}
		return msg
	}
}

// decider hands decisions to the lab in the order in which they were made, though commands run at the same time.
type decider struct {
	made uint64 // by Update only

	mu   sync.Mutex // guards sent
	sent uint64
}

func (d *decider) command(l Lab, decisions lab.Decisions) tea.Cmd {
	d.made++
	number := d.made
	return func() tea.Msg {
		d.mu.Lock()
		defer d.mu.Unlock()
		if number > d.sent {
			d.sent = number
			l.Decide(decisions)
		}
		return nil
	}
}
