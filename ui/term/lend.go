package term

import (
	"io"
	"os/exec"

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
	l.p.lending.Store(true)
	defer l.p.lending.Store(false)
	return l.cmd.Run()
}

// The files are those of the terminal already: what wraps them would be no terminal.
func (lent) SetStdin(io.Reader)  {}
func (lent) SetStdout(io.Writer) {}
func (lent) SetStderr(io.Writer) {}
