package ui

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/redisq/watch"
)

// relay carries what an action that runs has to tell to the screen: the newest only.
type relay struct {
	plan   desk.Plan
	began  time.Time
	cancel context.CancelFunc
	told   newest[headway]
	last   headway // of the goroutine that runs the plan
	shown  headway // of the screen
	hidden bool    // it goes on in the background
}

// headway is how far an action is.
type headway struct {
	redisq.Progress
	notice string        // "the reply was lost: outcome unknown, checking"
	ran    time.Duration // since it began
}

// runMsg brings news of an action.
type runMsg struct {
	relay *relay
	news  headway
}

// leftAlone is ", 3 are left alone (the first …)", "" where nothing is.
func leftAlone(skipped []redisq.Skipped) string {
	if len(skipped) == 0 {
		return ""
	}
	n := int64(len(skipped))
	return ", " + many(n, "message") + " " + isAre(n) + " left alone: " + clean(skipped[0].ID) + " " + clean(skipped[0].Reason)
}

// dryLines is what a replay would do, every letter that it would leave alone among it.
func dryLines(p desk.Plan) []string {
	lines := append([]string(nil), p.Effects...)
	for _, c := range p.Commands {
		lines = append(lines, redisq.RedisCLI(c))
	}
	return append(lines, skippedLines("left alone", p.Skipped)...)
}

// Where many messages were left alone for the same reason, they are told together.
const (
	toldEach = 3  // of a reason are told one by one
	toldIDs  = 80 // are named of one reason
)

// skippedLines tells of messages that were left alone, or failed.
func skippedLines(what string, list []redisq.Skipped) []string {
	of := map[string][]string{}
	var order []string
	for _, s := range list {
		if of[s.Reason] == nil {
			order = append(order, s.Reason)
		}
		of[s.Reason] = append(of[s.Reason], s.ID)
	}
	var lines []string
	for _, reason := range order {
		ids := of[reason]
		if len(ids) <= toldEach {
			for _, id := range ids {
				lines = append(lines, id+" "+what+": "+reason)
			}
			continue
		}
		line := itoa(len(ids)) + " " + what + ": " + reason + ": " + strings.Join(ids[:min(len(ids), toldIDs)], ", ")
		if more := len(ids) - toldIDs; more > 0 {
			line += " and " + itoa(more) + " more"
		}
		lines = append(lines, line)
	}
	return lines
}

// run carries out a plan. One at a time: what the person sees of one must not be of another.
func (m *Model) run(p desk.Plan) tea.Cmd {
	if m.busy != nil {
		m.complain("still at it: " + clean(m.busy.plan.Title))
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	r := &relay{plan: p, cancel: cancel, began: m.now(), told: newNewest[headway]()}
	m.busy, m.acted = r, p.Wish
	m.unmark()
	m.say(clean(p.Title) + " …")
	do := func() tea.Msg {
		defer cancel()
		defer close(r.told)
		ctx := redisq.WithNotice(ctx, func(text string) {
			r.last.notice = text
			r.tell()
		})
		return outcomeMsg{p, p.Run(redisq.WithProgress(ctx, func(p redisq.Progress) {
			r.last.Progress = p
			r.tell()
		}))}
	}
	return tea.Batch(do, m.listenRun(r))
}

// tell replaces what the screen has not taken yet. The goroutine that runs the plan calls it.
func (r *relay) tell() {
	r.last.ran = time.Since(r.began)
	r.told.tell(r.last)
}

func (m *Model) listenRun(r *relay) tea.Cmd {
	return func() tea.Msg {
		n, ok := <-r.told
		if !ok {
			return nil
		}
		return runMsg{r, n}
	}
}

// slow is how long an action may take before its progress is shown.
const slow = 300 * time.Millisecond

// progressed shows how far an action is.
func (m *Model) progressed(msg runMsg) tea.Cmd {
	if msg.relay != m.busy {
		return nil
	}
	r := m.busy
	if msg.news.notice != r.shown.notice {
		m.tell(notice{text: clean(r.plan.Title) + ": " + clean(msg.news.notice), bad: true})
	}
	r.shown = msg.news
	if m.dialog == nil && !r.hidden && (r.shown.Total > 1 || r.shown.Of > 1) && r.shown.ran > slow {
		m.dialog = &progressDialog{r}
	}
	if r.hidden && r.shown.notice == "" {
		m.say(clean(r.plan.Title) + ": " + r.text() + "; " + keyOf(m.keys.Act, ".") + " can stop it")
	}
	return m.listenRun(r)
}

// did is what the deeds that take a while have done, for "claimed 120 entries".
var did = map[desk.Deed]string{
	desk.Claim: "claimed", desk.Ack: "acknowledged", desk.AckGhosts: "acknowledged", desk.Release: "released",
	desk.Bury: "dead-lettered", desk.RemoveConsumer: "handed over", desk.RemoveIdle: "removed", desk.Replay: "put back",
	desk.Discard: "discarded", desk.BringBack: "brought back", desk.Move: "moved",
}

// text is "put back 120 letters of 300, 2 left alone".
func (r *relay) text() string {
	n := &r.shown
	deed := r.plan.Wish.Deed
	text := did[deed] + " " + many(int64(n.Done), countedIn(deed))
	if n.Total > 0 {
		text += " of " + itoa(n.Total)
	}
	for _, part := range []struct {
		n    int
		word string
	}{{n.Skipped, "left alone"}, {n.Failed, "failed"}, {n.Unknown, "not known"}} {
		if part.n > 0 {
			text += ", " + itoa(part.n) + " " + part.word
		}
	}
	if n.Of > 0 && n.Total == 0 {
		text += "; looked at " + itoa(int(n.Looked)) + " of " + itoa(int(n.Of))
	}
	return text
}

// share is how much of it is done, 0 to 1.
func (r *relay) share() float64 {
	n := &r.shown
	switch {
	case n.Total > 0:
		return min(float64(n.Done+n.Skipped+n.Failed+n.Unknown)/float64(n.Total), 1)
	case n.Of > 0:
		return min(float64(n.Looked)/float64(n.Of), 1)
	}
	return 0
}

// done says what became of a plan.
func (m *Model) done(msg outcomeMsg) tea.Cmd {
	m.busy = nil
	m.doubt(msg.outcome.Err)
	if _, ok := m.dialog.(*progressDialog); ok {
		m.dialog = nil
	}
	o := msg.outcome
	text := clean(o.Text)
	if text == "" {
		text = clean(msg.plan.Title) + ": " + many(int64(o.Done), "message") + " done"
	}
	if o.Err != nil && !strings.Contains(text, clean(o.Err.Error())) {
		text += ": " + clean(o.Err.Error())
	} else if o.Err == nil && len(o.Skipped) > 0 && o.Done == 0 && !strings.Contains(text, clean(o.Skipped[0].Reason)) {
		text += ": " + clean(o.Skipped[0].Reason)
	}
	if o.Stopped {
		text += ", then it was stopped"
	}
	if msg.plan.Wish.Deed == desk.Discard && o.Done+o.Unknown > 0 {
		text += "; " + keyOf(m.keys.Undo, "u") + " brings " + them(int64(o.Done+o.Unknown)) + " back, until you quit"
	}
	m.tell(notice{text: text, bad: o.Err != nil || len(o.Failed) > 0 || o.Unknown > 0})
	lines := append(skippedLines("left alone", o.Skipped), skippedLines("failed", o.Failed)...)
	for _, id := range o.Unclear {
		lines = append(lines, id+" is not known of: the reply was lost, and looking again did not tell; doing it again is safe")
	}
	head := "What was not done"
	if len(lines) == 0 {
		head = msg.plan.Title
	}
	if (len(o.Skipped)+len(o.Failed)+len(o.Unclear) > 1 || len(o.Notes) > 0) && m.dialog == nil {
		m.dialog = newTold(head, append(append([]string{o.Text}, lines...), o.Notes...))
	}
	w := msg.plan.Wish
	switch w.Deed {
	case desk.Replay, desk.Discard, desk.BringBack, desk.Move, desk.Bury:
		return m.lettersActed()
	}
	if w.Deed == desk.CreateGroup && o.Done > 0 && m.watcher != nil && m.d.watch.chosen.Group == "" {
		return m.choose(watch.Choice{Stream: m.d.watch.chosen.Stream, Group: w.Group}) // the stream had none to show
	}
	return nil
}

// unmark takes the marks off every pane.
func (m *Model) unmark() {
	for _, p := range m.panes() {
		if u, ok := p.(unmarker); ok {
			u.unmark()
		}
	}
}
