package ui

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/watch"
)

// WatchOptions are what is watched instead of a lab.
type WatchOptions struct {
	Watcher    Watcher
	Actor      Actor               // nil: nothing may be changed
	Updates    <-chan watch.Update // nil: no data comes but what is sent as a message
	Chosen     watch.Choice        // what is read from the beginning; the zero value is to be chosen from the list
	Address    string              // of the server, safe to print
	Thresholds doctor.Thresholds   // the zero value is doctor.Defaults
}

// newWatchScene returns the scene of streams of others. d has what stays the same.
func newWatchScene(o WatchOptions, every time.Duration, d data) scene {
	if o.Thresholds == (doctor.Thresholds{}) {
		o.Thresholds = doctor.Defaults()
	}
	d.history, d.every = &redisq.History{}, every
	d.permits.readOnly = o.Actor == nil
	d.watch = &watching{
		address: o.Address, thresholds: o.Thresholds, chosen: o.Chosen, browsing: o.Chosen == (watch.Choice{}),
	}
	members, findings := newMembersPane(true), newDoctorPane(true)
	s := scene{
		source: o.Watcher, watcher: o.Watcher, actor: o.Actor, found: o.Updates, d: &d, interval: intervalIndex(every), waits: map[string]kill{},
		workers: &workersPane{}, sink: &sinkPane{}, figures: &figuresPane{}, events: &eventsPane{},
		pending: newPendingPane(true, o.Watcher), dead: newDeadPane(true), chooser: newChooser(),
		first: members, second: findings,
		views: []pane{
			newPendingPane(false, o.Watcher), newMembersPane(false), newDeadPane(false), newCommandsPane(), newDoctorPane(false),
			newLogPane(),
		},
	}
	s.focus = s.first
	return s
}

// watchMsg is what the watching brings.
type watchMsg struct{ watch.Update }

// listenWatch waits for the next.
func (m *Model) listenWatch() tea.Cmd {
	found := m.found
	if found == nil {
		return nil
	}
	return func() tea.Msg {
		u, ok := <-found
		if !ok {
			return closedMsg{}
		}
		return watchMsg{u}
	}
}

// receiveWatch takes what the watching brings, or keeps it while the screen is held.
func (m *Model) receiveWatch(u watch.Update) {
	if m.d.held {
		if u.Chosen == m.d.watch.chosen {
			m.keep(asLab(u))
		}
		m.heard, m.fresh = &u, true
		return
	}
	if m.d.hear(u) {
		m.take(asLab(u))
		return
	}
	m.chooser.Data(m.d)
}

// choose has another group read, from here on.
func (m *Model) choose(c watch.Choice) tea.Cmd {
	closed := m.closeDetail()
	if m.d.held {
		m.hold()
	}
	m.drop() // a plan that is still to come is about another
	m.d.begin(c)
	m.d.watch.browsing, m.view = false, 0
	for _, p := range m.panes() {
		p.Data(m.d)
	}
	w := m.watcher
	return tea.Sequence(closed, func() tea.Msg {
		w.Choose(c.Stream, c.Group)
		w.Browse(false)
		return nil
	})
}

// browse shows the list of streams, or goes back from it.
func (m *Model) browse(on bool) tea.Cmd {
	if !on && m.d.watch.chosen == (watch.Choice{}) {
		m.say("choose a group first: " + keyOf(m.keys.Open, "enter") + " opens the one under the cursor")
		return nil
	}
	closed := m.closeDetail()
	m.d.watch.browsing = on
	m.chooser.Data(m.d)
	w := m.watcher
	return tea.Sequence(closed, func() tea.Msg {
		w.Browse(on)
		return nil
	})
}

// notHere says why a key of the lab does nothing where streams of others are watched. False where the key means
// something here.
func (m *Model) notHere(k tea.KeyMsg) bool {
	for _, b := range []key.Binding{
		m.keys.Kill, m.keys.KillAt, m.keys.AddWorker, m.keys.StopStart, m.keys.AddLoad, m.keys.AddPoison, m.keys.RateUp,
		m.keys.RateDown, m.keys.Decisions, m.keys.Experiments,
	} {
		if key.Matches(k, b) {
			m.complain(keyOf(b, "") + " (" + b.Help().Desc + ") is for the lab: these consumers are none of ours, and nothing is added here")
			return true
		}
	}
	for _, b := range m.keys.acts() {
		if off := m.d.actsOff(); off != "" && key.Matches(k, b) {
			m.complain(keyOf(b, "") + " (" + b.Help().Desc + ") is off: " + off)
			return true
		}
	}
	return false
}

// browsing says that the list of streams is on the screen.
func (s *scene) browsing() bool { return s.watcher != nil && s.d.watch.browsing }
