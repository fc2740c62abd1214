package redisq

import (
	"context"
	"slices"

	"example.com/unacked/redisq/safe"
)

// PlanAck plans to acknowledge pending entries, so that nobody is given them again. An entry that was claimed or
// delivered anew since the plan was made, or since a person saw its row, is left alone. It may be run again.
func (g *Group) PlanAck(ctx context.Context, c PendingChoice) (Plan, error) {
	ch, err := g.choose(ctx, c, anyEntry)
	if err != nil {
		return Plan{}, err
	}
	p := ch.begin("Acknowledge")
	p.Destructive, p.Commands = true, g.ackCommands(ch)
	p.Effects = append([]string{
		ch.counted("entry counts", "entries count") + " as done for the group " + safe.Text(g.q.Group) + " although nobody said so",
		"their bodies stay in " + safe.Text(g.q.Stream) + "; there is no undo that keeps owner and deliveries",
		"what was claimed or delivered again by then is left alone",
	}, p.Effects...)
	p.Run = func(ctx context.Context) Outcome {
		var o Outcome
		ch.run(ctx, &o, func(rows []PendingEntry) bool {
			return ch.onRows(ctx, &o, ackRowsScript, rows, []any{"0"}, func(parts []any, lost bool) string {
				if lost && asString(parts[1]) == "gone" {
					return ""
				}
				return otherwise(parts)
			})
		})
		o.Text = "acknowledged " + plural(o.Done, "entry", "entries")
		ch.missed(&o)
		return o.rest()
	}
	return p, nil
}

func (g *Group) ackCommands(ch *chosen) [][]string {
	if ch.count == 0 {
		return nil
	}
	return [][]string{append([]string{"XACK", g.q.Stream, g.q.Group}, ch.ids()...)}
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

// PlanAckGhosts plans to acknowledge pending entries whose body is gone: nobody can do their work. One that has a body
// after all is left alone. It may be run again.
func (g *Group) PlanAckGhosts(ctx context.Context, c PendingChoice) (Plan, error) {
	ghosts := c
	if only := c.Only; c.Rows == nil {
		ghosts.Only = func(e PendingEntry) bool { return e.Gone && (only == nil || only(e)) }
	}
	ch, err := g.choose(ctx, ghosts, anyEntry)
	if err != nil {
		return Plan{}, err
	}
	what := ch.counted("ghost", "ghosts")
	p := ch.begin("")
	p.Title, p.Destructive, p.Commands = "Acknowledge "+what, true, g.ackCommands(ch)
	p.Effects = append([]string{
		what + " " + word1(int64(ch.count), "leaves", "leave") + " the pending entries of " + safe.Text(g.q.Group) +
			": the bodies are deleted or trimmed, the work cannot be done",
		"each is looked at again: an entry with a body is left alone",
	}, p.Effects...)
	p.Run = func(ctx context.Context) Outcome {
		o := Outcome{names: true}
		all := *ch
		all.Only = c.Only // the script looks for the bodies, which need not travel for it
		all.run(ctx, &o, func(rows []PendingEntry) bool {
			more := all.onRows(ctx, &o, ackRowsScript, rows, []any{"1"}, func(parts []any, lost bool) string {
				switch word := asString(parts[1]); {
				case lost && word == "gone":
					return ""
				case word == "body":
					return hasBody
				}
				return otherwise(parts)
			})
			if c.Rows == nil {
				o.Skipped = slices.DeleteFunc(o.Skipped, func(s Skipped) bool { return s.Reason == hasBody })
			}
			return more
		})
		o.Text = "acknowledged " + plural(o.Done, "ghost", "ghosts")
		ch.missed(&o)
		o.noteIDs("acknowledged without a body", o.named)
		return o.rest()
	}
	return p, nil
}

const hasBody = "has a body: it is no ghost"
