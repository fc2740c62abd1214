package redisq

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// The reply is lost, and for a while the server takes no writes, as during a failover.
func TestReplayThroughAFailover(t *testing.T) {
	private := redistest.Private(t)
	if private.Embedded() { // where servers are required this is a real one
		return
	}
	s := redistest.Server{Name: "private", URL: private.URL()}
	b := privateBed(t, s.URL, Options{})
	b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "0", "MKSTREAM")
	b.warm()
	b.bury(3)
	p := s.NewProxy(t)
	var master sync.WaitGroup
	p.CutReply(1, func(c []string) bool {
		if !isEval(c) {
			return false
		}
		b.do("REPLICAOF", "127.0.0.1", "1")
		master.Go(func() {
			pause(t.Context(), 400*time.Millisecond)
			b.do("REPLICAOF", "NO", "ONE")
		})
		return true
	})
	out := ok[ReplayPlan](t)(b.behind(p).PlanReplayOf(t.Context(), ReplayOptions{})).Run(t.Context())
	master.Wait()
	same(t, "outcome", out.Text, "replayed 3")
	b.eachOnce(3)
	same(t, "letters", len(b.letters()), 0)
}

// The reply is lost, and the server comes back without its data: a letter that is gone is not taken for a replayed one.
func TestReplayOnAServerThatCameBackEmpty(t *testing.T) {
	private := redistest.Private(t)
	s := redistest.Server{Name: "private", URL: private.URL()}
	b := privateBed(t, s.URL, Options{})
	b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "0", "MKSTREAM")
	b.bury(3)
	b.warm()
	p := s.NewProxy(t)
	p.CutReply(1, func(c []string) bool {
		if isEval(c) {
			b.do("FLUSHALL")
		}
		return isEval(c)
	})
	out := ok[ReplayPlan](t)(b.behind(p).PlanReplayOf(t.Context(), ReplayOptions{})).Run(t.Context())
	same(t, "done and unknown", fmt.Sprint(out.Done, out.Unknown, len(out.Unclear)), "0 1 1")
	if !strings.Contains(out.Text, "the letter is gone, and what was to be made of it is not among the newest entries") {
		t.Errorf("it does not say why: %s", out.Text)
	}
}

func TestLettersGoneByAnotherHandAreNotCountedAsReplayed(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.warm()
		letters := b.bury(2)
		p := s.NewProxy(t)
		g := b.behind(p)
		plan := ok[ReplayPlan](t)(g.PlanReplayOf(t.Context(), ReplayOptions{IDs: []string{letters[0].ID}}))
		parked := s.Key(t, "parked")
		move := ok[Plan](t)(g.PlanMoveLetters(t.Context(), LetterChoice{IDs: []string{letters[1].ID}}, parked))
		p.CutReply(2, func(c []string) bool {
			if isEval(c) {
				b.do("DEL", b.q.DeadLetter) // before the script runs, which then does nothing, and whose reply is lost
			}
			return isEval(c)
		})
		out := plan.Run(t.Context())
		same(t, "replay", fmt.Sprint(out.Done, out.Unknown), "0 1")
		same(t, "move", move.Run(t.Context()).Skipped[0].Reason, leftTheLetters)
	})
}

// The server goes away between two letters, when nothing is in hand: the run waits for it, and goes on.
func TestARunWaitsForAServerThatIsAway(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		for name, away := range map[string]string{"loading": "LOADING Redis is loading the dataset in memory", "demoted": "READONLY You can't write against a read only replica."} {
			for _, stopped := range []bool{false, true} {
				b := grouped(t, s)
				b.bury(5)
				p := s.NewProxy(t)
				plan := ok[ReplayPlan](t)(b.behind(p).PlanReplayOf(t.Context(), ReplayOptions{}))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var told []string
				ctx = WithProgress(ctx, func(now Progress) {
					if now.Done == 2 {
						p.Answer(away, func([]string) bool { return true })
					}
				})
				out := plan.Run(WithNotice(ctx, func(text string) {
					if told = append(told, text); len(told) == 1 && stopped {
						cancel()
					} else if len(told) == 1 {
						p.Answer("", nil)
					}
				}))
				want, says := "replayed 5", "[the server does not answer ("+strings.Fields(away)[0]+"): waiting for it, nothing is in hand the server answers again]"
				if stopped {
					want, says = "stopped: replayed 2 of 5", strings.TrimSuffix(says, " the server answers again]")+"]"
				}
				same(t, name+": outcome", out.Text, want)
				same(t, name+": told", fmt.Sprint(told), says)
				same(t, name+": nothing is unknown or failed", out.Unknown+len(out.Failed), 0)
			}
		}
	})
}

// What a server forgets in a failover comes back with the letter: it is not told as done.
func TestLettersThatComeBackAreNotTold(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		var trash Trash
		parked := s.Key(t, "parked")
		for name, make := range map[string]func(*Group) (Plan, error){
			"replayed": func(g *Group) (Plan, error) {
				p, err := g.PlanReplayOf(t.Context(), ReplayOptions{})
				return p.Plan, err
			},
			"discarded": func(g *Group) (Plan, error) { return g.PlanDiscard(t.Context(), LetterChoice{}, &trash) },
			"moved":     func(g *Group) (Plan, error) { return g.PlanMoveLetters(t.Context(), LetterChoice{}, parked) },
		} {
			b := grouped(t, s)
			letters := b.bury(3)
			plan := ok[Plan](t)(make(b.g))
			out := plan.Run(WithProgress(t.Context(), func(now Progress) {
				if now.Done < 3 {
					return
				}
				b.do("DEL", b.q.DeadLetter) // the server that takes over has the second one still
				b.do("XADD", b.q.DeadLetter, letters[1].ID, "n", 2)
			}))
			same(t, name+": done and failed", fmt.Sprint(out.Done, len(out.Failed)), "2 1")
			same(t, name+": which", fmt.Sprint(out.Failed[0].ID == letters[1].ID, out.Err != nil), "true true")
			if want := "failed 1: look whether the letters left on " + b.q.DeadLetter + ": " + letters[1].ID + " is there again"; !strings.Contains(out.Text, want) {
				t.Errorf("%s: %q does not say %q", name, out.Text, want)
			}
		}
		same(t, "what is there need not be brought back", trash.Len(), 2)
	})
}
