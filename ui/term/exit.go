package term

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"reflect"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	xterm "golang.org/x/term"
)

// Exit codes of a process whose program ended with an error of [Program.Run].
const (
	exitError = 1
	exitPanic = 2 // also what the Go runtime uses
)

// ExitCode returns the process's exit code for an error of [Program.Run]: 0 for nil, 128 and the signal's number, 2 after a
// panic, else 1.
func ExitCode(err error) int {
	var signalled *SignalError
	var panicked *PanicError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &signalled):
		return 128 + int(signalled.Signal)
	case errors.As(err, &panicked):
		return exitPanic
	}
	return exitError
}

// restore is what brings a terminal back from everything that Bubble Tea may have switched on.
const restore = ansi.ResetModeSynchronizedOutput +
	ansi.ResetModeBracketedPaste +
	ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr +
	ansi.ResetStyle + ansi.ResetModeAltScreenSaveCursor + ansi.ShowCursor

// restoreModes gives the terminal the modes that it had before. Where the parent is gone, a shell may have the terminal
// by now and have given it modes of its own, which stay; and this process is in the background, from where modes are
// changed only with SIGTTOU ignored.
func (p *Program) restoreModes(before *xterm.State) {
	fd := int(p.opts.In.Fd())
	if p.orphaned.Load() {
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
		if now, err := xterm.GetState(fd); err != nil || !reflect.DeepEqual(now, p.ours.Load()) {
			return
		}
	}
	_ = xterm.Restore(fd, before)
}

// giveUp ends the process where the program could not be brought to its end.
func (p *Program) giveUp(ctx context.Context, before *xterm.State) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = p.opts.Out.WriteString(restore)
	}()
	select {
	case <-written:
	case <-time.After(giveUpPatience): // the terminal takes no output
	}
	if before != nil {
		p.restoreModes(before)
	}
	err := p.failure(ctx, tea.ErrProgramKilled)
	p.report(err)
	os.Exit(max(ExitCode(err), exitError)) // never 0: whatever was to be done after Run is not
}
