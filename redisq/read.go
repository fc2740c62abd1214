package redisq

import (
	"context"
	"time"
)

// ReadNew reads at most count entries that the group has not been given yet (XREADGROUP … >), for consumer, waiting
// for block when there are none; block is cut to what the client allows, 2 s or for a reader 10 s, and 0 or less does
// not wait. The server serves the reader first that has waited longest: one that comes again and again loses its place. Nothing there is nil, nil. After a
// lost reply the entries, if any, are pending under consumer: Claim with Own finds them.
func (g *Group) ReadNew(ctx context.Context, consumer string, count int, block time.Duration) ([]Entry, error) {
	reply, err := g.c.Do(ctx, g.readArgs(consumer, count, block)...)
	if err != nil {
		return nil, on(err, "read new entries for "+consumer, g.q.Stream)
	}
	return g.readEntries(reply)
}

func (g *Group) readArgs(consumer string, count int, block time.Duration) []any {
	args := []any{"XREADGROUP", "GROUP", g.q.Group, consumer, "COUNT", max(count, 1)}
	if block > 0 {
		// BLOCK 0 is for ever: a shorter wait than a millisecond is one.
		args = append(args, "BLOCK", max(min(block, g.c.longestBlock()).Milliseconds(), 1))
	}
	return append(args, "STREAMS", g.q.Stream, ">")
}

func (g *Group) readEntries(reply any) ([]Entry, error) {
	if reply == nil {
		return nil, nil
	}
	streams := asList(reply)
	if len(streams) != 1 || len(asList(streams[0])) != 2 {
		return nil, badReply("read new entries", g.q.Stream, reply)
	}
	return asEntries(asList(streams[0])[1]), nil
}

// ClaimFound says what a Claim met.
type ClaimFound string

// What a Claim met.
const (
	ClaimNone     ClaimFound = "none"     // nothing on this page; go on from Cursor unless it is ""
	ClaimTaken    ClaimFound = "claimed"  // Entry is the consumer's now, delivered once more
	ClaimAtLimit  ClaimFound = "at-limit" // delivered MaxDeliveries times already: not claimed; dead-letter it
	ClaimDue      ClaimFound = "due"      // of a Look: there is one that may be taken, or is at the limit or without a body
	ClaimVanished ClaimFound = "vanished" // its body is gone: it was dropped from the pending entries
)

// ClaimOptions say which pending entries may be taken.
type ClaimOptions struct {
	Lease         time.Duration // taken are entries idle for at least this, to the millisecond
	MaxDeliveries int64         // entries delivered that often already are not claimed; 0 is no limit
	Cursor        string        // where to go on: the last Claim's Cursor, "" is the start
	Look          bool          // take nothing, only say whether there is something
	Own           bool          // take the consumer's own entries, whatever their idle time, instead of those past the lease
	Count         int           // entries looked at, 0 is 100
}

// Claim is what [Group.Claim] met. Entry, Deliveries, From and Idle are of that one entry; Found is ClaimNone for none.
type Claim struct {
	Found      ClaimFound
	Cursor     string // for the next call: kept by the caller, "" is the start again
	Entry      Entry
	Deliveries int64         // this delivery counted; at the limit, those that were
	From       string        // who held it; "" is nobody (XNACK)
	Idle       time.Duration // before the claim; negative when it was released by XNACK
}

const claimPage = 100

// Claim looks at a page of the pending entries, oldest first from the cursor, and takes at most one for consumer. The
// caller keeps the cursor: starting at the beginning each time would never reach entries behind a page of fresh ones.
// Two callers never get the same entry at once. After a lost reply the entry, if any, is pending under consumer.
func (g *Group) Claim(ctx context.Context, consumer string, o ClaimOptions) (Claim, error) {
	start, page := o.Cursor, o.Count
	if start == "" {
		start = "-"
	}
	if page <= 0 {
		page = claimPage
	}
	reply, err := g.c.eval(ctx, claimScript, []string{g.q.Stream},
		g.q.Group, consumer, max(o.Lease.Milliseconds(), 0), max(o.MaxDeliveries, 0), start, flag(o.Own), page, flag(o.Look))
	if err != nil {
		return Claim{}, on(err, "claim for "+consumer, g.q.Stream)
	}
	parts := asList(reply)
	if len(parts) < 2 {
		return Claim{}, badReply("claim", g.q.Stream, reply)
	}
	claim := Claim{Found: ClaimFound(replyWord(reply))}
	if claim.Found == ClaimDue {
		claim.Cursor = o.Cursor // a claim from there meets it
		return claim, nil
	}
	if last := asString(parts[1]); last != "" {
		claim.Cursor, _ = after(last)
	}
	if claim.Found == ClaimNone {
		return claim, nil
	}
	if len(parts) < 6 {
		return Claim{}, badReply("claim", g.q.Stream, reply)
	}
	claim.Entry.ID = asString(parts[2])
	claim.From = asString(parts[3])
	idle, _ := asInt(parts[4])
	claim.Idle = time.Duration(idle) * time.Millisecond
	claim.Deliveries, _ = asInt(parts[5])
	if len(parts) > 6 {
		claim.Entry.Fields = asFields(parts[6])
	} else {
		claim.Entry.Gone = true
	}
	return claim, nil
}

// flag is a yes or no as scripts take it.
func flag(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
