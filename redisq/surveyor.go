package redisq

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"example.com/unacked/redisq/safe"
)

const (
	surveyPage  = 50               // streams whose first answers are read in one go
	heldPage    = 100              // rows of one XPENDING with a consumer: about 30 µs
	forgetAfter = 10 * time.Minute // what is kept of a group that is not there any more
)

// Surveyor reads many streams with all their groups. It remembers what it read, to know what was lost unread and when a
// stream was replaced. Read is for one goroutine at a time.
//
// It goes through the streams in pages of 50, with three to five round trips a page, and none of them keeps the server
// for more than about 1 ms. It never asks for more than a page of pending entries.
type Surveyor struct {
	c *Client
	o SurveyOptions

	server     ServerInfo
	identified time.Time
	known      map[string]bool   // every stream there is, or nil
	lettersOf  map[string]string // stream by the key of its dead letters, of the known ones
	tracks     map[[2]string]*surveyTrack
}

// surveyTrack is what is kept of one group from reading to reading.
type surveyTrack struct {
	tracker
	at            time.Time // last seen
	replacedAt    time.Time
	replacedText  string
	consumers     []Consumer
	consumersTime time.Time
}

// NewSurveyor returns a surveyor through client c, which may be read-only.
func NewSurveyor(c *Client, o SurveyOptions) *Surveyor {
	return &Surveyor{c: c, o: o.withDefaults(), tracks: map[[2]string]*surveyTrack{}}
}

// Know tells every stream that there is, as [Discover] finds them: dead letters are then found among these, without
// asking the server for each usual name.
func (s *Surveyor) Know(streams []string) {
	s.known, s.lettersOf = make(map[string]bool, len(streams)), map[string]string{}
	for _, name := range streams {
		s.known[name] = true
	}
	for _, name := range streams {
		for _, key := range DeadLetterKeys(name) {
			if _, taken := s.lettersOf[key]; s.known[key] && !taken {
				s.lettersOf[key] = name
			}
		}
	}
}

// Read reads the streams once. It never returns nil: what failed is said in Err, or with the stream or group where it
// failed.
func (s *Surveyor) Read(ctx context.Context, streams []string) *Survey {
	began := time.Now()
	survey := &Survey{At: s.o.Clock(), Server: s.server}
	defer func() { survey.Took = time.Since(began) }()
	if at := survey.At; s.identified.IsZero() || at.Sub(s.identified) >= identifyEvery || at.Before(s.identified) {
		server, err := s.c.Identify(ctx)
		if err != nil {
			s.identified = time.Time{}
			survey.Err = err
			return survey
		}
		s.server, s.identified = server, at
	}
	survey.Server = s.server
	for at := 0; at < len(streams); at = len(survey.Streams) {
		done, bytes, err := s.page(ctx, streams[at:min(at+surveyPage, len(streams))])
		survey.Bytes += bytes
		if err != nil {
			s.identified = time.Time{}
			if at == 0 {
				survey.Err = err
				return survey
			}
			for _, name := range streams[at:] {
				done = append(done, StreamReading{At: survey.At, Server: s.server, Name: name, Err: err})
			}
		}
		survey.Streams = append(survey.Streams, done...)
		if s.o.Page != nil {
			s.o.Page(done)
		}
	}
	maps.DeleteFunc(s.tracks, func(_ [2]string, t *surveyTrack) bool { return survey.At.Sub(t.at) > forgetAfter })
	return survey
}

// page reads some streams. The error is one that all of them share, as when the connection broke.
func (s *Surveyor) page(ctx context.Context, names []string) (done []StreamReading, bytes int64, err error) {
	at, now := s.o.Clock(), time.Time{}
	works := make([]*streamWork, len(names))
	var first asks
	first.add(1, func(r result) { now, _ = serverTime(r.reply) }, "TIME")
	for i, name := range names {
		works[i] = &streamWork{s: s, StreamReading: StreamReading{
			At: at, Server: s.server, Name: name, User: cmp.Or(s.c.target.User, "default"),
			Named: s.o.Named, Wanted: s.o.Group, DeadLetterOf: s.lettersOf[name],
		}}
		works[i].askFirst(&first)
	}
	err = first.send(ctx, s.c)
	bytes = first.bytes
	if err != nil {
		return nil, bytes, err
	}
	if now.IsZero() {
		now = at
	}
	if err := shared(works); err != nil {
		return nil, bytes, err
	}
	rounds := []func(*streamWork, *asks){(*streamWork).askSecond, (*streamWork).askThird}
	for _, add := range rounds {
		var next asks
		for _, w := range works {
			w.now = now
			add(w, &next)
		}
		// Each stream that an answer did not reach says so itself.
		_ = next.send(ctx, s.c)
		bytes += next.bytes
	}
	done = make([]StreamReading, len(works))
	for i, w := range works {
		w.finish()
		done[i] = w.StreamReading
	}
	return done, bytes, nil
}

// shared returns an error that means for every stream that nothing can be read for now: the server is loading, the
// Cluster is down.
func shared(works []*streamWork) error {
	var first error
	for _, w := range works {
		if w.Err == nil || unusable(w.Err) == nil {
			return nil
		}
		first = w.Err
	}
	return first
}

// streamWork is one stream while it is read.
type streamWork struct {
	StreamReading
	s     *Surveyor
	now   time.Time // by the server's clock
	facts streamFacts
	have  bool // the stream is there and told of itself

	info        result
	first, top  *result
	groups      result
	letters     []result // XLEN of each of letterKeys
	letterKeys  []string
	groupsFacts []groupFacts
	bodiesSize  int // bytes that one body has, roughly
}

func (w *streamWork) askFirst(a *asks) {
	a.add(5, func(r result) { w.info = r }, "XINFO", "STREAM", w.Name)
	a.add(3, func(r result) { w.groups = r; w.readFirst() }, "XINFO", "GROUPS", w.Name)
	if w.Server.Embedded {
		// Before the groups, so that all is there when these come.
		last := a.list[len(a.list)-1]
		a.list = a.list[:len(a.list)-1]
		a.add(1, func(r result) { w.first = &r }, "XRANGE", w.Name, "-", "+", "COUNT", 1)
		a.add(1, func(r result) { w.top = &r }, "XREVRANGE", w.Name, "+", "-", "COUNT", 1)
		a.list = append(a.list, last)
	}
	if w.DeadLetterOf != "" {
		w.Dead.Length = Unknown("these are dead letters themselves")
		return
	}
	w.letterKeys = w.s.letterKeys(w.Name)
	w.letters = make([]result, len(w.letterKeys))
	for i, key := range w.letterKeys {
		a.add(1, func(r result) { w.letters[i] = r }, "XLEN", key)
	}
}

// letterKeys are the keys under which the dead letters of a stream are looked for.
func (s *Surveyor) letterKeys(stream string) []string {
	switch {
	case s.o.DeadLetter == stream:
		return nil
	case s.o.DeadLetter != "":
		return []string{s.o.DeadLetter}
	case s.known == nil:
		return DeadLetterKeys(stream)
	}
	return slices.DeleteFunc(DeadLetterKeys(stream), func(key string) bool { return !s.known[key] })
}

// readFirst takes in XINFO STREAM and XINFO GROUPS.
func (w *streamWork) readFirst() {
	w.readStream()
	if w.Err != nil {
		return
	}
	w.Partial = w.groups.err != nil
	if w.groups.err != nil {
		if code := CodeOf(w.groups.err); code != CodeNoKey && code != "WRONGTYPE" {
			w.problem("group", w.groups.err)
		}
	}
	// Redis lists them by name; the embedded server in any order.
	rows := make([]map[string]any, 0, len(asList(w.groups.reply)))
	for _, row := range asList(w.groups.reply) {
		rows = append(rows, asMap(row))
	}
	slices.SortFunc(rows, func(a, b map[string]any) int { return cmp.Compare(asString(a["name"]), asString(b["name"])) })
	for _, m := range rows {
		figures, facts := parseGroup(m, w.Server)
		w.Groups = append(w.Groups, GroupReading{Name: asString(m["name"]), GroupFigures: figures})
		w.groupsFacts = append(w.groupsFacts, facts)
	}
	if w.Wanted != "" && w.Group(w.Wanted) == nil {
		g := GroupReading{Name: w.Wanted}
		reason := "the group " + safe.Text(w.Wanted) + " does not exist on " + safe.Text(w.Name)
		if w.groups.err != nil {
			reason = problemOf("group", w.groups.err, w.Name, w.Wanted, w.s.c.target.User).Text
			g.Missing = w.Stream.Missing
		} else {
			g.Missing = true
		}
		g.unknown(reason)
		if g.Missing {
			g.Problems = append(g.Problems, Problem{Panel: "group", Code: ProblemMissing, Text: reason})
		}
		w.Groups = append(w.Groups, g)
		w.groupsFacts = append(w.groupsFacts, groupFacts{})
	}
}

func (w *streamWork) readStream() {
	if err := w.info.err; err != nil {
		var e *Error
		if errors.As(err, &e) && !answered(e.Code) {
			w.Err = err
			w.Stream.Length = Unknown(err.Error())
			w.Stream.Added = w.Stream.Length
			return
		}
		reason := w.problem("stream", err)
		w.Stream.Length, w.Stream.Added = Unknown(reason), Unknown(reason)
		switch CodeOf(err) {
		case CodeNoKey:
			w.Stream.Missing = true
		case "WRONGTYPE":
			w.Stream.WrongType = "another type"
		}
		return
	}
	var ok bool
	w.Stream, w.facts, ok = parseStream(w.info.reply, w.first, w.top, Unknown("this server does not count what is added"))
	w.bodiesSize = max(w.facts.entrySize, 1)
	w.have = ok
	if !ok {
		w.Stream.Length = Unknown("XINFO STREAM did not tell it")
		w.Stream.Added = w.Stream.Length
	}
}

// answered says that an error code is the server's answer about this key or command; with others nothing was learned
// of the stream, and the next reading may be better.
func answered(code string) bool {
	switch code {
	case "NOPERM", "WRONGTYPE", CodeNoKey, "NOGROUP", "ERR":
		return true
	}
	return false
}

// problem notes an error with the stream and returns it as the reason of an unknown figure.
func (w *streamWork) problem(panel string, err error) string {
	p := problemOf(panel, err, w.Name, "", w.s.c.target.User)
	if !slices.Contains(w.Problems, p) {
		w.Problems = append(w.Problems, p)
	}
	return p.Text
}
