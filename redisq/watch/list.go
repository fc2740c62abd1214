package watch

import (
	"context"
	"maps"
	"slices"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
)

const (
	passEvery = 2 * time.Second  // between two passes over the streams while the list is looked at
	passSlow  = 10 * time.Second // and while it is not
	passShare = 10               // a pass rests for this many times what it took
	passPage  = 50               // streams read in one go
	passPause = 5 * time.Millisecond
	// tellEvery is how often the first pass shows what it has.
	tellEvery = 200 * time.Millisecond

	discoverEvery = 30 * time.Second
	discoverShare = 20 // discovery rests for this many times what it took
	discoverPause = 2 * time.Millisecond
	listTimeout   = 5 * time.Second // of one page
)

// lister makes the list: it belongs to its goroutine.
type lister struct {
	*Watch
	surveyor *redisq.Surveyor
	names    []string
	more     bool
	ended    bool // every key was looked at once
	found    time.Time
	took     time.Duration // of the discovery
	trends   map[Choice]*trend
	told     time.Time
	bytes    int64 // what the pass brought
}

// list reads all streams again and again until watching ends.
func (w *Watch) list() {
	l := &lister{Watch: w, trends: map[Choice]*trend{}}
	l.surveyor = redisq.NewSurveyor(w.client, redisq.SurveyOptions{
		Named: w.o.Stream != "", DeadLetter: w.o.DeadLetter, Clock: w.o.Clock,
	})
	for failed := 0; ; {
		began := time.Now()
		err := l.discover()
		if err == nil || len(l.names) > 0 {
			if failed := l.pass(); failed != nil {
				err = failed
			}
		}
		if w.stop.Err() != nil {
			return
		}
		if err != nil {
			l.fail(err)
			failed++
		} else {
			failed = 0
		}
		took := time.Since(began)
		w.mu.Lock()
		pause := passSlow
		if w.browsing || w.now.Chosen == (Choice{}) {
			pause = passEvery
		}
		w.mu.Unlock()
		if !w.rest(retry(failed, err, max(pause-took, passShare*took, digest(l.bytes), soonest)), w.listing) {
			return
		}
	}
}

// discover finds the streams, at the first time and every now and then.
func (l *lister) discover() error {
	if l.o.Stream != "" {
		l.names, l.ended = []string{l.o.Stream}, true
		return nil
	}
	began := time.Now()
	if !l.found.IsZero() && began.Sub(l.found) < max(discoverEvery, discoverShare*l.took) {
		return nil
	}
	first := l.found.IsZero()
	o := redisq.DiscoverOptions{Match: l.o.Match, Pause: discoverPause}
	if first {
		l.names = nil                    // of an earlier try that did not come to its end
		o.Found = func(names []string) { // shows that something is going on among a hundred million keys
			l.names = append(l.names, names...)
			l.show(&Streams{At: l.o.Clock(), Found: len(l.names)}, false)
		}
	}
	d, err := redisq.Discover(l.stop, l.client, o)
	if err != nil {
		if first {
			l.names = d.Streams
		}
		return err
	}
	l.names, l.more, l.ended = d.Streams, d.More, true
	l.found, l.took = time.Now(), time.Since(began)
	l.surveyor.Know(l.names)
	return nil
}

// pass reads every stream once.
func (l *lister) pass() error {
	at, began := l.o.Clock(), time.Now()
	l.bytes = 0
	l.mu.Lock()
	first := l.now.Streams == nil || l.now.Streams.Rows == nil
	l.mu.Unlock()
	var server redisq.ServerInfo
	readings := make([]redisq.StreamReading, 0, len(l.names))
	for from := 0; from < len(l.names); from += passPage {
		page := l.names[from:min(from+passPage, len(l.names))]
		ctx, cancel := context.WithTimeout(l.stop, listTimeout)
		survey := l.surveyor.Read(ctx, page)
		cancel()
		if l.stop.Err() != nil {
			return nil
		}
		l.cost.Add("list", l.o.Clock(), survey.Took, survey.Err)
		l.traffic.Add(l.o.Clock(), survey.Bytes)
		l.bytes += survey.Bytes
		if survey.Err != nil {
			return survey.Err
		}
		server = survey.Server
		readings = append(readings, survey.Streams...)
		if first && from+passPage < len(l.names) {
			l.show(&Streams{At: at, Server: server, Rows: l.rows(readings), Found: len(l.names), Looked: len(readings)}, false)
		}
		if from+passPage < len(l.names) && !l.rest(passPause, nil) {
			return nil
		}
	}
	for i := range readings {
		l.follow(&readings[i])
	}
	rows := l.rows(readings)
	here := make(map[Choice]bool, len(rows))
	for i := range rows {
		here[rows[i].Choice] = true
	}
	maps.DeleteFunc(l.trends, func(c Choice, _ *trend) bool { return !here[c] })
	l.show(&Streams{
		At: at, Took: time.Since(began), Server: server, Rows: rows, Found: len(l.names), Looked: len(readings), More: l.more, Ended: l.ended,
	}, true)
	return nil
}

// follow adds a reading to the trends of its groups.
func (l *lister) follow(r *redisq.StreamReading) {
	for i := range r.Groups {
		g := &r.Groups[i]
		c := Choice{r.Name, g.Name}
		t := l.trends[c]
		if t == nil {
			t = &trend{}
			l.trends[c] = t
		}
		t.add(redisq.Flow{At: r.At, Added: r.Stream.Added, Backlog: g.Backlog, RemovedUnread: g.RemovedUnread, Losses: g.Losses})
	}
}

// rows makes the list of what was read.
func (l *lister) rows(readings []redisq.StreamReading) []Row {
	worst := redisq.WorstFirst(readings, l.o.Thresholds.Lease)
	rows := make([]Row, len(worst))
	for i, g := range worst {
		rows[i] = l.row(g)
	}
	return rows
}

func (l *lister) row(g redisq.GroupRow) Row {
	s := g.Stream
	r := Row{
		Choice: Choice{Stream: s.Name}, Trouble: g.Trouble(l.o.Thresholds.Lease),
		Length: s.Stream.Length, Dead: s.Dead.Length, DeadLetter: s.DeadLetter, DeadLetterOf: s.DeadLetterOf,
	}
	none := redisq.Unknown("the stream has no group")
	r.Undelivered, r.Pending, r.Backlog, r.OldestIdle, r.Members = none, none, none, none, none
	r.In, r.Done = redisq.Rate{Reason: none.Reason}, redisq.Rate{Reason: none.Reason}
	problems := s.Problems
	if g.Group != nil {
		f := &g.Group.GroupFigures
		r.Group = g.Group.Name
		r.Undelivered, r.Pending, r.Backlog, r.OldestIdle, r.Members = f.Undelivered, f.Pending, f.Backlog, f.OldestIdle, f.Members
		problems = append(slices.Clip(problems), g.Group.Problems...)
		if t := l.trends[r.Choice]; t != nil {
			r.In, r.Done = t.rates()
			r.Trend = t.points()
		}
	}
	switch {
	case s.Err != nil:
		r.Note = safe.Text(s.Err.Error())
	case len(problems) > 0:
		r.Note = problems[0].Text
	}
	return r
}

// show publishes the list. While a pass is under way it does so now and then only.
func (l *lister) show(s *Streams, whole bool) {
	if !whole {
		if time.Since(l.told) < tellEvery {
			return
		}
		l.told = time.Now()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now.Streams = s
	if whole {
		l.chooseOnly(s)
	}
	l.publish()
}

// chooseOnly chooses the only group there is, as long as nobody has chosen; of a stream that a person named, also where
// it has none.
func (l *lister) chooseOnly(s *Streams) {
	if l.chosenBy != byNobody || !s.Ended {
		return
	}
	l.chosenBy = byItself
	only := -1
	for i := range s.Rows {
		if r := &s.Rows[i]; r.DeadLetterOf == "" && (l.o.Group == "" || r.Group == l.o.Group) {
			if only >= 0 {
				l.chosenBy = byPerson // there is something to choose from: it is up to the person
				return
			}
			only = i
		}
	}
	if only >= 0 && (s.Rows[only].Group != "" || l.o.Stream != "") {
		l.choose(s.Rows[only].Choice, byItself, s.Rows[only].DeadLetter)
	}
}

// fail says that there is no new list, and keeps the last.
func (l *lister) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Streams{At: l.o.Clock()}
	if l.now.Streams != nil {
		s = *l.now.Streams
	}
	s.Err = err
	l.now.Streams = &s
	l.publish()
}
