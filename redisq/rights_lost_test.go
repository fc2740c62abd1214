package redisq

import (
	"fmt"
	"strings"
	"testing"

	"example.com/unacked/redisq/redistest"
)

// A user who may add and not delete doubles nothing: a script is not undone, so it finds out before its first change.
func TestARightThatIsMissingDoublesNothing(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		if s.Embedded {
			return // it has no ACL
		}
		for _, test := range []struct {
			name   string
			rules  func(q Queue) []any // of a user who may do all else
			do     func(g *Group, to string) Outcome
			missed string
		}{
			{"replay", func(Queue) []any { return []any{"-xdel"} }, replays(t, ReplayOptions{}), "XDEL"},
			{"replay and keep", func(Queue) []any { return []any{"-xdel"} }, replays(t, ReplayOptions{Keep: true}), "XDEL"},
			{"replay to a group", func(Queue) []any { return []any{"-xdel"} }, replays(t, ReplayOptions{Group: "g"}), "XDEL"},
			{"keep for a group", func(Queue) []any { return []any{"-xack"} }, replays(t, ReplayOptions{Group: "g", Keep: true}), "XACK"},
			{"letters that may only be read", func(q Queue) []any {
				return []any{"resetkeys", "~" + q.Stream, "%R~" + q.DeadLetter}
			}, replays(t, ReplayOptions{}), "XDEL"},
			{"move", func(Queue) []any { return []any{"-xdel"} }, func(g *Group, to string) Outcome {
				return ok[Plan](t)(g.PlanMoveLetters(t.Context(), LetterChoice{}, to)).Run(t.Context())
			}, "XDEL"},
			{"dead-letter", func(Queue) []any { return []any{"-xack"} }, func(g *Group, _ string) Outcome {
				return ok[Plan](t)(g.PlanBury(t.Context(), PendingChoice{}, "why")).Run(t.Context())
			}, "XACK"},
		} {
			b := grouped(t, s)
			b.bury(1)
			b.add(2, 1)
			b.read("w1", 1)
			to := s.Key(t, "to")
			const user = "unacked-adder"
			b.do(append([]any{"ACL", "SETUSER", user, "reset", "on", ">pw", "~*", "+@all"}, test.rules(b.q)...)...)
			target := ok[Target](t)(ParseTarget(s.URL)).WithPassword(user, "pw")
			c := ok[*Client](t)(Connect(target, Options{}))
			out := test.do(NewGroup(c, b.q), to)
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			b.do("ACL", "DELUSER", user)
			same(t, test.name+": done", fmt.Sprint(out.Done, out.Unknown, CodeOf(out.Err)), "0 0NOPERM")
			if text := fmt.Sprint(out.Err); !strings.Contains(text, "no permission") || !strings.Contains(text, test.missed) || !strings.Contains(text, user) {
				t.Errorf("%s: it is not clear what is missing: %s", test.name, text)
			}
			same(t, test.name+": entries", len(b.entries(b.q.Stream)), 2)
			same(t, test.name+": letters", len(b.letters()), 1)
			same(t, test.name+": kept", b.letters()[0].Kept, "")
			same(t, test.name+": moved", len(b.entries(to)), 0)
			sameText(t, test.name+": pending", b.pending(), []string{"2-0 w1 1"})
		}
	})
}

func replays(t *testing.T, o ReplayOptions) func(*Group, string) Outcome {
	return func(g *Group, _ string) Outcome {
		return ok[ReplayPlan](t)(g.PlanReplayOf(t.Context(), o)).Run(t.Context())
	}
}
