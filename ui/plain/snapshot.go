package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"example.com/unacked/redisq"
)

// SnapshotOptions say what Snapshot reads and how it is written. The zero value is every stream of the server, once, as
// text of 80 columns.
type SnapshotOptions struct {
	Streams    []string // keys; none are all streams of the server
	Group      string   // only this group, "" is all
	DeadLetter string   // key of the dead letters, "" is found by the usual names
	Pending    int      // pending entries of each group that are shown with their fields, the oldest; at most 1,000
	JSON       bool     // one JSON object of the schema [SnapshotSchema], with Watch one a line
	Width      int      // columns of the text, 0 is 80
	// Watch goes on, a line for each group and reading, every Interval (0 is 1 s), until the context ends.
	Watch    bool
	Interval time.Duration
	Log      *redisq.CommandLog // or nil
	Clock    func() time.Time   // nil is time.Now
}

const leastWidth = 60

// Snapshot reads a server's queues, with commands that only read, and writes what it found to w, without controls or
// colours. The error is why nothing could be read, or, after all was written, that a stream or group is not there that
// was asked for by name; what could not be read of a single stream is said in its place.
// With Watch it returns nil when ctx ends, and a reading that fails is a line of its own; the first may only fail of what
// will pass, as a server that is still loading.
func Snapshot(ctx context.Context, target redisq.Target, w io.Writer, o SnapshotOptions) error {
	c, err := redisq.Connect(target, redisq.Options{Name: "snapshot", ReadOnly: true, Log: o.Log})
	if err != nil {
		return err
	}
	defer c.Close()
	if o.Width <= 0 {
		o.Width = 80
	}
	o.Width = max(o.Width, leastWidth)
	if o.Interval <= 0 {
		o.Interval = time.Second
	}
	l := &looker{o: o, c: c}
	survey, err := l.read(ctx)
	switch {
	case o.Watch && (err == nil || ctx.Err() != nil || redisq.Passing(err)):
		return l.watch(ctx, w, survey, err)
	case err != nil:
		return err
	}
	if err := l.write(w, survey); err != nil {
		return err
	}
	return l.lacking(survey)
}

// looker is one run of Snapshot.
type looker struct {
	o        SnapshotOptions
	c        *redisq.Client
	surveyor *redisq.Surveyor
	streams  []string
	more     bool      // there are more streams than were read
	searched time.Time // when all streams were last looked for
	histories
}

// searchEvery is how often a watch looks for new streams.
const searchEvery = 30 * time.Second

func (l *looker) read(ctx context.Context) (*redisq.Survey, error) {
	if err := l.search(ctx); err != nil {
		return nil, err
	}
	survey := l.surveyor.Read(ctx, l.streams)
	if survey.Err != nil {
		return nil, survey.Err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read the streams: %w", err) // the reading may be of half of them
	}
	return survey, nil
}

// search finds the streams to be read.
func (l *looker) search(ctx context.Context) error {
	named := len(l.o.Streams) > 0
	if named {
		l.streams = l.o.Streams
	} else if l.searched.IsZero() || time.Since(l.searched) >= searchEvery {
		found, err := redisq.Discover(ctx, l.c, redisq.DiscoverOptions{})
		if redisq.CodeOf(err) == "NOPERM" {
			err = fmt.Errorf("%w; or name a stream, then nothing is searched", err)
		}
		if err != nil {
			return err
		}
		l.streams, l.more, l.searched = found.Streams, found.More, time.Now()
	}
	if l.surveyor == nil {
		l.surveyor = redisq.NewSurveyor(l.c, l.options(named))
	}
	if !named {
		l.surveyor.Know(l.streams)
	}
	return nil
}

// options bound what is read of each stream by how many there are.
func (l *looker) options(named bool) redisq.SurveyOptions {
	o := redisq.SurveyOptions{
		Named: named, Group: l.o.Group, DeadLetter: l.o.DeadLetter, Consumers: true, Clock: l.o.Clock,
		PendingRows: 1000, CountAtMost: 1000, Bodies: min(max(l.o.Pending, 0), 1000),
	}
	if len(l.streams) > 20 {
		o.PendingRows, o.CountAtMost = max(200, o.Bodies), 200
	}
	return o
}

func (l *looker) write(w io.Writer, s *redisq.Survey) error {
	if l.o.JSON {
		return writeJSON(w, l.snapshotOf(s))
	}
	return l.writeText(w, s)
}

// watch writes the first reading, which may have failed with err, and then one every interval until ctx ends.
func (l *looker) watch(ctx context.Context, w io.Writer, survey *redisq.Survey, err error) error {
	tick := time.NewTicker(l.o.Interval)
	defer tick.Stop()
	for {
		var failed error
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			failed = l.writeFailure(w, err)
		default:
			failed = l.writeLines(w, survey)
		}
		if failed != nil {
			return failed
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		survey, err = l.read(ctx)
	}
}

// now is by the clock of the options.
func (l *looker) now() time.Time {
	if l.o.Clock != nil {
		return l.o.Clock()
	}
	return time.Now()
}

// errorText is one line for a person, without the chain of what was tried around it.
func errorText(err error) string {
	var e *redisq.Error
	if errors.As(err, &e) {
		return e.Error()
	}
	return err.Error()
}
