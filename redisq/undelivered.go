package redisq

// streamFacts and groupFacts are what one reading says of a stream and its group, before it is believed.
type streamFacts struct {
	length     int64
	added      Number  // entries-added (7.0), or the caller's own count
	first, top entryID // of the entries that are there; zero when there is none
	lastID     entryID // last-generated-id
	maxDeleted entryID // max-deleted-entry-id (7.0): the largest that XDEL removed
	entrySize  int     // bytes of the larger one of the first and the last entry
}

type groupFacts struct {
	lastDelivered entryID
	read          Number // entries-read (7.0); unknown where the server says nil
	lag           Number // as the server says
	lagRight      bool   // this server counts it rightly after trimming
	replica       bool   // the server is one, and is not told entries-read
	remembers     bool   // this server's entries-read goes on by what is read, also after trimming past the group
}

// readCount is entries-read; a group at 0-0 has read nothing, though the server says nil.
func (g groupFacts) readCount() Number {
	if !g.read.Known && g.lastDelivered == (entryID{}) {
		return Exact(0, Derived)
	}
	return g.read
}

// LostSome is the reason of an unknown [GroupFigures.TrimmedUnread] where entries were removed for certain before the
// group read them, and only how many of them by trimming is not known.
const LostSome = "some: entries were also deleted one by one (XDEL), so those that were trimmed cannot be told apart"

// ReplicaUntold is why a replica does not know how many entries were removed unread.
const ReplicaUntold = "a replica is not told how many entries the group has read; its master knows"

// LossReason is why it is not known how many entries were removed unread, or what is done meanwhile.
const LossReason = "entries may be removed unread, and this server does not count those"

// tracker follows one group from reading to reading. With what it learned from a reading in which the undelivered
// entries were counted for certain it can tell them later from the server's counters, also on servers whose lag is
// wrong after trimming (Redis 7.0): added = read + undelivered + removed unread, and the last is constant as
// long as nothing after last-delivered-id was removed, which the ids show.
type tracker struct {
	have   bool // there was a reading
	stream streamFacts
	group  groupFacts
	left   Number // undelivered entries, as that reading had them

	offsetKnown bool
	offset      int64 // entries that were removed before the group read them, as the counters have it now

	lost        Number // the same summed up since the first reading: some servers forget it at the next read
	lostAtLeast bool
	removed     int64 // how many were removed unread from reading to reading, where that was exact
	losses      int64 // readings before which some were removed unread, or may have been, and how many is not known
}

// undelivered applies the rules to one reading. count is true when none of them gives an answer that can be believed:
// the caller then counts entries after last-delivered-id.
func (t *tracker) undelivered(s streamFacts, g groupFacts) (n Number, count bool) {
	switch {
	case s.length == 0, g.lastDelivered.compare(s.top) >= 0:
		return Exact(0, Derived), false
	case g.lastDelivered.compare(s.first) < 0:
		return Exact(s.length, Derived), false
	}
	nothingRemoved := s.added.Known && s.added.Value == s.length
	if g.lag.Known && (g.lagRight || nothingRemoved) && g.lag.Value >= 0 && g.lag.Value <= s.length {
		return g.lag, false
	}
	// Where the server counts what it skips as read, the offset is gone once the group reads on.
	kept := g.remembers || t.offset == 0 || g.lastDelivered == t.group.lastDelivered
	if t.offsetKnown && kept && t.continues(s, g) && s.added.Known && g.read.Known {
		if left := s.added.Value - g.read.Value - t.offset; left >= 0 && left <= s.length {
			return Exact(left, Derived), false
		}
	}
	return Number{}, true
}

// follows says that the undelivered entries of this reading are those of the last one, with what came since and without
// what was delivered since: they can be told so where they are too many to be counted.
func (t *tracker) follows(s streamFacts, g groupFacts) bool {
	return t.left.Known && !t.left.AtLeast && t.continues(s, g) && s.top.compare(t.stream.top) >= 0
}

// replaced says in words that the ids or counters of a reading are behind those of the last one, "" when they are not.
func (t *tracker) replaced(s streamFacts, g groupFacts, haveGroup bool) string {
	switch {
	case !t.have:
	case s.lastID.compare(t.stream.lastID) < 0,
		s.added.Known && t.stream.added.Known && s.added.Source == FromServer && s.added.Value < t.stream.added.Value:
		return "the stream was replaced, or the server lost its last changes: history is gone"
	case haveGroup && g.lastDelivered.compare(t.group.lastDelivered) < 0:
		return "the group went back to an earlier entry (set back, created again, or after a failover): entries come again"
	}
	return ""
}

// continues says that no entry was removed between the last reading and this one that the group had not read at the
// last one.
func (t *tracker) continues(s streamFacts, g groupFacts) bool {
	if !t.have || g.lastDelivered.compare(t.group.lastDelivered) < 0 {
		return false
	}
	if s.added.Known && t.stream.added.Known && s.added.Value-s.length == t.stream.added.Value-t.stream.length {
		return true // nothing at all was removed
	}
	if s.maxDeleted.compare(t.group.lastDelivered) > 0 {
		return false
	}
	if s.length == 0 {
		return s.lastID.compare(t.group.lastDelivered) <= 0
	}
	return s.first.compare(t.group.lastDelivered) <= 0 || t.stream.length > 0 && s.first == t.stream.first
}

// learn takes in a reading with its undelivered entries, and returns how many were removed before the group read them,
// summed up as far as it was watched.
func (t *tracker) learn(s streamFacts, g groupFacts, undelivered Number) (removed Number) {
	continues := t.continues(s, g)
	read := g.readCount()
	offset, offsetKnown := int64(0), false
	if s.added.Known && read.Known && undelivered.Known && !undelivered.AtLeast {
		offset = s.added.Value - read.Value - undelivered.Value
		offsetKnown = offset >= 0
	}
	n, exact := int64(0), true
	switch {
	case !t.have || continues:
	case offsetKnown && t.offsetKnown:
		n, exact = t.lostSince(s, g, offset)
	default:
		exact = false
		t.lost = Unknown(LossReason)
	}
	if exact {
		t.removed += n
	} else {
		t.losses++
	}
	if !t.have || !t.lost.Known && (continues || offsetKnown && t.offsetKnown) {
		t.lost, t.lostAtLeast = firstLost(s, g, offset, offsetKnown), false
	} else if t.lost.Known {
		t.lost.Value += n
		t.lostAtLeast = t.lostAtLeast || !exact
	}
	t.have, t.stream, t.group, t.left = true, s, g, undelivered
	t.offset, t.offsetKnown = offset, offsetKnown
	if !offsetKnown && continues {
		// A reading that tells less does not make what is known wrong.
		t.offsetKnown = false
	}
	removed = t.lost
	removed.AtLeast = removed.Known && t.lostAtLeast
	switch {
	case removed.Known && removed.Value > 0 && s.maxDeleted != (entryID{}):
		return Unknown(LostSome)
	case removed.AtLeast && removed.Value == 0:
		return Unknown(LossReason)
	}
	return removed
}

// lostSince is how many entries were removed unread since the last reading, a lower bound where it is not exact. Some
// were removed that the group had not read at that reading; what it read of them in between, entries-read only tells
// where the server does not count as read what it skips.
func (t *tracker) lostSince(s streamFacts, g groupFacts, offset int64) (n int64, exact bool) {
	readOn := g.lastDelivered.compare(t.group.lastDelivered) > 0
	deleted := s.maxDeleted != t.stream.maxDeleted
	switch grown := offset - t.offset; {
	case grown >= 0 && (g.remembers || !readOn):
		return grown, true
	case grown >= 0 && deleted:
		// Whoever deletes entries one by one (XDEL) has handled them: when one ahead of the group is deleted, the server does
		// not know entries-read any more.
		return grown, true
	}
	return offset, false
}

// firstLost is what the first reading tells of the time before it.
func firstLost(s streamFacts, g groupFacts, offset int64, offsetKnown bool) Number {
	switch {
	case s.added.Known && s.added.Value <= s.length:
		return Exact(0, Derived)
	case offsetKnown:
		return Exact(offset, Derived)
	case !s.added.Known:
		return Unknown("the server does not count the entries that were ever added")
	}
	if g.replica {
		return Unknown(ReplicaUntold)
	}
	return Unknown("the server does not tell how many entries the group has read")
}
