package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/unacked/ui/term/termtest"
)

// markName is an environment variable by which the children of a program under test are found, whatever became of
// their parents.
const markName = "UNACKED_E2E"

// process is a running process.
type process struct {
	pid, parent int
	command     string
}

// processes returns all processes of this machine that are not zombies.
func processes(t *testing.T) []process {
	t.Helper()
	out, err := exec.Command("ps", "-axo", "pid=,ppid=,stat=,command=").Output()
	if err != nil {
		return fromProc(t)
	}
	var all []process
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 4 || strings.HasPrefix(f[2], "Z") {
			continue
		}
		pid, _ := strconv.Atoi(f[0])
		parent, _ := strconv.Atoi(f[1])
		all = append(all, process{pid, parent, strings.Join(f[3:], " ")})
	}
	return all
}

// fromProc is for a Linux without ps.
func fromProc(t *testing.T) []process {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Fatal("neither ps nor /proc tells which processes run")
	}
	var all []process
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		if err != nil {
			continue // it has ended
		}
		end := bytes.LastIndexByte(text, ')') // the name may hold anything
		f := strings.Fields(string(text[end+1:]))
		if len(f) < 2 || f[0] == "Z" {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		parent, _ := strconv.Atoi(f[1])
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(stat), "cmdline"))
		all = append(all, process{pid, parent, string(bytes.ReplaceAll(line, []byte{0}, []byte(" ")))})
	}
	return all
}

// descendants returns the children of pid, theirs, and so on.
func descendants(t *testing.T, pid int) []process {
	t.Helper()
	all := processes(t)
	known := map[int]bool{pid: true}
	var found []process
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if known[p.parent] && !known[p.pid] {
				known[p.pid], grown = true, true
				found = append(found, p)
			}
		}
	}
	return found
}

// marked returns the processes that have the mark in their environment, where the system shows it (Linux).
func marked(t *testing.T, mark string) []process {
	t.Helper()
	var found []process
	for _, p := range processes(t) {
		env, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/environ")
		if err == nil && bytes.Contains(env, []byte(markName+"="+mark)) {
			found = append(found, p)
		}
	}
	return found
}

// alive returns those that still run.
func alive(t *testing.T, which []process) []process {
	t.Helper()
	now := processes(t)
	var found []process
	for _, p := range which {
		for _, q := range now {
			if q.pid == p.pid && q.command == p.command {
				found = append(found, p)
			}
		}
	}
	return found
}

// noneLeft fails the test when a process with the mark outlives its program.
func noneLeft(t *testing.T, mark string) {
	t.Helper()
	var left []process
	if !eventually(func() bool { left = marked(t, mark); return len(left) == 0 }) {
		for _, p := range left {
			t.Errorf("still runs: %d %s", p.pid, p.command)
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
}

// eventually polls ok until it is true, and returns false when it is not within termtest.Patience. How quick the
// program is, is no question to a test: the machine may have anything else to do.
func eventually(ok func() bool) bool {
	deadline := time.Now().Add(termtest.Patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Now().After(deadline) {
			return false
		}
		<-tick.C
	}
	return true
}
