package redisq

import (
	"context"
	"slices"
)

// backLooked is how many letters are looked for when a run was stopped: the person waits.
const backLooked = 10_000

// cameBack is why a letter that was done is told as failed.
const cameBack = "is there again: the server went back to before that, as a failover may; do it again"

// lookBack looks whether letters that left by this run are there again: in a failover a server may forget the last
// seconds, the deletion of a letter together with what was made of it. Those are told as failed. After a run that was
// stopped, or ended by an error, nobody waits for the server.
func (g *Group) lookBack(ctx context.Context, o *Outcome, done []string) {
	look, early := g.askAll, o.Stopped || o.Err != nil
	if early {
		look, done = g.c.pipeline, done[max(len(done)-backLooked, 0):]
	}
	ctx = context.WithoutCancel(ctx)
	for page := range slices.Chunk(done, replayPage) {
		commands := make([][]any, len(page))
		for i, id := range page {
			commands[i] = []any{"XRANGE", g.q.DeadLetter, id, id}
		}
		results, err := look(ctx, commands)
		if early && err != nil {
			return
		}
		if err != nil {
			o.fail(on(err, "look whether the letters left", g.q.DeadLetter))
			return
		}
		for i, id := range page {
			if len(asList(results[i].reply)) > 0 {
				o.Done--
				o.Failed = append(o.Failed, Skipped{ID: id, Reason: cameBack})
			}
		}
	}
	if len(o.Failed) > 0 && o.Err == nil {
		o.fail(&Error{Op: "look whether the letters left", On: g.q.DeadLetter, Code: "ERR", Err: errorString(o.Failed[0].ID + " " + o.Failed[0].Reason)})
	}
}
