package redisq

import (
	"context"

	"example.com/unacked/redisq/safe"
)

// PlanRemoveIdle plans to remove consumers that hold nothing. Each is looked at again in the step that removes it: one
// that was given something by then is left alone. It may be run again.
func (g *Group) PlanRemoveIdle(ctx context.Context, names []string) (Plan, error) {
	op := "remove consumers of " + g.q.Group
	reply, err := g.c.Do(ctx, "XINFO", "CONSUMERS", g.q.Stream, g.q.Group)
	if err != nil {
		return Plan{}, on(err, op, g.q.Stream)
	}
	there := make(map[string]bool)
	for _, item := range asList(reply) {
		m := asMap(item)
		if n, ok := asInt(m["pending"]); ok && n == 0 {
			there[asString(m["name"])] = true
		}
	}
	var idle []string
	for _, name := range names {
		if there[name] {
			idle = append(idle, name)
		}
	}
	p := Plan{Title: "Remove " + plural(len(idle), "consumer that holds nothing", "consumers that hold nothing"), Destructive: true, Count: len(idle)}
	for _, name := range idle[:min(len(idle), shownInPlan)] {
		p.Commands = append(p.Commands, []string{"XGROUP", "DELCONSUMER", g.q.Stream, g.q.Group, name})
	}
	p.Effects = []string{
		plural(len(idle), "consumer leaves", "consumers leave") + " the list of " + safe.Text(g.q.Group) + "; no entry is touched",
		"each is looked at again in the same step: one that holds something by then stays",
		"while a worker runs under such a name, its next read makes it again",
	}
	if more := len(idle) - shownInPlan; more > 0 {
		p.Effects = append(p.Effects, "the commands of "+plural(more, "more is", "more are")+" of the same form")
	}
	p.Run = func(ctx context.Context) Outcome {
		var o Outcome
		for at := 0; at < len(idle); {
			batch := idle[at:min(at+rowBatch, len(idle))]
			at += len(batch)
			reply, _, err := g.certain(ctx, removeIdleScript, []string{g.q.Stream}, append([]any{g.q.Group}, anys(batch)...)...)
			holds := map[string]bool{}
			for _, name := range asList(reply) {
				holds[asString(name)] = true
			}
			more := true
			for _, name := range batch {
				skipped := ""
				if holds[name] {
					skipped = "was given something meanwhile: it stays"
				}
				more = o.note(name, skipped, on(err, op, g.q.Stream)) && more
			}
			if o.tell(ctx, Progress{Total: len(idle)}); !more {
				break
			}
		}
		o.Text = "removed " + plural(o.Done, "consumer", "consumers")
		return o.rest()
	}
	return p, nil
}

// removeIdleScript removes consumers that hold nothing; the reply lists those that do.
//
// KEYS stream; ARGV group, names
var removeIdleScript = newScript("remove idle consumers", `
local holding = {}
for i = 2, #ARGV do
  local row = redis.pcall('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[i])
  if row.err then return row end
  if row[1] then
    holding[#holding + 1] = ARGV[i]
  else
    local dropped = redis.pcall('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[i])
    if type(dropped) == 'table' then return dropped end
  end
end
return holding
`, func(keys, args []string, reply any) [][]string {
	holds := map[string]bool{}
	for _, name := range asList(reply) {
		holds[asString(name)] = true
	}
	_, answered := reply.([]any)
	var commands [][]string
	for _, name := range args[1:] {
		commands = append(commands, []string{"XPENDING", keys[0], args[0], "-", "+", "1", name})
		if answered && !holds[name] {
			commands = append(commands, []string{"XGROUP", "DELCONSUMER", keys[0], args[0], name})
		}
	}
	return commands
})
