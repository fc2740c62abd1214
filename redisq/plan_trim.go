package redisq

import (
	"context"
	"strconv"

	"example.com/unacked/redisq/safe"
)

// PlanTrim plans to delete the entries that every group of the stream has finished: those before the least of each
// group's last delivered id and oldest pending entry (XTRIM MINID, exact). What was set back meanwhile is looked at again
// in the same step as the trimming. It may be run again.
func (g *Group) PlanTrim(ctx context.Context) (Plan, error) {
	const op = "trim"
	least, behind, groups, err := g.finished(ctx)
	if err != nil {
		return Plan{}, err
	}
	if groups == 0 {
		return Plan{}, &Error{Op: op, On: g.q.Stream, Code: "NOGROUP", Err: errorString("it has no group, so nothing tells what is finished")}
	}
	n := Exact(0, Counted)
	if end, ok := previous(least); ok {
		if n, err = g.countRange(ctx, "-", end); err != nil {
			return Plan{}, err
		}
	}
	kept := "what is kept begins at " + least + ": " + behind
	if n.Value == 0 && !n.AtLeast {
		return Plan{Title: "Trim " + safe.Text(g.q.Stream) + ": " + kept, Effects: []string{kept}, Run: func(context.Context) Outcome {
			return Outcome{Text: "trimmed nothing: " + kept}
		}}, nil
	}
	p := Plan{
		Title: "Trim " + safe.Text(g.q.Stream) + " to what is not finished", Destructive: true, Count: int(n.Value),
		Commands: [][]string{{"XTRIM", g.q.Stream, "MINID", "=", least}},
		Effects: []string{
			someOf(n, "entry is deleted", "entries are deleted") + ": all before " + least + ", which " +
				plural(groups, "group has", "groups have") + " finished; there is no undo",
			kept,
			"who reads the stream without a group, or is to have a group yet, does not see them",
		},
	}
	p.Run = func(ctx context.Context) Outcome {
		return g.trim(ctx, least, op)
	}
	return p, nil
}

// trimPage is how many entries one step trims: it costs the server half a millisecond.
const trimPage = 20_000

// trim trims in pages, of which the server rounds each down to whole nodes of its own, and then exactly.
func (g *Group) trim(ctx context.Context, least, op string) Outcome {
	o := Outcome{Text: "trimmed nothing"}
	page, unsure := trimPage, false
	if g.c.opts.Embedded {
		page = 0 // it knows no pages
	}
	for {
		reply, lost, err := g.certain(ctx, trimScript, []string{g.q.Stream}, least, page)
		parts := asList(reply)
		unsure = unsure || lost
		switch {
		case err != nil:
			o.note(g.q.Stream, "", on(err, op, g.q.Stream))
			return o.rest()
		case replyWord(reply) == "no-group":
			o.Skipped = append(o.Skipped, Skipped{ID: g.q.Stream, Reason: "has no group any more"})
			return o.rest()
		case replyWord(reply) != "trimmed" || len(parts) != 3:
			o.note(g.q.Stream, "", badReply(op, g.q.Stream, reply))
			return o.rest()
		}
		trimmed, _ := asInt(parts[1])
		o.Done += int(trimmed)
		o.Text = "trimmed " + plural(o.Done, "entry", "entries") + " before " + asString(parts[2])
		if unsure {
			o.Text += ", besides those before the reply was lost"
		}
		o.tell(ctx, Progress{})
		switch {
		case page == 0:
			return o.rest()
		case trimmed == 0:
			page = 0
		default:
			pause(ctx, letterPause)
		}
	}
}

// finished returns the least id that some group has not finished, and says which group that is and why.
func (g *Group) finished(ctx context.Context) (least, behind string, groups int, err error) {
	names, err := g.groupsOf(ctx, g.q.Stream)
	if err != nil {
		return "", "", 0, err
	}
	for _, name := range names {
		one := NewGroup(g.c, Queue{Stream: g.q.Stream, Group: name})
		s, err := one.state(ctx)
		if err != nil {
			return "", "", 0, err
		}
		why := "the group " + safe.Text(name) + " was given nothing after it"
		if s.pending > 0 {
			reply, err := g.c.Do(ctx, "XPENDING", g.q.Stream, name, "-", "+", 1)
			if err != nil {
				return "", "", 0, on(err, "look for the oldest pending entry of "+name, g.q.Stream)
			}
			if rows := asList(reply); len(rows) > 0 {
				if row := asList(rows[0]); len(row) > 0 && before(asString(row[0]), s.last) {
					s.last, why = asString(row[0]), "it is pending in the group "+safe.Text(name)
				}
			}
		}
		if least == "" || before(s.last, least) {
			least, behind = s.last, why
		}
	}
	return least, behind, len(names), nil
}

// previous returns the largest id below id; false when there is none.
func previous(id string) (string, bool) {
	parsed, ok := parseID(id)
	switch {
	case !ok:
		return "", false
	case parsed.seq > 0:
		parsed.seq--
	case parsed.ms > 0:
		return strconv.FormatUint(parsed.ms-1, 10) + "-18446744073709551615", true
	default:
		return "", false
	}
	return parsed.String(), true
}

// KEYS stream; ARGV the id that the plan said, how many entries at most (and no fraction of a node), 0 is all
var trimScript = newScript("trim", luaID+`
local groups = redis.pcall('XINFO', 'GROUPS', KEYS[1])
if groups.err then return groups end
if #groups == 0 then return {'no-group'} end
local least = ARGV[1]
for _, group in ipairs(groups) do
  local info = {}
  for i = 1, #group, 2 do info[group[i]] = group[i + 1] end
  if less(info['last-delivered-id'], least) then least = info['last-delivered-id'] end
  local row = redis.call('XPENDING', KEYS[1], info.name, '-', '+', 1)[1]
  if row and less(row[1], least) then least = row[1] end
end
local trimmed
if ARGV[2] == '0' then
  trimmed = redis.pcall('XTRIM', KEYS[1], 'MINID', '=', least)
else
  trimmed = redis.pcall('XTRIM', KEYS[1], 'MINID', '~', least, 'LIMIT', ARGV[2])
end
if type(trimmed) == 'table' then return trimmed end
return {'trimmed', trimmed, least}
`, func(keys, args []string, reply any) [][]string {
	commands := [][]string{{"XINFO", "GROUPS", keys[0]}}
	if parts := asList(reply); replyWord(reply) == "trimmed" && len(parts) == 3 {
		trim := []string{"XTRIM", keys[0], "MINID", "=", asString(parts[2])}
		if args[1] != "0" {
			trim = []string{"XTRIM", keys[0], "MINID", "~", asString(parts[2]), "LIMIT", args[1]}
		}
		commands = append(commands, trim)
	}
	return commands
})
