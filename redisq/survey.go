package redisq

import (
	"time"
)

// StreamReading is one reading of one stream with all its groups. It is immutable once it was handed out.
type StreamReading struct {
	At     time.Time // when the reading began, by the surveyor's clock
	Server ServerInfo
	Name   string // key of the stream
	User   string // as whom it was read, for what is said of missing rights; "default" where none was given

	Named  bool   // a person asked for this very stream, so that it is odd when it is not there
	Wanted string // the only group that a person asked for, "" is all; it is among Groups, also where it is missing

	Stream StreamFigures
	Groups []GroupReading // by name; of those not Wanted only the first pending entry is looked at
	// Partial says that the stream may have groups that are not in Groups.
	Partial bool

	DeadLetter   string   // key of its dead letters: as given, or found by a usual name, or the name that ours would have
	Dead         DeadPage // Rows are the newest
	DeadLetterOf string   // the stream whose dead letters this one seems to hold, "" is none

	Problems []Problem // those of a group are with the group
	// Err is why nothing could be read of this stream: the connection broke, the Cluster node is away. A missing right or
	// key is a Problem.
	Err error
}

// GroupReading is one group of a stream. Undelivered, OldestIdle and the like are as an [Observer] has them.
type GroupReading struct {
	Name string
	GroupFigures

	Rows []PendingEntry // the first page of XPENDING; only some were looked at for their bodies
	All  bool           // Rows are all that is pending
	// Held are the oldest entries of single consumers, where Rows are not all.
	Held []ConsumerPage
	// Ghosts is how many of the entries looked at have no body any more: a bound where not all were looked at.
	Ghosts Number

	Problems []Problem
}

// ConsumerPage is the first page of XPENDING for one consumer.
type ConsumerPage struct {
	Consumer string
	Rows     []PendingEntry
	All      bool // there are no more
}

// ByConsumer returns a function that tells the looked-at entries of a consumer, oldest first; all says that it has no
// others. The entries are sorted once, so that asking for each of 50,000 consumers is cheap.
func (g *GroupReading) ByConsumer() func(consumer string) (rows []PendingEntry, all bool) {
	held := make(map[string]ConsumerPage, len(g.Held))
	for _, page := range g.Held {
		held[page.Consumer] = page
	}
	rows := map[string][]PendingEntry{}
	for _, row := range g.Rows {
		rows[row.Consumer] = append(rows[row.Consumer], row)
	}
	return func(consumer string) ([]PendingEntry, bool) {
		if page, ok := held[consumer]; ok {
			return page.Rows, page.All
		}
		return rows[consumer], g.All
	}
}

// Group returns the group of that name, nil where there is none.
func (r *StreamReading) Group(name string) *GroupReading {
	for i := range r.Groups {
		if r.Groups[i].Name == name {
			return &r.Groups[i]
		}
	}
	return nil
}

// Snapshot returns the reading as an [Observer] would have made it of that group, for a [History]. A group that is not
// there is Missing.
func (r *StreamReading) Snapshot(group string) *Snapshot {
	s := &Snapshot{
		At: r.At, Server: r.Server, Err: r.Err, Stream: r.Stream, Dead: r.Dead,
		Queue:    Queue{Stream: r.Name, Group: group, DeadLetter: r.DeadLetter},
		ListLen:  Unknown("this queue has no list"),
		Problems: r.Problems,
	}
	if g := r.Group(group); g != nil {
		s.Group = g.GroupFigures
		s.Pending.Rows, s.Pending.More = g.Rows, !g.All
		s.Problems = append(s.Problems[:len(s.Problems):len(s.Problems)], g.Problems...)
	} else {
		s.Group.unknown("the group does not exist")
		s.Group.Missing = true
	}
	return s
}

// Survey is one reading of many streams. It is immutable once it was handed out.
type Survey struct {
	At      time.Time
	Took    time.Duration
	Bytes   int64 // about what the replies had on their way
	Server  ServerInfo
	Err     error           // why nothing could be read at all; Streams is empty then
	Streams []StreamReading // in the order in which they were asked for
}

// SurveyOptions are how a Surveyor reads. The zero value is for a list of many streams: of each group a page of 100
// pending entries, no consumers, no bodies.
type SurveyOptions struct {
	Named       bool   // the streams were named by a person
	Group       string // only this group is looked into, "" is all
	DeadLetter  string // key of the dead letters, "" is found by the usual names
	PendingRows int    // rows of XPENDING a group, 0 is 100, at most 1,000
	CountAtMost int    // undelivered entries that are counted where the server cannot tell, 0 is 100, at most 1,000
	Consumers   bool   // read the consumers of each group too
	Held        int    // consumers a group whose oldest entries are read one by one, those with most first; 0 is none
	Bodies      int    // rows of each group that are read with their bodies, the oldest
	BodiesOver  int64  // and up to 5 rows of each group that were delivered at least that often, 0 is none
	Ghosts      int    // rows of each group that are looked at for a body at most, besides what the ids tell
	DeadRows    int    // dead letters that are read, the newest
	Clock       func() time.Time
	// Page is told of the readings as they come in, some streams at a time, so that a screen can show them before all
	// were read; nil is fine.
	Page func(done []StreamReading)
}

func (o SurveyOptions) withDefaults() SurveyOptions {
	if o.PendingRows <= 0 {
		o.PendingRows = 100
	}
	if o.CountAtMost <= 0 {
		o.CountAtMost = 100
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.PendingRows, o.CountAtMost = min(o.PendingRows, pendingPage), min(o.CountAtMost, countedAtMost)
	return o
}
