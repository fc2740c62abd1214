package redisq

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

func isEval(c []string) bool { return c[0] == "EVALSHA" || c[0] == "EVAL" }

// replays counts the replayed entries of a stream by their original id.
func (b *bed) replays(stream string) map[string]int {
	b.t.Helper()
	counts := map[string]int{}
	for _, e := range b.entries(stream) {
		if original, replays, _ := Original(e); replays > 0 {
			counts[original]++
		}
	}
	return counts
}

// eachOnce wants the entries 1-0 to n-0 replayed, each once.
func (b *bed) eachOnce(n int) {
	b.t.Helper()
	counts := b.replays(b.q.Stream)
	for i := 1; i <= n; i++ {
		if got := counts[fmt.Sprintf("%d-0", i)]; got != 1 {
			b.t.Errorf("entry %d-0 was replayed %d times, want once", i, got)
		}
	}
}

// warm has the server know all scripts of letters, so that a lost reply is one of a script that ran.
func (b *bed) warm() {
	b.t.Helper()
	for _, s := range []*script{replayScript, rependScript, discardScript, moveScript, bringBackScript} {
		b.do("SCRIPT", "LOAD", s.text)
	}
}

func TestAnyReplyOfAReplayMayBeLost(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		for name, o := range map[string]ReplayOptions{"plain": {}, "keep": {Keep: true}, "group": {Group: "g"}} {
			b := grouped(t, s)
			b.warm()
			b.bury(4)
			for n := range 9 { // the n-th command from here on, whatever it is
				p := s.NewProxy(t)
				g := b.behind(p)
				seen := 0
				p.CutReply(1, func([]string) bool { seen++; return seen == n+1 })
				plan, err := g.PlanReplayOf(t.Context(), o)
				if err != nil {
					continue // a reading command: nothing was done, and the person tries again
				}
				told := ""
				out := plan.Run(WithNotice(t.Context(), func(text string) { told = text }))
				if out.Unknown > 0 || out.Err != nil && CodeOf(out.Err) != CodeLost {
					t.Errorf("%s, reply %d lost: %+v", name, n, out)
				}
				if out.Done == 4 && p.Cuts() == 1 && told != "the reply was lost: outcome unknown, checking" {
					t.Errorf("%s, reply %d lost: it told %q", name, n, told)
				}
			}
			_ = b.replay(o)
			if o.Group != "" {
				sameText(t, name+": pending", b.pending(), []string{"1-0 w1 0", "2-0 w1 0", "3-0 w1 0", "4-0 w1 0"})
				continue
			}
			b.eachOnce(4)
			same(t, name+": entries", len(b.entries(b.q.Stream)), 8)
		}
	})
}

func TestTheServerDoesLateWhatWasTriedAgain(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.warm()
		b.bury(3)
		p := s.NewProxy(t)
		g := b.behind(p)
		g.answerIn = 60 * time.Millisecond
		p.DelayCommand(2, 250*time.Millisecond, isEval)
		plan := ok[ReplayPlan](t)(g.PlanReplayOf(t.Context(), ReplayOptions{}))
		same(t, "outcome", plan.Run(t.Context()).Text, "replayed 3")
		// The commands that came late find nothing to do.
		calls := func() int64 {
			n, _ := asInt(b.do("XLEN", b.q.Stream))
			return n
		}
		deadline, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		for pause(deadline, 50*time.Millisecond) {
			same(t, "entries", calls(), 6)
		}
		b.eachOnce(3)
	})
}

func TestLostRepliesToDiscardMoveAndUndo(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.warm()
		b.bury(3)
		p := s.NewProxy(t)
		g := b.behind(p)
		var trash Trash
		p.CutReply(2, isEval)
		out := ok[Plan](t)(g.PlanDiscard(t.Context(), LetterChoice{}, &trash)).Run(t.Context())
		same(t, "discard", out.Text, "discarded 3 letters")
		same(t, "letters", len(b.letters()), 0)
		same(t, "in the trash", trash.Len(), 3)
		same(t, "not sure of", fmt.Sprint(trash.Letters()[0].Unsure, trash.Letters()[2].Unsure), "true false")
		p.CutReply(2, isEval)
		undo := g.PlanBringBack(&trash)
		same(t, "it says so", strings.Contains(strings.Join(undo.Effects, "\n"), "deleted while the reply was lost"), true)
		same(t, "undo", undo.Run(t.Context()).Text, "brought back 3 letters")
		var originals []string
		for _, letter := range b.letters() {
			originals = append(originals, letter.Original)
		}
		sameText(t, "in their order", originals, []string{"1-0", "2-0", "3-0"})
		same(t, "trash", trash.Len(), 0)

		parked := s.Key(t, "parked")
		p.CutReply(2, isEval)
		same(t, "move", ok[Plan](t)(g.PlanMoveLetters(t.Context(), LetterChoice{}, parked)).Run(t.Context()).Text, "moved 3 letters")
		same(t, "moved", len(b.entries(parked)), 3)
		same(t, "left", len(b.letters()), 0)
		same(t, "cuts", p.Cuts(), 6)
	})
}

func TestTwoPersonsReplayTheSameLetters(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		const letters = 60
		for name, keep := range map[string]bool{"remove": false, "keep": true} {
			b := grouped(t, s)
			b.warm()
			b.bury(letters)
			var wg sync.WaitGroup
			outs := make([]Outcome, 3)
			plans := make([]ReplayPlan, len(outs))
			for i := range outs {
				p := s.NewProxy(t)
				g := b.behind(p)
				n := 0
				p.CutReply(5, func(c []string) bool { n++; return isEval(c) && n%7 == i })
				plans[i] = ok[ReplayPlan](t)(g.PlanReplayOf(t.Context(), ReplayOptions{Keep: keep}))
			}
			for i := range outs {
				wg.Go(func() { outs[i] = plans[i].Run(t.Context()) })
			}
			wg.Wait()
			b.eachOnce(letters)
			same(t, name+": entries", len(b.entries(b.q.Stream)), 2*letters)
			kept := 0
			if keep {
				kept = letters
			}
			same(t, name+": letters", len(b.letters()), kept)
			for i, out := range outs {
				if out.Err != nil || out.Unknown > 0 {
					t.Errorf("%s: person %d: %+v", name, i, out)
				}
			}
		}
	})
}

// TestReplayingProcess is what TestKilledWhileReplaying kills; by itself it does nothing.
func TestReplayingProcess(t *testing.T) {
	names := strings.Split(os.Getenv("UNACKED_TEST_REPLAY"), " ")
	if len(names) != 3 {
		return
	}
	g := NewGroup(connect(t, names[0], Options{}), NewQueue(names[1], "g"))
	plan := ok[ReplayPlan](t)(g.PlanReplayOf(t.Context(), ReplayOptions{Keep: names[2] == "keep"}))
	_ = plan.Run(t.Context())
}

func TestKilledWhileReplaying(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		const letters = 3
		for _, mode := range []string{"remove", "keep"} {
			for at := 1; at <= letters; at++ {
				for _, sent := range []bool{false, true} {
					b := grouped(t, s)
					b.warm()
					b.bury(letters)
					b.killAt(at, sent, mode)
					b.consistent(letters, fmt.Sprintf("%s, killed at letter %d, script sent on before: %v", mode, at, sent))
					_ = b.replay(ReplayOptions{Keep: mode == "keep"})
					b.eachOnce(letters)
				}
			}
		}
	})
}

// killAt kills a replaying process when it sends the script of a letter, or when the reply to it passes.
func (b *bed) killAt(letter int, sent bool, mode string) {
	b.t.Helper()
	p := b.s.NewProxy(b.t)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestReplayingProcess$")
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "UNACKED_TEST_REQUIRE=") })
	cmd.Env = append(env, "UNACKED_TEST_REPLAY="+strings.Join([]string{p.URL(), b.q.Stream, mode}, " "))
	var mu sync.Mutex // guards n and struck, and cmd while it starts
	n, struck := 0, false
	strike := func(c []string) bool {
		mu.Lock()
		defer mu.Unlock()
		if !isEval(c) {
			return false
		}
		if n++; n == letter {
			struck = true
			_ = cmd.Process.Kill()
		}
		return n == letter
	}
	if sent {
		p.CutReply(1, strike)
	} else {
		p.DelayCommand(1, time.Millisecond, strike)
	}
	mu.Lock()
	err := cmd.Start()
	mu.Unlock()
	if err != nil {
		b.t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	mu.Lock()
	defer mu.Unlock()
	same(b.t, "it was killed at the letter", struck, true)
}

// consistent wants each letter to wait or to have been replayed, not both and not neither. It looks at all at once: the
// server may be about to do what the killed process had sent.
func (b *bed) consistent(letters int, when string) {
	b.t.Helper()
	now := ok[Standing](b.t)(b.g.Standing(b.t.Context()))
	counts, waiting := map[string]int{}, map[string]bool{}
	for _, e := range now.Undelivered {
		original, _, _ := Original(e)
		counts[original]++
	}
	for _, letter := range now.Dead {
		if letter.Kept == "" {
			waiting[letter.Original] = true
		}
	}
	for i := 1; i <= letters; i++ {
		id := fmt.Sprintf("%d-0", i)
		if there := waiting[id]; there == (counts[id] > 0) || counts[id] > 1 {
			b.t.Errorf("%s: %s was replayed %d times and waits: %v", when, id, counts[id], there)
		}
	}
}

func TestWrongKindsOfKey(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(2)
		oops := s.Key(t, "oops")
		b.do("SET", oops, "a string")
		_, err := b.g.PlanReplayOf(t.Context(), ReplayOptions{To: oops})
		same(t, "target, at the plan", CodeOf(err), "WRONGTYPE")
		_, err = b.g.PlanMoveLetters(t.Context(), LetterChoice{}, oops)
		same(t, "move, at the plan", CodeOf(err), "WRONGTYPE")

		to := s.Key(t, "to")
		plan := ok[ReplayPlan](t)(b.g.PlanReplayOf(t.Context(), ReplayOptions{To: to, Keep: true}))
		b.do("SET", to, "a string") // between plan and run
		out := plan.Run(t.Context())
		same(t, "target, at the run", CodeOf(out.Err), "WRONGTYPE")
		same(t, "failed", fmt.Sprint(out.Done, len(out.Failed)), "0 1")
		same(t, "letters", len(b.letters()), 2)

		letters := Queue{Stream: b.q.Stream, DeadLetter: oops}
		_, err = NewGroup(b.c, letters).PlanReplayOf(t.Context(), ReplayOptions{})
		same(t, "dead letters", CodeOf(err), "WRONGTYPE")
		_, err = NewGroup(b.c, letters).PlanDiscard(t.Context(), LetterChoice{}, nil)
		same(t, "discard", CodeOf(err), "WRONGTYPE")
	})
}

func TestAServerWithoutMemoryLosesNothing(t *testing.T) {
	private := redistest.Private(t)
	if private.Embedded() { // it has no limit; where servers are required this is a real one
		return
	}
	b := privateBed(t, private.URL(), Options{})
	b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "0", "MKSTREAM")
	b.bury(2)
	var trash Trash
	plans := map[string]Plan{
		"replay":  ok[ReplayPlan](t)(b.g.PlanReplayOf(t.Context(), ReplayOptions{})).Plan,
		"keep":    ok[ReplayPlan](t)(b.g.PlanReplayOf(t.Context(), ReplayOptions{Keep: true})).Plan,
		"move":    ok[Plan](t)(b.g.PlanMoveLetters(t.Context(), LetterChoice{}, "parked")),
		"discard": ok[Plan](t)(b.g.PlanDiscard(t.Context(), LetterChoice{IDs: []string{b.letters()[0].ID}}, &trash)),
	}
	b.do("CONFIG", "SET", "maxmemory", "1")
	for _, name := range []string{"replay", "keep", "move"} {
		out := plans[name].Run(t.Context())
		same(t, name, fmt.Sprint(CodeOf(out.Err), out.Done, len(out.Failed)), "OOM0 1")
		same(t, name+": letters", len(b.letters()), 2)
		same(t, name+": entries", len(b.entries(b.q.Stream)), 2)
	}
	same(t, "discarding is possible", plans["discard"].Run(t.Context()).Done, 1)
	out := b.g.PlanBringBack(&trash).Run(t.Context())
	same(t, "undo", fmt.Sprint(CodeOf(out.Err), out.Done), "OOM0")
	same(t, "still in the trash", trash.Len(), 1)
	b.do("CONFIG", "SET", "maxmemory", "0")
	same(t, "undo later", b.g.PlanBringBack(&trash).Run(t.Context()).Done, 1)
	same(t, "replay later", b.replay(ReplayOptions{}).Done, 2)
	b.eachOnce(2)
}

func TestReplayAcrossSlotsIsRefused(t *testing.T) {
	addr := redistest.Node(t)
	if addr == "" {
		return
	}
	c := connect(t, addr, Options{})
	q := NewQueue("orders", "g")
	g := NewGroup(c, q)
	_ = ok[bool](t)(g.Ensure(t.Context()))
	b := &bed{t: t, c: c, q: q, g: g}
	b.bury(1)
	_, err := g.PlanReplayOf(t.Context(), ReplayOptions{To: "elsewhere"})
	same(t, "replay", CodeOf(err), CodeSlot)
	if want := "elsewhere: it is not in the Cluster slot of {orders}:dead"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it to say %q", err, want)
	}
	_, err = g.PlanMoveLetters(t.Context(), LetterChoice{}, "elsewhere")
	same(t, "move", CodeOf(err), CodeSlot)
	same(t, "nothing happened", len(b.letters()), 1)
	same(t, "in the slot", b.replay(ReplayOptions{To: "{orders}:again"}).Done, 1)
	same(t, "it is there", len(b.entries("{orders}:again")), 1)
}
