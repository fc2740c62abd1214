package workers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// signals returns functions that suspend a process and let it go on; it goes on at the end of the test at the latest.
func signals(t *testing.T, pid int) (suspend, resume func()) {
	t.Helper()
	send := func(sig syscall.Signal) {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Errorf("%v to process %d: %v", sig, pid, err)
		}
	}
	resume = sync.OnceFunc(func() { send(syscall.SIGCONT) })
	t.Cleanup(resume)
	return func() { send(syscall.SIGSTOP) }, resume
}

// gone says that no process of that id is left.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// embedded is a rig on the embedded server, for what does not depend on the kind of server.
func embedded(t *testing.T) *rig { return rigOn(t, redistest.Servers(t)[0]) }

func TestStopFinishesTheMessageInHand(t *testing.T) {
	r := embedded(t)
	s := quick()
	s.Batch = 2
	sup := r.supervise(s, map[string]string{"": "noop 300ms"}, "w1")
	r.orders(1, 2)
	r.await("w1 works", func() bool { return r.count(EventWorking) == 1 })
	if err := sup.Stop("w1"); err != nil {
		t.Fatal(err)
	}
	if st := state(sup, "w1"); st.Phase != PhaseStopping || st.Order != "1" {
		t.Errorf("w1 is %s with order %q, want stopping with 1", st.Phase, st.Order)
	}
	if err := sup.Start("w1"); err == nil {
		t.Error("a worker that stops was started again")
	}
	r.await("w1 ended", func() bool { return r.count(EventExited, reason("")) == 1 })
	if r.count(EventAcked, order("1")) != 1 || r.count(EventWorking) != 1 {
		t.Error("want order 1 done and order 2 not begun")
	}
	if n := r.pending(); n != 1 {
		t.Errorf("%d pending, want order 2", n)
	}
	if st := state(sup, "w1"); st.Phase != PhaseStopped || st.Alive() || st.Order != "" {
		t.Errorf("w1 is %s with order %q, want stopped with none", st.Phase, st.Order)
	}
	if err := sup.Stop("w1"); err == nil {
		t.Error("a worker that is down was stopped")
	}

	// Started again it takes up its own history at once.
	if err := sup.Start("w1"); err != nil {
		t.Fatal(err)
	}
	r.finished(2)
	if r.count(EventDelivered, order("2"), via(ViaOwn)) != 1 {
		t.Error("order 2 did not come from its own history")
	}
	if st := state(sup, "w1"); st.Restarts != 1 || st.Done != 2 {
		t.Errorf("%d restarts, %d done; want 1 and 2", st.Restarts, st.Done)
	}
}

func TestKilledNowStaysDownAndHoldsItsMessage(t *testing.T) {
	r := embedded(t)
	s := quick()
	s.Lease = time.Minute
	sup := r.supervise(s, map[string]string{"": "hang"}, "w1")
	r.orders(1, 1)
	r.await("w1 works", func() bool { return r.count(EventWorking) == 1 })
	pid := state(sup, "w1").PID
	if err := sup.Kill("w1", CrashNone, ""); err != nil {
		t.Fatal(err)
	}
	if !gone(pid) {
		t.Errorf("process %d is still there", pid)
	}
	st := state(sup, "w1")
	if st.Phase != PhaseKilled || st.Order != "1" || st.ID == "" || st.Deliveries != 1 || st.Alive() {
		t.Errorf("state %+v, want killed, holding order 1", st)
	}
	for what, err := range map[string]error{
		"kill again":      sup.Kill("w1", CrashNone, ""),
		"kill unknown":    sup.Kill("w9", CrashNone, ""),
		"arm a dead one":  sup.Kill("w1", CrashAfterWork, ""),
		"arm with nobody": sup.Kill("", CrashAfterWork, ""),
		"no such point":   sup.Kill("w1", CrashAfterRecord, ""),
		"stop a dead one": sup.Stop("w1"),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if err := sup.Start("w1"); err != nil {
		t.Fatal(err)
	}
	r.await("w1 has its own message again", func() bool { return r.count(EventDelivered, via(ViaOwn)) == 1 })
	if err := sup.Start("w1"); err == nil {
		t.Error("a running worker was started again")
	}
}

// All workers are gone a second after Close began, blocked in a read, in a handler that hangs, or suspended.
func TestCloseEndsEveryWorkerWithinASecond(t *testing.T) {
	redistest.Each(t, func(t *testing.T, server redistest.Server) {
		r := rigOn(t, server)
		s := DefaultSettings()
		sup := r.supervise(s, map[string]string{"": "hang"}, "w1", "w2", "w3", "w4")
		r.orders(1, 1)
		r.await("one works", func() bool { return r.count(EventWorking) == 1 })
		for _, st := range sup.States() {
			if st.Phase == PhaseWaiting {
				if err := syscall.Kill(st.PID, syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		if limit := closeGrace + closeEnd; limit > 900*time.Millisecond {
			t.Errorf("Close may take %v before the SIGKILL", limit)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := sup.Close(ctx); err != nil {
			t.Fatal(err)
		}
		for _, st := range sup.States() {
			if !gone(st.PID) || st.Alive() {
				t.Errorf("%s, process %d: %s", st.Name, st.PID, st.Phase)
			}
		}
		if n := r.pending(); n != 1 {
			t.Errorf("%d pending, want the one that was in hand", n)
		}
		if err := sup.Start("w5"); err == nil {
			t.Error("a closed supervisor started a worker")
		}
		if err := sup.Close(t.Context()); err != nil {
			t.Errorf("second close: %v", err)
		}
	})
}

// A worker ends when its standard input does, even when its handler hangs.
func TestWorkerEndsWithItsInput(t *testing.T) {
	r := embedded(t)
	cmd := exec.Command(os.Args[0], "w1", "hang")
	cmd.Env = append(os.Environ(), roleEnv+"=worker", urlEnv+"="+r.url, streamEnv+"="+r.queue.Stream, "GORACE=atexit_sleep_ms=0")
	in := must[io.WriteCloser](t)(cmd.StdinPipe())
	out := must[io.ReadCloser](t)(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.orders(1, 1)
	lines := newLines(out)
	for lines.next() {
		e := must[Event](t)(decode(lines.line))
		if e.Kind == EventWorking {
			break
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for lines.next() {
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if n := r.pending(); n != 1 {
		t.Errorf("%d pending, want the one that was in hand", n)
	}
}

// No worker survives a dashboard that is killed, nor does the command that a worker runs, with all that it started.
func TestNoWorkerSurvivesAKilledDashboard(t *testing.T) {
	r := embedded(t)
	pids := filepath.Join(t.TempDir(), "pids")
	dashboard := exec.Command(os.Args[0], "exec sleep 300 & echo $$ $! >>'"+pids+"'; wait")
	dashboard.Env = append(os.Environ(), roleEnv+"=dashboard", urlEnv+"="+r.url, streamEnv+"="+r.queue.Stream)
	dashboard.Stderr = os.Stderr
	out, err := dashboard.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := dashboard.Start(); err != nil {
		t.Fatal(err)
	}
	var workers []int
	for lines := bufio.NewScanner(out); len(workers) < 2 && lines.Scan(); {
		workers = append(workers, must[int](t)(strconv.Atoi(lines.Text())))
	}
	r.orders(1, 2)
	var commands []int
	r.await("both workers run a command", func() bool {
		text, _ := os.ReadFile(pids)
		commands = commands[:0]
		for _, f := range strings.Fields(string(text)) {
			commands = append(commands, must[int](t)(strconv.Atoi(f)))
		}
		return len(commands) == 4
	})
	if err := dashboard.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = dashboard.Wait()
	for _, pid := range append(workers, commands...) {
		eventually(t, fmt.Sprintf("process %d is gone", pid), func() bool { return orphanGone(pid) })
	}
}

// The supervisor starts a worker again that died by itself, but not one that was told to stop meanwhile.
func TestStopEndsTheWaitForARestart(t *testing.T) {
	sup := NewSupervisor(SupervisorOptions{Argv: func(string) []string { return []string{"sh", "-c", "echo no such luck >&2; exit 7"} }})
	defer func() {
		if err := sup.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if err := sup.Start("w1"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it died three times", func() bool { return state(sup, "w1").Restarts >= 2 })
	eventually(t, "it waits for its restart", func() bool { return state(sup, "w1").Phase == PhaseDied })
	if re := state(sup, "w1").Reason; !strings.HasPrefix(re, "exit status 7: no such luck; again in ") {
		t.Errorf("reason %q", re)
	}
	if err := sup.Stop("w1"); err != nil {
		t.Fatal(err)
	}
	if st := state(sup, "w1"); st.Phase != PhaseStopped {
		t.Errorf("w1 is %s, want stopped", st.Phase)
	}
	if err := sup.Start("w0"); err != nil {
		t.Fatal(err)
	}
	if names := sup.States(); len(names) != 2 || names[0].Name != "w1" || names[1].Name != "w0" {
		t.Errorf("states %v, want w1 and w0 in the order of their start", names)
	}
}

func TestStartOfAProgramThatIsNotThere(t *testing.T) {
	sup := NewSupervisor(SupervisorOptions{Argv: func(string) []string { return []string{"/nowhere/to/be/found"} }})
	err := sup.Start("w1")
	if err == nil || !strings.Contains(err.Error(), "start worker w1") {
		t.Errorf("error %v", err)
	}
	if st := state(sup, "w1"); st.Phase != PhaseDied || st.Alive() {
		t.Errorf("state %+v, want died", st)
	}
	if err := sup.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
