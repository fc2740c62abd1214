package ui

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
	"example.com/unacked/workers/experiment"
)

// play is an experiment that is on the screen. It belongs to Update, but for its channels.
type play struct {
	number     uint64 // of its scene
	experiment experiment.Experiment
	ctx        context.Context // ends with the experiment
	cancel     context.CancelFunc
	cues       chan tea.Msg
	on         chan struct{} // the presenter steps on: one at most, after each Pace
	aside      scene         // the demonstration, meanwhile

	step    experiment.Step // the last that was told; N is 0 before the first
	waiting bool            // for the presenter, after the step was done
	until   time.Time       // when it goes on by itself
	result  *experiment.Result
	ended   bool // by the presenter, before its end
	leaving bool // nothing more is shown: it is taken down
}

// A pause in which people read is as long as that takes.
const (
	pauseLeast   = 2500 * time.Millisecond
	pausePerCell = 60 * time.Millisecond
)

// text is what the narration says now.
func (p *play) text() string {
	if p.waiting && p.step.Look != "" {
		return p.step.Look
	}
	return p.step.Say
}

// linger begins the pause anew: the presenter is at the keys.
func (p *play) linger(now time.Time) {
	p.until = now.Add(pauseLeast + time.Duration(cell.Width(p.text()))*pausePerCell)
}

// stepOn lets the next step come.
func (p *play) stepOn() {
	if p.waiting {
		p.waiting = false
		p.leaving = p.result != nil
		p.on <- struct{}{} // there is room: one for each Pace
	}
}

// end ends the experiment before its end.
func (p *play) end() {
	p.waiting, p.leaving = false, true
	p.ended = p.result == nil
	p.cancel()
}

// begin sets the demonstration aside and plays an experiment.
func (m *Model) begin(e experiment.Experiment) tea.Cmd {
	if m.d.held {
		m.hold()
	}
	m.plays++
	m.drop()
	m.note, m.noteEnd = notice{}, time.Time{}
	p := &play{
		number: m.plays, experiment: e, aside: m.scene, cues: make(chan tea.Msg, mostCues), on: make(chan struct{}, 1),
	}
	p.ctx, p.cancel = context.WithCancel(m.ctx)
	m.play = p
	coming := &late{}
	m.scene = newScene(coming, m.d.every, data{
		now: m.d.now, plain: m.d.plain, look: m.d.look, keys: m.d.keys, clipboard: m.d.clipboard, keyless: true,
	})
	m.number, m.late = p.number, coming
	return tea.Batch(p.perform(m.stage, m.d.every), p.listen())
}

// sceneMsg gives a message to the scene that it is for.
func (m *Model) sceneMsg(msg sceneMsg) tea.Cmd {
	if msg.number == m.number {
		switch cue := msg.msg.(type) {
		case endCue:
			m.curtain(cue.err)
			return nil
		case runningCue, sayCue, paceCue, verdictCue:
			return tea.Batch(m.cue(cue), m.play.listen())
		}
		_, cmd := m.Update(msg.msg)
		return cmd
	}
	m.fresh = m.frame != ""
	if m.play == nil || msg.number != m.play.aside.number {
		return nil
	}
	// Of the demonstration: it is looked at when that is back.
	aside := &m.play.aside
	switch msg := msg.msg.(type) {
	case updateMsg:
		aside.keep(msg.Update)
		return aside.listen()
	case closedMsg:
		aside.updates = nil
	}
	return nil
}

// cue takes what the experiment tells.
func (m *Model) cue(cue tea.Msg) tea.Cmd {
	p := m.play
	switch cue := cue.(type) {
	case runningCue:
		m.late.open(cue.lab)
		m.updates = cue.updates
		return m.listen()
	case sayCue:
		p.step, p.waiting = cue.Step, false
	case paceCue:
		p.step, p.waiting = cue.Step, !p.leaving
		p.linger(m.d.now)
		m.showResult()
	case verdictCue:
		p.result = &cue.Result
		if m.results == nil {
			m.results = make(map[string]bool)
		}
		m.results[p.experiment.Name] = cue.Holds()
	}
	return nil
}

// showResult opens the result where there is one and nothing else is open.
func (m *Model) showResult() {
	if p := m.play; p != nil && p.result != nil && p.waiting && m.dialog == nil {
		m.dialog = &resultDialog{result: *p.result}
	}
}

// goOnByItself steps on where the pause is over and nobody looks closer.
func (m *Model) goOnByItself() {
	p := m.play
	if p == nil || !p.waiting || p.result != nil || m.stepwise || m.dialog != nil || m.d.held || m.d.now.Before(p.until) {
		return
	}
	p.stepOn()
}

// curtain brings the demonstration back.
func (m *Model) curtain(err error) {
	p, now := m.play, m.d.now
	p.cancel()
	m.scene, m.play, m.dialog = p.aside, nil, nil
	m.drop()
	m.catchUp()
	m.d.history.Gap(m.d.now)
	name := p.experiment.Name
	switch back := "; the demonstration goes on"; {
	case err != nil && (!p.ended || errors.Is(err, experiment.ErrLeft)):
		m.complain(clean(err.Error()))
	case p.result == nil:
		m.say(name + " was ended" + back)
	case p.result.Holds():
		m.say(name + " holds" + back)
	default:
		m.say(name + " does not hold" + back)
	}
	if !m.noteEnd.IsZero() {
		m.noteEnd = now.Add(noticeFor) // the demonstration's time stands where it was left
	}
}
