package redisq

import (
	"strconv"
	"strings"

	"example.com/unacked/redisq/safe"
)

// readStream takes in XINFO STREAM. first and top are the ends of the stream as XRANGE has them, for a server whose
// XINFO does not tell; nil otherwise.
func (r *reading) readStream(info result, first, top *result) {
	s := r.snap
	if info.err != nil {
		reason := r.problem("stream", info.err)
		s.Stream.Length, s.Stream.Added = Unknown(reason), Unknown(reason)
		switch CodeOf(info.err) {
		case CodeNoKey:
			s.Stream.Missing = true
		case "WRONGTYPE":
			s.Stream.WrongType = "another type"
		}
		return
	}
	figures, facts, ok := parseStream(info.reply, first, top, r.added)
	if !ok {
		s.Stream.Length = Unknown("XINFO STREAM did not tell it")
		s.Stream.Added = s.Stream.Length
		return
	}
	r.haveStream = true
	s.Stream, r.stream = figures, facts
}

// parseStream reads the reply of XINFO STREAM. added is how many entries were ever added where the server does not tell.
func parseStream(reply any, first, top *result, added Number) (f StreamFigures, facts streamFacts, ok bool) {
	m := asMap(reply)
	length, ok := asInt(m["length"])
	if !ok {
		return f, facts, false
	}
	f.Length = Exact(length, FromServer)
	f.LastID = fullID(asString(m["last-generated-id"]))
	f.Added = added
	if n, ok := asInt(m["entries-added"]); ok {
		f.Added = Exact(n, FromServer)
	}
	ends := [2]any{m["first-entry"], m["last-entry"]}
	if first != nil && top != nil {
		for i, end := range []*result{first, top} {
			if list := asList(end.reply); len(list) > 0 {
				ends[i] = list[0]
			}
		}
	}
	if e, ok := asEntry(ends[0]); ok {
		f.FirstID = e.ID
		facts.entrySize = size(e)
	}
	if e, ok := asEntry(ends[1]); ok {
		f.TopID = e.ID
		facts.entrySize = max(facts.entrySize, size(e))
	}
	if id, ok := parseID(asString(m["max-deleted-entry-id"])); ok && id != (entryID{}) {
		f.MaxDeleted, facts.maxDeleted = id.String(), id
	}
	facts.length, facts.added = length, f.Added
	facts.first, _ = parseID(f.FirstID)
	facts.top, _ = parseID(f.TopID)
	facts.lastID, _ = parseID(f.LastID)
	return f, facts, true
}

// fullID writes an id with both its halves: the embedded server keeps "0" as it was given.
func fullID(id string) string {
	parsed, ok := parseID(id)
	if !ok {
		return id
	}
	return parsed.String()
}

// readGroup takes in XINFO GROUPS.
func (r *reading) readGroup(groups result) {
	g := &r.snap.Group
	if groups.err != nil {
		g.unknown(r.problem("group", groups.err))
		g.Missing = CodeOf(groups.err) == CodeNoKey
		return
	}
	for _, row := range asList(groups.reply) {
		m := asMap(row)
		if asString(m["name"]) != r.q.Group {
			continue
		}
		r.haveGroup = true
		*g, r.group = parseGroup(m, r.snap.Server)
		if g.Members.Known {
			r.members = g.Members.Value
		}
		return
	}
	g.Missing = true
	text := "the group " + safe.Text(r.q.Group) + " does not exist on " + safe.Text(r.q.Stream)
	g.unknown(text)
	r.addProblem("group", ProblemMissing, text)
}

// Reasons of an unknown [GroupFigures.Lag].
const (
	LagNil    = "the server does not know it"
	LagUntold = "not told before Redis 7.0"
	lagMini   = "the embedded server gives the stream's length instead"
)

// unknown makes every figure one that is not known.
func (g *GroupFigures) unknown(reason string) {
	for _, n := range []*Number{
		&g.Pending, &g.Undelivered, &g.Backlog, &g.Read, &g.TrimmedUnread, &g.OldestIdle, &g.MaxDeliveries, &g.Lag, &g.Members,
	} {
		*n = Unknown(reason)
	}
}

// parseGroup reads one row of XINFO GROUPS; figures that other commands tell are unknown.
func parseGroup(m map[string]any, server ServerInfo) (g GroupFigures, facts groupFacts) {
	g.unknown("the server does not tell it")
	g.LastDelivered = fullID(asString(m["last-delivered-id"]))
	facts.lastDelivered, _ = parseID(g.LastDelivered)
	if n, ok := asInt(m["pending"]); ok {
		g.Pending = Exact(n, FromServer)
	}
	if n, ok := asInt(m["consumers"]); ok {
		g.Members = Exact(n, FromServer)
	}
	g.Read = Unknown("the server does not know it")
	if n, ok := asInt(m["entries-read"]); ok {
		g.Read = Exact(n, FromServer)
	}
	lag, told := m["lag"]
	n, isNumber := asInt(lag)
	switch {
	case server.Embedded:
		g.Lag = Unknown(lagMini)
	case isNumber:
		g.Lag = Exact(n, FromServer)
	case told:
		g.Lag = Unknown(LagNil)
	default:
		g.Lag = Unknown(LagUntold)
	}
	facts.read, facts.lag, facts.lagRight, facts.remembers = g.Read, g.Lag, lagRight(server), remembers(server)
	if facts.replica = server.Role == "replica"; facts.replica && !facts.lagRight {
		// It keeps what it had at its last whole copy of the master, and goes on telling that.
		facts.read, facts.lag = Unknown(ReplicaUntold), Unknown(ReplicaUntold)
	}
	return g, facts
}

// lagRight says that the server's lag is right wherever it gives one and the group is inside the stream, however it came
// there, as measured by random trimming, deleting and reading: Redis 8.0 and 8.6, Valkey 8.1. Redis 7.0 goes on counting
// what was trimmed, and the embedded server gives the length.
func lagRight(s ServerInfo) bool {
	if s.Product != "redis" && s.Product != "valkey" || s.Embedded {
		return false
	}
	major, _, _ := strings.Cut(s.Version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= 8
}

// remembers says that entries-read does not jump over what was trimmed unread, as measured: Redis 7.0. Later ones and
// Valkey count what they skip as read at the next read.
func remembers(s ServerInfo) bool {
	return s.Product == "redis" && !s.Embedded && strings.HasPrefix(s.Version, "7.0.")
}

// readConsumers takes in XINFO CONSUMERS.
func (r *reading) readConsumers(consumers result) {
	if consumers.err != nil {
		if code := CodeOf(consumers.err); code != CodeNoKey && code != "NOGROUP" && code != "WRONGTYPE" {
			r.problem("consumers", consumers.err)
		}
		return
	}
	r.snap.Group.Consumers = parseConsumers(consumers.reply, r.snap.Server.Embedded)
}

// parseConsumers reads the reply of XINFO CONSUMERS.
func parseConsumers(reply any, embedded bool) []Consumer {
	list := asList(reply)
	all := make([]Consumer, 0, len(list))
	for _, row := range list {
		m := asMap(row)
		c := Consumer{Name: asString(m["name"])}
		c.Pending, _ = asInt(m["pending"])
		c.Idle = since(m["idle"], embedded)
		c.Inactive = since(m["inactive"], embedded)
		all = append(all, c)
	}
	return all
}

// since reads a time in ms that is absent (before 7.2), or -1 (never).
func since(v any, embedded bool) Number {
	n, ok := asInt(v)
	switch {
	case embedded:
		return Unknown("the embedded server does not keep it")
	case !ok:
		return Unknown("not told before Redis 7.2")
	case n < 0:
		return Unknown(NeverActive)
	}
	return Exact(n, FromServer)
}
