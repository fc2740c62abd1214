package plain

import (
	"slices"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
)

// SnapshotSchema names the JSON that Snapshot writes.
const SnapshotSchema = "unacked.snapshot/1"

type snapshotJSON struct {
	Schema  string           `json:"schema"`
	At      string           `json:"at"`
	Server  lookedServerJSON `json:"server"`
	Streams []streamJSON     `json:"streams"`
	More    bool             `json:"more,omitempty"`  // there are more streams than these
	Error   string           `json:"error,omitempty"` // what was asked for by name and is not there; why this reading failed
}

type streamJSON struct {
	Name       string          `json:"name"`
	NameBase64 string          `json:"name_base64,omitempty"`
	Length     *int64          `json:"length"`
	Groups     []groupJSON     `json:"groups"`
	Error      *string         `json:"error"`
	DeadLetter *deadLetterJSON `json:"dead_letter"` // null for a stream that holds dead letters itself, or could not be read
	Problems   []problemJSON   `json:"problems"`
}

type deadLetterJSON struct {
	Name       string     `json:"name"`
	NameBase64 string     `json:"name_base64,omitempty"`
	Length     numberJSON `json:"length"`
}

type groupJSON struct {
	Name          string         `json:"name"`
	NameBase64    string         `json:"name_base64,omitempty"`
	LastDelivered *string        `json:"last_delivered_id"`
	Undelivered   numberJSON     `json:"undelivered"`
	Pending       *int64         `json:"pending"`
	Backlog       numberJSON     `json:"backlog"`
	TrimmedUnread numberJSON     `json:"trimmed_unread"`
	OldestIdle    numberJSON     `json:"oldest_idle_ms"`
	MaxDeliveries numberJSON     `json:"max_deliveries"`
	Consumers     []consumerJSON `json:"consumers"` // null where they could not be read
	Entries       *[]entryJSON   `json:"entries,omitempty"`
	Error         *string        `json:"error"`
	Problems      []problemJSON  `json:"problems"`
}

type consumerJSON struct {
	Name       string `json:"name"`
	NameBase64 string `json:"name_base64,omitempty"`
	Pending    int64  `json:"pending"`
	Idle       *int64 `json:"idle_ms"`
	Inactive   *int64 `json:"inactive_ms"`            // null where it is not told (before 7.2), and where it is never
	Never      bool   `json:"never_active,omitempty"` // it never got an entry (inactive -1)
}

type entryJSON struct {
	ID             string      `json:"id"`
	Consumer       *string     `json:"consumer"` // null where nobody holds it (XNACK)
	ConsumerBase64 string      `json:"consumer_base64,omitempty"`
	Idle           *int64      `json:"idle_ms"` // null where nobody holds it
	Deliveries     int64       `json:"deliveries"`
	Fatal          bool        `json:"fatal,omitempty"` // marked by XNACK FATAL: deliveries is that mark, not a count
	Ghost          bool        `json:"ghost"`
	Fields         [][2]string `json:"fields"` // in their order; null where they could not be read
	FieldsBase64   [][2]string `json:"fields_base64,omitempty"`
}

func (l *looker) snapshotOf(s *redisq.Survey) snapshotJSON {
	out := snapshotJSON{
		Schema: SnapshotSchema, At: stamp(s.At), Server: serverOf(s.Server), Streams: make([]streamJSON, 0, len(s.Streams)), More: l.more,
	}
	for i := range s.Streams {
		if r := &s.Streams[i]; l.shown(r) {
			out.Streams = append(out.Streams, l.streamOf(r))
		}
	}
	if err := l.lacking(s); err != nil {
		out.Error = readable(err.Error())
	}
	return out
}

// shown leaves out, where all streams were looked for, those that do not have the group.
func (l *looker) shown(r *redisq.StreamReading) bool {
	if l.o.Group == "" || len(l.o.Streams) > 0 {
		return true
	}
	g := r.Group(l.o.Group)
	return r.Err != nil || g != nil && !g.Missing
}

// groups are those that are to be shown.
func (l *looker) groups(r *redisq.StreamReading) []*redisq.GroupReading {
	var shown []*redisq.GroupReading
	for i := range r.Groups {
		if g := &r.Groups[i]; l.o.Group == "" || l.o.Group == g.Name {
			shown = append(shown, g)
		}
	}
	return shown
}

func (l *looker) streamOf(r *redisq.StreamReading) streamJSON {
	out := streamJSON{
		Name: readable(r.Name), NameBase64: encoded(r.Name), Length: plainNumber(r.Stream.Length), Groups: []groupJSON{},
		Error: orNull(streamError(r)), Problems: problemsOf(r.Problems),
	}
	if r.DeadLetter != "" {
		out.DeadLetter = &deadLetterJSON{readable(r.DeadLetter), encoded(r.DeadLetter), numberOf(r.Dead.Length)}
	}
	for _, g := range l.groups(r) {
		out.Groups = append(out.Groups, l.groupOf(r, g))
	}
	return out
}

// streamError is why there are no figures of a stream, "" where there are some.
func streamError(r *redisq.StreamReading) string {
	switch {
	case r.Err != nil:
		return errorText(r.Err)
	case r.Stream.Missing:
		return "the stream " + safe.Text(r.Name) + " does not exist"
	case r.Stream.WrongType != "":
		return "the key " + safe.Text(r.Name) + " is no stream: it holds a value of type " + safe.Text(r.Stream.WrongType)
	case !r.Stream.Length.Known:
		return r.Stream.Length.Reason
	}
	return ""
}

func (l *looker) groupOf(r *redisq.StreamReading, g *redisq.GroupReading) groupJSON {
	out := groupJSON{
		Name: readable(g.Name), NameBase64: encoded(g.Name), LastDelivered: orNull(g.LastDelivered),
		Undelivered: numberOf(g.Undelivered), Pending: plainNumber(g.Pending), Backlog: numberOf(g.Backlog),
		TrimmedUnread: numberOf(g.TrimmedUnread), OldestIdle: numberOf(g.OldestIdle), MaxDeliveries: numberOf(g.MaxDeliveries),
		Problems: problemsOf(g.Problems),
	}
	if g.Missing {
		out.Error = orNull(groupError(r, g))
	}
	if g.Consumers != nil {
		out.Consumers = make([]consumerJSON, 0, len(g.Consumers))
	}
	for _, c := range g.Consumers {
		out.Consumers = append(out.Consumers, consumerJSON{
			Name: readable(c.Name), NameBase64: encoded(c.Name), Pending: c.Pending, Idle: plainNumber(c.Idle),
			Inactive: plainNumber(c.Inactive), Never: c.Inactive.Reason == redisq.NeverActive,
		})
	}
	if l.o.Pending > 0 {
		entries := make([]entryJSON, 0, min(len(g.Rows), l.o.Pending))
		for _, row := range g.Rows[:min(len(g.Rows), l.o.Pending)] {
			entries = append(entries, entryOf(row))
		}
		out.Entries = &entries
	}
	return out
}

func entryOf(row redisq.PendingEntry) entryJSON {
	out := entryJSON{
		ID: row.ID, Consumer: orNull(row.Consumer), ConsumerBase64: encoded(row.Consumer), Deliveries: row.Deliveries,
		Fatal: row.Deliveries == redisq.FatalDeliveries, Ghost: row.Gone,
	}
	if row.Idle >= 0 {
		ms := row.Idle.Milliseconds()
		out.Idle = &ms
	}
	if row.Gone {
		out.Fields = [][2]string{}
	}
	binary := slices.ContainsFunc(row.Fields, func(f redisq.Field) bool { return encoded(f.Name) != "" || encoded(f.Value) != "" })
	for _, f := range row.Fields {
		out.Fields = append(out.Fields, [2]string{readable(f.Name), readable(f.Value)})
		if binary {
			out.FieldsBase64 = append(out.FieldsBase64, [2]string{base64Of(f.Name), base64Of(f.Value)})
		}
	}
	return out
}
