package guard

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// parentEnv makes this test binary a program with a guarded process, of which it tells the ids, that waits for its end.
const parentEnv = "UNACKED_TEST_GUARD"

func TestMain(m *testing.M) {
	if os.Getenv(parentEnv) != "" {
		g, err := Start()
		if err != nil {
			panic(err)
		}
		fmt.Println(g.Group(), family(g).Process.Pid)
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	goleak.VerifyTestMain(m)
}

// family starts a guarded process with a child, and returns when both are there.
func family(g *Guard) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", "sleep 300 & echo; wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.Group()}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = bufio.NewReader(out).ReadString('\n')
	}
	if err != nil {
		panic(err)
	}
	return cmd
}

// members lists the processes of a group that run, zombies not counted.
func members(t *testing.T, group int) (pids []string) {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,pgid=,stat=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[1] == fmt.Sprint(group) && !strings.HasPrefix(f[2], "Z") {
			pids = append(pids, f[0])
		}
	}
	return pids
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("20 s passed without: %s", what)
		}
	}
}

// A group ends with the process that made it, though that is killed and none of its code runs.
func TestTheGroupEndsWithUs(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentEnv+"=1")
	in, err := parent.StdinPipe() // keeps it waiting
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var group, member int
	if _, err := fmt.Fscan(out, &group, &member); err != nil {
		t.Fatal(err)
	}
	if n := len(members(t, group)); n != 3 {
		t.Errorf("%d processes in the group, want the guard, the one that joined it and its child", n)
	}
	if group == syscall.Getpgrp() {
		t.Error("it is our own group")
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	eventually(t, "nothing is left of the group", func() bool { return len(members(t, group)) == 0 })
}

func TestKillAndDismiss(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*Guard)
		left int
	}{
		{"kill", (*Guard).Kill, 0},
		{"dismiss", (*Guard).Dismiss, 2},
		{"only the first counts", func(g *Guard) { g.Dismiss(); g.Kill() }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := Start()
			if err != nil {
				t.Fatal(err)
			}
			cmd := family(g)
			c.end(g)
			eventually(t, fmt.Sprintf("%d are left", c.left), func() bool { return len(members(t, g.Group())) == c.left })
			_ = syscall.Kill(-g.Group(), syscall.SIGKILL) // those that are left
			_ = cmd.Wait()
		})
	}
}
