package redisq

import (
	"context"
	"fmt"

	"example.com/unacked/redisq/safe"
)

// PlanCreateGroup plans to create the group: start is "0" (all that is stored is delivered), "$" (only what comes) or an
// id (what comes after it). The stream is created where it is missing. A group that exists is left alone.
func (g *Group) PlanCreateGroup(ctx context.Context, start string) (Plan, error) {
	op := "create the group " + g.q.Group
	from, err := g.startID(start, op)
	if err != nil {
		return Plan{}, err
	}
	length, err := g.c.Do(ctx, "XLEN", g.q.Stream)
	if err != nil {
		return Plan{}, on(err, op, g.q.Stream)
	}
	stored, _ := asInt(length)
	p := Plan{
		Title:    "Create the group " + safe.Text(g.q.Group) + " on " + safe.Text(g.q.Stream) + " at " + start,
		Commands: [][]string{{"XGROUP", "CREATE", g.q.Stream, g.q.Group, from, "MKSTREAM"}},
	}
	switch {
	case stored == 0:
		p.Effects = append(p.Effects, "nothing is stored: the group is given what comes")
	case from == "$":
		p.Effects = append(p.Effects, fmt.Sprintf("skips %d stored %s: the group is never given them, only what comes",
			stored, word1(stored, "message", "messages")))
	case from == "0-0":
		p.Effects = append(p.Effects, fmt.Sprintf("the group is given all %d stored %s", stored, word1(stored, "message", "messages")))
	default:
		skipped, err := g.countRange(ctx, "-", from)
		if err != nil {
			return p, err
		}
		p.Effects = append(p.Effects, "skips "+someOf(skipped, "stored message", "stored messages")+" up to "+from+", the group is given those after it")
	}
	p.Run = func(ctx context.Context) Outcome {
		o := Outcome{Text: "created the group " + safe.Text(g.q.Group)}
		_, lost, err := g.certain(ctx, createGroupScript, []string{g.q.Stream}, g.q.Group, from)
		switch {
		case CodeOf(err) == "BUSYGROUP" && lost:
			o.Done++ // the run whose reply was lost had created it, or another person did
		case CodeOf(err) == "BUSYGROUP":
			o.Text = "created nothing"
			o.note(g.q.Group, "exists already", nil)
		case err != nil:
			o.Text = "created nothing"
			o.note(g.q.Group, "", on(err, op, g.q.Stream))
		default:
			o.Done++
		}
		if o.Done > 0 {
			o.Text += g.standsAt(ctx)
		}
		return o.rest()
	}
	return p, nil
}

var createGroupScript = newScript("create group", `
return redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[1], ARGV[2], 'MKSTREAM')
`, func(keys, args []string, _ any) [][]string {
	return [][]string{{"XGROUP", "CREATE", keys[0], args[0], args[1], "MKSTREAM"}}
})

// startID reads where a group begins: "0", "$" or an id.
func (g *Group) startID(start, op string) (string, error) {
	if start == "$" {
		return start, nil
	}
	id, ok := parseID(start)
	if !ok {
		return "", &Error{Op: op, On: g.q.Stream, Code: "ERR", Err: fmt.Errorf("%q is no place to begin: use 0, $ or an id", safe.Text(start))}
	}
	return id.String(), nil
}

// standsAt looks where the group is after a change.
func (g *Group) standsAt(ctx context.Context) string {
	s, err := g.state(context.WithoutCancel(ctx))
	if err != nil {
		return ", but looking at it fails: " + err.Error()
	}
	return "; its last delivered id is " + s.last
}

func word1(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// destroyBusy is how many pending entries a group has whose end others notice: 0.26 µs each were measured (Redis 7.0).
const destroyBusy = 50_000

// PlanDestroyGroup plans to destroy the group with all that is pending in it. A group that has more pending by then than
// the plan says is left alone. It may be run again.
func (g *Group) PlanDestroyGroup(ctx context.Context) (Plan, error) {
	op := "destroy the group " + g.q.Group
	s, err := g.state(ctx)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{
		Title: "Destroy the group " + safe.Text(g.q.Group) + " of " + safe.Text(g.q.Stream), Destructive: true, Count: int(s.pending),
		Commands: [][]string{{"XGROUP", "DESTROY", g.q.Stream, g.q.Group}},
		Effects: []string{
			fmt.Sprintf("drops %d pending %s: nobody is given them again", s.pending, word1(s.pending, "entry", "entries")),
			"forgets that the group got as far as " + s.last + ", and all its consumers; there is no undo",
			"its workers fail with NOGROUP, or create it anew: at 0 they are given everything that is stored",
			"the entries themselves stay in " + safe.Text(g.q.Stream),
		},
	}
	if s.pending >= destroyBusy {
		p.Effects = append(p.Effects, fmt.Sprintf("dropping so many keeps the server busy for some %d ms, and others wait", s.pending*3/10_000))
	}
	p.Run = func(ctx context.Context) Outcome {
		o := Outcome{Text: "destroyed the group " + safe.Text(g.q.Group)}
		reply, lost, err := g.certain(ctx, destroyGroupScript, []string{g.q.Stream}, g.q.Group, s.pending)
		skipped := ""
		switch word := replyWord(reply); {
		case err != nil:
			err = on(err, op, g.q.Stream)
		case word == "gone" && !lost:
			skipped = "does not exist any more"
		case word == "more":
			skipped = "has more pending by now than the plan said"
			if parts := asList(reply); len(parts) > 1 {
				skipped = "has " + asString(parts[1]) + " pending by now, more than the plan said"
			}
		}
		if o.note(g.q.Group, skipped, err); o.Done == 0 {
			o.Text = "destroyed nothing"
		} else if _, err := g.state(context.WithoutCancel(ctx)); err == nil {
			o.Text += "; it is there again: its workers run"
		}
		return o.rest()
	}
	return p, nil
}

// KEYS stream; ARGV group, pending entries that it may drop
var destroyGroupScript = newScript("destroy group", `
local groups = redis.pcall('XINFO', 'GROUPS', KEYS[1])
if groups.err then
  if string.find(groups.err, 'no such key', 1, true) then return {'gone'} end
  return groups
end
for _, group in ipairs(groups) do
  local info = {}
  for i = 1, #group, 2 do info[group[i]] = group[i + 1] end
  if info.name == ARGV[1] then
    if info.pending > tonumber(ARGV[2]) then return {'more', count(info.pending)} end
    local destroyed = redis.pcall('XGROUP', 'DESTROY', KEYS[1], ARGV[1])
    if type(destroyed) == 'table' then return destroyed end
    return {'destroyed'}
  end
end
return {'gone'}
`, func(keys, args []string, reply any) [][]string {
	commands := [][]string{{"XINFO", "GROUPS", keys[0]}}
	if replyWord(reply) == "destroyed" {
		commands = append(commands, []string{"XGROUP", "DESTROY", keys[0], args[0]})
	}
	return commands
})
