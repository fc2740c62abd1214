package watch

import (
	"context"
	"errors"
	"time"

	"example.com/unacked/redisq"
)

// checkTimeout is short: the screen waits for it, and a server that is silent is told of on the screen.
const checkTimeout = time.Second

// Check asks the server once, before anything is watched, and returns what is wrong for good: a wrong password or
// database, a master that the Sentinels do not know, a user who may read nothing. It returns nil where the server
// answers, and where it may answer in a while: watching then tells what the server says, and waits for it.
func Check(ctx context.Context, o Options) error {
	client, err := redisq.Connect(o.Target, redisq.Options{Name: "start", ReadOnly: true, Embedded: o.Embedded})
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if _, err = client.Identify(ctx); err == nil {
		err = mayRead(ctx, client, o.Stream)
	}
	if redisq.Passing(err) {
		return nil
	}
	return err
}

// mayRead returns the refusal where the user may do nothing of what watching needs: look for streams, or read the one
// that was named. Part of it is enough; what is missing is said where it is missing.
func mayRead(ctx context.Context, c *redisq.Client, stream string) error {
	ways := [][]any{{"SCAN", "0", "COUNT", 1}}
	if stream != "" {
		ways = [][]any{{"XINFO", "GROUPS", stream}, {"XPENDING", stream, "-"}, {"XRANGE", stream, "-", "+", "COUNT", 1}, {"XLEN", stream}}
	}
	var refused error
	for _, way := range ways {
		_, err := c.Do(ctx, way...)
		switch {
		case redisq.CodeOf(err) != "NOPERM":
			return nil
		case refused == nil:
			refused = err
		}
	}
	if stream == "" {
		return &redisq.Error{
			Op: "look for streams", Code: "NOPERM", Err: unwrapped(refused),
			Hint: "ask for the right, or name a stream with --stream",
		}
	}
	return refused
}

// unwrapped is what the server said.
func unwrapped(err error) error {
	var e *redisq.Error
	if errors.As(err, &e) && e.Err != nil {
		return e.Err
	}
	return err
}
