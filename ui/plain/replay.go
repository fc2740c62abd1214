package plain

import (
	"context"
	"fmt"
	"io"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/ui/cell"
)

// ReplayOptions are which letters [Replay] puts back to work, and how it says so.
type ReplayOptions struct {
	Queue  redisq.Queue // its stream and dead letters; the group is not used
	Replay redisq.ReplayOptions
	DryRun bool // look and count, change nothing
	JSON   bool // one JSON object of the schema [ReplaySchema] on Out, nothing else

	Out   io.Writer // the result
	Err   io.Writer // progress, and what happens meanwhile
	Width int       // of the terminal at Err, where progress is drawn; 0 where that is none, which gets a line now and then
	Clock func() time.Time
}

// Replay puts dead letters back to work without a screen. clean says that all was done that was to be: no letter failed,
// none is unclear, and it was not stopped. The error is that it could not begin, or not write.
func Replay(ctx context.Context, target redisq.Target, o ReplayOptions) (clean bool, err error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	client, err := redisq.Connect(target, redisq.Options{Name: "replay", ReadOnly: o.DryRun})
	if err != nil {
		return false, err
	}
	defer client.Close()
	group := redisq.NewGroup(client, o.Queue)
	progress := &replayProgress{w: o.Err, width: o.Width, clock: o.Clock, quiet: o.JSON && o.Width == 0}
	r := o.Replay
	if o.DryRun {
		r.LookAtMost = -1
	}
	at := o.Clock()
	plan, err := group.PlanReplayOf(ctx, r)
	if err != nil {
		return false, err
	}
	if plan.Matched == 0 && !o.JSON {
		return true, noLetters(ctx, client, o)
	}
	out := replayJSON{Schema: ReplaySchema, At: stamp(at), DryRun: o.DryRun}
	out.names(o.Queue, o.Replay)
	if o.DryRun {
		out.planned(plan)
		if o.JSON {
			return true, writeJSON(o.Out, out)
		}
		return true, dryRun(o.Out, plan)
	}
	if !o.JSON {
		if err := lines(o.Out, plan.Title+":", plan.Effects); err != nil {
			return false, err
		}
	}
	outcome := plan.Run(redisq.WithProgress(redisq.WithNotice(ctx, progress.notice), progress.tell))
	progress.end()
	out.done(outcome)
	clean = outcome.Err == nil && len(outcome.Failed) == 0 && outcome.Unknown == 0 && !outcome.Stopped
	if o.JSON {
		return clean, writeJSON(o.Out, out)
	}
	return clean, replayed(o.Out, outcome)
}

func lines(w io.Writer, title string, list []string) error {
	if _, err := fmt.Fprintln(w, safe.Text(title)); err != nil {
		return err
	}
	for _, text := range list {
		if _, err := fmt.Fprintln(w, "  "+safe.Text(text)); err != nil {
			return err
		}
	}
	return nil
}

func dryRun(w io.Writer, plan redisq.ReplayPlan) error {
	list := append([]string(nil), plan.Effects...)
	for _, c := range plan.Commands {
		list = append(list, redisq.RedisCLI(c))
	}
	if err := lines(w, plan.Title+" (dry run, nothing is changed):", list); err != nil {
		return err
	}
	if err := saySkipped(w, "left alone", plan.Skipped); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "would replay %d of %d chosen\n", plan.Count, plan.Matched)
	return err
}

func replayed(w io.Writer, o redisq.Outcome) error {
	if err := saySkipped(w, "left alone", o.Skipped); err != nil {
		return err
	}
	if err := saySkipped(w, "failed", o.Failed); err != nil {
		return err
	}
	for _, id := range o.Unclear {
		if _, err := fmt.Fprintf(w, "%s is not known of: the reply was lost and looking again failed; running this again is safe\n", safe.Text(id)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, safe.Text(o.Text))
	return err
}

func saySkipped(w io.Writer, what string, list []redisq.Skipped) error {
	for _, s := range list {
		if _, err := fmt.Fprintf(w, "%s %s: %s\n", safe.Text(s.ID), what, safe.Text(s.Reason)); err != nil {
			return err
		}
	}
	return nil
}

const replayLine = 10 * time.Second // between two lines where there is no terminal

// replayProgress draws how far a replay is, or writes a line now and then. Its methods belong to the goroutine that runs
// the plan.
type replayProgress struct {
	w     io.Writer
	width int // 0 is no terminal
	clock func() time.Time
	quiet bool
	last  time.Time
	drawn bool
	say   string
}

func (p *replayProgress) tell(now redisq.Progress) {
	p.say = fmt.Sprintf("replayed %d", now.Done)
	if now.Total > 0 {
		p.say += fmt.Sprintf(" of %d", now.Total)
	}
	if now.Skipped > 0 {
		p.say += fmt.Sprintf(", left alone %d", now.Skipped)
	}
	if n := now.Failed + now.Unknown; n > 0 {
		p.say += fmt.Sprintf(", failed %d", n)
	}
	every := redraw
	if p.width == 0 {
		every = replayLine
		if p.last.IsZero() {
			p.last = p.clock()
		}
	}
	if at := p.clock(); !p.quiet && at.Sub(p.last) >= every {
		p.last = at
		p.draw(p.say)
	}
}

// notice tells what happens meanwhile, at once.
func (p *replayProgress) notice(text string) { p.draw(text) }

func (p *replayProgress) draw(text string) {
	if p.width == 0 {
		fmt.Fprintln(p.w, safe.Text(text))
		return
	}
	p.drawn = true
	// The last column stays free: some terminals begin a new line when it is filled.
	fmt.Fprint(p.w, "\r"+cell.Cut(safe.Text(text), max(p.width-1, 1))+clearEnd)
}

// end wipes away what was drawn.
func (p *replayProgress) end() {
	if p.drawn {
		fmt.Fprint(p.w, "\r"+clearEnd)
	}
}
