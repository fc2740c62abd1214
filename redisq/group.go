package redisq

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"
)

// Group is what a worker, a producer or a person does to one queue. Its methods are safe for concurrent use. Each sends
// its command once: after an Error with CodeLostReply the change may or may not have been made, and each method says
// whether it may be called again.
type Group struct {
	c *Client
	q Queue

	patience time.Duration // see certain
	answered atomic.Bool   // a script of this group was answered
	answerIn time.Duration // how long one answer to certain may take, 0 is as the client has it
}

// NewGroup returns the actions on queue q through client c.
func NewGroup(c *Client, q Queue) *Group { return &Group{c: c, q: q, patience: awayPatience} }

// Queue returns the names of the keys.
func (g *Group) Queue() Queue { return g.q }

// on says what an error was about.
func on(err error, op, key string) error {
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		return wrap(op, key, err, true, nil)
	}
	about := *e
	about.Op, about.On = op, key
	if e.Code == "TOOBIG" {
		about.Code = CodeTooBig
	}
	return &about
}

// Ensure creates the group at the beginning of the stream, and the stream too, where they are missing (XGROUP CREATE …
// 0 MKSTREAM). created is false when it was there. It may be called again.
func (g *Group) Ensure(ctx context.Context) (created bool, err error) {
	_, err = g.c.Do(ctx, "XGROUP", "CREATE", g.q.Stream, g.q.Group, "0", "MKSTREAM")
	switch {
	case err == nil:
		return true, nil
	case CodeOf(err) == "BUSYGROUP":
		return false, nil
	}
	return false, on(err, "create the group "+g.q.Group, g.q.Stream)
}

// CheckKeys says whether the queue's keys can be worked with: the stream and the dead letters are streams or absent,
// the list is a list or absent, and on a Cluster all are in one slot. It changes nothing.
func (g *Group) CheckKeys(ctx context.Context) error {
	keys := []struct{ key, kind, what string }{{g.q.Stream, "stream", "the queue"}}
	if g.q.DeadLetter != "" {
		keys = append(keys, struct{ key, kind, what string }{g.q.DeadLetter, "stream", "the dead letters"})
	}
	if g.q.List != "" {
		keys = append(keys, struct{ key, kind, what string }{g.q.List, "list", "the list queue"})
	}
	if _, err := g.c.Identify(ctx); err != nil { // which finds out about a Cluster
		return err
	}
	if g.c.clustered() {
		for _, k := range keys[1:] {
			if Slot(k.key) != Slot(g.q.Stream) {
				return &Error{
					Op: "check the keys", On: k.key, Code: CodeSlot,
					Err:  errorString("it is not in the Cluster slot of " + g.q.Stream + ", so an entry cannot be moved in one step"),
					Hint: "a name with the same hash tag is, like " + DeadLetterKey(g.q.Stream),
				}
			}
		}
	}
	for _, k := range keys {
		reply, err := g.c.Do(ctx, "TYPE", k.key)
		if err != nil {
			return on(err, "look at "+k.what, k.key)
		}
		if kind := asString(reply); kind != "none" && kind != k.kind {
			return &Error{
				Op: "check the keys", On: k.key, Code: "WRONGTYPE",
				Err:  errorString("it is to hold " + k.what + " (a " + k.kind + ") and holds a " + kind),
				Hint: "name another key",
			}
		}
	}
	return nil
}

// AddOptions bound a queue at the moment of an addition. The zero value does not.
type AddOptions struct {
	MaxLen int64 // cut to exactly that many, read or not: the oldest go; 0 is no cap
	Limit  int64 // refuse when the backlog has that many, counted by the server up to the limit; 0 is no limit
}

// Add puts an entry into the stream and returns its id. fields must not be empty. With a Limit it returns ErrFull and
// adds nothing when the backlog has reached it. It is not to be called again after a lost reply: the entry may be there.
func (g *Group) Add(ctx context.Context, fields []Field, o AddOptions) (id string, err error) {
	if len(fields) == 0 {
		return "", &Error{Op: "add", On: g.q.Stream, Code: "ERR", Err: errorString("an entry needs a field")}
	}
	if o.Limit <= 0 {
		command := addCommand(g.q.Stream, o.MaxLen, flatten(fields))
		reply, err := g.c.Do(ctx, anys(command)...)
		if err != nil {
			return "", on(err, "add", g.q.Stream)
		}
		return asString(reply), nil
	}
	args := []any{g.q.Group, o.Limit, max(o.MaxLen, 0)}
	reply, err := g.c.eval(ctx, addScript, []string{g.q.Stream}, append(args, anys(flatten(fields))...)...)
	if err != nil {
		return "", on(err, "add", g.q.Stream)
	}
	switch parts := asList(reply); {
	case replyWord(reply) == "full":
		return "", full(g.q.Stream)
	case replyWord(reply) == "added" && len(parts) == 2:
		return asString(parts[1]), nil
	}
	return "", badReply("add", g.q.Stream, reply)
}

func full(key string) error {
	return &Error{Op: "add", On: key, Code: CodeFull, Err: ErrFull}
}

func anys(words []string) []any {
	list := make([]any, len(words))
	for i, w := range words {
		list[i] = w
	}
	return list
}

// RemoveKeys deletes every key that begins with prefix (SCAN MATCH, UNLINK), on each master of a Cluster. It is for the
// lab's own keys and refuses any other prefix.
func (g *Group) RemoveKeys(ctx context.Context, prefix string) error {
	return g.c.RemoveKeys(ctx, prefix)
}

// labPrefix is what the keys of every lab begin with.
const labPrefix = "unacked:lab:"

// RemoveKeys is [Group.RemoveKeys].
func (c *Client) RemoveKeys(ctx context.Context, prefix string) error {
	if !strings.HasPrefix(prefix, labPrefix) {
		return &Error{
			Op: "remove keys", On: prefix, Code: "ERR",
			Err: errorString("only keys that begin with " + labPrefix + " are removed"),
		}
	}
	return c.eachMaster(ctx, func(ctx context.Context, do doer) error {
		cursor := "0"
		for {
			reply, err := do(ctx, "SCAN", cursor, "MATCH", escapeGlob(prefix)+"*", "COUNT", 500)
			if err != nil {
				return on(err, "find the lab's keys", prefix)
			}
			parts := asList(reply)
			if len(parts) != 2 {
				return badReply("find the lab's keys", prefix, reply)
			}
			for _, key := range asList(parts[1]) {
				// One by one: on a Cluster they need not share a slot.
				if _, err := do(ctx, "UNLINK", asString(key)); err != nil {
					return on(err, "remove", asString(key))
				}
			}
			if cursor = asString(parts[0]); cursor == "0" || cursor == "" {
				return nil
			}
		}
	})
}

// escapeGlob makes s match only itself in a MATCH pattern.
func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`).Replace(s)
}
