package redisq

import (
	"cmp"
	"context"
	"slices"
	"time"
)

const (
	sweepReasons = 1000    // reasons that are told apart
	sweepLetters = 50      // newest letters that are kept of a reason
	sweepBytes   = 8 << 20 // of all letters that are kept, roughly
)

// LetterSweep is what all dead letters are, by the reason that they give.
type LetterSweep struct {
	Looked int64  // letters looked at, the newest first
	Total  Number // letters when it began
	Done   bool   // the oldest was reached
	Took   time.Duration

	Reasons []ReasonSum // those with most letters first
	Other   int64       // letters of further reasons, of which there are more than are told apart
}

// ReasonSum is the letters of one reason.
type ReasonSum struct {
	Reason                          string // "" of a letter by another tool, which tells none
	Foreign                         bool
	Letters                         int64
	LeastDeliveries, MostDeliveries int64
	MostReplays                     int64
	Newest                          []DeadLetter // the newest first, a few
	OldestID, NewestID              string
}

// SweepLetters looks at all dead letters of a stream, the newest first, in pages of at most 100 with pauses between
// them; what comes in meanwhile is not looked at. It reads only, may be cancelled, and returns what it has with the
// error then. progress is told every 100 ms or so, and at the end; the LetterSweep is the callee's to keep.
func SweepLetters(ctx context.Context, c *Client, key string, progress func(LetterSweep)) (LetterSweep, error) {
	const op = "look through the dead letters"
	began, told := time.Now(), time.Now()
	s := &letterSweeper{sums: map[reasonKey]*ReasonSum{}, LetterSweep: LetterSweep{Total: Unknown("not told")}}
	length, err := c.Do(ctx, "XLEN", key)
	if err != nil {
		return s.result(began), on(err, op, key)
	}
	if n, ok := asInt(length); ok {
		s.Total = Exact(n, FromServer)
	}
	end, n := "+", replayPage
	for {
		reply, err := c.Do(ctx, "XREVRANGE", key, end, "-", "COUNT", n)
		if err != nil {
			return s.result(began), on(err, op, key)
		}
		page, read := asEntries(reply), 0
		for _, e := range page {
			read += size(e)
			s.take(e)
		}
		next, ok := "", false
		if len(page) == n {
			next, ok = previous(page[n-1].ID)
		}
		end, s.Done = next, !ok
		if progress != nil && (s.Done || time.Since(told) >= sweepTell) {
			progress(s.result(began))
			told = time.Now()
		}
		if s.Done {
			return s.result(began), nil
		}
		n = fewer(n, read, replayPage)
		if !pause(ctx, letterPause) {
			return s.result(began), wrap(op, key, ctx.Err(), false, nil)
		}
	}
}

type reasonKey struct {
	reason  string
	foreign bool
}

type letterSweeper struct {
	LetterSweep
	sums map[reasonKey]*ReasonSum
	kept int // bytes
}

func (s *letterSweeper) take(e Entry) {
	s.Looked++
	l := ParseDeadLetter(e)
	key := reasonKey{l.Reason, l.Foreign}
	sum := s.sums[key]
	if sum == nil {
		if len(s.sums) >= sweepReasons {
			s.Other++
			return
		}
		sum = &ReasonSum{Reason: l.Reason, Foreign: l.Foreign, NewestID: l.ID, LeastDeliveries: l.Deliveries}
		s.sums[key] = sum
	}
	sum.Letters++
	sum.OldestID = l.ID
	sum.LeastDeliveries, sum.MostDeliveries = min(sum.LeastDeliveries, l.Deliveries), max(sum.MostDeliveries, l.Deliveries)
	sum.MostReplays = max(sum.MostReplays, l.Replays)
	if len(sum.Newest) < sweepLetters && (len(sum.Newest) == 0 || s.kept < sweepBytes) {
		s.kept += size(e)
		sum.Newest = append(sum.Newest, l)
	}
}

// result is a copy that no later page changes.
func (s *letterSweeper) result(began time.Time) LetterSweep {
	r := s.LetterSweep
	r.Took = time.Since(began)
	r.Reasons = make([]ReasonSum, 0, len(s.sums))
	for _, sum := range s.sums {
		one := *sum
		one.Newest = slices.Clip(one.Newest) // appending to the sweeper's own does not change it
		r.Reasons = append(r.Reasons, one)
	}
	slices.SortFunc(r.Reasons, func(a, b ReasonSum) int {
		return cmp.Or(cmp.Compare(b.Letters, a.Letters), cmp.Compare(a.Reason, b.Reason))
	})
	return r
}
