package e2e

import (
	"bytes"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// buffer takes what a process writes while a test reads it.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// With --plain there is no screen and no terminal is needed: lines of text when something changes, and Ctrl-C ends it
// with everything taken down.
func TestPlain(t *testing.T) {
	inEach(t, func(t *testing.T, mode string) {
		cmd := command(t, nil, "lab", "--plain", "--server", mode, "--rate", "5", "--bad", "1", "--max-deliveries", "1")
		var out, errors buffer
		cmd.Stdout, cmd.Stderr = &out, &errors
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		if !eventually(func() bool {
			return strings.Contains(out.String(), "is a dead letter after 1 deliver") && strings.Contains(out.String(), "books: ")
		}) {
			t.Fatalf("not told of a dead letter:\n%s\n%s", out.String(), errors.String())
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("ended with %v: %s", err, errors.String())
		}
		text := out.String()
		if !strings.HasSuffix(text, "ended: the workers, the server and the keys of the lab are taken down\n") {
			t.Errorf("the last line is another:\n%s", text)
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }); i >= 0 {
			t.Errorf("a control in %q", text)
		}
	})
}
