package ui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// askExperiments opens the menu of experiments.
func (m *Model) askExperiments() {
	switch {
	case m.stage == nil:
		m.say("experiments are played in the lab, not here")
	case m.d.good == nil:
		m.complain("the lab is still starting")
	default:
		m.dialog = &experimentsMenu{all: m.stage.Experiments()}
	}
}

// playKey handles the keys that mean something else while an experiment plays. What only looks is as always.
func (m *Model) playKey(k tea.KeyMsg) bool {
	p := m.play
	for _, b := range disturbing(m.keys) {
		if key.Matches(k, b) {
			m.say(b.Help().Desc + " is off while " + p.experiment.Name + " plays: it would disturb it; " +
				keyOf(m.keys.Back, "esc") + " ends it")
			return true
		}
	}
	switch {
	case key.Matches(k, m.keys.Pace):
		m.stepwise = !m.stepwise
		if m.stepwise {
			m.say("each step waits for " + keyOf(m.keys.Pause, "space"))
		} else {
			m.say("goes on by itself after each step")
		}
	case key.Matches(k, m.keys.Pause) && p.waiting && !m.d.held:
		p.stepOn()
	case key.Matches(k, m.keys.Back) && m.detail == nil && m.view == 0 && !p.leaving:
		p.end()
	default:
		return false
	}
	return true
}

// stepKey steps on by a key that the pane with the focus had no use for.
func (m *Model) stepKey(k tea.KeyMsg) bool {
	if p := m.play; p == nil || !p.waiting || !key.Matches(k, m.keys.Open, m.keys.Right) {
		return false
	}
	m.play.stepOn()
	return true
}

// disturbing are the keys that would change what an experiment measures.
func disturbing(k KeyMap) []key.Binding {
	return []key.Binding{
		k.Kill, k.KillAt, k.AddWorker, k.StopStart, k.AddLoad, k.AddPoison, k.RateUp, k.RateDown, k.Replay, k.ReplayAll,
		k.Decisions, k.Experiments, k.Suspend,
	}
}

// playBindings lists what means something while an experiment plays, the most important first.
func (m *Model) playBindings() []key.Binding {
	k := m.keys
	var all []key.Binding
	switch p := m.play; {
	case p.leaving:
	case p.waiting:
		all = append(all, says(k.Pause, "go on"))
	default:
		all = append(all, k.Pause)
	}
	if m.detail == nil && m.view == 0 {
		all = append(all, says(k.Back, "end it"))
	} else {
		all = append(all, k.Back)
	}
	all = append(all, k.Pace)
	if m.detail == nil && m.view == 0 {
		all = append(all, k.NextPane)
	}
	return append(all, m.focused().Help(m.d)...)
}
