package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/unacked/redisq/guard"
)

// errPortTaken says that another process listens on the port.
var errPortTaken = errors.New("the port is taken")

// process is a server program as a child of this process, in the group of a guard.
type process struct {
	cmd   *exec.Cmd
	guard *guard.Guard
	out   *tail
	gone  chan struct{} // closed when cmd was reaped

	stop sync.Once
}

// startProcess starts the program at path on port and waits until it answers. errPortTaken is in the error's chain
// when something else listens there.
func startProcess(ctx context.Context, path string, port int) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()

	over, err := guard.Start()
	if err != nil {
		return nil, err
	}
	p := &process{guard: over, out: &tail{}, gone: make(chan struct{})}
	p.cmd = exec.Command(path, serverArgs(port)...)
	p.cmd.Dir = "/" // keeps no folder busy, and nothing is written there
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	// The guard is there before the server: there is no moment at which the end of this process leaves one behind.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: p.guard.Group()}
	if err := p.cmd.Start(); err != nil {
		p.guard.Kill()
		return nil, err
	}
	go func() {
		defer close(p.gone)
		_ = p.cmd.Wait() // killed or failed: what it said is in out
	}()

	if err := p.waitReady(ctx, port); err != nil {
		return nil, errors.Join(err, p.kill())
	}
	return p, nil
}

// serverArgs are understood by Redis since 6 and Valkey. No configuration file is read.
func serverArgs(port int) []string {
	return []string{
		"--bind", "127.0.0.1", "--port", strconv.Itoa(port),
		"--save", "", "--appendonly", "no",
		// It would load a dump that somebody left in its directory: this one is nobody's.
		"--dbfilename", "unacked-" + rand.Text() + ".rdb",
		"--daemonize", "no", "--logfile", "", "--loglevel", "warning",
	}
}

func (p *process) pid() int                { return p.cmd.Process.Pid }
func (p *process) exited() <-chan struct{} { return p.gone }

func (p *process) kill() error {
	var err error
	p.stop.Do(func() {
		if e := p.cmd.Process.Kill(); e != nil && !errors.Is(e, os.ErrProcessDone) {
			err = e
		}
		// The group as well, so that the wait below ends even if the call above failed.
		p.guard.Kill()
		<-p.gone
	})
	return err
}

// waitReady returns nil when the server at port is this child and answers.
func (p *process) waitReady(ctx context.Context, port int) error {
	const every = 2 * time.Millisecond
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		pid, err := ask(ctx, loopback(port))
		switch {
		case err == nil && pid == p.pid():
			return nil
		case err == nil:
			return fmt.Errorf("%s: %w by the server with process id %d", loopback(port), errPortTaken, pid)
		}
		select {
		case <-p.gone:
			return p.failure(port)
		case <-ctx.Done():
			return fmt.Errorf("it did not answer at %s: %w%s", loopback(port), errors.Join(ctx.Err(), err), p.said())
		case <-tick.C:
		}
	}
}

// failure is why the child ended before it answered.
func (p *process) failure(port int) error {
	// Redis 6 to 8 and Valkey 8: "Could not create server TCP listening socket …: bind: Address already in use".
	if strings.Contains(p.out.String(), "Address already in use") {
		return fmt.Errorf("%s: %w", loopback(port), errPortTaken)
	}
	return fmt.Errorf("it ended at once: %s%s", p.cmd.ProcessState, p.said())
}

func (p *process) said() string {
	s := strings.TrimSpace(p.out.String())
	if s == "" {
		return ""
	}
	return fmt.Sprintf("; it said %q", s)
}

// tail keeps the end of what the child prints, for an error message.
type tail struct {
	mu  sync.Mutex
	buf []byte // guarded by mu
}

const tailBytes = 2048

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - tailBytes; over > 0 {
		t.buf = bytes.Clone(t.buf[over:])
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
