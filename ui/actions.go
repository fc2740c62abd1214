package ui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// rates are the steps of the checkout's rate, in orders a second.
var rates = []float64{0, 1, 2, 5, 10, 20, 50, 100, 200, 500}

// intervals are the steps of how often Redis is read.
var intervals = []time.Duration{
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second,
}

func intervalIndex(d time.Duration) int { return slices.Index(intervals, d) }

// kill is a worker that was told to be killed, until a reading shows that it is gone.
type kill struct {
	name string
	pid  int
	at   workers.CrashPoint
}

// aim returns the selected worker. Where there is none, or it left by itself since the last key, it says so: nothing is
// done to its neighbour.
func (m *Model) aim(do string) (workers.State, bool) {
	if left := m.workers.Left(); left != "" {
		m.workers.Settle()
		m.complain(clean(left) + " is not there any more: nothing was done")
		return workers.State{}, false
	}
	w, ok := m.d.worker(m.d.chosen)
	if !ok {
		m.complain("no worker is selected, there is nothing to " + do)
		return workers.State{}, false
	}
	return w, true
}

func (m *Model) kill(at workers.CrashPoint) tea.Cmd {
	w, ok := m.aim("kill")
	if !ok {
		return nil
	}
	if !w.Alive() {
		m.complain(clean(w.Name) + " does not run (" + clean(string(w.Phase)) + "); " + keyOf(m.keys.StopStart, "s") + " starts it")
		return nil
	}
	return m.killCommand(kill{w.Name, w.PID, at})
}

func (m *Model) killCommand(k kill) tea.Cmd {
	l := m.lab
	return func() tea.Msg { return killedMsg{k, l.Kill(k.name, k.at)} }
}

func (m *Model) killed(msg killedMsg) {
	if msg.err != nil {
		m.complain("killing " + clean(msg.name) + ": " + clean(msg.err.Error()))
		return
	}
	m.waits[msg.name] = msg.kill
	if msg.at == workers.CrashNone {
		m.say("SIGKILL sent to " + clean(msg.name) + " (pid " + strconv.Itoa(msg.pid) + ")")
	} else {
		m.say(clean(msg.name) + " gets its SIGKILL " + pointText(msg.at) + " of its next message")
	}
	m.sayKills()
}

// sayKills looks in the last reading for the end of workers that were told to be killed, and says what will happen now.
func (m *Model) sayKills() {
	for name, k := range m.waits {
		w, ok := m.d.worker(name)
		if !ok {
			delete(m.waits, name)
			continue
		}
		if w.Phase != workers.PhaseKilled || w.PID != k.pid {
			if w.PID > 0 && w.PID != k.pid {
				delete(m.waits, name) // it was started again meanwhile
			}
			continue
		}
		delete(m.waits, name)
		m.say(killedText(m.d, w, k))
	}
}

func killedText(d *data, w workers.State, k kill) string {
	text := clean(w.Name) + " killed by SIGKILL "
	if k.at == workers.CrashNone {
		text += "(pid " + strconv.Itoa(k.pid) + ")"
	} else {
		text += pointText(k.at)
	}
	if w.ID == "" && w.Order == "" {
		text += ", nothing in hand"
		if n := leftWith(d, w.Name); n > 0 && !d.isList() {
			text += "; still pending with it: " + many(n, "message") + " given before"
		}
		return text
	}
	text += ", held " + heldName(w)
	settings := d.state().Decisions.Worker
	switch {
	case d.isList():
		return text + ": the list does not know it any more"
	case settings.AckBefore:
		return text + ": acked before the work, nobody will claim it"
	}
	return text + "; another worker may claim it after " + durText(settings.Lease) + " idle"
}

// leftWith is how many messages are pending with a consumer by the last good reading.
func leftWith(d *data, name string) int64 {
	if d.good == nil {
		return 0
	}
	for _, c := range d.good.Pending.ByConsumer {
		if c.Name == name {
			return c.Pending
		}
	}
	return 0
}

// heldName names the message in a worker's hand: its order, else its entry.
func heldName(w workers.State) string {
	if w.Order != "" {
		return "order " + clean(w.Order)
	}
	return "entry " + clean(w.ID)
}

// act runs something that the lab does and comes back with a notice.
func act(do func() (string, error)) tea.Cmd {
	return func() tea.Msg {
		text, err := do()
		if err != nil {
			return notice{text: clean(err.Error()), bad: true}
		}
		return notice{text: text}
	}
}

func (m *Model) addWorker() tea.Cmd {
	l := m.lab
	return act(func() (string, error) {
		name, err := l.AddWorker()
		if err != nil {
			return "", fmt.Errorf("adding a worker: %w", err)
		}
		return clean(name) + " starts", nil
	})
}

func (m *Model) stopStart() tea.Cmd {
	w, ok := m.aim("stop or start")
	if !ok {
		return nil
	}
	l, name := m.lab, w.Name
	if !w.Alive() {
		return act(func() (string, error) {
			if err := l.StartWorker(name); err != nil {
				return "", fmt.Errorf("starting %s: %w", name, err)
			}
			return clean(name) + " starts", nil
		})
	}
	held := ""
	if w.ID != "" {
		held = " after " + heldName(w)
	}
	return act(func() (string, error) {
		if err := l.StopWorker(name); err != nil {
			return "", fmt.Errorf("stopping %s: %w", name, err)
		}
		return clean(name) + " stops" + held, nil
	})
}

// decisions are those in force, or those that were chosen here and are on their way.
func (m *Model) decisions() (lab.Decisions, bool) {
	if m.want != nil {
		return *m.want, true
	}
	if m.d.last.State == nil {
		return lab.Decisions{}, false
	}
	return m.d.last.State.Decisions, true
}

// settle sends decisions to the lab.
func (m *Model) settle(to lab.Decisions) tea.Cmd {
	m.want, m.wantEnd = &to, m.d.now.Add(wantFor)
	return m.decide.command(m.lab, to)
}

func (m *Model) stepRate(by int) tea.Cmd {
	dec, ok := m.decisions()
	if !ok {
		m.complain("the lab is still starting")
		return nil
	}
	dec.Rate = step(rates, dec.Rate, by)
	m.say("checkout: " + perSecond(dec.Rate))
	return m.settle(dec)
}

// step returns the next of the sorted steps above or below at; at the ends it stays.
func step(steps []float64, at float64, by int) float64 {
	if by > 0 {
		for _, s := range steps {
			if s > at+1e-9 {
				return s
			}
		}
		return math.Max(at, steps[len(steps)-1])
	}
	for _, s := range slices.Backward(steps) {
		if s < at-1e-9 {
			return s
		}
	}
	return steps[0]
}

func (m *Model) nextInterval() tea.Cmd {
	m.interval = (m.interval + 1) % len(intervals)
	every := intervals[m.interval]
	m.d.every = every
	m.say("Redis is read every " + durText(every))
	l := m.source
	return func() tea.Msg {
		l.SetInterval(every)
		return nil
	}
}
