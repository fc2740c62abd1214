package redisq

import (
	"context"
	"time"
)

const (
	awayPatience = 45 * time.Second       // for how long a server that went away is waited for: a failover may take 30 s
	lostPatience = 5 * time.Second        // for how long a lost reply is looked after once the person wants it to end
	lostPause    = 100 * time.Millisecond // before the first look, growing to a second
)

// Notice is what a plan tells while it runs: "the reply was lost: outcome unknown, checking".
type Notice func(text string)

type noticeKey struct{}

// WithNotice has plans that run under ctx tell what happens meanwhile. f is called by the goroutine that runs the plan.
func WithNotice(ctx context.Context, f Notice) context.Context {
	return context.WithValue(ctx, noticeKey{}, f)
}

func notice(ctx context.Context, text string) {
	if f, ok := ctx.Value(noticeKey{}).(Notice); ok && f != nil {
		f(text)
	}
}

// certain runs a script that may be run again, until its reply is known: after a lost reply, a timeout or a failover it
// runs it once more, and the reply to that tells what is true now. lost says that an earlier run's reply was lost, so
// that "there is nothing to do" may mean that this earlier run did it. The error has CodeLostReply when not even that
// could be found out in all that time. What was begun is brought to its end although ctx is cancelled meanwhile, if that
// takes some seconds only.
//
// A server that goes away between two scripts, when nothing is in hand, is waited for too: see [Group.awaited].
func (g *Group) certain(ctx context.Context, s *script, keys []string, args ...any) (reply any, lost bool, err error) {
	err = g.awaited(ctx, func() error {
		if ctx.Err() != nil {
			return &Error{Op: s.name, Code: CodeCanceled, Err: context.Cause(ctx)}
		}
		reply, lost, err = g.settled(context.WithoutCancel(ctx), ctx, s, keys, args)
		return err
	})
	if err == nil {
		g.answered.Store(true)
	}
	return reply, lost, err
}

// settled is one attempt of certain: it ends with a reply, or with an error that says that nothing is in hand or that
// nobody knows. asked is the context that the person may cancel.
func (g *Group) settled(ctx, asked context.Context, s *script, keys []string, args []any) (reply any, lost bool, err error) {
	var since time.Time
	wait := lostPause
	for {
		reply, err = g.try(ctx, s, keys, args)
		switch code := CodeOf(err); {
		case err == nil:
			return reply, lost, nil
		case code == CodeLostReply && !lost:
			lost, since = true, time.Now()
			notice(ctx, "the reply was lost: outcome unknown, checking")
		case code != CodeLostReply && (!lost || !passing(code)):
			return nil, lost, err
		}
		most := g.patience
		if asked.Err() != nil {
			most = min(most, lostPatience)
		}
		if time.Since(since) >= most {
			return nil, true, &Error{Op: s.name, Code: CodeLostReply, Err: err}
		}
		pause(ctx, min(wait, g.patience/4))
		wait = min(2*wait, time.Second)
	}
}

// awaited does something that changes nothing when it fails with a passing error. Where a script of this group was
// answered before, so that the server was there and may do what is wished, it is done again until it does not fail like
// that: a run goes on through a failover. It ends at once when ctx is cancelled.
func (g *Group) awaited(ctx context.Context, do func() error) error {
	var since time.Time
	wait := lostPause
	for {
		err := do()
		switch {
		case err == nil && !since.IsZero():
			notice(ctx, "the server answers again")
			return nil
		case err == nil, !g.answered.Load(), !passing(CodeOf(err)):
			return err
		case since.IsZero():
			since = time.Now()
			notice(ctx, "the server does not answer ("+CodeOf(err)+"): waiting for it, nothing is in hand")
		case time.Since(since) >= g.patience:
			return err
		}
		if !pause(ctx, min(wait, g.patience/4)) {
			return &Error{Op: "wait for the server", Code: CodeCanceled, Err: context.Cause(ctx)}
		}
		wait = min(2*wait, time.Second)
	}
}

// ask sends a reading command while a plan runs, through a failover: see [Group.awaited].
func (g *Group) ask(ctx context.Context, args ...any) (reply any, err error) {
	err = g.awaited(ctx, func() error {
		reply, err = g.c.Do(ctx, args...)
		return err
	})
	return reply, err
}

// askAll is ask for a pipeline.
func (g *Group) askAll(ctx context.Context, commands [][]any) (results []result, err error) {
	err = g.awaited(ctx, func() error {
		results, err = g.c.pipeline(ctx, commands)
		if err == nil && len(results) > 0 && passing(CodeOf(results[0].err)) {
			return results[0].err // LOADING is said of each
		}
		return err
	})
	return results, err
}

func (g *Group) try(ctx context.Context, s *script, keys []string, args []any) (any, error) {
	if g.answerIn > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, g.answerIn)
		defer cancel()
	}
	return g.c.eval(ctx, s, keys, args...)
}

// passing says that a code may be gone in a moment: the server is away, starting, or about to be another one.
func passing(code string) bool {
	switch code {
	case CodeRefused, CodeUnreachable, CodeTimeout, CodeLost, CodePool, "LOADING", "READONLY", "MASTERDOWN",
		"CLUSTERDOWN", "TRYAGAIN", "BUSY":
		return true
	}
	return false
}

// pause waits, and returns false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
