package server

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// each runs f for both kinds of server.
func each(t *testing.T, f func(t *testing.T, mode Mode)) {
	t.Run("embedded", func(t *testing.T) { f(t, Embedded) })
	if haveRedis(t) {
		t.Run("redis", func(t *testing.T) { f(t, Redis) })
	}
}

func start(t *testing.T, mode Mode) *Server {
	t.Helper()
	s, err := Start(t.Context(), mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStartAnswersOnLoopback(t *testing.T) {
	each(t, func(t *testing.T, mode Mode) {
		s := start(t, mode)
		wantReply(t, s.Addr(), "+PONG", "PING")
		if host, _, err := net.SplitHostPort(s.Addr()); err != nil || host != "127.0.0.1" {
			t.Errorf("address %q, want one on 127.0.0.1", s.Addr())
		}
		if want := "redis://" + s.Addr(); s.URL() != want {
			t.Errorf("URL %q, want %q", s.URL(), want)
		}
		if mode == Embedded {
			if !s.Embedded() || s.Product() != "embedded" || s.PID() != 0 || s.Note() != "" {
				t.Errorf("embedded %v, product %q, pid %d, note %q", s.Embedded(), s.Product(), s.PID(), s.Note())
			}
			return
		}
		if s.Embedded() || !filepath.IsAbs(s.Product()) || !runs(s.PID()) {
			t.Errorf("embedded %v, product %q, pid %d", s.Embedded(), s.Product(), s.PID())
		}
	})
}

func TestKillLosesDataAndRestartKeepsTheAddress(t *testing.T) {
	each(t, func(t *testing.T, mode Mode) {
		s := start(t, mode)
		addr, pid := s.Addr(), s.PID()
		for range 3 {
			wantReply(t, addr, "+OK", "SET", "k", "v")
			running := s.Exited()
			if err := s.Kill(); err != nil {
				t.Fatal(err)
			}
			wantRefused(t, addr)
			<-running
			<-s.Exited()
			if s.PID() != 0 {
				t.Errorf("pid %d after Kill, want 0", s.PID())
			}
			if err := s.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantReply(t, addr, ":0", "EXISTS", "k")
			if s.Addr() != addr {
				t.Fatalf("address %s after Restart, want %s", s.Addr(), addr)
			}
			if mode == Redis && (s.PID() == pid || s.PID() == 0) {
				t.Errorf("pid %d after Restart, the killed one was %d", s.PID(), pid)
			}
		}
	})
}

func TestRestartOfARunningServerEmptiesIt(t *testing.T) {
	each(t, func(t *testing.T, mode Mode) {
		s := start(t, mode)
		wantReply(t, s.Addr(), "+OK", "SET", "k", "v")
		if err := s.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantReply(t, s.Addr(), ":0", "EXISTS", "k")
	})
}

func TestCloseIsFinalAndIdempotent(t *testing.T) {
	each(t, func(t *testing.T, mode Mode) {
		s := start(t, mode)
		pid := s.PID()
		for range 2 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		wantRefused(t, s.Addr())
		if pid != 0 && runs(pid) {
			t.Errorf("process %d still runs", pid)
		}
		if err := s.Kill(); err != nil {
			t.Errorf("Kill after Close: %v, want nil", err)
		}
		if err := s.Restart(t.Context()); err == nil {
			t.Error("Restart after Close: no error")
		}
		wantRefused(t, s.Addr())
	})
}

func TestEmbeddedKeysExpire(t *testing.T) {
	s := start(t, Embedded)
	wantReply(t, s.Addr(), "+OK", "SET", "k", "v", "PX", "300")
	wantReply(t, s.Addr(), "+OK", "SET", "stays", "v", "PX", "600000")
	eventually(t, "the key is gone", func() bool {
		got, err := say(s.Addr(), "EXISTS", "k")
		return err == nil && got == ":0"
	})
	wantReply(t, s.Addr(), ":1", "EXISTS", "stays")
}

func TestUnknownMode(t *testing.T) {
	if _, err := Start(t.Context(), "memcached"); err == nil || !strings.Contains(err.Error(), "memcached") {
		t.Errorf("got %v, want an error that names the mode", err)
	}
}

func TestNoBinaryOnPath(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Start(t.Context(), Redis)
	if err == nil {
		t.Fatal("mode redis: no error")
	}
	for _, word := range []string{"redis-server", "valkey-server", "PATH"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("mode redis: %q does not name %s", err, word)
		}
	}
	s := start(t, Auto)
	if !s.Embedded() || !strings.Contains(s.Note(), "PATH") {
		t.Errorf("mode auto: embedded %v, note %q", s.Embedded(), s.Note())
	}
	wantReply(t, s.Addr(), "+PONG", "PING")
}

func TestBinaryThatDoesNotStart(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\necho no such luck >&2\nexit 3\n"
	if err := os.WriteFile(filepath.Join(bin, "redis-server"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	if _, err := Start(t.Context(), Redis); err == nil || !strings.Contains(err.Error(), "no such luck") {
		t.Errorf("mode redis: got %v, want what the program said", err)
	}
	s := start(t, Auto)
	if !s.Embedded() || !strings.Contains(s.Note(), "no such luck") {
		t.Errorf("mode auto: embedded %v, note %q", s.Embedded(), s.Note())
	}
}

func TestStartGivesUpWithItsContext(t *testing.T) {
	bin := t.TempDir()
	mute := filepath.Join(bin, "redis-server")
	if err := os.WriteFile(mute, []byte("#!/bin/sh\nexec cat /dev/zero >/dev/null\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := StartBinary(ctx, mute); err == nil {
		t.Error("a program that never answers: no error")
	}
	if took := time.Since(began); took >= startTimeout {
		t.Errorf("it took %v, as long as without a context", took)
	}
}

// TestTakenPort offers a port on which something else listens, then a free one.
func TestTakenPort(t *testing.T) {
	if !haveRedis(t) {
		return
	}
	path, err := findBinary()
	if err != nil {
		t.Fatal(err)
	}
	other := start(t, Embedded) // answers PING: it must not be taken for ours
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()

	offers := []int{other.port, mute.Addr().(*net.TCPAddr).Port}
	pick := func() (int, error) {
		if len(offers) == 0 {
			return freePort()
		}
		port := offers[0]
		offers = offers[1:]
		return port, nil
	}
	s, err := startBinary(t.Context(), path, pick)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Addr() == other.Addr() || s.Addr() == mute.Addr().String() {
		t.Fatalf("it says that it is at %s, which is taken", s.Addr())
	}
	info, err := ask(t.Context(), s.Addr())
	if err != nil || info != s.PID() {
		t.Errorf("the server at %s has process id %d, %v; want %d", s.Addr(), info, err, s.PID())
	}
	wantReply(t, other.Addr(), "+PONG", "PING")
}

func TestRestartOnATakenPortSaysSo(t *testing.T) {
	if !haveRedis(t) {
		return
	}
	s := start(t, Redis)
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	err = s.Restart(t.Context())
	if err == nil || !strings.Contains(err.Error(), strconv.Itoa(s.port)) || !strings.Contains(err.Error(), "taken") {
		t.Errorf("got %v, want an error that says that the port is taken", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantReply(t, s.Addr(), "+PONG", "PING")
}
