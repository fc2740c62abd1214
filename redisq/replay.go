package redisq

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"example.com/unacked/redisq/safe"
)

const shownInPlan = 20 // letters whose commands a plan spells out

// PlanReplay plans to put dead letters back to work: those with the given ids, or with nil all that snapshot s shows to
// be there. It sends nothing itself, and knows no more than s does; [Group.PlanReplayOf] looks, and can do more. Each
// letter is one script: its own fields are added to the stream as a new entry, unchanged and in their order, with two
// fields at the end that carry the original id and the number of replays (see [Original]), and the letter is deleted. No
// cap is applied, so nothing live is pushed out. Letters that come in during the run stay, and of all those that were
// replayed DefaultMaxReplays times.
//
// The plan may be run again: letters that are gone are skipped. s may be nil when ids are given.
func (g *Group) PlanReplay(s *Snapshot, ids []string) Plan {
	p := Plan{Destructive: true, Count: len(ids)}
	r := replay{g: g, o: ReplayOptions{IDs: ids}}
	known := map[string]DeadLetter{}
	if ids != nil {
		r.o.MaxReplays = math.MaxInt64 // whoever names a letter has seen how often it came back
	}
	if s != nil {
		for _, letter := range s.Dead.Rows {
			known[letter.ID] = letter
		}
		if ids == nil {
			p.Count = int(s.Dead.Length.Value)
			if n := len(s.Dead.Rows); n > 0 {
				r.stop = s.Dead.Rows[n-1].ID
			}
		}
	}
	shown := ids
	if ids == nil && s != nil {
		for _, letter := range s.Dead.Rows {
			shown = append(shown, letter.ID)
		}
	}
	again, over := 0, 0
	for i, id := range shown {
		letter, ok := known[id]
		if ok && letter.Replays > 0 {
			again++
			if ids == nil && letter.Replays >= DefaultMaxReplays {
				over++
			}
		}
		if i < shownInPlan {
			p.Commands = append(p.Commands, g.replayCommands(id, letter, ok)...)
		}
	}
	p.Title = "Replay " + plural(p.Count, "dead letter", "dead letters")
	p.Effects = append(p.Effects,
		plural(p.Count, "entry is", "entries are")+" added to "+safe.Text(g.q.Stream)+" as new, with their own fields unchanged",
		plural(p.Count, "letter is", "letters are")+" deleted from "+safe.Text(g.q.DeadLetter)+" in the same step",
	)
	if again > 0 {
		p.Effects = append(p.Effects, plural(again, "was", "were")+" replayed before and came back: the cause may not be mended")
	}
	if over > 0 {
		p.Effects = append(p.Effects, plural(over, "is", "are")+" left alone: replayed "+times(DefaultMaxReplays)+" or more")
	}
	if more := p.Count - shownInPlan; more > 0 {
		p.Effects = append(p.Effects, fmt.Sprintf("the commands of %d more are of the same form", more))
	}
	r.total = p.Count
	p.Run = func(ctx context.Context) Outcome {
		once := r // a run counts for itself
		return once.run(ctx)
	}
	return p
}

func (g *Group) replayCommands(id string, letter DeadLetter, known bool) [][]string {
	add := []string{"XADD", g.q.Stream, "*"}
	switch {
	case !known:
		add = append(add, "…")
	case letter.Foreign:
		add = append(add, flatten(letter.Fields)...)
	default:
		add = append(add, flatten(letter.Fields)...)
		add = append(add, metaOriginal, letter.Original, metaReplays, strconv.FormatInt(letter.Replays+1, 10))
	}
	shorten(add)
	return [][]string{add, {"XDEL", g.q.DeadLetter, id}}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
