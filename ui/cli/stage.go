package cli

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui"
	"example.com/unacked/workers/experiment"
	"example.com/unacked/workers/lab"
)

// stage plays experiments beside the demonstration: on the same kind of private server, each on one of its own, or on the
// given server under keys of its own.
type stage struct {
	options       experiment.Options
	demonstration atomic.Pointer[lab.Lab] // nil until it runs

	mu sync.Mutex // held while an experiment plays
}

// Experiments implements [ui.Stage].
func (*stage) Experiments() []experiment.Experiment { return experiment.All() }

// Play implements [ui.Stage].
func (s *stage) Play(ctx context.Context, name string, cues ui.Cues) error {
	e, ok := experiment.Find(name)
	if !ok {
		return fmt.Errorf("there is no experiment %q", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if demonstration := s.demonstration.Load(); demonstration != nil {
		demonstration.Pause()
		defer demonstration.Resume()
	}
	o := s.options
	o.Interval, o.Narrate, o.Pace, o.Verdict = cues.Interval, cues.Narrate, cues.Pace, cues.Verdict
	o.Running = func(l *lab.Lab) { cues.Running(l, l.Updates()) }
	_, err := experiment.Run(ctx, e, o)
	return err
}

// setAside pauses the demonstration and returns what ends the pause. While an experiment plays it is paused already.
func (s *stage) setAside() (back func()) {
	demonstration := s.demonstration.Load()
	if demonstration == nil || !s.mu.TryLock() {
		return func() {}
	}
	demonstration.Pause()
	return func() {
		demonstration.Resume()
		s.mu.Unlock()
	}
}

// aside runs a command while the demonstration is set aside: its mail server stops with this process and its workers do
// not, which would fail at message after message.
type aside struct {
	tea.ExecCommand
	setAside func() (back func())
}

func (a aside) Run() error {
	defer a.setAside()()
	return a.ExecCommand.Run()
}

// wait returns when nothing plays any more, after the context of what plays has ended.
func (s *stage) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
}
