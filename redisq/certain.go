package redisq

import (
	"context"
	"time"
)

const (
	lostPatience = 5 * time.Second        // for how long a lost reply is looked after; a failover takes about that
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
// could be found out within some seconds. What was begun is brought to its end although ctx is cancelled meanwhile.
func (g *Group) certain(ctx context.Context, s *script, keys []string, args ...any) (reply any, lost bool, err error) {
	if ctx.Err() != nil {
		return nil, false, &Error{Op: s.name, Code: CodeCanceled, Err: context.Cause(ctx)}
	}
	ctx = context.WithoutCancel(ctx)
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
		if time.Since(since) >= g.patience {
			return nil, true, &Error{Op: s.name, Code: CodeLostReply, Err: err}
		}
		pause(ctx, min(wait, g.patience/4))
		wait = min(2*wait, time.Second)
	}
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
