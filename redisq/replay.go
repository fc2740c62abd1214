package redisq

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"example.com/unacked/redisq/safe"
)

const (
	replayPage  = 100 // letters looked at in one go when all are replayed
	shownInPlan = 20  // letters whose commands a plan spells out
	replayTries = 5   // times that a lost reply is looked after
	replayPause = 200 * time.Millisecond
)

// PlanReplay plans to put dead letters back to work: those with the given ids, or with nil all that snapshot s shows to
// be there. Each is one script: the letter's own fields are added to the stream as a new entry, unchanged and in their
// order, with two fields at the end that carry the original id and the number of replays (see [Original]), and the
// letter is deleted. No cap is applied, so nothing live is pushed out. Letters that come in during the run stay.
//
// The plan may be run again: letters that are gone are skipped. s may be nil when ids are given.
func (g *Group) PlanReplay(s *Snapshot, ids []string) Plan {
	p := Plan{Destructive: true, Count: len(ids)}
	stop, known := "+", map[string]DeadLetter{}
	if s != nil {
		for _, letter := range s.Dead.Rows {
			known[letter.ID] = letter
		}
		if ids == nil {
			p.Count = int(s.Dead.Length.Value)
			stop = "0-0"
			if n := len(s.Dead.Rows); n > 0 {
				stop = s.Dead.Rows[n-1].ID
			}
		}
	}
	shown := ids
	if ids == nil && s != nil {
		for _, letter := range s.Dead.Rows {
			shown = append(shown, letter.ID)
		}
	}
	again := 0
	for i, id := range shown {
		letter, ok := known[id]
		if ok && letter.Replays > 0 {
			again++
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
	if more := p.Count - shownInPlan; more > 0 {
		p.Effects = append(p.Effects, fmt.Sprintf("the commands of %d more are of the same form", more))
	}
	p.Run = func(ctx context.Context) Outcome {
		if ids != nil {
			return g.replayIDs(ctx, ids)
		}
		return g.replayAll(ctx, stop)
	}
	return p
}

func (g *Group) replayCommands(id string, letter DeadLetter, known bool) [][]string {
	add := []string{"XADD", g.q.Stream, "*"}
	if known && !letter.Foreign {
		add = append(add, flatten(letter.Fields)...)
		add = append(add, metaOriginal, letter.Original, metaReplays, strconv.FormatInt(letter.Replays+1, 10))
	} else {
		add = append(add, "…")
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

func (g *Group) replayIDs(ctx context.Context, ids []string) Outcome {
	var o Outcome
	for _, id := range ids {
		if !g.replayInto(ctx, id, &o) {
			break
		}
	}
	return o.replayText()
}

// replayAll goes through the letters up to the one that was the last when the plan was made.
func (g *Group) replayAll(ctx context.Context, stop string) Outcome {
	var o Outcome
	start := "-"
	for {
		reply, err := g.c.Do(ctx, "XRANGE", g.q.DeadLetter, start, stop, "COUNT", replayPage)
		if err != nil {
			o.Err = on(err, "read the dead letters", g.q.DeadLetter)
			return o.replayText()
		}
		letters := asEntries(reply)
		for _, letter := range letters {
			if !g.replayInto(ctx, letter.ID, &o) {
				return o.replayText()
			}
		}
		if len(letters) < replayPage {
			return o.replayText()
		}
		next, ok := after(letters[len(letters)-1].ID)
		if !ok {
			return o.replayText()
		}
		start = next
	}
}

// replayInto replays one letter and adds what came of it to o; false ends the run.
func (g *Group) replayInto(ctx context.Context, id string, o *Outcome) bool {
	what, err := g.replayOne(ctx, id)
	switch {
	case err == nil && what == "":
		o.Done++
	case err == nil:
		o.Skipped = append(o.Skipped, Skipped{ID: id, Reason: what})
	case CodeOf(err) == CodeLostReply:
		o.Unknown++
		o.fail(err)
	default:
		o.Failed = append(o.Failed, Skipped{ID: id, Reason: err.Error()})
		o.fail(err)
	}
	// A letter that cannot be copied does not keep others from it; a server that refuses or is away does.
	return err == nil || CodeOf(err) == CodeTooBig
}

func (o *Outcome) fail(err error) {
	if o.Err == nil {
		o.Err = err
	}
}

// replayOne runs the script for one letter. skipped is why it was left alone, "" when it was replayed. When the reply
// is lost it looks whether the letter is still there: the script either did both or nothing.
func (g *Group) replayOne(ctx context.Context, id string) (skipped string, err error) {
	lost := false
	for try := 0; ; try++ {
		reply, err := g.c.eval(ctx, replayScript, []string{g.q.DeadLetter, g.q.Stream}, id)
		switch {
		case err == nil:
			skipped, err := replaySkipped(reply, g.q)
			if lost && replyWord(reply) == "gone" {
				return "", nil // our own run had done it
			}
			return skipped, err
		case CodeOf(err) == CodeLostReply:
			lost = true
		case !lost || !passing(CodeOf(err)):
			return "", on(err, "replay "+id, g.q.DeadLetter)
		}
		if try+1 == replayTries || !pause(ctx, replayPause) {
			lostErr := &Error{Op: "replay " + id, On: g.q.DeadLetter, Code: CodeLostReply, Err: err}
			return "", lostErr
		}
	}
}

// passing says that a code may be gone in a moment.
func passing(code string) bool {
	switch code {
	case CodeRefused, CodeUnreachable, CodeTimeout, CodeLost, CodePool, "LOADING":
		return true
	}
	return false
}

// pause waits, and returns false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

func replaySkipped(reply any, q Queue) (string, error) {
	switch replyWord(reply) {
	case "replayed":
		return "", nil
	case "gone":
		return "left the dead letters", nil
	case "foreign":
		return "was not written by this program: nothing tells which fields are the message's own", nil
	case "other-stream":
		from := ""
		if parts := asList(reply); len(parts) > 1 {
			from = safe.Text(asString(parts[1]))
		}
		return "came from the stream " + from + ", not from " + safe.Text(q.Stream), nil
	case "empty":
		return "has no field of its own", nil
	}
	return "", badReply("replay", q.DeadLetter, reply)
}

// replayText writes the line for the person.
func (o Outcome) replayText() Outcome {
	o.Text = "replayed " + strconv.Itoa(o.Done)
	if n := len(o.Skipped); n > 0 {
		o.Text += ", left alone " + strconv.Itoa(n)
		if n == 1 {
			o.Text += " (" + o.Skipped[0].Reason + ")"
		}
	}
	if n := len(o.Failed); n > 0 {
		o.Text += ", failed " + strconv.Itoa(n)
	}
	if o.Unknown > 0 {
		o.Text += ", not known of " + strconv.Itoa(o.Unknown)
	}
	if o.Err != nil {
		o.Text += ": " + o.Err.Error()
	}
	return o
}
