package doctor

import (
	"cmp"
	"slices"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// Severity says how soon somebody has to look.
type Severity string

// The severities.
const (
	Critical Severity = "critical" // messages are lost or not worked on, now
	Warning  Severity = "warning"  // something is going wrong, or has gone wrong
	Info     Severity = "info"     // nothing is lost: good to know
)

// rank orders severities, the worst first.
func (s Severity) rank() int { return slices.Index([]Severity{Critical, Warning, Info}, s) }

// Code names a kind of finding. Codes are stable.
type Code string

// The codes, in the order in which findings of one severity are shown.
const (
	StreamMissing   Code = "stream-missing"   // the key does not exist
	GroupMissing    Code = "group-missing"    // the stream does not have the group
	WrongType       Code = "wrong-type"       // the key is no stream
	NoPermission    Code = "no-permission"    // the user may not send a command that is needed
	Replica         Code = "replica"          // the server is a replica
	TrimmedUnread   Code = "trimmed-unread"   // entries were trimmed before the group read them
	NoConsumers     Code = "no-consumers"     // there is work and nobody reads
	StuckConsumer   Code = "stuck-consumer"   // holds entries past the lease and takes nothing
	NotAcking       Code = "not-acking"       // takes entries and does not acknowledge them
	Poison          Code = "poison"           // deliveries at or over the limit
	FallingBehind   Code = "falling-behind"   // more comes in than is done
	GhostEntries    Code = "ghost-entries"    // pending entries without a body
	Holes           Code = "holes"            // entries deleted that the group had not read
	ReleasedEntries Code = "released-entries" // given back by XNACK
	SkippedStart    Code = "skipped-start"    // the group was created past stored entries
	DeadLetters     Code = "dead-letters"     // there are dead letters
	LagUnknown      Code = "lag-unknown"      // the server says nil
	LagWrong        Code = "lag-wrong"        // the server's lag is not what is there
	IdleConsumers   Code = "idle-consumers"   // many, long inactive, holding nothing
	Unbounded       Code = "unbounded"        // handled entries are never trimmed
)

// Codes are all of them, in the order above.
func Codes() []Code {
	return []Code{
		StreamMissing, GroupMissing, WrongType, NoPermission, Replica, TrimmedUnread, NoConsumers, StuckConsumer, NotAcking,
		Poison, FallingBehind, GhostEntries, Holes, ReleasedEntries, SkippedStart, DeadLetters, LagUnknown, LagWrong,
		IdleConsumers, Unbounded,
	}
}

// Reading is what was observed of one stream with its groups, consumers, pending entries and dead letters, at a time.
type Reading = redisq.StreamReading

// Finding is one thing that is wrong. Names in it, also within Text, are the server's bytes: they are made harmless
// when they are shown.
type Finding struct {
	Code     Code
	Severity Severity
	Stream   string   // "" where it is about the server
	Group    string   // "" where it is about the stream
	Consumer string   // "" where it is about the group
	Others   []string // consumers, where one finding is about many that are in the same state; Consumer is "" then
	IDs      []string // entries that it is about, 100 at most; Evidence has how many there are
	Text     string   // one or two sentences, with the numbers
	Evidence []Fact   // in a fixed order for each code
	Remedies []Remedy // what to do, the best first
}

// Fact is one number or word that a finding rests on. A name has always the same type of value: int64, float64, bool,
// string, []string or [redisq.Number]; times are in ms.
type Fact struct {
	Name  string
	Value any
}

// Remedy is one way to mend it: in words, and as commands that redis-cli takes. Commands may be empty where the mending
// is not done in Redis.
type Remedy struct {
	Text     string
	Commands [][]string
	// Wish is the same as a plan of package desk, which looks again at what is there. Its Deed is "" where this program is
	// not to do it, as to start a worker. What a person has to choose is not filled in: To of a claim, Group of a group to
	// be created.
	Wish desk.Wish
}

// Thresholds are what a finding is measured by. Use [Defaults] and change what is to be different.
type Thresholds struct {
	Lease         time.Duration // idle time after which a pending entry is late; 60 s
	MaxDeliveries int64         // deliveries at which an entry is poison; 5, 0 is no limit
	IdleConsumers int           // consumers that hold nothing from which on they are said; 10
	Inactive      time.Duration // for how long they have done nothing; 0 is 60 times the lease
	Stored        int64         // handled entries from which on a stream that was never trimmed is said; 1,000
}

// Defaults are the thresholds that the documentation gives.
func Defaults() Thresholds {
	return Thresholds{Lease: time.Minute, MaxDeliveries: 5, IdleConsumers: 10, Stored: 1000}
}

// inactive is Inactive, or what the lease makes of it.
func (t Thresholds) inactive() time.Duration {
	if t.Inactive > 0 {
		return t.Inactive
	}
	return 60 * t.Lease
}

// AtLeast returns the findings of that severity and worse.
func AtLeast(findings []Finding, least Severity) []Finding {
	var kept []Finding
	for _, f := range findings {
		if f.Severity.rank() <= least.rank() {
			kept = append(kept, f)
		}
	}
	return kept
}

func sortFindings(findings []Finding) {
	codes := Codes()
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Group, b.Group),
			cmp.Compare(slices.Index(codes, a.Code), slices.Index(codes, b.Code)), 0,
		)
	})
}
