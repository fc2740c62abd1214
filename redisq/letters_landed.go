package redisq

import (
	"context"
	"slices"
	"time"
)

// newestLooked is how many of a stream's newest entries are looked through for one that may have come in.
const newestLooked = 1000

// landed looks for what a replay made of a letter that is gone, when the reply to the replay was lost. Nil is that it is
// there; an error with CodeLostReply is that the letter left some other way: the server came back without its data,
// another person deleted it, or the entry has left the stream already.
func (g *Group) landed(ctx context.Context, o *ReplayOptions, w letterWork, target string) error {
	if o.Group != "" {
		return g.isThere(ctx, target, w.target())
	}
	return g.cameIn(ctx, target, func(e Entry) bool {
		original, replays, fields := Original(e)
		if w.original != "" && (original != w.original || replays != w.replays+1) {
			return false
		}
		return slices.Equal(fields, w.fields())
	})
}

// isThere looks for an entry that was to be made pending; it may be acknowledged by now.
func (g *Group) isThere(ctx context.Context, stream, id string) error {
	return g.look(ctx, func(ctx context.Context) (bool, error) {
		reply, err := g.c.Do(ctx, "XRANGE", stream, id, id)
		return len(asList(reply)) > 0, err
	})
}

// cameIn looks through the newest entries of a stream.
func (g *Group) cameIn(ctx context.Context, stream string, is func(Entry) bool) error {
	return g.look(ctx, func(ctx context.Context) (bool, error) {
		reply, err := g.c.Do(ctx, "XREVRANGE", stream, "+", "-", "COUNT", newestLooked)
		return slices.ContainsFunc(asEntries(reply), is), err
	})
}

// look asks until an answer comes, for as long as certain does.
func (g *Group) look(ctx context.Context, ask func(context.Context) (bool, error)) error {
	ctx = context.WithoutCancel(ctx)
	for began := time.Now(); ; pause(ctx, g.patience/20) {
		there, err := ask(ctx)
		switch {
		case err == nil && there:
			return nil
		case err == nil:
			err = errorString("the letter is gone, and what was to be made of it is not among the newest entries")
		case passing(CodeOf(err)) && time.Since(began) < g.patience:
			continue
		}
		return &Error{Code: CodeLostReply, Err: err}
	}
}
