package redisq

import (
	"context"
	"strconv"
	"time"

	"golang.org/x/time/rate"

	"example.com/unacked/redisq/safe"
)

// replayPage is how many letters are read in one go.
const replayPage = 100

// replay is one run of a replay plan.
type replay struct {
	g       *Group
	o       ReplayOptions
	stop    string // id of the last letter that was there when the plan was made
	total   int
	counted bool  // total is what is put back, and nothing else
	of      int64 // letters that there were then
	out     Outcome
	begun   int // letters that were put back, or tried to
	done    []string
	looked  int64
}

func (r *replay) run(ctx context.Context) Outcome {
	var pace *rate.Limiter
	if r.o.Rate > 0 {
		// One at a time up to some hundred a second: more than that a timer cannot keep apart.
		pace = rate.NewLimiter(rate.Limit(r.o.Rate), max(1, int(r.o.Rate/200)))
	}
	err := r.g.letters(ctx, r.o.IDs, r.stop, func(id string, e *Entry) bool {
		if r.looked++; r.looked%replayPage == 0 {
			r.tell(ctx, id)
		}
		if e == nil {
			r.out.Matched++
			r.skip(ctx, id, leftTheLetters)
			return true
		}
		if !r.o.chooses(*e) {
			return true
		}
		if r.o.Limit > 0 && r.begun >= r.o.Limit {
			return false
		}
		w := r.o.work(*e, r.g.q)
		if w.skip == "" {
			if pace != nil && pace.Wait(ctx) != nil || ctx.Err() != nil {
				r.out.Stopped = true
				return false
			}
			r.begun++
		}
		r.out.Matched++
		return r.one(ctx, w)
	})
	switch {
	case err == nil:
	case CodeOf(err) == CodeCanceled:
		r.out.Stopped = true
	default:
		r.out.fail(err)
	}
	r.g.lookBack(ctx, &r.out, r.done)
	missed := 0
	if r.o.IDs == nil && r.counted {
		missed = r.total - r.begun
	}
	return r.out.replayText(r.total, missed)
}

const leftTheLetters = "left the dead letters"

func (r *replay) skip(ctx context.Context, id, reason string) {
	r.out.Skipped = append(r.out.Skipped, Skipped{ID: id, Reason: reason})
	r.tell(ctx, id)
}

func (r *replay) tell(ctx context.Context, id string) {
	r.out.tell(ctx, Progress{ID: id, Total: r.total, Looked: r.looked, Of: r.of})
}

// one puts one letter back and notes what came of it; false ends the run.
func (r *replay) one(ctx context.Context, w letterWork) bool {
	if w.skip != "" {
		r.skip(ctx, w.ID, w.skip)
		return true
	}
	skipped, err := r.g.putBack(ctx, &r.o, w)
	switch {
	case err == nil && skipped == "":
		r.out.Done++
		r.done = append(r.done, w.ID)
	case err == nil:
		r.skip(ctx, w.ID, skipped)
		return true
	case CodeOf(err) == CodeLostReply:
		r.out.unknown(w.ID, err)
	case CodeOf(err) == CodeCanceled:
		r.out.Stopped = true
		return false
	default:
		r.out.Failed = append(r.out.Failed, Skipped{ID: w.ID, Reason: err.Error()})
		r.out.fail(err)
	}
	r.tell(ctx, w.ID)
	// A letter that cannot be copied does not keep others from it; a server that refuses or is away does.
	return err == nil || CodeOf(err) == CodeTooBig
}

// putBack runs the script for one letter. skipped is why it was left alone, "" when it was replayed. After a lost reply
// the script is run again: when the letter is gone then, the earlier run had replayed it, or another person did, if the
// entry is there.
func (g *Group) putBack(ctx context.Context, o *ReplayOptions, w letterWork) (skipped string, err error) {
	args, s, target := w.scriptArgs(o.Keep), replayScript, g.q.Stream
	if o.Group != "" {
		consumer := o.Consumer
		if consumer == "" {
			consumer = w.Consumer
		}
		if consumer == "" {
			consumer = "unacked"
		}
		s, args = rependScript, append(args, w.target(), o.Group, consumer)
	} else {
		if o.To != "" {
			target = o.To
		}
		edited := anys(flatten(w.edited))
		args = append(append(args, len(edited)), edited...)
	}
	reply, lost, err := g.certain(ctx, s, []string{g.q.DeadLetter, target}, args...)
	if err != nil {
		return "", on(err, "replay "+w.ID, g.q.DeadLetter+" to "+target)
	}
	word := replyWord(reply)
	if word == "replayed" {
		return "", nil
	}
	if lost && word == "gone" {
		return "", on(g.landed(ctx, o, w, target), "replay "+w.ID, g.q.DeadLetter+" to "+target)
	}
	reason, ok := replayReasons[word]
	if !ok {
		return "", badReply("replay", g.q.DeadLetter, reply)
	}
	if parts := asList(reply); word == "pending" && len(parts) > 1 {
		reason = "the entry " + w.target() + " is pending for the group already, held by " + safe.Text(asString(parts[1]))
	}
	return reason, nil
}

var replayReasons = map[string]string{
	"gone":     leftTheLetters,
	"changed":  "is another letter than the one that was read",
	"empty":    "has no field of its own",
	"no-group": "the group does not exist",
	"trimmed":  "the original entry is not in the stream any more: as a new entry it would reach every group",
	"another":  "the stream has another message under that id",
	"ahead":    "the group has yet to come to the original entry, and will be given it without this",
	"pending":  "the entry is pending for the group already",
	"refused":  "the server did not take the entry as pending",
}

// letters reads letters: those of ids, nil for one that is not there, or with nil all up to stop, in pages with pauses
// between them. It ends when f returns false.
func (g *Group) letters(ctx context.Context, ids []string, stop string, f func(id string, e *Entry) bool) error {
	if ids != nil {
		return g.lettersByID(ctx, ids, f)
	}
	start, n := "-", replayPage
	for stop != "" {
		reply, err := g.ask(ctx, "XRANGE", g.q.DeadLetter, start, stop, "COUNT", n)
		if err != nil {
			return on(err, "read the dead letters", g.q.DeadLetter)
		}
		page, read := asEntries(reply), 0
		for i := range page {
			read += size(page[i])
			if !f(page[i].ID, &page[i]) {
				return nil
			}
		}
		if len(page) < n {
			return nil
		}
		next, ok := after(page[len(page)-1].ID)
		if order, _ := CompareIDs(next, stop); !ok || order > 0 {
			return nil
		}
		start, n = next, fewer(n, read, replayPage)
		pause(ctx, letterPause)
	}
	return nil
}

// letterPause is between two pages of letters: a page costs the server some 0.1 ms.
const letterPause = time.Millisecond

func (g *Group) lettersByID(ctx context.Context, ids []string, f func(string, *Entry) bool) error {
	n := replayPage
	for len(ids) > 0 {
		page := ids[:min(len(ids), n)]
		ids = ids[len(page):]
		commands := make([][]any, len(page))
		for i, id := range page {
			commands[i] = []any{"XRANGE", g.q.DeadLetter, id, id}
		}
		results, err := g.askAll(ctx, commands)
		if err != nil {
			return on(err, "read the dead letters", g.q.DeadLetter)
		}
		read := 0
		for i, id := range page {
			if err := results[i].err; err != nil {
				return on(err, "read the dead letters", g.q.DeadLetter)
			}
			var found *Entry
			if entries := asEntries(results[i].reply); len(entries) > 0 {
				found = &entries[0]
				read += size(entries[0])
			}
			if !f(id, found) {
				return nil
			}
		}
		n = fewer(n, read, replayPage)
	}
	return nil
}

// replayText writes the line for the person.
func (o Outcome) replayText(total, missed int) Outcome {
	o.Text = "replayed " + strconv.Itoa(o.Done)
	if o.Stopped {
		o.Text = "stopped: replayed " + strconv.Itoa(o.Done)
		if total > 0 {
			o.Text += " of " + strconv.Itoa(total)
		}
	}
	o.meanwhile(missed, leftTheLetters)
	return o.rest()
}
