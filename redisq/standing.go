package redisq

import (
	"context"
	"strconv"
	"time"
)

// Standing is where every message of a queue is at one instant: a script reads it in one step, so that none is counted
// twice or missed while it moves on. It costs the server as much as the queue is long: it is for small ones, where
// the books have to be exact.
type Standing struct {
	Undelivered []Entry        // not given to the group yet, oldest first
	Pending     []PendingEntry // given and not acknowledged; Age is not filled in
	Dead        []DeadLetter   // oldest first
	List        []Entry        // of the list queue, the newest first, without ids
}

// Backlog is how many entries are undelivered and pending.
func (s Standing) Backlog() int { return len(s.Undelivered) + len(s.Pending) }

// mostStanding bounds each part of a Standing.
const mostStanding = 10_000

// Standing reads the queue. It is an error when a part of it has more than 10,000 entries. A group that does not exist
// was given nothing. It changes nothing and may be called again.
func (g *Group) Standing(ctx context.Context) (Standing, error) {
	const op = "read where the messages are"
	reply, err := g.c.eval(ctx, standingScript, []string{g.q.Stream, g.q.DeadLetter, g.q.List}, g.q.Group, mostStanding+1)
	if err != nil {
		return Standing{}, on(err, op, g.q.Stream)
	}
	parts := asList(reply)
	if len(parts) != 4 {
		return Standing{}, badReply(op, g.q.Stream, reply)
	}
	for _, p := range parts {
		if len(asList(p)) > mostStanding {
			return Standing{}, &Error{
				Op: op, On: g.q.Stream, Code: CodeTooBig, Err: errorString("more than " + strconv.Itoa(mostStanding) + " messages"),
			}
		}
	}
	s := Standing{Undelivered: asEntries(parts[0])}
	for _, row := range asList(parts[1]) {
		columns := asList(row)
		if len(columns) < 4 {
			return Standing{}, badReply(op, g.q.Stream, reply)
		}
		p := PendingEntry{Entry: Entry{ID: asString(columns[0]), Gone: true}, Consumer: asString(columns[1]), Idle: -1}
		if idle, ok := asInt(columns[2]); ok && idle >= 0 {
			p.Idle = time.Duration(idle) * time.Millisecond
		}
		p.Deliveries, _ = asInt(columns[3])
		if len(columns) > 4 && columns[4] != nil {
			p.Fields, p.Gone = asFields(columns[4]), false
		}
		s.Pending = append(s.Pending, p)
	}
	for _, letter := range asEntries(parts[2]) {
		s.Dead = append(s.Dead, ParseDeadLetter(letter))
	}
	for _, element := range asList(parts[3]) {
		s.List = append(s.List, Entry{Fields: decodeFields(asString(element))})
	}
	return s, nil
}

// Backlog counts the undelivered and the pending entries in one step; of the undelivered up to 10,000, which costs the
// server as much as there are. It changes nothing and may be called again.
func (g *Group) Backlog(ctx context.Context) (undelivered, pending int64, err error) {
	const op = "count the backlog"
	reply, err := g.c.eval(ctx, backlogScript, []string{g.q.Stream}, g.q.Group, mostStanding)
	if err != nil {
		return 0, 0, on(err, op, g.q.Stream)
	}
	parts := asList(reply)
	if len(parts) != 2 {
		return 0, 0, badReply(op, g.q.Stream, reply)
	}
	undelivered, _ = asInt(parts[0])
	pending, _ = asInt(parts[1])
	return undelivered, pending, nil
}

// luaReach finds how far the group is: its last-delivered-id, and how many entries are pending.
//
// KEYS stream; ARGV group
const luaReach = `
local groups = redis.pcall('XINFO', 'GROUPS', KEYS[1])
if groups.err then
  if not string.find(groups.err, 'no such key', 1, true) then return groups end
  groups = {}
end
local last, pending = '0-0', -1
for _, group in ipairs(groups) do
  local info = {}
  for i = 1, #group, 2 do info[group[i]] = group[i + 1] end
  if info.name == ARGV[1] then last, pending = info['last-delivered-id'], info.pending end
end
`

var backlogScript = newScript("backlog", luaReach+`
return {#redis.call('XRANGE', KEYS[1], '(' .. last, '+', 'COUNT', ARGV[2]), math.max(pending, 0)}
`, func(keys, args []string, _ any) [][]string {
	return [][]string{{"XINFO", "GROUPS", keys[0]}, {"XRANGE", keys[0], "(…", "+", "COUNT", args[1]}}
})

// KEYS stream, dead letters, list; ARGV group, most of each
var standingScript = newScript("standing", luaReach+`
local rows = {}
if pending >= 0 then
  for i, row in ipairs(redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', ARGV[2])) do
    local body = redis.call('XRANGE', KEYS[1], row[1], row[1])[1]
    rows[i] = {row[1], row[2], row[3], count(row[4]), body and body[2] or false}
  end
end
local dead = redis.pcall('XRANGE', KEYS[2], '-', '+', 'COUNT', ARGV[2])
if dead.err then return dead end
local list = redis.pcall('LRANGE', KEYS[3], 0, ARGV[2] - 1)
if list.err then return list end
return {redis.call('XRANGE', KEYS[1], '(' .. last, '+', 'COUNT', ARGV[2]), rows, dead, list}
`, func(keys, args []string, _ any) [][]string {
	return [][]string{
		{"XINFO", "GROUPS", keys[0]},
		{"XRANGE", keys[0], "(…", "+", "COUNT", args[1]},
		{"XPENDING", keys[0], args[0], "-", "+", args[1]},
		{"XRANGE", keys[1], "-", "+", "COUNT", args[1]},
		{"LRANGE", keys[2], "0", args[1]},
	}
})
