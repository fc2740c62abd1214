package redisq

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"
)

const (
	sweepPause     = 10 * time.Millisecond
	sweepTell      = 100 * time.Millisecond
	sweepIDs       = 100 // ids that are kept of ghosts, released and most delivered entries
	sweepConsumers = 100_000
)

// SweepOptions are how a whole PEL is looked at. The zero value reads pages of 1,000 with 10 ms between them: a million
// entries take some 15 s, and the server works 3 to 5% of that time for it, 0.5 ms at a time.
type SweepOptions struct {
	Page   int           // rows of one XPENDING, 0 is 1,000, which is also the most
	Pause  time.Duration // between two pages, 0 is 10 ms, less than 0 is none
	Bodies int           // rows a page that are looked at for a body, 0 is 5, less than 0 is none
	// Row is told of each entry, without its body; nil is fine. It is how a filter by idle time is answered over all.
	Row func(PendingEntry)
	// Progress is told every 100 ms or so, and at the end; nil is fine. The Sweep is the callee's to keep.
	Progress func(Sweep)
}

// Sweep is what a whole PEL holds. While workers go on it is a picture taken over some time: an entry that is acked in
// between may be counted or not, and each at most once.
type Sweep struct {
	Looked int64  // entries looked at
	Total  Number // pending when it began
	Done   bool   // the end was reached
	Took   time.Duration

	Histogram     []int64 // entries by delivery count; index 0 is one delivery, the last index that count or more
	OldestIdle    time.Duration
	OldestID      string
	MaxDeliveries int64 // of those that are not marked fatal
	MaxID         string

	Consumers []ConsumerSum // those with most first; entries of nobody (XNACK) under ""
	Released  int64         // entries of nobody
	Fatal     int64         // entries whose count is the mark of XNACK FATAL

	Ghosts    []string // ids without a body among those that were looked for, 100 at most
	BodyGone  int64    // how many of the looked for had no body
	BodyAsked int64    // how many were looked for: a share of all
}

// ConsumerSum is what one consumer holds.
type ConsumerSum struct {
	Name          string
	Pending       int64
	OldestIdle    time.Duration
	MaxDeliveries int64
}

// FatalDeliveries is the delivery count that XNACK FATAL (Redis 8.8) sets.
const FatalDeliveries = math.MaxInt64

// SweepPending looks at every pending entry of a group, in pages that begin after the last id seen. It reads only, may
// be cancelled, and returns what it has with the error then.
func SweepPending(ctx context.Context, c *Client, stream, group string, o SweepOptions) (Sweep, error) {
	if o.Page <= 0 || o.Page > pendingPage {
		o.Page = pendingPage
	}
	if o.Pause == 0 {
		o.Pause = sweepPause
	}
	if o.Bodies == 0 {
		o.Bodies = 5
	}
	began := time.Now()
	s := &sweeper{Sweep: Sweep{Histogram: make([]int64, histogramBars), Total: Unknown("not told")}, sums: map[string]*ConsumerSum{}}
	if err := s.total(ctx, c, stream, group); err != nil {
		return s.result(began), on(err, "look through the pending entries of "+group, stream)
	}
	start, told := "-", began
	for {
		reply, err := c.Do(ctx, "XPENDING", stream, group, start, "+", o.Page)
		if err == nil {
			rows := pendingRows(reply, began)
			for _, row := range rows {
				s.take(row)
				if o.Row != nil {
					o.Row(row)
				}
			}
			err = s.bodies(ctx, c, stream, rows, o.Bodies)
			next, ok := "", false
			if len(rows) > 0 {
				next, ok = after(rows[len(rows)-1].ID)
			}
			start, s.Done = next, len(rows) < o.Page || !ok
		}
		if err != nil {
			return s.result(began), on(err, "look through the pending entries of "+group, stream)
		}
		if o.Progress != nil && (s.Done || time.Since(told) >= sweepTell) {
			o.Progress(s.result(began))
			told = time.Now()
		}
		if s.Done {
			return s.result(began), nil
		}
		if o.Pause > 0 && !pause(ctx, o.Pause) {
			return s.result(began), wrap("look through the pending entries of "+group, stream, ctx.Err(), false, nil)
		}
	}
}

type sweeper struct {
	Sweep
	sums map[string]*ConsumerSum
}

// total asks how many there are. The summary form of XPENDING would list every consumer.
func (s *sweeper) total(ctx context.Context, c *Client, stream, group string) error {
	reply, err := c.Do(ctx, "XINFO", "GROUPS", stream)
	if CodeOf(err) == "NOPERM" {
		s.Total = Unknown("no permission: XINFO GROUPS")
		return nil
	}
	for _, row := range asList(reply) {
		if m := asMap(row); asString(m["name"]) == group {
			if n, ok := asInt(m["pending"]); ok {
				s.Total = Exact(n, FromServer)
			}
		}
	}
	return err
}

func (s *sweeper) take(e PendingEntry) {
	s.Looked++
	if e.Deliveries > 0 {
		s.Histogram[min(e.Deliveries, histogramBars)-1]++
	}
	if e.Idle > s.OldestIdle {
		s.OldestIdle, s.OldestID = e.Idle, e.ID
	}
	switch {
	case e.Deliveries == FatalDeliveries:
		s.Fatal++
	case e.Deliveries > s.MaxDeliveries:
		s.MaxDeliveries, s.MaxID = e.Deliveries, e.ID
	}
	if e.Consumer == "" {
		s.Released++
	}
	sum := s.sums[e.Consumer]
	if sum == nil {
		if len(s.sums) >= sweepConsumers {
			return
		}
		sum = &ConsumerSum{Name: e.Consumer}
		s.sums[e.Consumer] = sum
	}
	sum.Pending++
	sum.OldestIdle = max(sum.OldestIdle, e.Idle)
	if e.Deliveries != FatalDeliveries {
		sum.MaxDeliveries = max(sum.MaxDeliveries, e.Deliveries)
	}
}

// bodies looks for the bodies of some rows, spread over the page. A large body ends the looking: it would only be
// thrown away.
func (s *sweeper) bodies(ctx context.Context, c *Client, stream string, rows []PendingEntry, n int) error {
	n = min(n, len(rows))
	for k := range n {
		id := rows[k*len(rows)/n].ID
		reply, err := c.Do(ctx, "XRANGE", stream, id, id)
		if err != nil {
			if CodeOf(err) == "NOPERM" {
				return nil
			}
			return err
		}
		e := found(id, reply)
		s.BodyAsked++
		if e.Gone {
			s.BodyGone++
			if len(s.Ghosts) < sweepIDs {
				s.Ghosts = append(s.Ghosts, id)
			}
		}
		if size(e) > bodyBudget/10 {
			return nil
		}
	}
	return nil
}

// result is a copy that no later page changes.
func (s *sweeper) result(began time.Time) Sweep {
	r := s.Sweep
	r.Took = time.Since(began)
	r.Histogram, r.Ghosts = slices.Clone(r.Histogram), slices.Clone(r.Ghosts)
	r.Consumers = make([]ConsumerSum, 0, len(s.sums))
	for _, sum := range s.sums {
		r.Consumers = append(r.Consumers, *sum)
	}
	slices.SortFunc(r.Consumers, func(a, b ConsumerSum) int {
		return cmp.Or(cmp.Compare(b.Pending, a.Pending), cmp.Compare(a.Name, b.Name))
	})
	return r
}
