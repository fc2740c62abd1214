package redisq

import (
	"context"

	"example.com/unacked/redisq/safe"
)

// PlanSetCounter plans to set the server's counter of what the group has read (XGROUP SETID … ENTRIESREAD) to what is
// true, so that the lag that the server tells is right again. The group stays where it is: the script reads where that
// is in the same step, so its workers need not be stopped. It may be run again.
//
// The counter can be told where the server counts what was added (7.0) and at most 1,000 entries are undelivered, or
// all that are stored.
func (g *Group) PlanSetCounter(ctx context.Context) (Plan, error) {
	op := "set the counter of " + g.q.Group
	s, err := g.state(ctx)
	if err != nil {
		return Plan{}, err
	}
	reply, err := g.c.Do(ctx, "XINFO", "STREAM", g.q.Stream)
	if err != nil {
		return Plan{}, on(err, op, g.q.Stream)
	}
	if _, told := asInt(asMap(reply)["entries-added"]); !told {
		return Plan{}, &Error{Op: op, On: g.q.Stream, Code: "ERR", Err: errorString(cannotCount)}
	}
	p := Plan{
		Title:    "Set the counter of " + safe.Text(g.q.Group) + " right",
		Commands: [][]string{{"XGROUP", "SETID", g.q.Stream, g.q.Group, s.last, "ENTRIESREAD", "…"}},
		Effects: []string{
			"the group stays where it is, at " + s.last + " now; nothing is delivered again or skipped",
			"the number of entries that it has read is set to what was ever added less what is undelivered: the server's lag is right then",
			"where entries ahead of the group were deleted the server still tells no lag until it is past them",
		},
	}
	p.Run = func(ctx context.Context) Outcome {
		o := Outcome{Text: "set nothing"}
		reply, _, err := g.certain(ctx, counterScript, []string{g.q.Stream}, g.q.Group)
		parts := asList(reply)
		switch word := replyWord(reply); {
		case err != nil:
			o.note(g.q.Group, "", on(err, op, g.q.Stream))
		case word == "unknown":
			o.note(g.q.Group, cannotCount, nil)
		case word == "many":
			o.note(g.q.Group, "more than 1,000 entries are undelivered: the counter can be told when the group has caught up", nil)
		case word == "set" && len(parts) == 4:
			o.Done++
			o.Text = "set the counter of " + safe.Text(g.q.Group) + " to " + asString(parts[1]) + "; " +
				asString(parts[2]) + " are undelivered after " + asString(parts[3])
		default:
			o.note(g.q.Group, "", badReply(op, g.q.Stream, reply))
		}
		return o.rest()
	}
	return p, nil
}

const cannotCount = "the server does not count what was added to the stream (Redis 7.0 and Valkey do)"

// KEYS stream; ARGV group
var counterScript = newScript("set counter", luaID+luaReach+`
if pending < 0 then return redis.error_reply('NOGROUP the group does not exist') end
local reply = redis.pcall('XINFO', 'STREAM', KEYS[1])
if reply.err then return reply end
local info = {}
for i = 1, #reply, 2 do info[reply[i]] = reply[i + 1] end
if not info['entries-added'] then return {'unknown'} end
local rest
if info['first-entry'] and less(last, info['first-entry'][1]) then
  rest = info.length
else
  rest = #redis.call('XRANGE', KEYS[1], '(' .. last, '+', 'COUNT', 1001)
  if rest > 1000 then return {'many'} end
end
local read = count(info['entries-added'] - rest)
local set = redis.pcall('XGROUP', 'SETID', KEYS[1], ARGV[1], last, 'ENTRIESREAD', read)
if set.err then return set end
return {'set', read, count(rest), last}
`, func(keys, args []string, reply any) [][]string {
	commands := [][]string{{"XINFO", "GROUPS", keys[0]}, {"XINFO", "STREAM", keys[0]}}
	if parts := asList(reply); replyWord(reply) == "set" && len(parts) == 4 {
		commands = append(commands, []string{"XGROUP", "SETID", keys[0], args[0], asString(parts[3]), "ENTRIESREAD", asString(parts[1])})
	}
	return commands
})
