package watch

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

func TestMain(m *testing.M) {
	redisq.SilenceLibrary(io.Discard)
	redistest.Main(m)
}

// others is a client as any other program has one.
type others struct {
	t *testing.T
	c *redisq.Client
}

func connect(t *testing.T, url string) others {
	t.Helper()
	target, err := redisq.ParseTarget(url)
	if err != nil {
		t.Fatal(err)
	}
	c, err := redisq.Connect(target, redisq.Options{Name: "others"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return others{t, c}
}

// do sends a command, words divided by blanks.
func (o others) do(command string) any {
	o.t.Helper()
	var args []any
	for _, word := range strings.Fields(command) {
		args = append(args, word)
	}
	reply, err := o.c.Do(context.Background(), args...)
	if err != nil {
		o.t.Fatalf("%s: %v", command, err)
	}
	return reply
}

// begin watches a server until the end of the test.
func begin(t *testing.T, url string, embedded bool, o Options) *Watch {
	t.Helper()
	target, err := redisq.ParseTarget(url)
	if err != nil {
		t.Fatal(err)
	}
	o.Target, o.Embedded = target, embedded
	if o.Interval == 0 {
		o.Interval = redisq.MinInterval
	}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.Start()
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// until waits for an update that is as it should be.
func until(t *testing.T, w *Watch, what string, ok func(Update) bool) Update {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	var last Update
	for {
		select {
		case u, open := <-w.Updates():
			if !open {
				t.Fatalf("the updates ended before %s", what)
			}
			if last = u; ok(u) {
				return u
			}
		case <-deadline.C:
			t.Fatalf("not seen: %s; the last update has the choice %q, the snapshot %+v, the streams %+v, the doctor %+v",
				what, last.Chosen, last.Snapshot, last.Streams, last.Doctor)
		}
	}
}

func good(u Update) bool { return u.Snapshot != nil && u.Snapshot.Err == nil }

func told(lines []StoryLine) string {
	var all []string
	for _, l := range lines {
		all = append(all, l.Text)
	}
	return strings.Join(all, "\n")
}
