package redisq

import (
	"context"
	"strconv"

	"example.com/unacked/redisq/safe"
)

// handOverPage is how many entries one script hands over: it blocks the server for about a millisecond.
const handOverPage = 100

// PlanRemoveConsumer plans to remove a consumer from the group. What it holds is handed to another consumer first, in
// the same script, with its deliveries and idle times as they are: XGROUP DELCONSUMER alone would drop these entries,
// and nobody would be given them again. Where it holds something and to is "" the plan is refused. It may be run again.
func (g *Group) PlanRemoveConsumer(ctx context.Context, name, to string) (Plan, error) {
	op := "remove the consumer " + name
	refuse := func(text, hint string) (Plan, error) {
		return Plan{}, &Error{Op: op, On: g.q.Stream, Code: "ERR", Err: errorString(text), Hint: hint}
	}
	held, found, toFound, err := g.holds(ctx, name, to)
	switch {
	case err != nil:
		return Plan{}, on(err, op, g.q.Stream)
	case !found:
		return refuse("the group "+safe.Text(g.q.Group)+" has no such consumer", "")
	case name == to:
		return refuse("it cannot be handed its own entries", "name another consumer")
	case held > 0 && to == "":
		return refuse("it holds "+plural(int(held), "pending entry", "pending entries")+", which would be lost with it",
			"name a consumer that gets them")
	}
	p := Plan{Title: "Remove the consumer " + safe.Text(name), Destructive: true, Count: int(held)}
	if held > 0 {
		p.Commands = append(p.Commands,
			[]string{"XPENDING", g.q.Stream, g.q.Group, "-", "+", strconv.Itoa(handOverPage), name},
			[]string{"XCLAIM", g.q.Stream, g.q.Group, to, "0", "…", "IDLE", "…", "RETRYCOUNT", "…", "JUSTID"})
		p.Effects = append(p.Effects,
			plural(int(held), "pending entry goes", "pending entries go")+" to "+safe.Text(to)+", idle times and deliveries as they are",
			"those whose body is gone cannot be handed over: they are acknowledged, and listed")
		if !toFound {
			p.Effects = append(p.Effects, "the group has no consumer "+safe.Text(to)+" yet: it is created; is the name right?")
		}
	} else {
		p.Effects = append(p.Effects, "it holds nothing; should it be given something until then, that is not dropped: the removal is refused")
	}
	p.Commands = append(p.Commands, []string{"XGROUP", "DELCONSUMER", g.q.Stream, g.q.Group, name})
	p.Effects = append(p.Effects, safe.Text(name)+" leaves the list of consumers; while its worker runs, its next read makes it again")
	p.Run = func(ctx context.Context) Outcome { return g.removeConsumer(ctx, name, to, op) }
	return p, nil
}

// holds looks at the consumers of the group.
func (g *Group) holds(ctx context.Context, name, to string) (held int64, found, toFound bool, err error) {
	reply, err := g.c.Do(ctx, "XINFO", "CONSUMERS", g.q.Stream, g.q.Group)
	if err != nil {
		return 0, false, false, err
	}
	for _, item := range asList(reply) {
		m := asMap(item)
		switch asString(m["name"]) {
		case name:
			held, _ = asInt(m["pending"])
			found = true
		case to:
			toFound = true
		}
	}
	return held, found, toFound, nil
}

func (g *Group) removeConsumer(ctx context.Context, name, to, op string) (o Outcome) {
	removed, unsure := false, false
	var ghosts []string
	for !removed {
		reply, lost, err := g.certain(ctx, removeConsumerScript, []string{g.q.Stream}, g.q.Group, name, to, handOverPage)
		unsure = unsure || lost
		if CodeOf(err) == CodeCanceled {
			o.Stopped = true
		}
		if err != nil {
			err = on(err, op, g.q.Stream)
			if CodeOf(err) == CodeLostReply {
				o.unknown(name, err)
			} else {
				o.Failed = append(o.Failed, Skipped{ID: name, Reason: err.Error()})
				o.fail(err)
			}
			break
		}
		parts := asList(reply)
		word := replyWord(reply)
		if word == "holds" {
			o.Skipped = append(o.Skipped, Skipped{ID: name, Reason: "was given something meanwhile: name a consumer that gets it"})
			break
		}
		if len(parts) != 4 || word != "removed" && word != "more" {
			err := badReply(op, g.q.Stream, reply)
			o.Failed = append(o.Failed, Skipped{ID: name, Reason: err.Error()})
			o.fail(err)
			break
		}
		moved, _ := asInt(parts[1])
		o.Done += int(moved)
		for _, id := range asList(parts[2]) {
			ghosts = append(ghosts, asString(id))
		}
		if dropped, _ := asInt(parts[3]); dropped > 0 {
			o.fail(&Error{Op: op, On: g.q.Stream, Code: "ERR", Err: errorString("the server dropped " +
				strconv.FormatInt(dropped, 10) + " entries with it, which it had not shown before")})
		}
		removed = word == "removed"
		if !removed && moved == 0 && len(asList(parts[2])) == 0 {
			o.fail(&Error{Op: op, On: g.q.Stream, Code: "ERR", Err: errorString("the server does not hand its entries over")})
			break
		}
	}
	o.Text = "handed over " + plural(o.Done, "entry", "entries")
	if unsure {
		o.Text = "handed over at least " + plural(o.Done, "entry", "entries")
	}
	if n := len(ghosts); n > 0 {
		o.Text += ", acknowledged " + plural(n, "ghost", "ghosts")
		o.noteIDs("acknowledged without a body", ghosts)
	}
	if unsure {
		o.Notes = append(o.Notes, "a reply was lost: what was acknowledged without a body in that step is not named")
	}
	if removed {
		o.Text = "removed " + safe.Text(name) + ", " + o.Text
		if held, found, _, err := g.holds(context.WithoutCancel(ctx), name, ""); err != nil {
			o.fail(on(err, "look whether "+name+" is gone", g.q.Stream))
		} else if found {
			o.Text += "; it is there again and holds " + strconv.FormatInt(held, 10) + ": its worker runs"
		}
	} else {
		o.Text += ", did not remove " + safe.Text(name)
	}
	return o.rest()
}

// removeConsumerScript hands over a page of what the consumer holds, and removes it when that was all.
//
// KEYS stream; ARGV group, consumer, who gets its entries or "", page
var removeConsumerScript = newScript("remove consumer", `
local rows = redis.pcall('XPENDING', KEYS[1], ARGV[1], '-', '+', ARGV[4], ARGV[2])
if rows.err then return rows end
if #rows > 0 and ARGV[3] == '' then return {'holds', #rows} end
local moved, ghosts = 0, {}
for _, row in ipairs(rows) do
  local id = row[1]
  if not redis.call('XRANGE', KEYS[1], id, id)[1] then
    redis.call('XACK', KEYS[1], ARGV[1], id)
    ghosts[#ghosts + 1] = id
  else
    local idle = row[3]
    if idle < 0 then idle = 0 end
    local claimed = redis.pcall('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, id, 'IDLE', count(idle), 'RETRYCOUNT', count(row[4]), 'JUSTID')
    if claimed.err then return claimed end
    if claimed[1] then moved = moved + 1 end
  end
end
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return {'more', moved, ghosts, 0} end
local dropped = redis.pcall('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
if type(dropped) == 'table' then return dropped end
return {'removed', moved, ghosts, dropped}
`, func(keys, args []string, reply any) [][]string {
	commands := [][]string{{"XPENDING", keys[0], args[0], "-", "+", args[3], args[1]}}
	parts := asList(reply)
	if len(parts) != 4 {
		return commands
	}
	if moved, _ := asInt(parts[1]); moved > 0 {
		commands = append(commands, []string{"XCLAIM", keys[0], args[0], args[2], "0", "…", "IDLE", "…", "RETRYCOUNT", "…", "JUSTID"})
	}
	for _, id := range asList(parts[2]) {
		commands = append(commands, []string{"XACK", keys[0], args[0], asString(id)})
	}
	if replyWord(reply) == "removed" {
		commands = append(commands, []string{"XGROUP", "DELCONSUMER", keys[0], args[0], args[1]})
	}
	return commands
})
