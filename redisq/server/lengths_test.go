package server

import (
	"bufio"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each command has one reply, also XLEN of a key that is no stream, by itself, in a script and in a transaction.
func TestOneReplyToEachLength(t *testing.T) {
	each(t, func(t *testing.T, mode Mode) {
		s := start(t, mode)
		conn, err := net.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(conn)
		const wrong = "-WRONGTYPE"
		for _, c := range []struct {
			args []string
			want []string // how its lines begin
		}{
			{[]string{"SET", "text", "x"}, []string{"+OK"}},
			{[]string{"XADD", "q", "1-0", "f", "v"}, []string{"$3", "1-0"}},
			{[]string{"XLEN", "q"}, []string{":1"}},
			{[]string{"XLEN", "none"}, []string{":0"}},
			{[]string{"XLEN", "text"}, []string{wrong}},
			{[]string{"EVAL", "return redis.pcall('XLEN', KEYS[1]) and 7", "1", "text"}, []string{":7"}},
			{[]string{"EVAL", "return redis.call('XLEN', KEYS[1])", "1", "q"}, []string{":1"}},
			{[]string{"MULTI"}, []string{"+OK"}},
			{[]string{"XLEN", "q"}, []string{"+QUEUED"}},
			{[]string{"EXEC"}, []string{"*1", ":1"}},
			{[]string{"XLEN"}, []string{"-ERR wrong number of arguments"}},
			{[]string{"PING"}, []string{"+PONG"}},
		} {
			if _, err := io.WriteString(conn, encode(c.args)); err != nil {
				t.Fatal(err)
			}
			var got []string
			for range c.want {
				line, err := r.ReadString('\n')
				if err != nil {
					t.Fatalf("%q: %v", c.args, err)
				}
				got = append(got, strings.TrimRight(line, "\r\n"))
			}
			if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
				t.Errorf("%q: got %q, want %q", c.args, got, c.want)
			}
		}
	})
}
