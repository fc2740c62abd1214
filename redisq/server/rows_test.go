package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// reader is a connection that waits in a blocking read.
type reader struct {
	net.Conn
	*bufio.Reader
}

// wait sends a blocking command and returns when the server has it waiting, as the n-th.
func wait(t *testing.T, s *Server, n int, args ...string) reader {
	t.Helper()
	r := command(t, s, args...)
	eventually(t, fmt.Sprintf("%d readers wait", n), func() bool { return waiters(t, s) == n })
	return r
}

// command sends a command.
func command(t *testing.T, s *Server, args ...string) reader {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, encode(args)); err != nil {
		t.Fatal(err)
	}
	return reader{conn, bufio.NewReader(conn)}
}

// waiters is how many connections wait in a blocking command.
func waiters(t *testing.T, s *Server) int {
	t.Helper()
	if m, ok := s.running.(*mini); ok {
		m.rows.mu.Lock()
		defer m.rows.mu.Unlock()
		n := 0
		for _, row := range m.rows.waiting {
			n += len(row)
		}
		return n
	}
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, encode([]string{"INFO", "clients"})+encode([]string{"QUIT"}))
	text, _ := io.ReadAll(conn)
	_, rest, _ := strings.Cut(string(text), "blocked_clients:")
	n, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(rest, "\r\n", 2)[0]))
	if err != nil {
		t.Fatalf("INFO clients: %q", text)
	}
	return n
}

// wantGot reads one reply and looks for the value in it.
func (r reader) wantGot(t *testing.T, name, value string) {
	t.Helper()
	var reply string
	for !strings.HasSuffix(reply, "\r\n"+value+"\r\n") {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: read %q, then %v; want one that ends with %s", name, reply, err, value)
		}
		reply += line
	}
}

var waits = []struct {
	name string
	wait func(block string) []string
	add  func(value string) []string
}{
	{
		"stream",
		func(block string) []string {
			return []string{"XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "BLOCK", block, "STREAMS", "q", ">"}
		},
		func(value string) []string { return []string{"XADD", "q", "*", "f", value} },
	},
	{
		"list",
		func(block string) []string {
			ms, err := strconv.Atoi(block)
			if err != nil {
				panic(err)
			}
			return []string{"BRPOP", "l", fmt.Sprint(float64(ms) / 1000)}
		},
		func(value string) []string { return []string{"LPUSH", "l", value} },
	},
}

// The reader that has waited longest is the first to be served.
func TestReadersAreServedInTheirOrder(t *testing.T) {
	each(t, func(t *testing.T, mode Mode) {
		for _, how := range waits {
			t.Run(how.name, func(t *testing.T) {
				s := start(t, mode)
				wantReply(t, s.Addr(), "+OK", "XGROUP", "CREATE", "q", "g", "0", "MKSTREAM")
				var all []reader
				for n := 1; n <= 5; n++ {
					all = append(all, wait(t, s, n, how.wait("60000")...))
				}
				for i, r := range all {
					if _, err := say(s.Addr(), how.add(strconv.Itoa(i))...); err != nil {
						t.Fatal(err)
					}
					r.wantGot(t, "reader "+strconv.Itoa(i+1), strconv.Itoa(i))
				}
			})
		}
	})
}

// One whose time is over is told, and one that hung up is passed over, wherever they stand.
func TestReadersLeaveTheRow(t *testing.T) {
	each(t, func(t *testing.T, mode Mode) {
		for _, how := range waits {
			t.Run(how.name, func(t *testing.T) {
				s := start(t, mode)
				wantReply(t, s.Addr(), "+OK", "XGROUP", "CREATE", "q", "g", "0", "MKSTREAM")
				first := wait(t, s, 1, how.wait("60000")...)
				gone := wait(t, s, 2, how.wait("60000")...)
				last := wait(t, s, 3, how.wait("60000")...)
				short := command(t, s, how.wait("50")...)
				if line, err := short.ReadString('\n'); line != "*-1\r\n" || err != nil {
					t.Errorf("at the end of its block: %q, %v; want nothing", line, err)
				}
				if err := gone.Close(); err != nil {
					t.Fatal(err)
				}
				eventually(t, "the server knows that it is gone", func() bool { return waiters(t, s) == 2 })
				if err := first.Close(); err != nil {
					t.Fatal(err)
				}
				// miniredis looks at the one that blocks in it when any command comes.
				eventually(t, "the first is gone", func() bool {
					_, err := say(s.Addr(), "PING")
					return err == nil && waiters(t, s) == 1
				})
				if _, err := say(s.Addr(), how.add("v")...); err != nil {
					t.Fatal(err)
				}
				last.wantGot(t, "the last", "v")
			})
		}
	})
}
