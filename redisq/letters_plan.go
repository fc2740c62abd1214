package redisq

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/unacked/redisq/safe"
)

// lettersLooked is how many letters a plan looks at where its options do not say.
const lettersLooked = 10_000

// ReplayPlan is a Plan with what was found out for it. Where it is AtLeast, Matched is a lower bound too.
type ReplayPlan struct {
	Plan
	Matched int       // letters that were chosen; Count of them are put back, the others left alone
	Skipped []Skipped // those to be left alone, with the reason
	Again   int       // of Count: letters that were replayed before and came back
	Edited  int       // of Count: letters that go back with other fields
	Groups  []string  // the groups that will be given each new entry

	looked, of int64 // letters looked at, and how many there are
}

// PlanReplayOf plans to put dead letters back to work, and looks at them for it: it sends reading commands only. The end
// is fixed now: letters that come in later, as those that fail again, stay. Each letter is one script, which looks
// whether the letter is still there, adds the entry, and deletes the letter, so that the plan can be run again, cut off
// anywhere, and run by two persons at once: each letter goes back once. Nothing is trimmed, whatever the stream's cap.
//
// The new entry has the letter's own fields, byte for byte and in their order, and two more at the end that carry the
// original id and the number of replays (see [Original]); the letter of another tool gets these only where the original
// id is known.
//
// With Keep the letter stays. An entry of a stream cannot be changed, so the script writes it anew, at the end of the
// letters, with the number of replays raised and a first field that names the new entry, and deletes the old one. Kept
// letters are left alone by later runs, unless forced.
//
// With Group the original entry becomes pending again for that group alone, under Consumer, as never delivered: its
// workers claim it when their lease has passed. That wants the entry to be in the stream still, and not pending there.
// It cannot carry the number of replays, so a replay limit does not stop a loop of these.
//
// Run stops after the letter in hand when its context is cancelled, and says how many are done. Where the reply was lost
// it finds out what happened; Outcome.Unknown counts those where even that failed.
func (g *Group) PlanReplayOf(ctx context.Context, o ReplayOptions) (ReplayPlan, error) {
	var p ReplayPlan
	if err := o.Check(g.q); err != nil {
		return p, err
	}
	target := g.q.Stream
	if o.To != "" {
		target = o.To
	}
	if err := g.c.sameSlot(ctx, g.q.DeadLetter, target); err != nil {
		return p, err
	}
	stop, err := g.lastLetter(ctx)
	if err != nil {
		return p, err
	}
	if p.Groups, err = g.groupsOf(ctx, target); err != nil {
		return p, err
	}
	if o.Group != "" && !slices.Contains(p.Groups, o.Group) {
		return p, &Error{
			Op: "plan a replay", On: target, Code: "NOGROUP", Err: errorString("it has no group " + o.Group),
			Hint: "without a group the letters go to all groups of the stream",
		}
	}
	if err := g.lookAtLetters(ctx, &p, &o, stop, target); err != nil {
		return p, err
	}
	g.sayReplay(&p, &o, target)
	total, of := p.Count, p.of
	if p.AtLeast {
		total = 0
	}
	p.Run = func(ctx context.Context) Outcome {
		r := replay{g: g, o: o, stop: stop, total: total, counted: total > 0, of: of}
		return r.run(ctx)
	}
	return p, nil
}

// lookAtLetters counts what the run would do.
func (g *Group) lookAtLetters(ctx context.Context, p *ReplayPlan, o *ReplayOptions, stop, target string) error {
	most, looked := o.LookAtMost, 0
	tell, bounded := looker(ctx)
	if most == 0 && bounded {
		most = lettersLooked
	}
	of, err := g.countLetters(ctx, o.IDs)
	if err != nil {
		return err
	}
	err = g.letters(ctx, o.IDs, stop, func(id string, e *Entry) bool {
		enough := most > 0 && looked >= most || looked > 0 && looked%replayPage == 0 &&
			!tell(Looked{Looked: int64(looked), Of: of, Found: p.Count})
		if p.AtLeast = enough; enough || ctx.Err() != nil {
			return false
		}
		looked++
		if e == nil {
			p.Matched++
			p.Skipped = append(p.Skipped, Skipped{ID: id, Reason: leftTheLetters})
			return true
		}
		if !o.chooses(*e) {
			return true
		}
		if o.Limit > 0 && p.Count >= o.Limit {
			return false
		}
		p.Matched++
		w := o.work(*e, g.q)
		if w.skip != "" {
			p.Skipped = append(p.Skipped, Skipped{ID: id, Reason: w.skip})
			return true
		}
		p.Count++
		if w.edited != nil {
			p.Edited++
		}
		if w.replays > 0 {
			p.Again++
		}
		if p.Count <= shownInPlan {
			p.Commands = append(p.Commands, g.putBackCommands(o, &w, target)...)
		}
		return true
	})
	p.looked, p.of = int64(looked), of
	if err == nil && ctx.Err() != nil {
		err = &Error{Op: "plan a replay", On: g.q.DeadLetter, Code: CodeCanceled, Err: context.Cause(ctx)}
	}
	return err
}

func (g *Group) putBackCommands(o *ReplayOptions, w *letterWork, target string) [][]string {
	var commands [][]string
	if o.Group != "" {
		consumer := o.Consumer
		if consumer == "" {
			consumer = w.Consumer
		}
		commands = append(commands, rependCommand(target, o.Group, consumer, w.target()))
	} else {
		add := append([]string{"XADD", target, "*"}, flatten(w.fields())...)
		if w.original != "" {
			add = append(add, metaOriginal, w.original, metaReplays, strconv.FormatInt(w.replays+1, 10))
		}
		shorten(add)
		commands = append(commands, add)
	}
	if o.Keep {
		commands = append(commands, []string{"XADD", g.q.DeadLetter, "*", metaKept, "…"})
	}
	return append(commands, []string{"XDEL", g.q.DeadLetter, w.ID})
}

// sayReplay puts the plan into words.
func (g *Group) sayReplay(p *ReplayPlan, o *ReplayOptions, target string) {
	p.Destructive = true
	count := func(one, many string) string {
		text := plural(p.Count, one, many)
		if p.AtLeast {
			text = "at least " + text
		}
		return text
	}
	say := func(format string, args ...any) { p.Effects = append(p.Effects, fmt.Sprintf(format, args...)) }
	p.Title = "Replay " + count("dead letter", "dead letters")
	to, letters := safe.Text(target), safe.Text(g.q.DeadLetter)
	if o.Group != "" {
		p.Title += " to the group " + safe.Text(o.Group) + " alone"
		say("%s pending again for the group %s alone, as never delivered; its workers claim what is past their lease",
			count("original entry is", "original entries are"), safe.Text(o.Group))
		say("the number of replays is not carried, so nothing stops a letter that comes back this way again and again")
	} else {
		say("%s added to %s as new, nothing else is pushed out", count("entry is", "entries are"), to)
		say("%s", reaches(p.Groups))
	}
	switch {
	case p.AtLeast:
		say("only the first %d of %d letters were looked at; the others are looked at as it is done", p.looked, p.of)
	case o.IDs == nil && (o.Match != nil || o.Only != nil):
		say("all %d letters were looked at, and %d of them chosen", p.looked, p.Matched)
	}
	if p.Edited > 0 {
		say("%s with edited fields, the others unchanged", plural(p.Edited, "goes back", "go back"))
	}
	if o.Keep {
		say("each letter stays in %s, written anew with a new id and a mark, so that it is not replayed again unforced", letters)
	} else {
		say("each letter is deleted from %s in the same step; there is no undo", letters)
	}
	if p.Again > 0 {
		say("%s replayed before and came back: the cause may not be mended", plural(p.Again, "was", "were"))
	}
	if n := len(p.Skipped); n > 0 {
		say("%s left alone; the first %s", plural(n, "is", "are"), p.Skipped[0].Reason)
	}
	if more := p.Count - shownInPlan; more > 0 {
		say("the commands of %d more are of the same form", more)
	}
}

// reaches tells who is given a new entry.
func reaches(groups []string) string {
	names := make([]string, len(groups))
	for i, name := range groups {
		names[i] = safe.Text(name)
	}
	switch len(groups) {
	case 0:
		return "the stream has no group: nobody is given them until one is created"
	case 1:
		return "the group " + names[0] + " is given them"
	}
	shown := names[:min(len(names), 5)]
	text := "all " + strconv.Itoa(len(groups)) + " groups of the stream are given them, also those that had done the message: "
	text += strings.Join(shown, ", ")
	if len(shown) < len(names) {
		text += ", …"
	}
	return text
}

// lastLetter returns the id of the newest letter, "" where there is none.
func (g *Group) lastLetter(ctx context.Context) (string, error) {
	reply, err := g.c.Do(ctx, "XREVRANGE", g.q.DeadLetter, "+", "-", "COUNT", 1)
	if err != nil {
		return "", on(err, "read the dead letters", g.q.DeadLetter)
	}
	if letters := asEntries(reply); len(letters) > 0 {
		return letters[0].ID, nil
	}
	return "", nil
}

// groupsOf returns the names of a stream's groups; a stream that does not exist has none.
func (g *Group) groupsOf(ctx context.Context, stream string) ([]string, error) {
	reply, err := g.c.Do(ctx, "XINFO", "GROUPS", stream)
	switch {
	case CodeOf(err) == CodeNoKey:
		return nil, nil
	case err != nil:
		return nil, on(err, "read the groups", stream)
	}
	var names []string
	for _, item := range asList(reply) {
		names = append(names, asString(asMap(item)["name"]))
	}
	return names, nil
}

// sameSlot refuses keys that one script cannot work on: those of a Cluster that are not in one slot.
func (c *Client) sameSlot(ctx context.Context, keys ...string) error {
	if _, err := c.Identify(ctx); err != nil { // which finds out about a Cluster
		return err
	}
	if !c.clustered() {
		return nil
	}
	for _, key := range keys[1:] {
		if Slot(key) != Slot(keys[0]) {
			return &Error{
				Op: "check the keys", On: key, Code: CodeSlot,
				Err:  errorString("it is not in the Cluster slot of " + keys[0] + ", so a message cannot be moved there in one step"),
				Hint: "name a stream with the same hash tag, like " + sibling(keys[0], "again"),
			}
		}
	}
	return nil
}
