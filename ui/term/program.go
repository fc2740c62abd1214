package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	xterm "golang.org/x/term"

	_ "example.com/unacked/ui/background" // so that Bubble Tea does not ask the terminal
)

// Options say where a program runs. The zero value is the process's standard files.
type Options struct {
	In, Out *os.File  // terminals, see Check; nil is standard input and output
	Err     io.Writer // where a panic's trace goes; nil is standard error
	Mouse   bool      // tell the model of clicks and the wheel; the terminal selects with shift then
	Log     io.Writer // where package log's lines go while the program runs; nil drops them
}

// Program is a Bubble Tea program on a terminal.
type Program struct {
	tea      *tea.Program
	opts     Options
	panicked atomic.Pointer[PanicError]
	received atomic.Int32                // the signal that ended it, or 0
	orphaned atomic.Bool                 // what started it is gone
	ours     atomic.Pointer[xterm.State] // the modes that Bubble Tea gave the terminal; nil before the first frame
	loan     loan
	finished chan struct{} // closed when Run has restored the terminal
}

// SignalError is the error of a run that a signal ended.
type SignalError struct{ Signal syscall.Signal }

// Error names the signal.
func (e *SignalError) Error() string { return "ended by signal: " + e.Signal.String() }

// Errors of Run. The terminal was closed under the program, or what started the program ended without taking it along,
// as a script does that is killed: whoever has the terminal then does not want to share it.
var (
	ErrTerminalGone = errors.New("the terminal is gone")
	ErrParentGone   = errors.New("the program that started this one is gone")
)

// New returns a program that will show model. Its Send and Go may be used before Run.
func New(model tea.Model, o Options) *Program {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if o.Err == nil {
		o.Err = os.Stderr
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	p := &Program{opts: o, finished: make(chan struct{})}
	options := []tea.ProgramOption{
		tea.WithInput(o.In),
		tea.WithOutput(&Output{File: o.Out}),
		tea.WithAltScreen(),
		tea.WithoutSignalHandler(),
	}
	if o.Mouse {
		options = append(options, tea.WithMouseCellMotion())
	}
	p.tea = tea.NewProgram(guarded{model, p}, options...)
	return p
}

// Send sends a message to the model. It blocks until Run has begun and the model takes it, and does nothing after the
// end. Safe from any goroutine.
func (p *Program) Send(msg tea.Msg) { p.tea.Send(msg) }

// Quit has the program end, as tea.Quit does. Safe from any goroutine.
func (p *Program) Quit() { p.tea.Quit() }

// signals are those that end the program. Bubble Tea itself knows the first two only.
var signals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// Patience of Run: after the first a program that was told to quit is killed; after the second the terminal is
// restored without it; the third is for the terminal to take that.
const (
	quitPatience   = time.Second
	killPatience   = time.Second
	giveUpPatience = time.Second / 4
)

// parentEvery is how often it is looked whether the parent is still there: nothing tells, on every system.
const parentEvery = time.Second / 2

// Run shows the program until it ends and returns the last model. The terminal is as it was then. The error is nil
// after tea.Quit or the end of ctx, a *SignalError, a *PanicError whose trace has been printed, [ErrTerminalGone],
// [ErrParentGone], or what Bubble Tea says. Run once only.
func (p *Program) Run(ctx context.Context) (tea.Model, error) {
	logged := log.Writer()
	log.SetOutput(p.opts.Log)
	defer log.SetOutput(logged)
	before, stateErr := xterm.GetState(int(p.opts.In.Fd()))

	caught := make(chan os.Signal, 4)
	signal.Notify(caught, signals...)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		p.watch(ctx, caught, before)
	}()

	last, err := p.tea.Run()
	close(p.finished)
	signal.Stop(caught)
	<-watched
	if stateErr == nil { // Bubble Tea restores it too, but not where it failed half way
		p.restoreModes(before)
	}
	if g, ok := last.(guarded); ok {
		last = g.Model
	}

	err = p.failure(ctx, err)
	p.report(err)
	return last, err
}

// failure returns what ended the program, err being what Bubble Tea says of it.
func (p *Program) failure(ctx context.Context, err error) error {
	if e := p.panicked.Load(); e != nil {
		return e
	}
	switch n := p.received.Load(); {
	case n != 0:
		return &SignalError{syscall.Signal(n)}
	case p.orphaned.Load():
		return ErrParentGone
	case errors.Is(err, tea.ErrProgramPanic): // one that the guards did not see; Bubble Tea has printed it
		return &PanicError{Value: err, Where: "the program"}
	case errors.Is(err, syscall.EIO):
		return ErrTerminalGone
	case ctx.Err() != nil:
		return nil
	}
	return err
}

// report prints the trace of a panic.
func (p *Program) report(err error) {
	var e *PanicError
	if errors.As(err, &e) {
		fmt.Fprintf(p.opts.Err, "%s\n\n%s", e.Error(), e.Stack)
	}
}

// watch ends the program when a signal comes, ctx ends, its parent ends or something panicked, first politely.
func (p *Program) watch(ctx context.Context, caught <-chan os.Signal, before *xterm.State) {
	look := time.NewTicker(parentEvery)
	defer look.Stop()
	woken := make(chan os.Signal, 1)
	signal.Notify(woken, syscall.SIGCONT)
	defer signal.Stop(woken)
	for parent, waits := os.Getppid(), true; waits; {
		select {
		case <-look.C:
			if os.Getppid() != parent {
				p.orphaned.Store(true)
				waits = false
			}
		case <-p.finished:
			return
		case <-ctx.Done():
			waits = false
		case <-woken: // stopped from outside, the shell has written on the screen
			go p.tea.Send(tea.ClearScreen())
		case s := <-caught:
			if p.loan.covers(s, time.Now()) {
				continue
			}
			p.received.Store(int32(s.(syscall.Signal)))
			waits = false
		}
	}
	// Send blocks while the model is busy; it ends with the program.
	go p.tea.Quit()
	select {
	case <-p.finished:
		return
	case <-caught: // asked twice
	case <-time.After(quitPatience):
	}
	p.tea.Kill()
	select {
	case <-p.finished:
	case <-time.After(killPatience):
		// The model hangs, or the terminal takes no output. Nothing is left that would run any deferred code.
		p.giveUp(ctx, before)
	}
}
