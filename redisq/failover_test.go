package redisq

import (
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
