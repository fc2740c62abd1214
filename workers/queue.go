package workers

import (
	"context"
	"time"

	"example.com/unacked/redisq"
)

// recordTTL is how long the idempotent consumer remembers a message: longer than a dead letter is likely to lie before
// somebody replays it.
const recordTTL = 7 * 24 * time.Hour

// queue is what the loop needs of [redisq.Group].
type queue interface {
	CheckKeys(ctx context.Context) error
	Ensure(ctx context.Context) (created bool, err error)
	ReadNew(ctx context.Context, consumer string, count int, block time.Duration) ([]redisq.Entry, error)
	Claim(ctx context.Context, consumer string, o redisq.ClaimOptions) (redisq.Claim, error)
	Ack(ctx context.Context, consumer string, held ...redisq.Held) ([]redisq.HeldResult, error)
	Extend(ctx context.Context, consumer string, held ...redisq.Held) ([]redisq.HeldResult, error)
	DeadLetter(ctx context.Context, owner string, h redisq.Held, reason string) (redisq.HeldResult, error)
	Pop(ctx context.Context, block time.Duration) (redisq.Entry, bool, error)
	Record(ctx context.Context, id string, ttl time.Duration) (fresh bool, err error)
	Recorded(ctx context.Context, id string) (bool, error)
	Forget(ctx context.Context, id string) error
}

// redisQueue is the real one.
type redisQueue struct {
	*redisq.Group
	client *redisq.Client
	seen   string
}

// Forget takes a record back: the work that it was written before has failed.
func (q redisQueue) Forget(ctx context.Context, id string) error {
	_, err := q.client.Do(ctx, "DEL", q.seen+id)
	return err
}

// transient says that the same call may succeed later: there was no answer, or the server said "not now".
func transient(err error) bool {
	switch redisq.CodeOf(err) {
	case "WRONGTYPE", "NOPERM", "NOAUTH", "WRONGPASS", "NOGROUP", "CROSSSLOT", "OOM", "ERR",
		redisq.CodeSlot, redisq.CodeTLS, redisq.CodeTooBig, redisq.CodeBadReply, redisq.CodeReadOnly:
		return false
	}
	return true
}

// final says that a worker need not start: no waiting mends it.
func final(err error) bool {
	code := redisq.CodeOf(err)
	return !transient(err) && code != "NOGROUP" && code != "OOM"
}

// doubtful says that the call may have taken effect though it failed.
func doubtful(err error) bool {
	code := redisq.CodeOf(err)
	return code == redisq.CodeLostReply || code == redisq.CodeTimeout || code == redisq.CodeLost
}
