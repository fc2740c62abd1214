package redisq

import (
	"context"
	"slices"
	"sync"

	"example.com/unacked/redisq/safe"
)

// Trash keeps the dead letters that were discarded, in memory, so that they can be brought back until the program
// ends. The zero value is empty and ready; it is safe for concurrent use.
type Trash struct {
	mu   sync.Mutex
	kept []Discarded // guarded by mu
}

// Discarded is a letter that was discarded.
type Discarded struct {
	Entry
	DeadLetter string // the key that it was in
	// Unsure says that the reply to the deletion was lost: another person may have replayed or deleted the letter in that
	// moment instead.
	Unsure bool
}

// Len returns how many letters the trash holds.
func (t *Trash) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.kept)
}

// Letters returns what the trash holds, in the order in which it was discarded.
func (t *Trash) Letters() []Discarded {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.kept)
}

func (t *Trash) put(d Discarded) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, d)
}

func (t *Trash) take(d Discarded) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = slices.DeleteFunc(t.kept, func(k Discarded) bool { return k.ID == d.ID && k.DeadLetter == d.DeadLetter })
}

// PlanDiscard plans to delete dead letters: those with the given ids, or with nil all that are there now. Their bodies
// are read before and kept in trash, for [Group.PlanBringBack]; with a nil trash nothing brings them back. It may be run
// again.
func (g *Group) PlanDiscard(ctx context.Context, ids []string, trash *Trash) (Plan, error) {
	p, stop, err := g.planLetters(ctx, "Discard", ids)
	if err != nil {
		return p, err
	}
	for _, id := range ids[:min(len(ids), shownInPlan)] {
		p.Commands = append(p.Commands, []string{"XDEL", g.q.DeadLetter, id})
	}
	if ids == nil {
		p.Commands = append(p.Commands, []string{"XDEL", g.q.DeadLetter, "…"})
	}
	p.Effects = []string{
		plural(p.Count, "letter is", "letters are") + " deleted from " + safe.Text(g.q.DeadLetter) + " and not put back to work",
	}
	if trash == nil {
		p.Effects = append(p.Effects, "there is no undo")
	} else {
		p.Effects = append(p.Effects, "an undo brings them back until this program ends, at the end of the letters and with new ids")
	}
	p.Run = func(ctx context.Context) Outcome {
		return g.eachLetter(ctx, "discarded", ids, stop, func(e Entry) (string, error) {
			reply, lost, err := g.certain(ctx, discardScript, []string{g.q.DeadLetter}, e.ID)
			there := replyWord(reply) == "discarded"
			done := err == nil && (there || lost) || CodeOf(err) == CodeLostReply
			if done && trash != nil {
				trash.put(Discarded{Entry: e, DeadLetter: g.q.DeadLetter, Unsure: !there})
			}
			switch {
			case err != nil:
				return "", on(err, "discard "+e.ID, g.q.DeadLetter)
			case !done:
				return leftTheLetters, nil
			}
			return "", nil
		})
	}
	return p, nil
}

var discardScript = newScript("discard", `
local deleted = redis.pcall('XDEL', KEYS[1], ARGV[1])
if type(deleted) == 'table' then return deleted end
if deleted == 1 then return {'discarded'} end
return {'gone'}
`, func(keys, args []string, _ any) [][]string { return [][]string{{"XDEL", keys[0], args[0]}} })

// PlanBringBack plans to undo discards: every letter in the trash is added to the dead letters that it was in, with the
// same fields. Ids of a stream only rise, so a letter comes back under its own id only where the stream is gone or has
// nothing later; else it gets a new one. It may be run again: what is back leaves the trash.
func (g *Group) PlanBringBack(trash *Trash) Plan {
	letters := trash.Letters()
	letters = slices.DeleteFunc(letters, func(d Discarded) bool { return d.DeadLetter != g.q.DeadLetter })
	slices.SortStableFunc(letters, func(a, b Discarded) int {
		order, _ := CompareIDs(a.ID, b.ID)
		return order
	})
	p := Plan{
		Title: "Bring back " + plural(len(letters), "dead letter", "dead letters"), Count: len(letters),
		Effects: []string{
			plural(len(letters), "letter is", "letters are") + " added to " + safe.Text(g.q.DeadLetter) + " with the fields that it had",
			"not brought back: their ids and their place among the letters; they come last, in their old order",
		},
	}
	unsure := 0
	for i, d := range letters {
		if d.Unsure {
			unsure++
		}
		if i < shownInPlan {
			add := append([]string{"XADD", g.q.DeadLetter, "*"}, flatten(d.Fields)...)
			shorten(add)
			p.Commands = append(p.Commands, add)
		}
	}
	if unsure > 0 {
		p.Effects = append(p.Effects, plural(unsure, "was", "were")+
			" deleted while the reply was lost: should another person have replayed it in that moment, it is there twice then")
	}
	p.Run = func(ctx context.Context) Outcome {
		var o Outcome
		since, err := g.lastLetter(ctx)
		if err != nil {
			o.fail(err)
		}
		for _, d := range letters {
			if err != nil {
				break
			}
			back, err := g.bringBack(ctx, d, since)
			if err == nil {
				since = back
				trash.take(d)
			}
			if !o.note(d.ID, "", err) {
				break
			}
		}
		o.Text = "brought back " + plural(o.Done, "letter", "letters")
		return o.rest()
	}
	return p
}

func (g *Group) bringBack(ctx context.Context, d Discarded, since string) (id string, err error) {
	if since == "" {
		since = "0-0"
	}
	args := append([]any{d.ID, since}, anys(flatten(d.Fields))...)
	op := "bring back " + d.ID
	reply, _, err := g.certain(ctx, bringBackScript, []string{g.q.DeadLetter}, args...)
	if err != nil {
		return "", on(err, op, g.q.DeadLetter)
	}
	if parts := asList(reply); replyWord(reply) == "back" && len(parts) == 2 {
		return asString(parts[1]), nil
	}
	return "", badReply(op, g.q.DeadLetter, reply)
}

// bringBackScript adds a letter anew unless one like it came in since: that is what a run before this one did whose
// reply was lost.
//
// KEYS letters; ARGV old id, the last id that was there before, names and values
var bringBackScript = newScript("bring back", `
local later = redis.pcall('XRANGE', KEYS[1], '(' .. ARGV[2], '+', 'COUNT', 1000)
if later.err then return later end
for _, letter in ipairs(later) do
  local f = letter[2]
  local like = #f == #ARGV - 2
  for i = 1, like and #f or 0 do
    if f[i] ~= ARGV[i + 2] then like = false break end
  end
  if like then return {'back', letter[1]} end
end
if #ARGV > 7000 then return redis.error_reply('TOOBIG the letter has too many fields to be added by a script') end
local added = redis.pcall('XADD', KEYS[1], ARGV[1], unpack(ARGV, 3))
if added.err and string.find(added.err, 'equal or smaller', 1, true) then
  added = redis.pcall('XADD', KEYS[1], '*', unpack(ARGV, 3))
end
if added.err then return added end
return {'back', added}
`, func(keys, args []string, reply any) [][]string {
	commands := [][]string{{"XRANGE", keys[0], "(" + args[1], "+", "COUNT", "1000"}}
	if parts := asList(reply); replyWord(reply) == "back" && len(parts) == 2 {
		commands = append(commands, append([]string{"XADD", keys[0], asString(parts[1])}, args[2:]...))
	}
	return commands
})

// planLetters begins a plan for letters: those of ids, or all up to stop.
func (g *Group) planLetters(ctx context.Context, verb string, ids []string) (p Plan, stop string, err error) {
	p = Plan{Destructive: true, Count: len(ids)}
	for _, id := range ids {
		if _, ok := parseID(id); !ok {
			return p, "", &Error{Op: "plan", On: g.q.DeadLetter, Code: "ERR", Err: errorString(id + " is not the id of a letter")}
		}
	}
	if ids == nil {
		if stop, err = g.lastLetter(ctx); err != nil {
			return p, "", err
		}
		length, err := g.c.Do(ctx, "XLEN", g.q.DeadLetter)
		if err != nil {
			return p, "", on(err, "count the dead letters", g.q.DeadLetter)
		}
		n, _ := asInt(length)
		p.Count = int(n)
	}
	p.Title = verb + " " + plural(p.Count, "dead letter", "dead letters")
	return p, stop, nil
}

// eachLetter does something to each letter: those of ids, or all up to stop.
func (g *Group) eachLetter(ctx context.Context, done string, ids []string, stop string, do func(Entry) (skipped string, err error)) Outcome {
	var o Outcome
	err := g.letters(ctx, ids, stop, func(id string, e *Entry) bool {
		o.Matched++
		if e == nil {
			return o.note(id, leftTheLetters, nil)
		}
		skipped, err := do(*e)
		return o.note(id, skipped, err)
	})
	if err != nil {
		o.fail(err)
	}
	o.Text = done + " " + plural(o.Done, "letter", "letters")
	return o.rest()
}
