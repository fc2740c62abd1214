package workers

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
)

// idle is a queue without work.
type idle struct{ fake }

func (q *idle) CheckKeys(context.Context) error      { return nil }
func (q *idle) Ensure(context.Context) (bool, error) { return false, nil }
func (q *idle) Claim(context.Context, string, redisq.ClaimOptions) (redisq.Claim, error) {
	return redisq.Claim{Found: redisq.ClaimNone}, nil
}

func (q *idle) ReadNew(ctx context.Context, _ string, _ int, block time.Duration) ([]redisq.Entry, error) {
	t := time.NewTimer(max(block, 0))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return nil, nil
}

// What comes on the standard input is taken line by line; nonsense is told and does no harm.
func TestControls(t *testing.T) {
	in, w := io.Pipe()
	out, events := io.Pipe()
	r := &rig{t: t}
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := newLines(out)
		for lines.next() {
			r.on(must[Event](t)(decode(lines.line)))
		}
	}()
	done := make(chan error, 1)
	go func() {
		done <- run(context.Background(), Config{
			Consumer: "w1", Settings: DefaultSettings(), Handler: okHandler, In: in, Out: events,
		}, &idle{}, func() {})
		_ = events.Close()
	}()
	write := func(line string) {
		t.Helper()
		if _, err := io.WriteString(w, line); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"settings":{"kind":"stream","idempotent":"off","lease":1000000000,"batch":1},"unknown":{"x":1}}` + "\r\n")
	r.await("it waits", func() bool { return r.count(EventWaiting) == 1 })
	logs := func(part string, n int) {
		t.Helper()
		r.await("a line that says "+part, func() bool {
			return r.count(EventLog, func(e Event) bool { return strings.Contains(e.Reason, part) }) == n
		})
	}
	write("nonsense\n\n")
	logs("a control was ignored: ", 2)
	write(`{"crash":"` + strings.Repeat("x", 1<<20) + "\"}\n")
	logs("line is too long", 1)
	write(`{"crash":"while-asleep"}` + "\n")
	logs("no such crash point", 1)
	write(`{"settings":{"kind":"stream","idempotent":"off","lease":0,"batch":1}}` + "\n")
	logs("new settings were ignored: lease", 1)
	write(`{"crash":"after-work","order":"4"}` + "\n" + `{"disarm":true}` + "\n")
	r.await("armed and disarmed", func() bool {
		return r.count(EventArmed, order("4")) == 1 && r.count(EventArmed, order("")) == 1
	})
	// The last line needs no end.
	write(`{"stop":true}`)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	<-read
	if n := r.count(EventStopped); n != 1 {
		t.Errorf("%d times stopped, want 1", n)
	}
}

// Without an input a worker neither waits for controls nor ends by it; a closed channel stops it.
func TestWorkerWithoutControls(t *testing.T) {
	stop := make(chan struct{})
	done := make(chan error, 1)
	began := make(chan struct{})
	var once bool
	go func() {
		done <- run(context.Background(), Config{
			Consumer: "w1", Settings: DefaultSettings(), Handler: okHandler, Stop: stop,
			Out: writerFunc(func(p []byte) (int, error) {
				if e, err := decode(p); err == nil && e.Kind == EventWaiting && !once {
					once = true
					close(began)
				}
				return len(p), nil
			}),
		}, &idle{}, func() {})
	}()
	<-began
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Each event is one write of one line, and a reader that is gone ends the worker.
func TestEvents(t *testing.T) {
	writes := 0
	err := run(t.Context(), Config{
		Consumer: "w\n1", Settings: DefaultSettings(), Handler: okHandler,
		Out: writerFunc(func(p []byte) (int, error) {
			writes++
			if strings.Count(string(p), "\n") != 1 || p[len(p)-1] != '\n' {
				t.Errorf("written %q, want one line", p)
			}
			e, err := decode(p)
			if err != nil || e.Worker != "w\n1" || e.PID != os.Getpid() || time.Since(e.At) > time.Minute {
				t.Errorf("event %+v, error %v", e, err)
			}
			if writes == 2 {
				return 0, os.ErrClosed
			}
			return len(p), nil
		}),
	}, &idle{}, func() {})
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v, want that the events cannot be written", err)
	}
}

// Run returns soon after its input closed or its context ended, even when the handler does neither see nor care.
func TestRunDoesNotWaitForAHandlerThatHangs(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	for _, how := range []string{"input", "context"} {
		t.Run(how, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			in, w := io.Pipe()
			working := make(chan struct{})
			f := &fake{t: t, end: func() {}, steps: opening(read(entry("7-0")))}
			done := make(chan error, 1)
			go func() {
				done <- run(ctx, Config{
					Consumer: "w1", Settings: DefaultSettings(), In: in,
					Handler: handlerFunc(func(context.Context, Message) error { close(working); <-release; return nil }),
				}, f, func() {})
			}()
			<-working
			if how == "input" {
				_ = w.Close()
			} else {
				cancel()
				defer func() { _ = w.Close() }()
			}
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(patience):
				t.Error("Run did not return")
			}
		})
	}
}
