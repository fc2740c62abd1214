package redisq

import "time"

// Figure names one line of a History.
type Figure int

// The figures that a History keeps.
const (
	FigBacklog     Figure = iota // undelivered and pending entries
	FigUndelivered               // entries the group has not been given
	FigPending                   // entries given and not acknowledged
	FigDead                      // dead letters
	FigIn                        // entries added a second, over the window
	FigDone                      // entries a second that left the backlog, over the window
	FigOldestIdle                // largest idle time of a pending entry, in seconds
	FigList                      // length of the list queue
	figures                      // how many there are
)

// Point is one figure at one time. A Gap is a time at which the figure was not known: it is drawn as a gap and its
// Value means nothing.
type Point struct {
	At    time.Time
	Value float64
	Gap   bool
}

// Rate is how many entries a second, or why that is not known.
type Rate struct {
	PerSecond float64
	Known     bool
	Reason    string // "" when Known
}

// Rates are what came in and what left, over a window of real time.
type Rates struct {
	In     Rate          // entries added
	Done   Rate          // entries that left the backlog by being acknowledged or dead-lettered
	Window time.Duration // the time between the two readings that were compared; 0 when there are none
	// DoneOver is the time that Done rests on: less than Window where an unknown number was removed unread meanwhile.
	DoneOver time.Duration
}

// Drain says when the backlog is done at the present rates.
type Drain struct {
	// Text is "drains in 42 s", "never drains: 16 workers would", "never drains: not acked", "stalled", "keeping up",
	// "empty" or "?".
	Text    string
	Known   bool          // false with Reason
	Reason  string        // why it is not known
	KeepsUp bool          // what comes in is given to a worker at once, and what was given does not grow
	Never   bool          // more comes in than is done
	Stalled bool          // in and done are so near to each other, or both to zero, that the backlog stays as it is
	In      time.Duration // how long until the backlog is empty; 0 where Never or Stalled or not known
	Workers int           // with Never: how many workers would do; 0 when that is not known, or more would not help
}
