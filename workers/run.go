package workers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"example.com/unacked/redisq"
)

// Config is one worker process. Target, Queue, Consumer and Handler are required.
type Config struct {
	Target   redisq.Target
	Queue    redisq.Queue
	Consumer string
	Settings Settings // in force until a Control brings others; see Settings.Check
	Handler  Handler
	In       io.Reader       // controls, one JSON object a line; the worker ends when it closes. nil: neither
	Out      io.Writer       // gets the events; the worker ends when it fails. nil: none are made
	Stop     <-chan struct{} // closed: finish the message in hand, then end, as Control.Stop. nil: never
	Embedded bool            // Target is this program's embedded server
}

// callTimeout bounds one command of the worker, beside the time that it blocks.
const callTimeout = 2 * time.Second

// firstControlWithin is how long a worker with an In waits for the first control, which brings its settings. A supervisor
// has sent it before the worker begins; it only has to be read, on a machine that may have much else to do.
const firstControlWithin = time.Second

// endWithin is how long Run waits for the handler once the worker has to end.
const endWithin = 400 * time.Millisecond

var (
	errInputClosed  = errors.New("the standard input closed")
	errOutputClosed = errors.New("the events cannot be written")
)

// Run works on the queue until In closes, ctx ends, or it is told to stop. It returns nil then, and an error when the
// worker cannot start, or its events cannot be written. After a stop the message in hand is finished; otherwise its
// handler's context ends, Run returns within a second, even when the handler does not, and the message stays pending.
func Run(ctx context.Context, c Config) error {
	if c.Consumer == "" || c.Handler == nil {
		return errors.New("start a worker: it needs a consumer name and a handler")
	}
	if err := c.Settings.Check(); err != nil {
		return fmt.Errorf("start worker %s: %w", c.Consumer, err)
	}
	q, err := newRedisQueue(c)
	if err != nil {
		return fmt.Errorf("start worker %s: %w", c.Consumer, err)
	}
	defer q.close()
	return run(ctx, c, q, q.close)
}

func run(ctx context.Context, c Config, q queue, hangUp func()) error {
	w := newWorker(c, q)
	ctx, w.end = context.WithCancelCause(ctx)
	defer w.end(nil)
	if c.In != nil {
		go w.readControls(c.In)
		first := time.NewTimer(firstControlWithin)
		select {
		case <-w.first:
		case <-first.C:
		case <-ctx.Done():
		}
		first.Stop()
	}
	go w.keeper.run(ctx)
	go w.acker.run(ctx)
	done := make(chan error, 1)
	go func() { done <- w.work(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	hangUp()
	late := time.NewTimer(endWithin)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
	if err := context.Cause(ctx); errors.Is(err, errOutputClosed) {
		return fmt.Errorf("worker %s: %w", c.Consumer, err)
	}
	return nil
}

// worker is the state of one Run.
type worker struct {
	consumer string
	handler  Handler
	q        queue
	keeper   *keeper
	acker    *acker
	say      func(Event)
	end      context.CancelCauseFunc // ends the worker at once

	settings  atomic.Pointer[Settings]
	crash     atomic.Pointer[crash] // nil is not armed
	changed   chan struct{}         // capacity 1: new settings
	first     chan struct{}         // closed after the first control
	firstOnce sync.Once
	stop      chan struct{} // closed when told to stop
	stopOnce  sync.Once
	told      <-chan struct{} // Config.Stop

	// Owned by work.
	pauses    backoff.ExponentialBackOff
	ready     bool      // the group exists
	own       bool      // our own history comes first
	ownCursor string    // where it goes on
	cursor    string    // where the next claim looks
	claimAt   time.Time // when
	found     bool      // a look has found something: the claim is due now
	fair      bool      // new entries have their turn before the next claim
	idle      bool      // EventWaiting was said
}

func newWorker(c Config, q queue) *worker {
	w := &worker{
		consumer: c.Consumer, handler: c.Handler, q: q,
		changed: make(chan struct{}, 1), first: make(chan struct{}), stop: make(chan struct{}), told: c.Stop,
		own: true,
		pauses: backoff.ExponentialBackOff{
			InitialInterval: 50 * time.Millisecond, Multiplier: 2, RandomizationFactor: 0.2, MaxInterval: 800 * time.Millisecond,
		},
	}
	w.say = newEmitter(c.Out, c.Consumer, func(err error) { w.end(fmt.Errorf("%w: %w", errOutputClosed, err)) }).say
	w.keeper = newKeeper(q, c.Consumer, w.say)
	w.acker = newAcker(q, c.Consumer, func(batch []taken, results []redisq.HeldResult) { w.acked(batch, results, false) })
	s := c.Settings
	w.settings.Store(&s)
	return w
}

// stopping says that the worker was told to finish.
func (w *worker) stopping() bool {
	select {
	case <-w.stop:
		return true
	case <-w.told:
		return true
	default:
		return false
	}
}

// pause waits, until the worker has to end or finish or, with early, until the settings change.
func (w *worker) pause(ctx context.Context, d time.Duration, early bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	changed := w.changed
	if !early {
		changed = nil
	}
	select {
	case <-t.C:
	case <-changed:
	case <-w.stop:
	case <-w.told:
	case <-ctx.Done():
	}
}
