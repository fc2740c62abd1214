package server

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// Mode says which kind of server Start may start.
type Mode string

// The modes, as they stand on the command line.
const (
	Auto     Mode = "auto"     // Redis where one is on PATH and starts, else Embedded
	Redis    Mode = "redis"    // a redis-server or valkey-server on PATH
	Embedded Mode = "embedded" // miniredis in this process
)

// startTimeout is how long a server may take until it answers; it is usually below 100 ms.
const startTimeout = 10 * time.Second

var errClosed = errors.New("the private server was closed")

// backend is one running server.
type backend interface {
	pid() int
	exited() <-chan struct{} // closed when it ended, by itself or by kill
	kill() error             // ends it at once and waits until it is gone; repeatable
}

// Server is a private server. Its methods may be called from any goroutine.
type Server struct {
	path string // of the binary, "" when embedded
	port int
	note string

	mu      sync.Mutex
	running backend // guarded by mu; nil after Kill and Close
	closed  bool    // guarded by mu
}

// Start starts a private server and returns when it answers PING. ctx bounds the start only: the server runs until
// Close. In mode Redis, no binary on PATH is an error; in mode Auto, neither that nor a binary that does not start
// is: the embedded server serves then, and Note says why.
func Start(ctx context.Context, mode Mode) (*Server, error) {
	switch mode {
	case Embedded:
		return startEmbedded("")
	case Redis, Auto:
	default:
		return nil, fmt.Errorf("start a private server: unknown mode %q: use auto, redis or embedded", string(mode))
	}
	path, err := findBinary()
	if err == nil {
		var s *Server
		if s, err = StartBinary(ctx, path); err == nil {
			return s, nil
		}
	}
	if mode == Redis || ctx.Err() != nil {
		return nil, err
	}
	return startEmbedded(err.Error())
}

// StartBinary is Start with the redis-server or valkey-server at path.
func StartBinary(ctx context.Context, path string) (*Server, error) {
	return startBinary(ctx, path, freePort)
}

// startBinary tries several ports: between finding a free one and the child's bind another process may take it.
func startBinary(ctx context.Context, path string, pick func() (int, error)) (*Server, error) {
	const tries = 5
	var err error
	for range tries {
		var port int
		if port, err = pick(); err != nil {
			break
		}
		var b backend
		if b, err = startProcess(ctx, path, port); err == nil {
			return &Server{path: path, port: port, running: b}, nil
		}
		if !errors.Is(err, errPortTaken) {
			break
		}
	}
	return nil, fmt.Errorf("start %s as private server: %w", path, err)
}

func startEmbedded(note string) (*Server, error) {
	const tries = 5
	var err error
	for range tries {
		var port int
		if port, err = freePort(); err != nil {
			break
		}
		var b backend
		if b, err = startMini(port); err == nil {
			return &Server{port: port, note: note, running: b}, nil
		}
	}
	return nil, fmt.Errorf("start the embedded server: %w", err)
}

// findBinary looks for the server programs in the order of preference.
func findBinary() (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is neither redis-server nor valkey-server on PATH: install one, or use the embedded server")
}

// Addr returns 127.0.0.1:PORT. It stays the same over Kill and Restart.
func (s *Server) Addr() string { return loopback(s.port) }

// URL returns redis://127.0.0.1:PORT.
func (s *Server) URL() string { return "redis://" + s.Addr() }

// Embedded reports whether it is the miniredis in this process.
func (s *Server) Embedded() bool { return s.path == "" }

// Product returns the path of the server program, or "embedded".
func (s *Server) Product() string {
	if s.Embedded() {
		return "embedded"
	}
	return s.path
}

// Note returns why mode Auto took the embedded server, and "" where there is nothing to say.
func (s *Server) Note() string { return s.note }

// PID returns the process id of the server program, and 0 when it is embedded or does not run.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return 0
	}
	select {
	case <-s.running.exited():
		return 0
	default:
		return s.running.pid()
	}
}

// Exited returns a channel that is closed when the server that runs now has ended, be it by Kill, Restart, Close or
// by itself. It is closed already where none runs. After Restart, ask again.
func (s *Server) Exited() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		gone := make(chan struct{})
		close(gone)
		return gone
	}
	return s.running.exited()
}

// Kill ends the server as SIGKILL does: connections break, all data is lost. It returns when the process is reaped.
// The address stays reserved for Restart only by convention: nothing holds the port meanwhile.
func (s *Server) Kill() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kill()
}

// kill wants s.mu held.
func (s *Server) kill() error {
	if s.running == nil {
		return nil
	}
	if err := s.running.kill(); err != nil {
		return fmt.Errorf("kill the private server at %s: %w", s.Addr(), err)
	}
	s.running = nil
	return nil
}

// Restart starts the server again at the same address, empty, and returns when it answers. One that still runs is
// killed first. It is an error after Close.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if err := s.kill(); err != nil {
		return err
	}
	var (
		b   backend
		err error
	)
	if s.Embedded() {
		b, err = startMini(s.port)
	} else {
		b, err = startProcess(ctx, s.path, s.port)
	}
	if err != nil {
		return fmt.Errorf("restart the private server at %s: %w", s.Addr(), err)
	}
	s.running = b
	return nil
}

// Close ends the server and returns when nothing of it is left. It is idempotent.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.kill()
}
