package term

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Lend returns a command that another program, as an editor, runs on the terminal of this one; for tea.Exec. While it
// runs, ctrl+c and ctrl+\ are meant for it alone: they reach every process of the terminal, and do not end this one.
func (p *Program) Lend(cmd *exec.Cmd) tea.ExecCommand {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.opts.In, p.opts.Out, p.opts.Out
	return lent{cmd, p}
}

type lent struct {
	cmd *exec.Cmd
	p   *Program
}

func (l lent) Run() error {
	l.p.loan.begin()
	defer func() {
		l.p.loan.end(time.Now())
		l.p.mouseAgain()
	}()
	return l.cmd.Run()
}

// The files are those of the terminal already: what wraps them would be no terminal.
func (lent) SetStdin(io.Reader)  {}
func (lent) SetStdout(io.Writer) {}
func (lent) SetStderr(io.Writer) {}

// lateSignal is how long after a loan a signal may still be heard that was sent before its end: the kernel gives it to
// both programs in one moment, but here it comes through goroutines, and the other program may be gone before that.
// After a loan the terminal is raw again, where these keys are no signals.
const lateSignal = time.Second

// loan knows whether another program has the terminal, and when it gave it back. Safe from any goroutine.
type loan struct {
	mu    sync.Mutex
	on    bool
	ended time.Time
}

func (l *loan) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on = true
}

func (l *loan) end(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on, l.ended = false, now
}

// covers says that a signal that was heard now was a key for the other program.
func (l *loan) covers(s os.Signal, now time.Time) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.on || !l.ended.IsZero() && now.Sub(l.ended) < lateSignal
}
