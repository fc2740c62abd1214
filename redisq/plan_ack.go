package redisq

import (
	"context"
	"slices"

	"example.com/unacked/redisq/safe"
)

// PlanAck plans to acknowledge pending entries that a person saw, so that nobody is given them again. An entry that was
// claimed or delivered anew since then is left alone. It may be run again.
func (g *Group) PlanAck(rows []PendingEntry) Plan {
	p := Plan{
		Title: "Acknowledge " + plural(len(rows), "pending entry", "pending entries"), Destructive: true, Count: len(rows),
		Effects: []string{
			plural(len(rows), "entry counts", "entries count") + " as done for the group " + safe.Text(g.q.Group) + " although nobody said so",
			"their bodies stay in " + safe.Text(g.q.Stream) + "; there is no undo that keeps owner and deliveries",
			"what was claimed or delivered again by then is left alone",
		},
	}
	g.ackCommands(&p, rows)
	p.Run = func(ctx context.Context) Outcome {
		var o Outcome
		g.onRows(ctx, &o, ackRowsScript, rows, []any{"0"}, func(parts []any, lost bool) string {
			if lost && asString(parts[1]) == "gone" {
				return ""
			}
			return otherwise(parts)
		})
		o.Text = "acknowledged " + plural(o.Done, "entry", "entries")
		return o.rest()
	}
	return p
}

func (g *Group) ackCommands(p *Plan, rows []PendingEntry) {
	if len(rows) == 0 {
		return
	}
	command := []string{"XACK", g.q.Stream, g.q.Group}
	for _, row := range rows[:min(len(rows), shownInPlan)] {
		command = append(command, row.ID)
	}
	p.Commands = [][]string{command}
}

// ackRowsScript acknowledges rows that are as they were seen; of ghosts only those whose body is gone.
//
// KEYS stream; ARGV group, 1 for ghosts only, then id, owner, deliveries of each
var ackRowsScript = newScript("acknowledge", luaRow+`
local bad = {}
for i = 3, #ARGV, 3 do
  local id = ARGV[i]
  local row, why, err = seen(id, ARGV[i + 1], ARGV[i + 2])
  if err then return err end
  if row and ARGV[2] == '1' and redis.call('XRANGE', KEYS[1], id, id)[1] then why = {id, 'body', '', '0'} end
  if why then
    bad[#bad + 1] = why
  else
    redis.call('XACK', KEYS[1], ARGV[1], id)
  end
end
return bad
`, func(keys, args []string, reply any) [][]string {
	return rowCommands(keys, args, reply, 2, func(id string) []string { return []string{"XACK", keys[0], args[0], id} })
})

// PlanAckGhosts plans to acknowledge pending entries whose body is gone, those of rows or with nil all of the group:
// nobody can do their work. One that has a body after all is left alone. It may be run again.
func (g *Group) PlanAckGhosts(ctx context.Context, rows []PendingEntry) (Plan, error) {
	p := Plan{Destructive: true}
	var group groupState
	all := true
	shown := rows
	if rows == nil {
		var err error
		if group, err = g.state(ctx); err != nil {
			return p, err
		}
		all, err = g.pendingRows(ctx, group.last, rowsLooked, func(page []PendingEntry) bool {
			ghosts, lookErr := g.ghostsAmong(ctx, page)
			shown, err = append(shown, ghosts...), lookErr
			return err == nil
		})
		if err != nil {
			return p, err
		}
	}
	p.Count = len(shown)
	what := plural(p.Count, "ghost", "ghosts")
	if !all {
		what = "at least " + what
	}
	p.Title = "Acknowledge " + what
	p.Effects = []string{
		what + " leave the pending entries of " + safe.Text(g.q.Group) + ": the bodies are deleted or trimmed, the work cannot be done",
		"each is looked at again: an entry with a body is left alone",
	}
	g.ackCommands(&p, shown)
	p.Run = func(ctx context.Context) Outcome {
		var o Outcome
		if rows != nil {
			g.ackGhosts(ctx, &o, rows)
		} else {
			_, err := g.pendingRows(ctx, group.last, 0, func(page []PendingEntry) bool {
				more := g.ackGhosts(ctx, &o, page)
				o.Skipped = slices.DeleteFunc(o.Skipped, func(s Skipped) bool { return s.Reason == hasBody })
				return more
			})
			switch {
			case CodeOf(err) == CodeCanceled:
				o.Stopped = true
			case err != nil:
				o.fail(err)
			}
		}
		o.Text = "acknowledged " + plural(o.Done, "ghost", "ghosts")
		return o.rest()
	}
	return p, nil
}

const hasBody = "has a body: it is no ghost"

func (g *Group) ackGhosts(ctx context.Context, o *Outcome, rows []PendingEntry) bool {
	return g.onRows(ctx, o, ackRowsScript, rows, []any{"1"}, func(parts []any, lost bool) string {
		switch word := asString(parts[1]); {
		case lost && word == "gone":
			return ""
		case word == "body":
			return hasBody
		}
		return otherwise(parts)
	})
}

// ghostsAmong returns the rows that have no body. It reads the bodies for it, some at a time: a plan sends nothing but
// reading commands, and no such command tells of an entry without its body.
func (g *Group) ghostsAmong(ctx context.Context, rows []PendingEntry) (ghosts []PendingEntry, err error) {
	for len(rows) > 0 {
		page := rows[:min(len(rows), rowBatch)]
		rows = rows[len(page):]
		commands := make([][]any, len(page))
		for i, row := range page {
			commands[i] = []any{"XRANGE", g.q.Stream, row.ID, row.ID}
		}
		results, err := g.c.pipeline(ctx, commands)
		if err != nil {
			return nil, on(err, "look for bodies", g.q.Stream)
		}
		for i, row := range page {
			if err := results[i].err; err != nil {
				return nil, on(err, "look for bodies", g.q.Stream)
			}
			if len(asList(results[i].reply)) == 0 {
				row.Gone = true
				ghosts = append(ghosts, row)
			}
		}
	}
	return ghosts, nil
}
