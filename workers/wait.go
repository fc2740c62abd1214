package workers

import (
	"context"
	"math/rand/v2"
	"time"

	"example.com/unacked/redisq"
)

// await waits for new entries in one long read, so that the worker keeps its place among those that wait. Meanwhile it
// looks, on another connection, whether there is something to claim. The read is broken off when there is, and when the
// worker is told something; it may have been given an entry at that moment, which our own history shows then.
func (w *worker) await(ctx context.Context, s Settings, count int) ([]redisq.Entry, error) {
	reading, breakOff := context.WithCancel(ctx)
	defer breakOff()
	type answer struct {
		entries []redisq.Entry
		err     error
	}
	// Blocks of one length could be in step with what comes in, and a worker always come again just before it, the last.
	block := blockMost/2 + rand.N(blockMost/2)
	read := make(chan answer, 1)
	go func() {
		var a answer
		a.err = w.callFor(reading, block, func(ctx context.Context) (err error) {
			a.entries, err = w.q.ReadNew(ctx, w.consumer, count, block)
			return err
		})
		read <- a
	}()
	look := time.NewTimer(time.Until(w.claimAt))
	defer look.Stop()
	var failed error
	for {
		select {
		case a := <-read:
			return a.entries, a.err
		case <-w.changed:
		case <-w.stop:
		case <-w.told:
		case <-look.C:
			var due bool
			if due, failed = w.look(ctx, s); failed == nil && !due {
				look.Reset(time.Until(w.claimAt))
				continue
			}
		}
		breakOff()
		a := <-read
		if a.err != nil {
			w.own, w.ownCursor = true, ""
			return nil, failed
		}
		return a.entries, nil
	}
}

// look says whether there is an entry past its lease, and if not, sets when to look again.
func (w *worker) look(ctx context.Context, s Settings) (due bool, err error) {
	var c redisq.Claim
	sent := time.Now()
	err = w.call(ctx, func(ctx context.Context) (err error) {
		c, err = w.q.Claim(ctx, w.consumer, redisq.ClaimOptions{Lease: s.Lease, Cursor: w.cursor, Look: true, Count: claimPage})
		return err
	})
	if err != nil {
		return false, err
	}
	w.found = c.Found == redisq.ClaimDue
	w.nextLook(c, s, sent)
	return w.found, nil
}

// nextLook keeps where and when to look next, after a command that was sent at the given time.
func (w *worker) nextLook(c redisq.Claim, s Settings, sent time.Time) {
	w.cursor, w.claimAt = c.Cursor, sent
	switch {
	case c.Found != redisq.ClaimNone:
	case c.Cursor != "":
		// An empty page is no end: the entries past their lease may be behind it.
		w.claimAt = sent.Add(claimSoonest)
	default:
		w.claimAt = sent.Add(claimPeriod(s.Lease))
	}
}
