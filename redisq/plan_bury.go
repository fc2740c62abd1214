package redisq

import (
	"context"
	"slices"

	"example.com/unacked/redisq/safe"
)

// PlanBury plans to move pending entries to the dead letters by hand, with a reason, as a worker does at its limit: one
// script for each adds the letter and acknowledges the entry. An entry that was claimed or delivered anew since the plan
// was made, or since a person saw its row, is left alone, and so is one without a body. It may be run again: an entry
// that is a dead letter by then is found among the newest hundred.
func (g *Group) PlanBury(ctx context.Context, c PendingChoice, reason string) (Plan, error) {
	if err := g.c.sameSlot(ctx, g.q.Stream, g.q.DeadLetter); err != nil {
		return Plan{}, err
	}
	if _, err := g.lastLetter(ctx); err != nil { // a key of another type is said now
		return Plan{}, err
	}
	if only := c.Only; c.Rows == nil {
		c.Only = func(e PendingEntry) bool { return !e.Gone && (only == nil || only(e)) }
	}
	ch, err := g.choose(ctx, c, anyEntry)
	if err != nil {
		return Plan{}, err
	}
	letters := safe.Text(g.q.DeadLetter)
	p := ch.begin("Dead-letter")
	p.Destructive = true
	for _, row := range ch.first {
		p.Commands = append(p.Commands,
			[]string{"XADD", g.q.DeadLetter, "*", metaStream, g.q.Stream, metaGroup, g.q.Group, metaEntry, row.ID, metaReason, reason, "…"},
			[]string{"XACK", g.q.Stream, g.q.Group, row.ID})
	}
	if more := ch.count - len(ch.first); more > 0 {
		p.Effects = append(p.Effects, "the commands of "+plural(more, "more is", "more are")+" of the same form")
	}
	p.Effects = append([]string{
		ch.counted("entry goes", "entries go") + " to " + letters + " with the reason and all fields, and " +
			word1(int64(ch.count), "counts", "count") + " as done for the group " + safe.Text(g.q.Group),
		"the way back is to replay the letter: as a new entry, or to this group alone while the original is stored",
		"one without a body is left alone: there is nothing of it to keep",
	}, p.Effects...)
	p.Run = func(ctx context.Context) Outcome {
		var o Outcome
		ch.run(ctx, &o, func(rows []PendingEntry) bool {
			if c.Rows != nil { // whose bodies were not read yet
				rows = slices.Clone(rows)
				if err := g.bodies(ctx, rows); err != nil {
					o.fail(err)
					return false
				}
			}
			for _, row := range rows {
				more := g.bury(ctx, &o, row, reason)
				ch.tell(ctx, &o, row.ID)
				if !more {
					return false
				}
			}
			return true
		})
		o.Text = "dead-lettered " + plural(o.Done, "entry", "entries")
		ch.missed(&o)
		return o.rest()
	}
	return p, nil
}

// bury moves one entry and notes what came of it; false is that going on makes no sense.
func (g *Group) bury(ctx context.Context, o *Outcome, row PendingEntry, reason string) bool {
	if row.Gone {
		return o.note(row.ID, "has no body any more: there is nothing of it to keep", nil)
	}
	reply, lost, err := g.certain(ctx, deadLetterScript, []string{g.q.Stream, g.q.DeadLetter},
		g.q.Group, row.Consumer, row.ID, row.Deliveries, reason)
	if err != nil {
		return o.note(row.ID, "", on(err, "dead-letter "+row.ID, g.q.DeadLetter))
	}
	parts := asList(reply)
	switch word := replyWord(reply); {
	case word == "moved", word == "already" && lost:
		return o.note(row.ID, "", nil)
	case word == "already":
		return o.note(row.ID, "is a dead letter already", nil)
	case word == "gone":
		return o.note(row.ID, "its body went in that moment: it was acknowledged, and there is no letter of it", nil)
	case word == "other" && len(parts) == 3 && lost && asString(parts[1]) == "":
		return o.note(row.ID, "", on(&Error{Code: CodeLostReply, Err: errorString(
			"it is not pending any more, and its letter is not among the newest")}, "dead-letter "+row.ID, g.q.DeadLetter))
	case word == "other" && len(parts) == 3 && asString(parts[2]) == "0":
		return o.note(row.ID, "is not pending any more", nil)
	case word == "other" && len(parts) == 3:
		return o.note(row.ID, otherwise([]any{row.ID, "other", parts[1], parts[2]}), nil)
	}
	return o.note(row.ID, "", badReply("dead-letter "+row.ID, g.q.DeadLetter, reply))
}
