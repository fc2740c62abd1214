package redisq

import (
	"cmp"
	"slices"
	"time"
)

// GroupRow is one group for a list of many, or a stream that has none (Group is nil then).
type GroupRow struct {
	Stream *StreamReading
	Group  *GroupReading
}

// Trouble ranks a row of a list; a larger one is worse.
type Trouble int

// The ranks, from well to worst.
const (
	TroubleNone     Trouble = iota // nothing waits
	TroubleWaiting                 // a backlog that somebody may be working on
	TroubleUnknown                 // something could not be read: it may be anything
	TroubleLate                    // an entry is pending for longer than the lease
	TroubleNobody                  // a backlog, and no consumer
	TroubleLost                    // entries were removed before the group read them
	TroubleNotThere                // the stream or the group that a person asked for is missing
)

// Trouble says how badly a row wants looking at.
func (r GroupRow) Trouble(lease time.Duration) Trouble {
	g := r.Group
	switch {
	case r.Stream.Stream.Missing, r.Stream.Stream.WrongType != "", g != nil && g.Missing:
		return TroubleNotThere
	case r.Stream.Err != nil, g == nil && (r.Stream.Partial || !r.Stream.Stream.Length.Known):
		return TroubleUnknown // it may have groups
	case g == nil:
		return TroubleNone
	case g.TrimmedUnread.Known && g.TrimmedUnread.Value > 0:
		return TroubleLost
	case g.Backlog.Known && g.Backlog.Value > 0 && g.Members.Known && g.Members.Value == 0:
		return TroubleNobody
	case g.OldestIdle.Known && g.OldestIdle.Value >= lease.Milliseconds() && g.Pending.Value > 0:
		return TroubleLate
	case !g.Backlog.Known || !g.OldestIdle.Known:
		return TroubleUnknown
	case g.Backlog.Value > 0:
		return TroubleWaiting
	}
	return TroubleNone
}

// rank is the trouble for sorting. Work that nobody reads and work that somebody sits on are as bad: of these the larger
// backlog comes first.
func (r GroupRow) rank(lease time.Duration) Trouble {
	if t := r.Trouble(lease); t != TroubleNobody {
		return t
	}
	return TroubleLate
}

// WorstFirst returns a row for every group, and one for every stream without a group, those in the worst state first;
// among equals the largest backlog, and then by name, so that the order is the same for the same readings.
func WorstFirst(streams []StreamReading, lease time.Duration) []GroupRow {
	rows := make([]GroupRow, 0, len(streams))
	for i := range streams {
		s := &streams[i]
		if len(s.Groups) == 0 {
			rows = append(rows, GroupRow{Stream: s})
		}
		for k := range s.Groups {
			rows = append(rows, GroupRow{Stream: s, Group: &s.Groups[k]})
		}
	}
	slices.SortStableFunc(rows, func(a, b GroupRow) int {
		backlogA, backlogB := a.backlog(), b.backlog()
		return cmp.Or(
			cmp.Compare(b.rank(lease), a.rank(lease)), cmp.Compare(backlogB, backlogA),
			cmp.Compare(a.Stream.Name, b.Stream.Name), cmp.Compare(a.name(), b.name()),
		)
	})
	return rows
}

func (r GroupRow) backlog() int64 {
	if r.Group == nil || !r.Group.Backlog.Known {
		return 0
	}
	return r.Group.Backlog.Value
}

func (r GroupRow) name() string {
	if r.Group == nil {
		return ""
	}
	return r.Group.Name
}
