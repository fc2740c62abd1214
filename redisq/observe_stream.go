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
	m := asMap(info.reply)
	length, ok := asInt(m["length"])
	if !ok {
		s.Stream.Length = Unknown("XINFO STREAM did not tell it")
		s.Stream.Added = s.Stream.Length
		return
	}
	r.haveStream = true
	r.stream.length = length
	s.Stream.Length = Exact(length, FromServer)
	s.Stream.LastID = fullID(asString(m["last-generated-id"]))
	s.Stream.Added = r.added
	if added, ok := asInt(m["entries-added"]); ok {
		s.Stream.Added = Exact(added, FromServer)
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
		s.Stream.FirstID = e.ID
	}
	if e, ok := asEntry(ends[1]); ok {
		s.Stream.TopID = e.ID
	}
	r.stream.added = s.Stream.Added
	r.stream.first, _ = parseID(s.Stream.FirstID)
	r.stream.top, _ = parseID(s.Stream.TopID)
	r.stream.lastID, _ = parseID(s.Stream.LastID)
	r.stream.maxDeleted, _ = parseID(asString(m["max-deleted-entry-id"]))
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
	unknown := func(reason string) {
		for _, n := range []*Number{&g.Pending, &g.Undelivered, &g.Backlog, &g.Read, &g.TrimmedUnread, &g.OldestIdle, &g.MaxDeliveries} {
			*n = Unknown(reason)
		}
	}
	if groups.err != nil {
		unknown(r.problem("group", groups.err))
		g.Missing = CodeOf(groups.err) == CodeNoKey
		return
	}
	for _, row := range asList(groups.reply) {
		m := asMap(row)
		if asString(m["name"]) != r.q.Group {
			continue
		}
		r.haveGroup = true
		g.LastDelivered = fullID(asString(m["last-delivered-id"]))
		r.group.lastDelivered, _ = parseID(g.LastDelivered)
		unknown("the server does not tell it")
		if n, ok := asInt(m["pending"]); ok {
			g.Pending = Exact(n, FromServer)
		}
		if n, ok := asInt(m["entries-read"]); ok {
			g.Read = Exact(n, FromServer)
		} else {
			g.Read = Unknown("the server does not know it")
		}
		r.group.read = g.Read
		if n, ok := asInt(m["lag"]); ok && !r.snap.Server.Embedded { // which gives the length
			r.group.lag = Exact(n, FromServer)
		}
		r.group.lagRight = lagRight(r.snap.Server)
		if n, ok := asInt(m["consumers"]); ok {
			r.members = n
		}
		return
	}
	g.Missing = true
	text := "the group " + safe.Text(r.q.Group) + " does not exist on " + safe.Text(r.q.Stream)
	unknown(text)
	r.addProblem("group", ProblemMissing, text)
}

// lagRight says that the server's lag is right after trimming, as measured: Redis 8.0 and later. Redis 7.0 goes on
// counting what was trimmed, Valkey 8.1 does so until the next read, and the embedded server gives the length.
func lagRight(s ServerInfo) bool {
	if s.Product != "redis" || s.Embedded {
		return false
	}
	major, _, _ := strings.Cut(s.Version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= 8
}

// readConsumers takes in XINFO CONSUMERS.
func (r *reading) readConsumers(consumers result) {
	if consumers.err != nil {
		if code := CodeOf(consumers.err); code != CodeNoKey && code != "NOGROUP" && code != "WRONGTYPE" {
			r.problem("consumers", consumers.err)
		}
		return
	}
	list := asList(consumers.reply)
	all := make([]Consumer, 0, len(list))
	for _, row := range list {
		m := asMap(row)
		c := Consumer{Name: asString(m["name"])}
		c.Pending, _ = asInt(m["pending"])
		c.Idle = since(m["idle"], r.snap.Server.Embedded)
		c.Inactive = since(m["inactive"], r.snap.Server.Embedded)
		all = append(all, c)
	}
	r.snap.Group.Consumers = all
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
