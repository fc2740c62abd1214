package e2e

import (
	"bytes"
	"regexp"
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

// retried is one line for an attempt and its failure, whose reason was told before.
var retried = regexp.MustCompile(`w\d (claimed order \d+ from w\d|took up its own order \d+ again) \(delivery 2\) and failed again\n`)

// With --plain there is no screen and no terminal is needed: lines of text when something changes, and Ctrl-C ends it
// with everything taken down.
func TestPlain(t *testing.T) {
	inEach(t, func(t *testing.T, mode string) {
		cmd := command(t, nil, "lab", "--plain", "--server", mode, "--rate", "2", "--bad", "1", "--max-deliveries", "2", "--lease", "500ms")
		var out, errors buffer
		cmd.Stdout, cmd.Stderr = &out, &errors
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		if !eventually(func() bool {
			return retried.MatchString(out.String()) && strings.Contains(out.String(), " is a dead letter after 2 deliveries: 550 ")
		}) {
			t.Fatalf("not told of a second attempt and a dead letter:\n%.4000s\n%s", out.String(), errors.String())
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("ended with %v: %s", err, errors.String())
		}
		text := out.String()
		if first, _, _ := strings.Cut(text, "\n"); !strings.Contains(first, "3 workers, 2 orders a second, 100 % of them with a bad address") {
			t.Errorf("the first line does not say what runs: %s", first)
		}
		if !strings.HasSuffix(text, "ended: the workers, the server and the keys of the lab are taken down\n") {
			t.Errorf("the last line is another:\n%s", text)
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }); i >= 0 {
			t.Errorf("a control in %q", text)
		}
	})
}
