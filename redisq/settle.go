package redisq

import (
	"context"
	"sort"
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
	less := func(i, j int) bool {
		order, _ := CompareIDs(sorted[i].ID, sorted[j].ID)
		return order < 0
	}
	if !sort.SliceIsSorted(sorted, less) {
		sorted = append([]Held(nil), held...)
		sort.Slice(sorted, less)
	}
	refused := map[string]HeldResult{}
	for len(sorted) > 0 {
		batch := sorted[:min(len(sorted), settleBatch)]
		sorted = sorted[len(batch):]
		args := make([]any, 0, 2+2*len(batch))
		args = append(args, g.q.Group, consumer)
		for _, h := range batch {
			args = append(args, h.ID, h.Deliveries)
		}
		reply, err := g.c.eval(ctx, s, []string{g.q.Stream}, args...)
		if err != nil {
			return nil, on(err, op+" "+batch[0].ID, g.q.Stream)
		}
		for _, row := range asList(reply) {
			if parts := asList(row); len(parts) == 3 {
				n, _ := asInt(parts[2])
				id := asString(parts[0])
				refused[id] = HeldResult{ID: id, Owner: asString(parts[1]), Deliveries: n}
			}
		}
	}
	results := make([]HeldResult, len(held))
	for i, h := range held {
		results[i] = HeldResult{ID: h.ID, OK: true}
		if r, ok := refused[h.ID]; ok {
			results[i] = r
		}
	}
	return results, nil
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
