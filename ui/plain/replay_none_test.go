package plain

import (
	"bytes"
	"testing"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

func TestReplayOfNothingSaysWhereLettersAre(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		q := redisq.NewQueue(b.key, "")
		says := func(want string, r redisq.ReplayOptions) {
			t.Helper()
			for _, dry := range []bool{true, false} {
				var out bytes.Buffer
				clean, err := Replay(t.Context(), target(t, b.url), ReplayOptions{Queue: q, Replay: r, DryRun: dry, Out: &out, Err: &bytes.Buffer{}})
				if !clean || err != nil || out.String() != want {
					t.Errorf("dry run %v: said %q, want %q (%v, %v)", dry, &out, want, clean, err)
				}
			}
		}
		none := "there are no dead letters in " + q.DeadLetter + ": nothing to replay\n"
		says(none, redisq.ReplayOptions{})
		b.do("XADD", b.key+"-dlq", "*", "n", 1)
		b.do("SET", b.key+":failed", "no stream")
		says(none+b.key+"-dlq has 1 dead letter: name it with --dead-letter\n", redisq.ReplayOptions{})
		b.bury(2)
		match, err := redisq.ParseFieldMatch("n=nobody")
		if err != nil {
			t.Fatal(err)
		}
		says("none of the 2 dead letters in "+q.DeadLetter+" was chosen: nothing to replay\n", redisq.ReplayOptions{Match: []redisq.FieldMatch{match}})
	})
}
