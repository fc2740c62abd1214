package server

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestDiesWithItsParent kills the process that started the server with SIGKILL, so that none of its code runs.
func TestDiesWithItsParent(t *testing.T) {
	if !haveRedis(t) {
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(exe)
	parent.Env = append(os.Environ(), parentEnv+"=1")
	parent.Stderr = os.Stderr
	stdin, err := parent.StdinPipe() // keeps the parent waiting
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = parent.Process.Kill()
		_ = parent.Wait()
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var (
		addr       string
		pid, guard int
	)
	if _, err := fmt.Sscan(line, &addr, &pid, &guard); err != nil {
		t.Fatal(err)
	}
	wantReply(t, addr, "+PONG", "PING")
	if !runs(pid) || !runs(guard) {
		t.Fatalf("server %d runs: %v, guard %d runs: %v", pid, runs(pid), guard, runs(guard))
	}

	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server and its guard are gone", func() bool { return !runs(pid) && !runs(guard) })
	wantRefused(t, addr)
}

// TestServerThatDiesByItself is killed from outside, as by the kernel when memory is short.
func TestServerThatDiesByItself(t *testing.T) {
	if !haveRedis(t) {
		return
	}
	s := start(t, Redis)
	pid, exited := s.PID(), s.Exited()
	select {
	case <-exited:
		t.Fatal("Exited is closed while the server runs")
	default:
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-exited
	if s.PID() != 0 {
		t.Errorf("pid %d, want 0", s.PID())
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantReply(t, s.Addr(), "+PONG", "PING")
}

// TestTerminalSignalsDoNotReachIt: a Ctrl-C goes to the process group in the foreground, which is ours.
func TestTerminalSignalsDoNotReachIt(t *testing.T) {
	if !haveRedis(t) {
		return
	}
	s := start(t, Redis)
	group, err := syscall.Getpgid(s.PID())
	if err != nil {
		t.Fatal(err)
	}
	if own := syscall.Getpgrp(); group == own {
		t.Errorf("the server is in our process group %d", own)
	}
}

func TestCloseReapsServerAndGuard(t *testing.T) {
	if !haveRedis(t) {
		return
	}
	s := start(t, Redis)
	pid, guard := s.PID(), s.running.(*process).guard.Group()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range []int{pid, guard} {
		// A process that was not waited for would still be there as a zombie.
		if err := syscall.Kill(p, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d: %v, want %v", p, err, syscall.ESRCH)
		}
	}
}

func TestNothingIsWrittenToDisk(t *testing.T) {
	if !haveRedis(t) {
		return
	}
	dir := t.TempDir()
	t.Chdir(dir)
	before, err := os.ReadDir("/")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, Redis)
	if name := config(t, s.Addr(), "dbfilename"); name == "dump.rdb" {
		t.Error("it would load a dump that lies in its directory")
	}
	// More changes than the usual save points wait for.
	wantReply(t, s.Addr(), ":1", "EVAL", "for i=1,20000 do redis.call('SET','k'..i,'v') end return 1", "0")
	for option, want := range map[string]string{"save": "", "appendonly": "no", "logfile": "", "pidfile": ""} {
		if got := config(t, s.Addr(), option); got != want {
			t.Errorf("CONFIG GET %s: %q, want %q", option, got, want)
		}
	}
	// SHUTDOWN saves where there are save points.
	exited := s.Exited()
	if _, err := say(s.Addr(), "SHUTDOWN"); err == nil {
		t.Error("SHUTDOWN was refused")
	}
	<-exited
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("in the working directory: %v, %v", files, err)
	}
	after, err := os.ReadDir("/")
	if err != nil || len(after) != len(before) {
		t.Errorf("in the server's directory: %v, %v; before: %v", after, err, before)
	}
}
