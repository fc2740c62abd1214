package watch

import (
	"context"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// rightsTimeout bounds the asking for rights.
const rightsTimeout = 10 * time.Second

// actionClient is the name of the client that changes things, in the log of commands.
const actionClient = "action"

// errReadOnly is what every action gets where nothing may be changed.
var errReadOnly = &redisq.Error{
	Op: "act", Code: redisq.CodeReadOnly, Err: readOnlyText("nothing may be changed here"), Hint: "start with --write to allow changes",
}

type readOnlyText string

func (t readOnlyText) Error() string { return string(t) }

// openDesk connects what changes things, where that is allowed. All reading stays with the read-only client.
func (w *Watch) openDesk() error {
	if !w.o.Write {
		return nil
	}
	client, err := redisq.Connect(w.o.Target, redisq.Options{Name: actionClient, Log: w.log, PoolSize: 2, Embedded: w.o.Embedded})
	if err != nil {
		return err
	}
	w.acting, w.desk = client, desk.NewDesk(client)
	return nil
}

// Plan plans what a person wants done with a queue. It waits for the server, for as long as the looking takes (see
// [redisq.WithLooking]) or until ctx ends. Without [Options.Write] it is an error.
func (w *Watch) Plan(ctx context.Context, q redisq.Queue, wish desk.Wish) (desk.Plan, error) {
	if w.desk == nil {
		return desk.Plan{}, errReadOnly
	}
	plan, err := w.desk.Plan(ctx, q, wish)
	if run := plan.Run; run != nil {
		plan.Run = func(ctx context.Context) redisq.Outcome {
			outcome := run(ctx)
			w.acted(outcome)
			return outcome
		}
	}
	return plan, err
}

// acted has everything read again, and puts what was done on the time axis.
func (w *Watch) acted(o redisq.Outcome) {
	if o.Done > 0 {
		w.mu.Lock()
		w.now.Events = append(w.now.Events[:len(w.now.Events):len(w.now.Events)], Event{At: w.o.Clock(), Text: "by hand: " + o.Text, Mark: true})
		w.publish()
		w.mu.Unlock()
	}
	for _, c := range []chan struct{}{w.reading, w.listing, w.examining} {
		wake(c)
	}
}

// Rights says what may not be done to a queue. It waits for the server. Without [Options.Write] it is an error.
func (w *Watch) Rights(ctx context.Context, q redisq.Queue) (desk.Rights, error) {
	if w.desk == nil {
		return nil, errReadOnly
	}
	ctx, cancel := context.WithTimeout(ctx, rightsTimeout)
	defer cancel()
	return w.desk.Rights(ctx, q)
}
