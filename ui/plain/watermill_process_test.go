package plain

import (
	"bytes"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// buildWatermill builds the program of testdata/watermill, and removes it at the end of the test. It is a module of its
// own, which the go command fetches.
func buildWatermill(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "watermill")
	cmd := exec.Command("go", "build", "-C", filepath.Join("testdata", "watermill"), "-buildvcs=false", "-o", binary, ".")
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// process is a running watermill program. It is killed at the end of the test at the latest, and ends by itself when
// this process does: its input ends then.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	input io.Closer
	ended chan struct{}

	mu     sync.Mutex
	out    bytes.Buffer // guarded by mu
	failed error        // how it ended, set before ended is closed
}

// Write takes what the program says.
func (p *process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(text)
}

// watermill starts the program on the stream of the bed.
func (b *bed) watermill(binary string, args ...string) *process {
	b.t.Helper()
	p := &process{t: b.t, cmd: exec.Command(binary, append([]string{"-redis", b.url, "-topic", b.key}, args...)...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	var err error
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		b.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	go func() {
		p.failed = p.cmd.Wait()
		close(p.ended)
	}()
	b.t.Cleanup(func() {
		p.kill()
		if b.t.Failed() {
			said := p.text()
			b.t.Logf("watermill %s said at last:\n%s", strings.Join(args, " "), said[max(0, len(said)-500):])
		}
	})
	return p
}

// subscribe starts a consumer of the group g; the group is there then.
func (b *bed) subscribe(binary, consumer string, args ...string) *process {
	b.t.Helper()
	p := b.watermill(binary, append([]string{"-group", "g", "-consumer", consumer}, args...)...)
	within(b.t, "it has subscribed", func() bool { return len(p.said("subscribed")) > 0 })
	return p
}

func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// said returns what followed that word at the beginning of lines.
func (p *process) said(word string) []string {
	var all []string
	for line := range strings.Lines(p.text()) {
		if rest, ok := strings.CutPrefix(line, word+" "); ok && strings.HasSuffix(line, "\n") {
			all = append(all, strings.TrimSpace(rest))
		}
	}
	return all
}

// kill is SIGKILL, which no program can do anything about.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// finish waits until the program has ended well.
func (p *process) finish() {
	p.t.Helper()
	within(p.t, "the program has ended", func() bool {
		select {
		case <-p.ended:
			return true
		default:
			return false
		}
	})
	if p.failed != nil {
		p.t.Fatalf("watermill: %v", p.failed)
	}
}

// stop ends the program's input, and with it the program.
func (p *process) stop() {
	p.t.Helper()
	_ = p.input.Close()
	p.finish()
}

// publish has a program of its own publish n messages, and returns the ids of all that the stream has then.
func (b *bed) publish(binary, n string, args ...string) []string {
	b.t.Helper()
	b.watermill(binary, append([]string{"-publish", n}, args...)...).finish()
	return b.ids()
}

// ids are the ids in the stream, as the server has them.
func (b *bed) ids() []string {
	b.t.Helper()
	var all []string
	for _, e := range b.cli("XRANGE Q - +").([]any) {
		all = append(all, e.([]any)[0].(string))
	}
	return all
}

// held are the pending entries as the server tells: "id consumer deliveries", and for how long the least idle is idle.
func (b *bed) held() (rows []string, idle time.Duration) {
	b.t.Helper()
	var least []int64
	for _, row := range b.cli("XPENDING Q g - + 1000").([]any) {
		r := row.([]any)
		rows = append(rows, strings.Join([]string{text(r[0]), text(r[1]), text(r[3])}, " "))
		least = append(least, r[2].(int64))
	}
	if len(least) > 0 {
		idle = time.Duration(slices.Min(least)) * time.Millisecond
	}
	return rows, idle
}
