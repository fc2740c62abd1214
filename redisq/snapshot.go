package redisq

import "time"

// Snapshot is one reading of a queue. It is immutable once it was handed out: readers share it.
type Snapshot struct {
	At         time.Time // when the reading began, by the observer's clock
	Generation uint64    // rises with every reading; a reply with an older one is stale
	Took       time.Duration
	Bytes      int64 // about what the replies had on their way
	Server     ServerInfo
	Queue      Queue

	// Err is why nothing could be read at all: no connection, timeout, LOADING, wrong password. The figures are then
	// the zero Number, and the caller keeps showing the last good Snapshot, dimmed. nil otherwise.
	Err error

	Stream   StreamFigures
	Group    GroupFigures
	Pending  PendingPage
	Dead     DeadPage
	ListLen  Number    // LLEN of Queue.List; 0 where the key does not exist
	Pushed   Number    // messages ever pushed to Queue.List, as [ObserverOptions].Pushed says: Redis does not count them
	Kind     Kind      // which of the two is in use, so whose rates [History] takes; "" is the stream
	Problems []Problem // what could not be read, or was found odd, each where it belongs
}

// ServerInfo is what HELLO tells of the server.
type ServerInfo struct {
	Product  string // "redis", "valkey", "embedded" or "unknown"
	Version  string // "" when not told
	Role     string // "master", "replica" or ""
	Mode     string // "standalone", "cluster", "sentinel" or ""
	Addr     string // host:port or socket path, without user or password
	Private  bool   // started by this program for the lab
	Embedded bool   // in this process: consumer idle times and lag are not told, pending entries of trimmed ones vanish
}

// StreamFigures is XINFO STREAM and XLEN. Missing says that there is no such key.
type StreamFigures struct {
	Missing   bool
	WrongType string // the key's type where it is no stream, else ""
	Length    Number // XLEN
	Added     Number // entries-added since the stream exists (7.0); the embedded server does not tell
	LastID    string // last-generated-id
	FirstID   string // id of the first entry, "" when empty
	TopID     string // id of the last entry that is there, "" when empty
	// MaxDeleted is the largest id that was ever deleted one by one, as by XDEL (7.0); "" when none was or it is not told.
	MaxDeleted string
}

// GroupFigures is one row of XINFO GROUPS, cross-checked, and the rows of XINFO CONSUMERS.
type GroupFigures struct {
	Missing       bool
	LastDelivered string
	Pending       Number
	Undelivered   Number // entries the group has not been given
	Backlog       Number // Undelivered + Pending
	Read          Number // entries-read (7.0), nil is unknown
	Lag           Number // as the server says, unchecked: Undelivered is what is true; unknown with a Lag… reason
	Members       Number // consumers that the group has
	// TrimmedUnread is how many entries were removed before the group read them: what the counters show, and from
	// then on what successive readings show. Redis 8 and Valkey forget it once the group reads on.
	TrimmedUnread Number
	// RemovedUnread rises by what was removed, from one reading to the next, before the group read it, where that is known
	// exactly; it begins anywhere. Losses rises with each reading before which some was, or may have been, and how many is
	// not known.
	RemovedUnread, Losses int64
	OldestIdle            Number // ms, largest idle time among the pending entries; AtLeast when only a page was looked at
	MaxDeliveries         Number // largest delivery count among the pending entries; AtLeast likewise
	Consumers             []Consumer
}

// Consumer is one row of XINFO CONSUMERS.
type Consumer struct {
	Name     string
	Pending  int64
	Idle     Number // ms since the last attempt (7.2), or since the last delivery (before)
	Inactive Number // ms since the last successful interaction (7.2); unknown before, "never" has the reason NeverActive
}

// NeverActive is the reason of an unknown Consumer.Inactive: the consumer never got a message (inactive -1).
const NeverActive = "never"

// PendingFilter is the form of XPENDING's extended form. The zero value is all, by id.
type PendingFilter struct {
	MinIdle  time.Duration // shown are those idle for at least this
	Start    string        // "" is -
	End      string        // "" is +
	Count    int           // 0 is the observer's default
	Consumer string        // "" is all
}

// PendingPage is what XPENDING told, with the bodies of the rows.
type PendingPage struct {
	Filter  PendingFilter
	Command []string // the XPENDING as redis-cli takes it
	Rows    []PendingEntry
	More    bool // there may be further rows after the last
	// ByConsumer is the summary form: pending entries per consumer.
	ByConsumer []Consumer
	// Histogram counts the rows by delivery count; index 0 is one delivery, the last index that count or more.
	Histogram []int64
}

// PendingEntry is one row of XPENDING with the entry's body.
type PendingEntry struct {
	Entry
	Consumer   string
	Idle       time.Duration // since the last delivery or claim; -1 when released (XNACK)
	Deliveries int64
	Age        Number // ms since the entry's id, unknown when the id is no time
}

// DeadPage is the end of the dead-letter stream, newest last.
type DeadPage struct {
	Missing bool
	Length  Number
	Rows    []DeadLetter
	More    bool // there are older ones than the first row
	// WrongType is what the key holds where it is no stream, as far as a [Surveyor] asks; else "".
	WrongType string
}

// DeadLetter is an entry of the dead-letter stream. Metadata are leading fields in a fixed order; where they are not
// all there, Foreign is set and Fields are all fields of the entry.
type DeadLetter struct {
	ID       string // id in the dead-letter stream
	Foreign  bool   // not written by this program
	Stream   string // where it came from
	Group    string
	Entry    string // id of the entry that was given up; another than Original after a replay
	Original string // id of the original entry; what the idempotent consumer goes by
	Deliveries,
	Replays int64
	Consumer string // last owner
	Reason   string
	At       time.Time // when it was dead-lettered, by the server's clock
	Fields   []Field   // the original fields
	Kept     string    // id of the entry that a replay made of it, which kept the letter; "" is not replayed since
}

// Problem is one thing that could not be read or is odd.
type Problem struct {
	Panel string // "server", "stream", "group", "pending", "consumers", "dead", "list"
	Code  string // one of the Problem… constants
	Text  string // in words
	// Command is what the user may not send, and Key the key that the user may not read where it is only that; "" unless
	// Code is ProblemNoPermission.
	Command, Key string
}
