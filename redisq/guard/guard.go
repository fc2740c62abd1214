package guard

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// script waits for the end of file on its standard input, which this process alone holds open, and then kills its
// process group: itself and whoever joined it.
const script = `read -r _; kill -9 0`

// Guard is a small process that leads a process group. A Ctrl-C at the terminal does not reach the group, and as long
// as the guard lives its number belongs to nobody else. Its methods are safe from any goroutine.
type Guard struct {
	cmd  *exec.Cmd
	pipe *os.File // the guard lives as long as this is open
	end  sync.Once
}

// Start starts a guard. End it by Kill or Dismiss.
func Start() (*Guard, error) {
	r, w, err := os.Pipe() // both are closed in other children when they begin to run
	if err != nil {
		return nil, fmt.Errorf("start a guard: %w", err)
	}
	defer r.Close()
	g := &Guard{cmd: exec.Command("/bin/sh", "-c", script), pipe: w}
	g.cmd.Dir = "/" // keeps no folder busy
	g.cmd.Stdin = r
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := g.cmd.Start(); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("start a guard: %w", err)
	}
	return g, nil
}

// Group is the number of the process group. A process that joins it when it starts is guarded from its first moment:
// its copy of the pipe closes when it begins to run.
func (g *Guard) Group() int { return g.cmd.Process.Pid }

// Kill kills every process of the group, the guard too. After Dismiss it does nothing.
func (g *Guard) Kill() { g.finish(func() { _ = syscall.Kill(-g.Group(), syscall.SIGKILL) }) }

// Dismiss ends the guard alone: what is left of its group is on its own. After Kill it does nothing.
func (g *Guard) Dismiss() { g.finish(func() { _ = g.cmd.Process.Kill() }) }

// finish ends the guard, which no error of kill can be about: it is our child and was not waited for.
func (g *Guard) finish(kill func()) {
	g.end.Do(func() {
		kill()
		_ = g.cmd.Wait() // it ends by SIGKILL either way
		_ = g.pipe.Close()
	})
}
