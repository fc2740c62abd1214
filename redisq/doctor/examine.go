package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
)

// DefaultFor is how long is watched for findings that need rates, where nobody says otherwise.
const DefaultFor = 5 * time.Second

const between = time.Second // from one reading to the next

// Options say what is examined. The zero value is every stream of the server, read once.
type Options struct {
	Streams    []string // keys; none are all that Discover finds
	Group      string   // only this group, "" is all
	DeadLetter string   // key of the dead letters, "" is found by the usual names
	// For is how long is watched. With 0 everything is read once, and findings that need rates are left out; there are at
	// least two readings otherwise, one a second.
	For        time.Duration
	Thresholds Thresholds
	Clock      func() time.Time // nil is time.Now
	// Progress is told of each reading, and of how many there will be; nil is fine.
	Progress func(done, of int)
}

// Examine takes readings for [Diagnose]. It only reads. One reading costs the server about 1 ms a group at most; none of
// the commands looks at a whole PEL. Each reading is a page of pending entries, at most 1,000, the oldest of each
// consumer for the 20 that hold most, and a sample of bodies.
//
// The error is why nothing could be looked at. A stream that could not be read has its Err.
func Examine(ctx context.Context, c *redisq.Client, o Options) ([]Reading, error) {
	named, known := len(o.Streams) > 0, []string(nil)
	streams := o.Streams
	if !named {
		found, err := redisq.Discover(ctx, c, redisq.DiscoverOptions{})
		if err != nil {
			if redisq.CodeOf(err) == "NOPERM" {
				err = fmt.Errorf("%w; name a stream to do without the search", err)
			}
			return nil, err
		}
		streams, known = found.Streams, found.Streams
	}
	s := redisq.NewSurveyor(c, o.survey(len(streams), named))
	if known != nil {
		s.Know(known)
	}
	readings, err := o.read(ctx, s, streams)
	if err != nil || named || o.Group == "" {
		return readings, err
	}
	return o.withGroup(readings), nil
}

// survey bounds what is kept of each stream by how many there are.
func (o Options) survey(streams int, named bool) redisq.SurveyOptions {
	s := redisq.SurveyOptions{
		Named: named, Group: o.Group, DeadLetter: o.DeadLetter, Clock: o.Clock, Consumers: true, DeadRows: 20,
		BodiesOver: o.Thresholds.MaxDeliveries, PendingRows: 1000, CountAtMost: 1000, Held: mostConsumers, Ghosts: mostIDs,
	}
	switch {
	case streams > 500:
		s.PendingRows, s.CountAtMost, s.Held, s.Ghosts, s.DeadRows = 100, 100, 3, 10, 3
	case streams > 20:
		s.PendingRows, s.CountAtMost, s.Held, s.Ghosts, s.DeadRows = 200, 200, 5, 20, 5
	}
	return s
}

func (o Options) read(ctx context.Context, s *redisq.Surveyor, streams []string) ([]Reading, error) {
	of := 1
	if o.For > 0 {
		of = max(2, int(o.For/between)+1)
	}
	pause := o.For / time.Duration(max(of-1, 1))
	var readings []Reading
	var last int // where the last reading begins
	for done := range of {
		began := time.Now()
		survey := s.Read(ctx, streams)
		if survey.Err != nil {
			if len(readings) == 0 || ctx.Err() != nil {
				return nil, survey.Err
			}
		} else {
			if last > 0 { // of the readings in the middle only the figures are needed
				for i := last; i < len(readings); i++ {
					readings[i].Groups = figuresOnly(readings[i].Groups)
				}
			}
			last = len(readings)
			readings = append(readings, survey.Streams...)
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("examine the streams: %w", err) // the reading may be of half of them
		}
		if o.Progress != nil {
			o.Progress(done+1, of)
		}
		if done+1 == of {
			break
		}
		timer := time.NewTimer(pause - time.Since(began))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("examine the streams: %w", ctx.Err())
		case <-timer.C:
		}
	}
	return readings, nothing(readings)
}

func figuresOnly(groups []redisq.GroupReading) []redisq.GroupReading {
	slim := make([]redisq.GroupReading, len(groups))
	for i, g := range groups {
		g.Rows, g.Held = nil, nil
		slim[i] = g
	}
	return slim
}

// nothing returns the error of the streams where all of them have one.
func nothing(readings []Reading) error {
	var all []error
	for _, r := range readings {
		if r.Err == nil {
			return nil
		}
		if len(all) < 3 {
			all = append(all, fmt.Errorf("read %s: %w", safe.Text(r.Name), r.Err))
		}
	}
	return errors.Join(all...)
}

// withGroup leaves the streams that have the group, or one reading that says that none has.
func (o Options) withGroup(readings []Reading) []Reading {
	has := map[string]bool{}
	for i := range readings {
		if g := readings[i].Group(o.Group); g != nil && !g.Missing {
			has[readings[i].Name] = true
		}
	}
	var kept []Reading
	for _, r := range readings {
		if has[r.Name] {
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 {
		none := Reading{Named: true, Wanted: o.Group, Groups: []redisq.GroupReading{{Name: o.Group}}}
		none.Groups[0].Missing = true
		if n := len(readings); n > 0 {
			none.At, none.Server, none.User = readings[n-1].At, readings[n-1].Server, readings[n-1].User
		}
		return []Reading{none}
	}
	return kept
}

// FromSnapshot makes a reading of what an observer saw of one group, so that a screen which has that already need not
// ask again. What needs all groups of the stream, or the oldest entries of single consumers, is not found in it.
func FromSnapshot(s *redisq.Snapshot) Reading {
	r := Reading{
		At: s.At, Server: s.Server, Name: s.Queue.Stream, User: "default", Named: true, Wanted: s.Queue.Group, Partial: true,
		Stream: s.Stream, DeadLetter: s.Queue.DeadLetter, Dead: s.Dead, Err: s.Err,
	}
	g := redisq.GroupReading{Name: s.Queue.Group, GroupFigures: s.Group, Ghosts: redisq.Unknown("not looked for")}
	if s.Pending.Filter == (redisq.PendingFilter{}) {
		g.Rows, g.All = s.Pending.Rows, !s.Pending.More
		gone := int64(0)
		for _, row := range g.Rows {
			if row.Gone {
				gone++
			}
		}
		g.Ghosts = redisq.Exact(gone, redisq.Derived)
		g.Ghosts.AtLeast = !g.All
	}
	for _, p := range s.Problems {
		switch p.Panel {
		case "group", "pending", "consumers":
			g.Problems = append(g.Problems, p)
		default:
			r.Problems = append(r.Problems, p)
		}
	}
	r.Groups = []redisq.GroupReading{g}
	return r
}
