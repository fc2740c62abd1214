package redisq

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// bury makes n dead letters, of the entries 1-0 to n-0.
func (b *bed) bury(n int) []DeadLetter {
	b.t.Helper()
	b.add(1, n)
	b.read("w1", n)
	for i := 1; i <= n; i++ {
		id := fmt.Sprintf("%d-0", i)
		if r := ok[HeldResult](b.t)(b.g.DeadLetter(b.t.Context(), "w1", Held{id, 1}, "550 no such user")); !r.OK {
			b.t.Fatal(r)
		}
	}
	return b.letters()
}

func TestReplayAllStopsAtWhatWasThere(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(replayPage + 20)
		snap := b.snapshot()
		plan := b.g.PlanReplay(snap, nil)
		same(t, "count", plan.Count, replayPage+20)
		same(t, "title", plan.Title, fmt.Sprintf("Replay %d dead letters", replayPage+20))
		same(t, "wants a confirmation", plan.Destructive, true)
		// One more comes in before the plan is run.
		b.add(1000, 1)
		b.read("w1", 1)
		_ = ok[HeldResult](t)(b.g.DeadLetter(t.Context(), "w1", Held{"1000-0", 1}, "late"))
		out := plan.Run(t.Context())
		same(t, "done", out.Done, replayPage+20)
		if out.Err != nil {
			t.Error(out.Err)
		}
		letters := b.letters()
		same(t, "left", len(letters), 1)
		same(t, "the late one", letters[0].Original, "1000-0")
		out = plan.Run(t.Context())
		same(t, "run again", out.Text, "replayed 0")
	})
}

func TestReplayPlanShowsItsCommands(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		letter := b.bury(2)[1]
		plan := b.g.PlanReplay(b.snapshot(), []string{letter.ID})
		sameText(t, "commands", plan.Commands, [][]string{
			{"XADD", b.q.Stream, "*", "n", "2", "unacked:original", "2-0", "unacked:replays", "1"},
			{"XDEL", b.q.DeadLetter, letter.ID},
		})
		same(t, "nothing was sent", len(b.letters()), 2)
	})
}

func TestReplayLeavesAlone(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		letter := b.bury(1)[0]
		foreign := asString(b.do("XADD", b.q.DeadLetter, "*", "error", "x", "order", "1"))
		raw := b.entries(b.q.DeadLetter)[0].Fields
		raw[0].Value = "another"
		other := asString(b.do(append([]any{"XADD", b.q.DeadLetter, "*"}, anys(flatten(raw))...)...))
		raw[0].Value = b.q.Stream
		empty := asString(b.do(append([]any{"XADD", b.q.DeadLetter, "*"}, anys(flatten(raw[:9]))...)...))
		b.do("XDEL", b.q.DeadLetter, letter.ID)

		out := b.g.PlanReplay(nil, []string{letter.ID, foreign, other, empty}).Run(t.Context())
		same(t, "done", out.Done, 1)
		same(t, "failed", len(out.Failed), 0)
		var reasons []string
		for _, s := range out.Skipped {
			reasons = append(reasons, s.ID+": "+s.Reason)
		}
		sameText(t, "reasons", strings.Join(reasons, "\n"), strings.Join([]string{
			letter.ID + ": left the dead letters",
			other + ": came from the stream another, not from " + b.q.Stream,
			empty + ": has no field of its own",
		}, "\n"))
		entries := b.entries(b.q.Stream)
		same(t, "entries", len(entries), 2)
		sameFields(t, "all fields of the letter by another tool", entries[1].Fields, []Field{{"error", "x"}, {"order", "1"}})
		same(t, "letters left", len(b.entries(b.q.DeadLetter)), 2)
	})
}

func TestReplayNeverTrims(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(3)
		b.add(10, 5)
		b.do("XTRIM", b.q.Stream, "MAXLEN", 5)
		out := b.g.PlanReplay(b.snapshot(), nil).Run(t.Context())
		same(t, "done", out.Done, 3)
		same(t, "live entries and replayed ones", len(b.entries(b.q.Stream)), 8)
	})
}

func TestReplayOfWrongTypeKeepsTheLetter(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		letter := b.bury(1)[0]
		b.do("DEL", b.q.Stream)
		b.do("SET", b.q.Stream, "oops")
		out := b.g.PlanReplay(nil, []string{letter.ID, "1-1"}).Run(t.Context())
		same(t, "code", CodeOf(out.Err), "WRONGTYPE")
		same(t, "failed", len(out.Failed), 1)
		same(t, "letters", len(b.letters()), 1)
	})
}

func isScript(s *script) func([]string) bool {
	return func(command []string) bool {
		return (command[0] == "EVALSHA" || command[0] == "EVAL") && (command[1] == s.sha || command[1] == s.text)
	}
}

// behind returns a bed like b whose client goes through a proxy.
func (b *bed) behind(p *redistest.Proxy) *Group {
	return NewGroup(connect(b.t, p.URL(), Options{Name: "lossy"}), b.q)
}

func TestLostReplyToAdd(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		// The server is to know the script: the first reply would be NOSCRIPT otherwise.
		_ = ok[string](t)(b.g.Add(t.Context(), []Field{{"n", "0"}}, AddOptions{Limit: 100}))
		p := s.NewProxy(t)
		g := b.behind(p)
		for name, o := range map[string]AddOptions{"plain": {}, "limited": {Limit: 100}} {
			before := len(b.entries(b.q.Stream))
			p.CutReply(1, func(c []string) bool { return c[0] == "XADD" || isScript(addScript)(c) })
			_, err := g.Add(t.Context(), []Field{{"n", "1"}}, o)
			same(t, name+": code", CodeOf(err), CodeLostReply)
			same(t, name+": the server was sent it once", len(b.entries(b.q.Stream)), before+1)
		}
		same(t, "cuts", p.Cuts(), 2)
		_ = ok[string](t)(g.Add(t.Context(), []Field{{"n", "2"}}, AddOptions{}))
	})
}

func TestLostReplyToDeadLetter(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(1) // so that the server knows the script, and a reply is lost, not a NOSCRIPT
		b.add(5, 1)
		b.read("w1", 1)
		p := s.NewProxy(t)
		g := b.behind(p)
		p.CutReply(1, isScript(deadLetterScript))
		_, err := g.DeadLetter(t.Context(), "w1", Held{"5-0", 1}, "why")
		same(t, "code", CodeOf(err), CodeLostReply)
		got := ok[HeldResult](t)(g.DeadLetter(t.Context(), "w1", Held{"5-0", 1}, "why"))
		sameText(t, "repeated", got, HeldResult{ID: "5-0", OK: true, Already: true})
		same(t, "letters", len(b.letters()), 2)
	})
}

func TestLostReplyToReplay(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		letters := b.bury(3)
		_ = b.g.PlanReplay(nil, []string{letters[0].ID}).Run(t.Context()) // the server knows the script now
		p := s.NewProxy(t)
		g := b.behind(p)
		p.CutReply(2, isScript(replayScript))
		out := g.PlanReplay(nil, []string{letters[1].ID, letters[2].ID}).Run(t.Context())
		same(t, "cuts", p.Cuts(), 2)
		sameText(t, "the truth was found by looking", out, Outcome{Text: "replayed 2", Done: 2, Matched: 2})
		same(t, "entries: three, and three replayed", len(b.entries(b.q.Stream)), 6)
		same(t, "letters left", len(b.letters()), 0)
	})
}

func TestReplayOfWhatCannotBeFoundOut(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		letter := b.bury(1)[0]
		p := s.NewProxy(t)
		g := b.behind(p)
		g.patience = 300 * time.Millisecond
		p.CutReply(1000, func(c []string) bool { return c[0] == "EVALSHA" || c[0] == "EVAL" })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out := g.PlanReplay(nil, []string{letter.ID}).Run(ctx)
		same(t, "unknown", out.Unknown, 1)
		same(t, "done", out.Done, 0)
		same(t, "code", CodeOf(out.Err), CodeLostReply)
	})
}

func TestLostReplyToRecord(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		p := s.NewProxy(t)
		g := b.behind(p)
		p.CutReply(1, func(c []string) bool { return c[0] == "SET" })
		same(t, "this call wrote it", ok[bool](t)(g.Record(t.Context(), "1-0", minute)), true)
		same(t, "cuts", p.Cuts(), 1)
		same(t, "once more", ok[bool](t)(g.Record(t.Context(), "1-0", minute)), false)
	})
}

func TestRecord(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		same(t, "before", ok[bool](t)(b.g.Recorded(t.Context(), "1-0")), false)
		same(t, "first", ok[bool](t)(b.g.Record(t.Context(), "1-0", minute)), true)
		same(t, "second", ok[bool](t)(b.g.Record(t.Context(), "1-0", minute)), false)
		same(t, "after", ok[bool](t)(b.g.Recorded(t.Context(), "1-0")), true)
		same(t, "another", ok[bool](t)(b.g.Recorded(t.Context(), "1-1")), false)
		ttl, _ := asInt(b.do("PTTL", b.q.Seen+"1-0"))
		if ttl <= 50_000 || ttl > 60_000 {
			t.Errorf("kept for %d ms, want a minute", ttl)
		}
	})
}
