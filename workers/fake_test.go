package workers

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/unacked/redisq"
)

// fake is a strict queue: each call must be the next of the script, which says its answer. Calls after the end of the
// script end the test's worker. Heartbeats are not part of it.
type fake struct {
	t    *testing.T
	end  func()
	held func() // called for each heartbeat, or nil

	mu    sync.Mutex
	steps []step
	done  int
}

type step struct {
	call string
	// What is answered; the type depends on the call.
	answer any
	err    error
	after  time.Duration // of a read that blocks: when it is answered, 0 is at the end of its block
	given  bool          // of a read that is broken off: it was answered in that moment
}

// next takes one call.
func (f *fake) next(call string) (answer any, err error) {
	s, err := f.step(call)
	return s.answer, err
}

func (f *fake) step(call string) (step, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done == len(f.steps) {
		f.end()
		return step{}, &redisq.Error{Op: call, Code: redisq.CodeClosed}
	}
	s := f.steps[f.done]
	if s.call != call {
		f.t.Errorf("call %d is %s, want %s", f.done+1, call, s.call)
		f.done = len(f.steps)
		f.end()
		return step{}, errTest
	}
	f.done++
	return s, s.err
}

func as[T any](answer any, err error) (T, error) {
	v, _ := answer.(T)
	return v, err
}

func (f *fake) CheckKeys(context.Context) error { _, err := f.next("check"); return err }

func (f *fake) Ensure(context.Context) (bool, error) { return as[bool](f.next("ensure")) }

func (f *fake) ReadNew(ctx context.Context, _ string, count int, block time.Duration) ([]redisq.Entry, error) {
	if block <= 0 {
		return as[[]redisq.Entry](f.next(fmt.Sprintf("read %d at once", count)))
	}
	s, err := f.step(fmt.Sprintf("read %d and wait", count))
	if err != nil {
		return nil, err
	}
	if block < 5*time.Second || block > 10*time.Second {
		f.t.Errorf("a read that waits for %v, want 5 s to 10 s", block)
	}
	if s.after > 0 {
		block = s.after
	}
	select {
	case <-time.After(block):
	case <-ctx.Done():
		if !s.given {
			return nil, &redisq.Error{Op: "read", Code: redisq.CodeClosed}
		}
	}
	return as[[]redisq.Entry](s.answer, nil)
}

func (f *fake) Claim(_ context.Context, _ string, o redisq.ClaimOptions) (redisq.Claim, error) {
	what := "expired"
	switch {
	case o.Own:
		what = "own"
	case o.Look:
		return as[redisq.Claim](f.next(fmt.Sprintf("look from %q", o.Cursor)))
	}
	return as[redisq.Claim](f.next(fmt.Sprintf("claim %s from %q", what, o.Cursor)))
}

func (f *fake) Ack(_ context.Context, _ string, held ...redisq.Held) ([]redisq.HeldResult, error) {
	return as[[]redisq.HeldResult](f.next(fmt.Sprintf("ack %s %d", held[0].ID, held[0].Deliveries)))
}

func (f *fake) Extend(_ context.Context, _ string, held ...redisq.Held) ([]redisq.HeldResult, error) {
	if f.held != nil {
		f.held()
	}
	var all []redisq.HeldResult
	for _, h := range held {
		all = append(all, redisq.HeldResult{ID: h.ID, OK: true})
	}
	return all, nil
}

func (f *fake) DeadLetter(_ context.Context, owner string, h redisq.Held, why string) (redisq.HeldResult, error) {
	return as[redisq.HeldResult](f.next(fmt.Sprintf("bury %s %d of %s: %s", h.ID, h.Deliveries, owner, why)))
}

func (f *fake) Pop(context.Context, time.Duration) (redisq.Entry, bool, error) {
	e, err := as[redisq.Entry](f.next("pop"))
	return e, len(e.Fields) > 0, err
}

func (f *fake) Record(_ context.Context, id string, _ time.Duration) (bool, error) {
	return as[bool](f.next("record " + id))
}

func (f *fake) Recorded(_ context.Context, id string) (bool, error) {
	return as[bool](f.next("recorded " + id))
}

func (f *fake) Forget(_ context.Context, id string) error {
	_, err := f.next("forget " + id)
	return err
}

// play runs a worker against the script, on a clock of its own, and returns its events. It fails when the script was
// not played to its end.
func play(t *testing.T, s Settings, h Handler, steps ...step) (r *rig) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { r = playNow(t, s, h, steps) })
	return r
}

func playNow(t *testing.T, s Settings, h Handler, steps []step) *rig {
	r := &rig{t: t}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := &fake{t: t, end: cancel, steps: steps}
	out, events := io.Pipe()
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := newLines(out)
		for lines.next() {
			r.on(must[Event](t)(decode(lines.line)))
		}
	}()
	err := run(ctx, Config{Consumer: "w1", Settings: s, Handler: h, Out: events}, f, func() {})
	_ = events.Close()
	<-read
	if err != nil {
		t.Errorf("run: %v", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done != len(steps) {
		t.Errorf("%d calls of %d were made; next was to be %s", f.done, len(steps), steps[f.done].call)
	}
	return r
}

func failing(code string) error { return &redisq.Error{Op: "test", Code: code} }

func entry(id string) redisq.Entry {
	return redisq.Entry{ID: id, Fields: []redisq.Field{{Name: "order", Value: "7"}}}
}

// opening is what every worker begins with.
func opening(rest ...step) []step {
	return append([]step{
		{call: "check"}, {call: "ensure", answer: false}, {call: `claim own from ""`, answer: redisq.Claim{Found: redisq.ClaimNone}},
	}, rest...)
}
