package redisq

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"example.com/unacked/redisq/safe"
)

// PlanDiscard plans to delete dead letters. Their bodies are read before and kept in trash, for [Group.PlanBringBack];
// with a nil trash nothing brings them back. Where the trash is full the rest stays. It may be run again.
func (g *Group) PlanDiscard(ctx context.Context, of LetterChoice, trash *Trash) (Plan, error) {
	p, err := g.planLetters(ctx, "Discard", of)
	if err != nil {
		return p.Plan, err
	}
	for _, id := range p.first {
		p.Commands = append(p.Commands, []string{"XDEL", g.q.DeadLetter, id})
	}
	undo := "there is no undo"
	if trash != nil {
		undo = "an undo brings them back until this program ends, at the end of the letters and with new ids"
	}
	p.Effects = append([]string{
		p.counted("letter is", "letters are") + " deleted from " + safe.Text(g.q.DeadLetter) + " and not put back to work", undo,
	}, p.Effects...)
	p.Run = func(ctx context.Context) Outcome {
		o := p.each(ctx, "discarded", func(e Entry) (string, error) {
			if trash != nil && !trash.hasRoom(e) {
				return trashFull, nil
			}
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
		for _, s := range o.Failed {
			if trash != nil && s.Reason == cameBack {
				trash.take(Discarded{Entry: Entry{ID: s.ID}, DeadLetter: g.q.DeadLetter})
			}
		}
		return o
	}
	return p.Plan, nil
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
			plural(len(letters), "letter is", "letters are") + " added to " + safe.Text(g.q.DeadLetter) + " with all fields",
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
			more := o.note(d.ID, "", err)
			o.tell(ctx, Progress{ID: d.ID, Total: len(letters)})
			if !more {
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

// letterPlan is a plan about letters, and which of them.
type letterPlan struct {
	Plan
	g     *Group
	of    LetterChoice
	stop  string   // the last letter that was there when it was planned
	first []string // ids of the first ones; "…" stands for more
}

// planLetters begins a plan for letters. Where all of them are meant they are counted, else looked at.
func (g *Group) planLetters(ctx context.Context, verb string, of LetterChoice) (p letterPlan, err error) {
	p = letterPlan{g: g, of: of, Plan: Plan{Destructive: true, Count: len(of.IDs)}}
	for _, id := range of.IDs {
		if _, ok := parseID(id); !ok {
			return p, &Error{Op: "plan", On: g.q.DeadLetter, Code: "ERR", Err: errorString(id + " is not the id of a letter")}
		}
	}
	if p.stop, err = g.lastLetter(ctx); err != nil {
		return p, err
	}
	all, err := g.countLetters(ctx, of.IDs)
	if err != nil {
		return p, err
	}
	switch {
	case of.Only != nil:
		err = p.look(ctx, all)
	case of.IDs != nil:
		p.first = of.IDs[:min(len(of.IDs), shownInPlan)]
	default:
		p.Count = int(all)
	}
	if p.Count > len(p.first) {
		p.first = append(p.first[:len(p.first):len(p.first)], "…")
	}
	p.Title = verb + " " + p.counted("dead letter", "dead letters")
	return p, err
}

// look looks for the letters that are meant.
func (p *letterPlan) look(ctx context.Context, all int64) error {
	looked := 0
	tell, bounded := looker(ctx)
	err := p.g.letters(ctx, p.of.IDs, p.stop, func(id string, e *Entry) bool {
		p.AtLeast = bounded && looked >= lettersLooked || looked > 0 && looked%replayPage == 0 &&
			!tell(Looked{Looked: int64(looked), Of: all, Found: p.Count})
		if p.AtLeast || ctx.Err() != nil {
			return false
		}
		looked++
		if e != nil && p.of.chooses(*e) {
			if p.Count++; len(p.first) < shownInPlan {
				p.first = append(p.first, id)
			}
		}
		return true
	})
	if err == nil && ctx.Err() != nil {
		err = &Error{Op: "look for letters", On: p.g.q.DeadLetter, Code: CodeCanceled, Err: context.Cause(ctx)}
	}
	text := "all " + strconv.Itoa(looked) + " letters were looked at"
	if p.AtLeast {
		text = fmt.Sprintf("only the first %d of %d letters were looked at; the others are looked at as it is done", looked, all)
	}
	p.Effects = append(p.Effects, text)
	return err
}

// counted is "3 letters", "at least 3 letters" where not all were looked at.
func (p *letterPlan) counted(one, many string) string {
	text := plural(p.Count, one, many)
	if p.AtLeast {
		text = "at least " + text
	}
	return text
}

// countLetters counts the letters of ids, or all that there are.
func (g *Group) countLetters(ctx context.Context, ids []string) (int64, error) {
	if ids != nil {
		return int64(len(ids)), nil
	}
	length, err := g.c.Do(ctx, "XLEN", g.q.DeadLetter)
	if err != nil {
		return 0, on(err, "count the dead letters", g.q.DeadLetter)
	}
	n, _ := asInt(length)
	return n, nil
}

// each does something to each letter that is meant.
func (p *letterPlan) each(ctx context.Context, done string, do func(Entry) (skipped string, err error)) Outcome {
	var o Outcome
	var left []string
	total, found := p.Count, 0
	if p.AtLeast {
		total = 0
	}
	err := p.g.letters(ctx, p.of.IDs, p.stop, func(id string, e *Entry) bool {
		if e != nil && !p.of.chooses(*e) {
			return true
		}
		o.Matched++
		found++
		if e == nil {
			return o.note(id, leftTheLetters, nil)
		}
		skipped, err := do(*e)
		if err == nil && skipped == "" {
			left = append(left, id)
		}
		more := o.note(id, skipped, err)
		o.tell(ctx, Progress{ID: id, Total: total})
		return more
	})
	switch {
	case err == nil:
	case CodeOf(err) == CodeCanceled && o.Matched > 0:
		o.Stopped = true
	default:
		o.fail(err)
	}
	p.g.lookBack(ctx, &o, left)
	o.Text = done + " " + plural(o.Done, "letter", "letters")
	o.meanwhile(total-found, leftTheLetters)
	return o.rest()
}
