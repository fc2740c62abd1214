package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// haveRedis reports whether there is a real server to test. Where there is none, as on a person's machine with nothing
// but Go, the tests of the embedded one are all there is; where servers are required it is a failure.
func haveRedis(t *testing.T) bool {
	t.Helper()
	_, err := findBinary()
	if err == nil {
		return true
	}
	if os.Getenv("UNACKED_TEST_REQUIRE") != "" {
		t.Fatal(err)
	}
	t.Logf("only the embedded server is tested: %v", err)
	return false
}

// patience is how long a test waits before it has failed. It bounds nothing but that.
const patience = time.Minute

// eventually waits for a condition.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !cond() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%v passed without: %s", patience, what)
		}
	}
}

// say sends one command and returns the first line of the reply.
func say(addr string, args ...string) (string, error) {
	conn, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, encode(args)); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(line), err
}

// encode returns a command as clients send it; miniredis does not know the inline form.
func encode(args []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b.String()
}

func wantReply(t *testing.T, addr, want string, args ...string) {
	t.Helper()
	if got, err := say(addr, args...); err != nil || got != want {
		t.Fatalf("%q at %s: got %q, %v; want %q", args, addr, got, err, want)
	}
}

func wantRefused(t *testing.T, addr string) {
	t.Helper()
	if got, err := say(addr, "PING"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Fatalf("PING at %s: got %q, %v; want connection refused", addr, got, err)
	}
}

// runs reports whether a process is there and not a zombie that its foster parent has still to reap.
func runs(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	out, err := exec.Command("ps", "-o", "stat=", "-p", fmt.Sprint(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

// config returns the value of CONFIG GET option: an array of name and value, each a length line and a text line.
func config(t *testing.T, addr, option string) string {
	t.Helper()
	conn, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, encode([]string{"CONFIG", "GET", option})); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	var line string
	for range 5 { // *2, $n, name, $n, value
		if line, err = r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return strings.TrimSpace(line)
}
