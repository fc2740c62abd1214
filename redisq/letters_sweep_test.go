package redisq

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"example.com/unacked/redisq/redistest"
)

func TestSweepLetters(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		const n = 3*replayPage + 7
		var commands [][]any
		for i := range n {
			args := []any{
				"XADD", b.q.DeadLetter, fmt.Sprintf("%d-0", i+1), metaStream, b.q.Stream, metaGroup, "g", metaEntry, "1-0", metaOriginal, "1-0", metaDeliveries, 2 + i%3,
				metaConsumer, "w1", metaReason, []string{"550", "timed out"}[i%2], metaTime, "1", metaReplays, i % 4, "n", i,
			}
			if i%100 == 0 {
				args = []any{"XADD", b.q.DeadLetter, fmt.Sprintf("%d-0", i+1), "any", "thing"}
			}
			commands = append(commands, args)
		}
		_ = ok[[]result](t)(b.c.pipeline(t.Context(), commands))
		told := 0
		got := ok[LetterSweep](t)(SweepLetters(t.Context(), b.c, b.q.DeadLetter, func(LetterSweep) { told++ }))
		same(t, "looked", fmt.Sprint(got.Looked, got.Total, got.Done, got.Other, told > 0), fmt.Sprint(n, n, true, 0, true))
		var text []string
		for _, r := range got.Reasons {
			text = append(text, fmt.Sprintf("%q %t %d, %d-%d, %d, %d %s %s", r.Reason, r.Foreign, r.Letters, r.LeastDeliveries, r.MostDeliveries, r.MostReplays, len(r.Newest), r.NewestID, r.OldestID))
		}
		// 307 letters, 0 to 306: 4 by another tool (0, 100, 200, 300), which are all even.
		sameText(t, "reasons", text, []string{
			`"timed out" false 153, 2-4, 3, 50 306-0 2-0`, `"550" false 150, 2-4, 2, 50 307-0 3-0`, `"" true 4, 0-0, 0, 4 301-0 1-0`,
		})
		same(t, "the newest first", got.Reasons[0].Newest[0].ID+" "+got.Reasons[0].Newest[1].ID, "306-0 304-0")

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		part, err := SweepLetters(ctx, b.c, b.q.DeadLetter, nil)
		same(t, "stopped", fmt.Sprint(CodeOf(err), errors.Is(err, context.Canceled), part.Done), "canceledtrue false")
		none := ok[LetterSweep](t)(SweepLetters(t.Context(), b.c, s.Key(t, "none"), nil))
		same(t, "no letters", fmt.Sprint(none.Done, len(none.Reasons)), "true 0")
	})
}

func TestManyReasons(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		var commands [][]any
		for i := range sweepReasons + 20 {
			commands = append(commands, []any{
				"XADD", b.q.DeadLetter, "*", metaStream, b.q.Stream, metaGroup, "g", metaEntry, "1-0", metaOriginal, "1-0", metaDeliveries, 1,
				metaConsumer, "w1", metaReason, fmt.Sprintf("order %d was refused", i), metaTime, "1", metaReplays, 0, "n", i,
			})
		}
		_ = ok[[]result](t)(b.c.pipeline(t.Context(), commands))
		got := ok[LetterSweep](t)(SweepLetters(t.Context(), b.c, b.q.DeadLetter, nil))
		same(t, "reasons and others", fmt.Sprint(len(got.Reasons), got.Other, got.Looked), fmt.Sprint(sweepReasons, 20, sweepReasons+20))
	})
}
