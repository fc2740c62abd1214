package redisq

import (
	"context"
	"slices"
)

// Held is an entry that a consumer believes to hold, with the delivery count under which it got it. The count tells a
// consumer from an earlier one of the same name.
type Held struct {
	ID         string
	Deliveries int64 // 1 for an entry that ReadNew returned
}

// HeldResult is what became of one Held.
type HeldResult struct {
	ID         string
	OK         bool   // it was the consumer's and was acted on
	Owner      string // where not OK: who holds it now, "" when it is not pending (any more)
	Deliveries int64  // where not OK: its delivery count now, 0 when it is not pending
	Gone       bool   // DeadLetter only: it was the consumer's, but its body is gone, so it was dropped without a letter
	Already    bool   // DeadLetter only: OK because an earlier call had moved it
}

func byID(a, b Held) int {
	order, _ := CompareIDs(a.ID, b.ID)
	return order
}

// settleBatch is how many entries one script settles: it blocks the server for about 0.3 ms.
const settleBatch = 500

// Ack acknowledges entries that are still the consumer's, with the delivery count that it knows; the others are left
// alone and reported with their owner. The results have the order of held. It may be called again: an entry that is
// acknowledged by now comes back as not pending.
func (g *Group) Ack(ctx context.Context, consumer string, held ...Held) ([]HeldResult, error) {
	return g.settle(ctx, ackScript, "acknowledge", consumer, held)
}

// Extend renews the lease of entries that are still the consumer's: their idle time starts again at 0, their delivery
// count stays. It may be called again.
func (g *Group) Extend(ctx context.Context, consumer string, held ...Held) ([]HeldResult, error) {
	return g.settle(ctx, extendScript, "extend", consumer, held)
}

func (g *Group) settle(ctx context.Context, s *script, op, consumer string, held []Held) ([]HeldResult, error) {
	sorted := held
	if !slices.IsSortedFunc(held, byID) {
		sorted = slices.SortedFunc(slices.Values(held), byID)
	}
	refused := map[string]HeldResult{}
	for len(sorted) > 0 {
		batch := sorted[:min(len(sorted), settleBatch)]
		sorted = sorted[len(batch):]
		reply, err := g.c.eval(ctx, s, []string{g.q.Stream}, g.heldArgs(consumer, batch)...)
		if err != nil {
			return nil, on(err, op+" "+batch[0].ID, g.q.Stream)
		}
		readRefused(reply, refused)
	}
	return heldResults(held, refused), nil
}

// heldArgs are the arguments of an ack or extend: see luaHeld.
func (g *Group) heldArgs(consumer string, batch []Held) []any {
	args := make([]any, 0, 3+2*len(batch))
	args = append(args, g.q.Group, consumer, len(batch))
	same := true
	for _, h := range batch {
		args = append(args, h.ID)
		same = same && h.Deliveries == batch[0].Deliveries
	}
	for i := 0; i == 0 || i < len(batch) && !same; i++ {
		args = append(args, batch[i].Deliveries)
	}
	return args
}

func readRefused(reply any, refused map[string]HeldResult) {
	for _, row := range asList(reply) {
		if parts := asList(row); len(parts) == 3 {
			n, _ := asInt(parts[2])
			id := asString(parts[0])
			refused[id] = HeldResult{ID: id, Owner: asString(parts[1]), Deliveries: n}
		}
	}
}

func heldResults(held []Held, refused map[string]HeldResult) []HeldResult {
	results := make([]HeldResult, len(held))
	for i, h := range held {
		results[i] = HeldResult{ID: h.ID, OK: true}
		if r, ok := refused[h.ID]; ok {
			results[i] = r
		}
	}
	return results
}

// AckRead acknowledges as Ack does and reads the next entries as ReadNew without waiting does, in one round trip: the
// fast way for a worker that finished a batch. The entries may be there although the error tells that the ack failed;
// after a lost reply both are unknown, as with the two calls.
func (g *Group) AckRead(ctx context.Context, consumer string, held []Held, count int) ([]HeldResult, []Entry, error) {
	if len(held) == 0 || len(held) > settleBatch || !slices.IsSortedFunc(held, byID) || g.c.clustered() {
		results, err := g.Ack(ctx, consumer, held...)
		if err != nil {
			return nil, nil, err
		}
		entries, err := g.ReadNew(ctx, consumer, count, 0)
		return results, entries, err
	}
	args := g.heldArgs(consumer, held)
	both, err := g.c.pipeline(ctx, [][]any{
		append([]any{"EVALSHA", ackScript.sha, 1, g.q.Stream}, args...),
		g.readArgs(consumer, count, 0),
	})
	if err != nil {
		return nil, nil, on(err, "acknowledge "+held[0].ID+" and read", g.q.Stream)
	}
	var entries []Entry
	if err = both[1].err; err == nil {
		entries, err = g.readEntries(both[1].reply)
	} else {
		err = on(err, "read new entries for "+consumer, g.q.Stream)
	}
	if CodeOf(both[0].err) == "NOSCRIPT" {
		both[0].reply, both[0].err = g.c.eval(ctx, ackScript, []string{g.q.Stream}, args...)
	}
	if both[0].err != nil {
		return nil, entries, on(both[0].err, "acknowledge "+held[0].ID, g.q.Stream)
	}
	refused := map[string]HeldResult{}
	readRefused(both[0].reply, refused)
	return heldResults(held, refused), entries, err
}

// DeadLetter moves an entry that owner holds with that delivery count to the dead letters, with the reason, and
// acknowledges it, in one step. Where the letter cannot be written (wrong type, no memory) the entry stays pending and
// the error says why. It may be called again: it finds its own letter (among the last 100) and reports Already.
func (g *Group) DeadLetter(ctx context.Context, owner string, h Held, reason string) (HeldResult, error) {
	op := "dead-letter " + h.ID
	reply, err := g.c.eval(ctx, deadLetterScript, []string{g.q.Stream, g.q.DeadLetter},
		g.q.Group, owner, h.ID, h.Deliveries, reason)
	if err != nil {
		return HeldResult{ID: h.ID}, on(err, op, g.q.DeadLetter)
	}
	parts := asList(reply)
	switch word := replyWord(reply); {
	case word == "moved":
		return HeldResult{ID: h.ID, OK: true}, nil
	case word == "already":
		return HeldResult{ID: h.ID, OK: true, Already: true}, nil
	case word == "gone":
		return HeldResult{ID: h.ID, Gone: true}, nil
	case word == "other" && len(parts) == 3:
		n, _ := asInt(parts[2])
		return HeldResult{ID: h.ID, Owner: asString(parts[1]), Deliveries: n}, nil
	}
	return HeldResult{ID: h.ID}, badReply(op, g.q.DeadLetter, reply)
}
