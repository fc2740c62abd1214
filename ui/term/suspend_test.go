package term

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"example.com/unacked/ui/term/termtest"
)

// ctrl+z gives the terminal back to the shell, and fg draws everything again.
func TestSuspend(t *testing.T) {
	t.Parallel()
	// A shell with job control, so that the program can be stopped as from an interactive one.
	cmd := exec.Command("sh", "-c", `set -m; "$0"; echo "stopped $?"; read line; fg; echo "ended $?"`, os.Args[0])
	cmd.Env = subjectCommand().Env
	x := termtest.Start(t, cmd, 80, 24)
	x.WaitText("ready 80x24")
	x.Type("xyz")
	x.WaitText(`typed "xyz"`)
	x.Type("\x1a")
	x.WaitText("a word before", "stopped ")
	x.WaitRestored()
	x.Type("\n")
	x.WaitText(`typed "xyz" resumed 1`)
	x.Type("q")
	x.WaitText("main ends: <nil>", "ended 0")
	x.WaitRestored()
}

// A program that was stopped from outside draws everything again when it goes on.
func TestStoppedFromOutside(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", `set -m; "$0"; echo "stopped $?"; read line; fg; echo "ended $?"`, os.Args[0])
	cmd.Env = append(subjectCommand().Env, sayPID+"=1")
	x := termtest.Start(t, cmd, 80, 24)
	x.WaitText("ready 80x24")
	var pid int
	if _, err := fmt.Sscanf(x.Raw(), "pid %d", &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	x.WaitText("stopped ")
	x.Type("\n")
	x.Wait("the frame alone", func() bool {
		text := x.Text()
		return strings.Contains(text, "ready 80x24") && !strings.Contains(text, "stopped")
	})
	x.Type("q")
	x.WaitText("main ends: <nil>", "ended 0")
	x.WaitRestored()
}

// Where no shell waits for the program, ctrl+z does not stop it for ever: it says so and goes on.
func TestSuspendWithoutShell(t *testing.T) {
	t.Parallel()
	x := start(t)
	x.Type("\x1a")
	x.WaitText("no shell started this program: nothing could wake it")
	x.Type("q")
	x.WaitText("main ends: <nil>")
	x.WaitRestored()
}

// The mouse is there again after something else had the terminal.
func TestMouseComesBack(t *testing.T) {
	t.Parallel()
	const click = "\x1b[<0;3;3M"
	cmd := subjectCommand()
	cmd.Env = append(cmd.Env, withMouse+"=1")
	x := termtest.Start(t, cmd, 80, 24)
	x.WaitText("ready 80x24")
	for times, key := range []string{"", "e", "\x1a"} {
		x.Type(key)
		x.Wait("the mouse to be asked for again", func() bool { return strings.Count(x.Raw(), "\x1b[?1002h") > times })
		x.Type(click)
		x.WaitText(fmt.Sprintf("clicks %d ", times+1))
	}
	x.Type("q")
	x.Exit()
	x.WaitRestored()
}

// When a script that runs the program is killed, the program goes with it, and the shell has its terminal.
func TestParentGone(t *testing.T) {
	t.Parallel()
	inner := `echo "inner $$"; "$0"; :`
	cmd := exec.Command("sh", "-c", `set -m; sh -c '`+inner+`' "$0"; echo "inner ended $?"; read line`, os.Args[0])
	cmd.Env = subjectCommand().Env
	x := termtest.Start(t, cmd, 80, 24)
	x.WaitText("ready 80x24")
	var pid int
	if _, err := fmt.Sscanf(x.Raw(), "inner %d", &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// The shell writes this at once, into the alternate screen.
	x.Wait("the shell to go on", func() bool { return strings.Contains(x.Raw(), "inner ended 137") })
	x.WaitText("main ends: " + ErrParentGone.Error())
	x.WaitRestored()
	x.Type("\n")
	x.Exit()
}
