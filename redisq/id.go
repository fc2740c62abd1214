package redisq

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// entryID is the id of an entry: two unsigned 64-bit numbers. They are compared and counted on as such: a float or a
// Lua number holds 53 bits.
type entryID struct{ ms, seq uint64 }

// parseID reads "5-3", or "5" for "5-0", as commands take it.
func parseID(s string) (entryID, bool) {
	ms, seq, hasSeq := strings.Cut(s, "-")
	var id entryID
	var err error
	if id.ms, err = strconv.ParseUint(ms, 10, 64); err != nil {
		return entryID{}, false
	}
	if hasSeq {
		if id.seq, err = strconv.ParseUint(seq, 10, 64); err != nil {
			return entryID{}, false
		}
	}
	return id, true
}

func (id entryID) String() string {
	return strconv.FormatUint(id.ms, 10) + "-" + strconv.FormatUint(id.seq, 10)
}

// compare returns -1, 0 or 1.
func (id entryID) compare(other entryID) int {
	switch {
	case id.ms < other.ms, id.ms == other.ms && id.seq < other.seq:
		return -1
	case id == other:
		return 0
	}
	return 1
}

// next returns the smallest id above id; false when there is none. It stands for the "(" of ranges, which neither
// Redis before 6.2 nor the embedded server's XPENDING knows.
func (id entryID) next() (entryID, bool) {
	switch {
	case id.seq < math.MaxUint64:
		return entryID{id.ms, id.seq + 1}, true
	case id.ms < math.MaxUint64:
		return entryID{id.ms + 1, 0}, true
	}
	return entryID{}, false
}

// beyond is where a range begins that has what is above id, and that is empty where nothing can be.
func (id entryID) beyond() string {
	if next, ok := id.next(); ok {
		return next.String()
	}
	return "(" + id.String()
}

// after returns the start of a range that begins just above id; false when nothing can be above it.
func after(id string) (string, bool) {
	parsed, ok := parseID(id)
	if !ok {
		return "", false
	}
	next, ok := parsed.next()
	return next.String(), ok
}

// CompareIDs orders two entry ids: -1, 0 or 1. ok is false when one of them is not an id.
func CompareIDs(a, b string) (order int, ok bool) {
	x, okA := parseID(a)
	y, okB := parseID(b)
	return x.compare(y), okA && okB
}

// Years between which the first half of an id is taken for a time in milliseconds: ids may be chosen freely.
var (
	earliestID = time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	latestID   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// TimeOfID returns when the server made an automatic id. ok is false when the id does not look like a time.
func TimeOfID(id string) (at time.Time, ok bool) {
	parsed, valid := parseID(id)
	if !valid || parsed.ms > math.MaxInt64 {
		return time.Time{}, false
	}
	at = time.UnixMilli(int64(parsed.ms))
	return at, !at.Before(earliestID) && at.Before(latestID)
}
