package watch

import (
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
)

// Choice names a group of a stream, in the server's bytes. Group is "" for a stream that has none; the zero value is
// no choice.
type Choice struct{ Stream, Group string }

// Update is all that is known at one moment. It is immutable: readers share it.
type Update struct {
	Chosen   Choice
	Snapshot *redisq.Snapshot // the newest reading of Chosen, nil before the first
	Streams  *Streams         // nil before the first look
	Doctor   *Diagnosis       // of Chosen, nil before the first look
	Commands []redisq.Command // what was sent, oldest first, the last few hundred
	Cost     time.Duration    // time a second that the server and the way to it spend on our readings; 0 is not known: none was answered in 10 s
	Bytes    int64            // about what our readings bring a second
	Pace     time.Duration    // the pause before the next reading of Chosen, where it is longer than was asked for: they bring much
	Watched  string           // the entry whose story is in Story, as asked for by Watch
	Story    []StoryLine      // oldest first; nil where nothing is known
	Events   []Event          // what was seen to happen to Chosen, oldest first, the last few hundred
}

// StoryLine is one line of a message's story.
type StoryLine struct {
	At   time.Time
	Text string // made harmless: "claimed by w3 from w2 (delivery 2)"
}

// Event is something that was seen to happen from one reading to the next.
type Event struct {
	At   time.Time
	Text string // made harmless
	ID   string // the entry it concerns, or ""
	Mark bool   // it belongs on the time axis
}

// Streams are the groups of all streams, for a list. It is made anew by each pass over them.
type Streams struct {
	At     time.Time // when the pass began
	Took   time.Duration
	Server redisq.ServerInfo
	Rows   []Row // those in the worst state first

	Found  int   // streams that there are
	Looked int   // streams that were read in this pass; fewer than Found while the first is under way
	More   bool  // there are more than are looked for
	Ended  bool  // every key was looked at once
	Err    error // why streams could not be looked for or read, nil if they could; Rows are the last that were read then
}

// Row is one group, or a stream that has none.
type Row struct {
	Choice
	Trouble redisq.Trouble
	Note    string // what could not be read or is odd, made harmless; ""

	Length, Undelivered, Pending, Backlog, OldestIdle, Members, Dead redisq.Number
	DeadLetter                                                       string // key of the dead letters
	DeadLetterOf                                                     string // the stream whose dead letters this one seems to hold, ""

	In, Done redisq.Rate
	Trend    []float64 // the backlog at the last passes, oldest first; NaN where it was not known
}

// Diagnosis is what the doctor found.
type Diagnosis struct {
	At       time.Time
	Findings []doctor.Finding // worst first
	Bytes    int64            // about what the look had on its way
	Watched  time.Duration    // from the first of the readings to the last: without a second there is no rate
	Err      error            // why it could not look, nil if it could
}
