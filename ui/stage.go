package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/workers/experiment"
	"example.com/unacked/workers/lab"
)

// Stage plays experiments, each in a lab of its own.
type Stage interface {
	// Experiments lists those that can be played, in the order of the menu. It is data: it must not block.
	Experiments() []experiment.Experiment
	// Play sets the demonstration aside, plays the experiment of that name, and returns when nothing of it is left and the
	// demonstration goes on. It is called from a command. The error is why the experiment could not be played, that ctx
	// ended, or experiment.ErrLeft.
	Play(ctx context.Context, name string, cues Cues) error
}

// Cues are what the screen is told, and asked, while an experiment plays. Play calls them one after the other.
type Cues struct {
	Interval time.Duration // at which the experiment's lab is to be read
	// Running is given the experiment's lab as soon as it runs, and its readings.
	Running func(Lab, <-chan lab.Update)
	// Narrate is told each step before it is done.
	Narrate func(experiment.Step)
	// Pace is called after each step, and returns when the presenter wants the next one or ctx ended.
	Pace func(context.Context, experiment.Step) error
	// Verdict is told the result before the last Pace.
	Verdict func(experiment.Result)
}

// sceneMsg is a message for one scene: it is dropped when that is not there any more.
type sceneMsg struct {
	number uint64
	msg    tea.Msg
}

// The cues as messages.
type (
	runningCue struct {
		lab     Lab
		updates <-chan lab.Update
	}
	sayCue     struct{ experiment.Step }
	paceCue    struct{ experiment.Step }
	verdictCue struct{ experiment.Result }
	endCue     struct{ err error } // Play returned
)

// mostCues is more than an experiment has steps: whoever gives a cue does not wait for the screen.
const mostCues = 64

// perform returns the command that plays the experiment. Its cues come out of p.cues.
func (p *play) perform(s Stage, every time.Duration) tea.Cmd {
	ctx, number, name := p.ctx, p.number, p.experiment.Name
	cues, on := p.cues, p.on
	tell := func(cue tea.Msg) {
		select {
		case cues <- cue:
		case <-ctx.Done():
		}
	}
	return func() tea.Msg {
		err := s.Play(ctx, name, Cues{
			Interval: every,
			Running:  func(l Lab, updates <-chan lab.Update) { tell(runningCue{l, updates}) },
			Narrate:  func(step experiment.Step) { tell(sayCue{step}) },
			Verdict:  func(r experiment.Result) { tell(verdictCue{r}) },
			Pace: func(ctx context.Context, step experiment.Step) error {
				tell(paceCue{step})
				select {
				case <-on:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			},
		})
		return sceneMsg{number, endCue{err}}
	}
}

// listen waits for the next cue.
func (p *play) listen() tea.Cmd {
	ctx, number, cues := p.ctx, p.number, p.cues
	return func() tea.Msg {
		select {
		case cue := <-cues:
			return sceneMsg{number, cue}
		case <-ctx.Done():
			return nil
		}
	}
}
