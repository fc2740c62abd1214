package lab

import (
	"context"
	"fmt"

	"example.com/unacked/redisq"
)

// PlanReplay plans to put dead letters back to work: those with the given ids, or with nil all that are there now. It
// reads them, to say what it would do; nothing is changed before the plan is run.
func (l *Lab) PlanReplay(ids []string) redisq.Plan {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, cancel := context.WithTimeout(l.stop, callTimeout)
	defer cancel()
	snapshot := l.planner.Read(ctx)
	if snapshot.Err != nil {
		return redisq.Plan{
			Title: "Replay dead letters: they cannot be read",
			Run: func(context.Context) redisq.Outcome {
				return redisq.Outcome{Text: "nothing was replayed: " + snapshot.Err.Error(), Err: snapshot.Err}
			},
		}
	}
	plan := l.group.PlanReplay(snapshot, ids)
	run := plan.Run
	plan.Run = func(ctx context.Context) redisq.Outcome {
		outcome := run(ctx)
		if outcome.Done > 0 {
			l.witness.mu.Lock()
			l.witness.added += int64(outcome.Done)
			l.witness.mu.Unlock()
			l.journal.mark(fmt.Sprintf("replayed %d", outcome.Done), original(snapshot, ids))
		}
		l.hurry()
		return outcome
	}
	return plan
}

// original is the entry that a single dead letter was, "" where it is not known or there are several.
func original(snapshot *redisq.Snapshot, ids []string) string {
	if len(ids) != 1 {
		return ""
	}
	for _, letter := range snapshot.Dead.Rows {
		if letter.ID == ids[0] {
			return letter.Original
		}
	}
	return ""
}
