package redisq

import (
	"context"

	"example.com/unacked/redisq/safe"
)

// setIDTries is how often a group that moves on meanwhile is set before it is given up.
const setIDTries = 20

// PlanSetID plans to set from where the group is given entries: "0" is from the beginning, "$" only what comes, an id
// what comes after it. Where the server counts what a group has read (Redis 7.0) the counter is set to match, so that
// its lag stays known. It may be run again, but a rewind then delivers again.
func (g *Group) PlanSetID(ctx context.Context, start string) (Plan, error) {
	op := "set the group " + g.q.Group + " to " + start
	to, err := g.startID(start, op)
	if err != nil {
		return Plan{}, err
	}
	s, err := g.state(ctx)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{
		Title: "Set the group " + safe.Text(g.q.Group) + " to " + start, Destructive: true,
		Commands: [][]string{{"XGROUP", "SETID", g.q.Stream, g.q.Group, to, "ENTRIESREAD", "…"}},
	}
	back := to != "$" && before(to, s.last)
	if back {
		again, err := g.countFrom(ctx, to, s.last)
		if err != nil {
			return p, err
		}
		p.Count = int(again.Value)
		p.Effects = append(p.Effects, someOf(again, "entry that the group was given before is delivered again",
			"entries that the group was given before are delivered again")+": their work is done twice")
	} else {
		end := to
		if to == "$" {
			end = "+"
		}
		skipped, err := g.countFrom(ctx, s.last, end)
		if err != nil {
			return p, err
		}
		p.Count = int(skipped.Value)
		p.Effects = append(p.Effects, "skips "+someOf(skipped, "entry", "entries")+": the group is never given them")
	}
	if s.pending > 0 {
		pending := plural(int(s.pending), "pending entry stays", "pending entries stay") + " pending"
		if back {
			pending += "; one that is delivered again belongs to whoever reads it then"
		}
		p.Effects = append(p.Effects, pending)
	}
	p.Effects = append(p.Effects, "the counter of entries read is set to match; where the server has none or it cannot be told, the lag is unknown for a while",
		"the way back is to set it to "+s.last+"; what was delivered meanwhile is delivered again then")
	p.Run = func(ctx context.Context) Outcome { return g.setID(ctx, to, op) }
	return p, nil
}

// countFrom counts the entries after the id from, up to the id to.
func (g *Group) countFrom(ctx context.Context, from, to string) (Number, error) {
	start, ok := after(from)
	if !ok {
		return Exact(0, Counted), nil
	}
	if to != "+" && before(to, start) {
		return Exact(0, Counted), nil
	}
	return g.countRange(ctx, start, to)
}

func before(a, b string) bool {
	order, ok := CompareIDs(a, b)
	return ok && order < 0
}

// setID sets the group only where it stands where it was seen to be: after a lost reply that tells whether it was set.
func (g *Group) setID(ctx context.Context, to, op string) Outcome {
	o := Outcome{Text: "set nothing"}
	for range setIDTries {
		s, err := g.state(ctx)
		if err != nil {
			o.note(g.q.Group, "", err)
			return o.rest()
		}
		reply, lost, err := g.certain(ctx, setIDScript, []string{g.q.Stream}, g.q.Group, to, s.last)
		if err != nil {
			o.note(g.q.Group, "", on(err, op, g.q.Stream))
			return o.rest()
		}
		done := replyWord(reply) == "set"
		if parts := asList(reply); lost && !done && len(parts) > 1 {
			now := asString(parts[1])
			back := to != "$" && before(to, s.last)
			// A group moves on by itself, and never back.
			done = back && before(now, s.last) || !back && !before(now, to)
		}
		if done {
			o.Done++
			o.Text = "set the group " + safe.Text(g.q.Group) + g.standsAt(ctx)
			return o.rest()
		}
	}
	o.note(g.q.Group, "it is given entries all the time; stop its workers, or try again", nil)
	return o.rest()
}

// setIDScript sets the group, unless it moved on. What it has read then is all that was ever added but what is after
// that id: so the server's own lag is right. It counts up to 1,000 entries for it.
//
// KEYS stream; ARGV group, id or $, last delivered id as it was seen
var setIDScript = newScript("set id", luaID+luaReach+`
if pending < 0 then return redis.error_reply('NOGROUP the group does not exist') end
if last ~= ARGV[3] then return {'moved', last} end
local reply = redis.pcall('XINFO', 'STREAM', KEYS[1])
if reply.err then return reply end
local info, id = {}, ARGV[2]
for i = 1, #reply, 2 do info[reply[i]] = reply[i + 1] end
if id == '$' then id = info['last-generated-id'] end
local command = {'XGROUP', 'SETID', KEYS[1], ARGV[1], ARGV[2]}
if info['entries-added'] then
  local rest
  if info['first-entry'] and less(id, info['first-entry'][1]) then
    rest = info.length
  else
    rest = #redis.call('XRANGE', KEYS[1], '(' .. id, '+', 'COUNT', 1001)
  end
  if rest <= 1000 or rest == info.length then
    command[6], command[7] = 'ENTRIESREAD', count(info['entries-added'] - rest)
  end
end
local set = redis.pcall(unpack(command))
if set.err then return set end
return {'set', command[7] or ''}
`, func(keys, args []string, reply any) [][]string {
	commands := [][]string{{"XINFO", "GROUPS", keys[0]}, {"XINFO", "STREAM", keys[0]}}
	if parts := asList(reply); replyWord(reply) == "set" && len(parts) > 1 {
		command := []string{"XGROUP", "SETID", keys[0], args[0], args[1]}
		if read := asString(parts[1]); read != "" {
			command = append(command, "ENTRIESREAD", read)
		}
		commands = append(commands, command)
	}
	return commands
})
