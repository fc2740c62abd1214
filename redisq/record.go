package redisq

import (
	"context"
	"crypto/rand"
	"time"
)

// Record notes that the message with this original id is done (or about to be), for ttl, at least 1 ms: longer than
// the longest time in which it may come again. fresh is false when it was noted before. A lost reply is looked after
// here: the note says which call wrote it.
func (g *Group) Record(ctx context.Context, id string, ttl time.Duration) (fresh bool, err error) {
	key, token := g.q.Seen+id, rand.Text()
	for try := 0; ; try++ {
		reply, err := g.c.Do(ctx, "SET", key, token, "NX", "PX", max(ttl.Milliseconds(), 1))
		if err == nil {
			if reply != nil {
				return true, nil
			}
			if try == 0 {
				return false, nil
			}
		} else if CodeOf(err) != CodeLostReply || try > 0 {
			return false, on(err, "record "+id, key)
		}
		written, err := g.c.Do(ctx, "GET", key)
		if err != nil {
			return false, on(err, "record "+id, key)
		}
		if written != nil {
			return asString(written) == token, nil
		}
	}
}

// Recorded says whether the message with this original id was recorded.
func (g *Group) Recorded(ctx context.Context, id string) (bool, error) {
	key := g.q.Seen + id
	reply, err := g.c.Do(ctx, "EXISTS", key)
	if err != nil {
		return false, on(err, "look for the record of "+id, key)
	}
	n, _ := asInt(reply)
	return n == 1, nil
}
