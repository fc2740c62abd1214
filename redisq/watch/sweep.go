package watch

import (
	"context"

	"example.com/unacked/redisq"
)

// Sweep looks at every pending entry of what is chosen, a page at a time with pauses between them, and tells progress
// every 100 ms or so. It blocks until it is done, ctx ends, or the watching does.
func (w *Watch) Sweep(ctx context.Context, progress func(redisq.Sweep)) (redisq.Sweep, error) {
	w.mu.Lock()
	chosen := w.now.Chosen
	w.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.stop, cancel)()
	return redisq.SweepPending(ctx, w.client, chosen.Stream, chosen.Group, redisq.SweepOptions{Progress: progress})
}

// SweepLetters looks at all dead letters of a key as Sweep does at the pending entries.
func (w *Watch) SweepLetters(ctx context.Context, deadLetter string, progress func(redisq.LetterSweep)) (redisq.LetterSweep, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.stop, cancel)()
	return redisq.SweepLetters(ctx, w.client, deadLetter, progress)
}
