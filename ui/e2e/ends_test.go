package e2e

import (
	"os/exec"
	"syscall"
	"testing"

	"example.com/unacked/ui/term/termtest"
)

// However the dashboard ends, no worker, mail sink or server stays behind, and the terminal is whole where it can be.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name  string
		end   func(p *program)
		code  int
		whole bool
	}{
		{"SIGTERM", func(p *program) { p.Signal(syscall.SIGTERM) }, 143, true},
		{"SIGHUP", func(p *program) { p.Signal(syscall.SIGHUP) }, 129, true},
		{"SIGQUIT", func(p *program) { p.Signal(syscall.SIGQUIT) }, 131, true},
		{"ctrl+c", func(p *program) { p.Type("\x03") }, 0, true},
		{"SIGKILL", func(p *program) { p.Signal(syscall.SIGKILL) }, -1, false},
		{"closed terminal", func(p *program) { p.HangUp() }, 129, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			modes := modes(t)
			p := lab(t, modes[len(modes)-1], slow...)
			p.waitWorker("w1", "sending")
			p.waitLine("w2")
			children := descendants(t, p.PID)
			c.end(p)
			code := p.Exit()
			if code != c.code && !(c.name == "closed terminal" && code == 1) {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !eventually(func() bool { return len(alive(t, children)) == 0 }) {
				t.Errorf("children outlive the program: %v", alive(t, children))
			}
			if c.whole {
				p.WaitRestored()
			}
		})
	}
}

// ctrl+z gives the terminal to the shell; after fg everything is drawn again and goes on.
func TestSuspend(t *testing.T) {
	t.Parallel()
	lab := command(t, nil)
	cmd := exec.Command("sh", "-c", `set -m; "$0" lab --server embedded; echo "stopped $?"; read line; fg; echo "ended $?"`, binary)
	cmd.Env, cmd.Dir = lab.Env, lab.Dir
	x := termtest.Start(t, cmd, 100, 30)
	x.WaitText("w3", "backlog")
	x.Type("\x1a")
	x.WaitText("unacked is suspended: the lab stands still", "fg goes on", "stopped ")
	x.WaitRestored()
	x.Type("\n")
	x.Wait("the screen to come back", x.AltScreen)
	x.WaitText("w3", "backlog", "live", "in hand stayed claimed meanwhile")
	x.Type("q")
	x.WaitText("ended 0")
	x.WaitRestored()
}

// Where no shell waits, as in a window that runs the program alone, ctrl+z says so and the work goes on.
func TestSuspendWithoutShell(t *testing.T) {
	t.Parallel()
	p := lab(t, "embedded", slow...)
	p.waitWorker("w1", "sending")
	p.Type("\x1a")
	p.waitLine("not suspended", "no shell started this program")
	p.Wait("the screen to come back", p.AltScreen)
	p.waitWorker("w2", "sending")
	p.quit()
}

// A paste is no command: its keys do nothing where no input is open.
func TestPaste(t *testing.T) {
	t.Parallel()
	p := lab(t, "embedded", slow...)
	p.waitWorker("w1", "sending")
	p.Type("\x1b[200~q\nx\x1b[2J\x1b[201~")
	p.Type("2")
	p.waitLine("XPENDING")
	if p.Exited() || p.has("killed") {
		t.Error("a paste was taken for keys")
	}
	p.Type("1")
	p.waitWorker("w1", "sending")
	p.quit()
}
