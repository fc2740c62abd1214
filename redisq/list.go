package redisq

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"
	"unicode/utf8"
)

// Push puts a message into the list queue (LPUSH), as a JSON array of [name, value]; a pair that is no UTF-8 is
// [name, value, "base64"] with both encoded. With a Limit it returns ErrFull when the list has that many; a MaxLen cuts
// the oldest. It is not to be called again after a lost reply.
func (g *Group) Push(ctx context.Context, fields []Field, o AddOptions) error {
	value, err := encodeFields(fields)
	if err != nil {
		return on(err, "push", g.q.List)
	}
	if o.Limit <= 0 && o.MaxLen <= 0 {
		_, err := g.c.Do(ctx, "LPUSH", g.q.List, value)
		if err != nil {
			return on(err, "push", g.q.List)
		}
		return nil
	}
	reply, err := g.c.eval(ctx, pushScript, []string{g.q.List}, max(o.Limit, 0), max(o.MaxLen, 0), value)
	switch {
	case err != nil:
		return on(err, "push", g.q.List)
	case replyWord(reply) == "full":
		return full(g.q.List)
	case replyWord(reply) != "added":
		return badReply("push", g.q.List, reply)
	}
	return nil
}

// Pop takes the oldest message of the list (BRPOP), waiting for block at most when there is none; block is cut to what the
// client allows, 2 s or for a reader 10 s, and to no less than 1 ms. The message is gone from Redis then: when its reply is lost, or the caller dies, so is the
// message. Its Entry has no ID. ok is false when there was none.
func (g *Group) Pop(ctx context.Context, block time.Duration) (e Entry, ok bool, err error) {
	wait := max(min(block, g.c.longestBlock()), time.Millisecond)
	reply, err := g.c.Do(ctx, "BRPOP", g.q.List, wait.Seconds())
	if err != nil {
		return Entry{}, false, on(err, "pop", g.q.List)
	}
	if reply == nil {
		return Entry{}, false, nil
	}
	parts := asList(reply)
	if len(parts) != 2 {
		return Entry{}, false, badReply("pop", g.q.List, reply)
	}
	return Entry{Fields: decodeFields(asString(parts[1]))}, true, nil
}

func encodeFields(fields []Field) (string, error) {
	pairs := make([][]string, len(fields))
	for i, f := range fields {
		pairs[i] = []string{f.Name, f.Value}
		if !utf8.ValidString(f.Name) || !utf8.ValidString(f.Value) {
			encode := base64.StdEncoding.EncodeToString
			pairs[i] = []string{encode([]byte(f.Name)), encode([]byte(f.Value)), "base64"}
		}
	}
	b, err := json.Marshal(pairs)
	return string(b), err
}

// decodeFields reads what encodeFields wrote. What somebody else pushed is one field "value".
func decodeFields(value string) []Field {
	foreign := []Field{{Name: "value", Value: value}}
	var pairs [][]string
	if json.Unmarshal([]byte(value), &pairs) != nil {
		return foreign
	}
	fields := make([]Field, 0, len(pairs))
	for _, p := range pairs {
		switch {
		case len(p) == 2:
			fields = append(fields, Field{Name: p[0], Value: p[1]})
		case len(p) == 3 && p[2] == "base64":
			name, errName := base64.StdEncoding.DecodeString(p[0])
			value, errValue := base64.StdEncoding.DecodeString(p[1])
			if errName != nil || errValue != nil {
				return foreign
			}
			fields = append(fields, Field{Name: string(name), Value: string(value)})
		default:
			return foreign
		}
	}
	return fields
}
