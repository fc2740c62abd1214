package workers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// The pauses before a worker that died by itself is started again, and how long it must live for them to start anew.
const (
	respawnFirst = 200 * time.Millisecond
	respawnMost  = 5 * time.Second
	respawnReset = 10 * time.Second
)

// How long Close lets workers finish the message in hand, and then end by themselves, before their SIGKILL.
const (
	closeGrace = 450 * time.Millisecond
	closeEnd   = 250 * time.Millisecond
)

// answerWithin is how long Kill waits for the worker's confirmation, or for its end. That comes within milliseconds, but
// on a machine with much else to do; a worker that was suspended never answers.
const answerWithin = 5 * time.Second

// SupervisorOptions say how worker processes are started. Argv is required.
type SupervisorOptions struct {
	// Argv is the command line of the worker of that name. It must hold no password: ps shows it.
	Argv func(name string) []string
	// Env is added to this process's environment, and is where a password goes.
	Env []string
	// OnEvent gets every event of every worker, and the supervisor's own, one call at a time, each after States shows
	// it. A slow OnEvent slows the workers down; it must not call Kill, which waits for events. nil is none.
	OnEvent func(Event)
	// Settings are those of the workers until Configure.
	Settings Settings
	// Clock is for State.Since and the supervisor's own events; nil is time.Now.
	Clock func() time.Time
}

// Supervisor starts, stops and kills worker processes. None survives it: the standard input of each closes with this
// process, however it ends. Its methods may be called from any goroutine.
type Supervisor struct {
	o       SupervisorOptions
	spawner *spawner

	report sync.Mutex // held while OnEvent runs

	mu       sync.Mutex // guards the rest
	settings Settings
	members  map[string]*member
	order    []*member // in the order of their first start
	closed   bool

	running sync.WaitGroup // one for each process that was not reaped yet
	gone    chan struct{}  // closed when Close was called and every process is reaped
}

// member is a worker under its name, through all its processes. Guarded by Supervisor.mu.
type member struct {
	hand    hand
	child   *child // nil while no process runs
	down    bool   // stays down when its process ends: killed, or told to stop
	killed  bool   // the end of the process is our SIGKILL
	any     bool   // armed as one of all: disarmed when another is at the point
	pauses  backoff.ExponentialBackOff
	respawn *time.Timer
}

// NewSupervisor returns a supervisor without workers. Close it.
func NewSupervisor(o SupervisorOptions) *Supervisor {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.OnEvent == nil {
		o.OnEvent = func(Event) {}
	}
	return &Supervisor{
		o: o, settings: o.Settings, spawner: newSpawner(), members: map[string]*member{}, gone: make(chan struct{}),
	}
}

// Start starts the worker of that name, a new one or one that is down. It is an error when its process still runs.
func (s *Supervisor) Start(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("start %s: the supervisor is closed", name)
	}
	m := s.members[name]
	if m == nil {
		m = &member{hand: hand{state: State{Name: name}}}
		m.pauses = backoff.ExponentialBackOff{InitialInterval: respawnFirst, Multiplier: 2, MaxInterval: respawnMost}
		s.members[name] = m
		s.order = append(s.order, m)
	}
	if m.child != nil {
		if m.hand.state.Phase == PhaseStopping {
			return fmt.Errorf("start %s: it still finishes its message", name)
		}
		return fmt.Errorf("start %s: it runs already, as process %d", name, m.hand.state.PID)
	}
	m.halt()
	m.pauses.Reset()
	if err := s.launch(m); err != nil {
		m.hand.ended(PhaseDied, err.Error(), s.o.Clock())
		return err
	}
	return nil
}

// Kill ends a worker by SIGKILL and leaves it down: at once for CrashNone, else when it is at that point of the given
// order, or of any message for order "". A name "" is whichever worker comes to the point first. It returns when the
// process is gone, or when the worker confirmed that it is going to wait at the point; that may never come.
func (s *Supervisor) Kill(name string, at CrashPoint, order string) error {
	if at == CrashNone {
		return s.killNow(name)
	}
	s.mu.Lock()
	if at == CrashAfterRecord && !s.settings.records() {
		s.mu.Unlock()
		return errors.New("kill between record and send: the workers record nothing; switch the idempotent consumer on first")
	}
	type answer struct {
		from  *child
		armed <-chan struct{}
	}
	var asked []answer
	for _, m := range s.order {
		if m.child == nil || (name != "" && m.hand.state.Name != name) {
			continue
		}
		if err := m.child.send(Control{Crash: at, Order: order}); err != nil {
			s.mu.Unlock()
			return fmt.Errorf("kill %s at %s: %w", m.hand.state.Name, at, err)
		}
		m.any = name == ""
		asked = append(asked, answer{m.child, m.child.confirmation()})
	}
	s.mu.Unlock()
	if len(asked) == 0 {
		return notRunning("kill", name)
	}
	late := time.NewTimer(answerWithin)
	defer late.Stop()
	for _, a := range asked {
		select {
		case <-a.armed:
		case <-a.from.exited:
		case <-late.C:
			return fmt.Errorf("kill %s at %s: the worker did not answer within %v; it may still do it", a.from.name, at, answerWithin)
		}
	}
	return nil
}

func (s *Supervisor) killNow(name string) error {
	s.mu.Lock()
	m := s.members[name]
	if m == nil || m.child == nil {
		s.mu.Unlock()
		return notRunning("kill", name)
	}
	c := m.child
	err := m.kill()
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("kill %s: %w", name, err)
	}
	late := time.NewTimer(answerWithin)
	defer late.Stop()
	select {
	case <-c.exited:
		return nil
	case <-late.C:
		return fmt.Errorf("kill %s: process %d is still there %v after SIGKILL", name, c.cmd.Process.Pid, answerWithin)
	}
}

// Stop tells a worker to finish the message in hand and end, and returns at once. One that died and waits for its
// restart stays down.
func (s *Supervisor) Stop(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.members[name]
	if m == nil {
		return notRunning("stop", name)
	}
	if m.child == nil {
		if !m.halt() {
			return notRunning("stop", name)
		}
		m.hand.ended(PhaseStopped, "", s.o.Clock())
		return nil
	}
	if err := m.child.send(Control{Stop: true}); err != nil {
		return fmt.Errorf("stop %s: %w", name, err)
	}
	m.down = true
	m.hand.phase(PhaseStopping, s.o.Clock())
	return nil
}

// Configure gives all workers new settings, those that start later too. They take effect with a worker's next message.
func (s *Supervisor) Configure(settings Settings) {
	s.mu.Lock()
	s.settings = settings
	var failed []Event
	for _, m := range s.order {
		if m.child == nil {
			continue
		}
		if err := m.child.send(Control{Settings: &settings}); err != nil {
			failed = append(failed, s.event(m, EventLog, "new settings did not reach it: "+err.Error()))
		}
	}
	s.mu.Unlock()
	for _, e := range failed {
		s.tell(e)
	}
}

// States returns the workers in the order of their first start.
func (s *Supervisor) States() []State {
	s.mu.Lock()
	defer s.mu.Unlock()
	states := make([]State, len(s.order))
	for i, m := range s.order {
		states[i] = m.hand.state
	}
	return states
}

// Close ends all workers and reaps them: they may finish the message in hand within 450 ms, and get a SIGKILL 250 ms
// later. It returns an error only when ctx ended first. A second Close waits likewise.
func (s *Supervisor) Close(ctx context.Context) error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	for _, m := range s.order {
		m.halt()
		m.down = true
		if m.child != nil {
			// One that does not take it loses its standard input below.
			_ = m.child.send(Control{Stop: true})
			m.hand.phase(PhaseStopping, s.o.Clock())
		}
	}
	s.mu.Unlock()
	if first {
		go func() {
			s.running.Wait()
			s.spawner.stop()
			close(s.gone)
		}()
	}

	each := func(f func(*member)) func() {
		return func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, m := range s.order {
				if m.child != nil {
					f(m)
				}
			}
		}
	}
	for _, step := range []struct {
		wait time.Duration
		then func()
	}{
		{closeGrace, each(func(m *member) { _ = m.child.in.Close() })},
		{closeEnd, each(func(m *member) { _ = m.kill() })},
	} {
		timer := time.NewTimer(step.wait)
		select {
		case <-s.gone:
			timer.Stop()
			return nil
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
		step.then()
	}
	select {
	case <-s.gone:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close the workers: %w", ctx.Err())
	}
}

// halt ends the wait for a restart; it reports whether there was one.
func (m *member) halt() bool {
	if m.respawn == nil {
		return false
	}
	m.respawn.Stop()
	m.respawn = nil
	return true
}

func (m *member) kill() error {
	m.down, m.killed = true, true
	return m.child.cmd.Process.Kill()
}

func (s *Supervisor) event(m *member, kind EventKind, reason string) Event {
	return Event{At: s.o.Clock(), Worker: m.hand.state.Name, PID: m.hand.state.PID, Kind: kind, Reason: reason}
}

func (s *Supervisor) tell(e Event) {
	s.report.Lock()
	defer s.report.Unlock()
	s.o.OnEvent(e)
}

func notRunning(what, name string) error {
	if name == "" {
		return fmt.Errorf("%s: no worker runs", what)
	}
	return fmt.Errorf("%s %s: no such worker runs", what, name)
}
