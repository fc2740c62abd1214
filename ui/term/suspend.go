package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// ErrNoShell is why a program was not suspended: nobody is there who could wake it.
var ErrNoShell = errors.New("no shell started this program: nothing could wake it")

// notStopped is how long after its SIGTSTP a process still runs that is not going to stop: the kernel drops that signal
// where no shell waits for the process, and then no SIGCONT comes either.
const notStopped = time.Second

// Suspend returns a command that stops this process, so that the shell has the terminal; for tea.Exec. It ends when the
// shell wakes the process, or with [ErrNoShell] where it could not be stopped. The word is written for the person before,
// among the lines of the shell.
func (p *Program) Suspend(word string) tea.ExecCommand { return suspension{word, p} }

type suspension struct {
	word string
	p    *Program
}

func (s suspension) Run() error {
	defer s.p.mouseAgain()
	woken := make(chan os.Signal, 1)
	signal.Notify(woken, syscall.SIGCONT)
	defer signal.Stop(woken)
	fmt.Fprintln(s.p.opts.Out, s.word)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil { // the whole group, as the terminal does it
		return fmt.Errorf("suspend: %w", err)
	}
	return awaken(woken)
}

// awaken waits for the SIGCONT. A process that did stop finds its time over when it goes on, with the SIGCONT still on
// its way through the runtime: so the time is in two parts, of which it has the second before it.
func awaken(woken <-chan os.Signal) error {
	for range 2 {
		part := time.NewTimer(notStopped / 2)
		defer part.Stop()
		select {
		case <-woken:
			return nil
		case <-part.C:
		}
	}
	return ErrNoShell
}

// The terminal is this process's own already.
func (suspension) SetStdin(io.Reader)  {}
func (suspension) SetStdout(io.Writer) {}
func (suspension) SetStderr(io.Writer) {}

// mouseAgainMsg has the mouse switched on again.
type mouseAgainMsg struct{}

// mouseAgain asks for the mouse after something else had the terminal: Bubble Tea switches it off before, and never on
// again. It is called while Bubble Tea waits, which takes the message when it has the terminal back.
func (p *Program) mouseAgain() {
	if p.opts.Mouse {
		go p.tea.Send(mouseAgainMsg{})
	}
}
