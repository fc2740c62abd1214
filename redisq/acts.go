package redisq

import (
	"context"
	"fmt"
	"time"

	"example.com/unacked/redisq/safe"
)

// An act on pending entries is planned from rows that a person saw. It is carried out only on those that are still so:
// held by that consumer, with that number of deliveries. The scripts look at that in the same step.

// rowsLooked is how many pending entries a plan looks at to tell how many there are.
const rowsLooked = 10_000

// luaRow checks one row; it returns the server's row where it is as the person saw it, else why it is not.
//
// KEYS stream; ARGV[1] group
const luaRow = `
local function seen(id, owner, deliveries)
  local row = redis.pcall('XPENDING', KEYS[1], ARGV[1], id, id, 1)
  if row.err then return nil, nil, row end
  row = row[1]
  if not row then return nil, {id, 'gone', '', '0'} end
  if row[2] ~= owner or count(row[4]) ~= deliveries then return nil, {id, 'other', row[2], count(row[4])} end
  return row
end
`

// rowArgs are the arguments for rows in a script: id, owner, deliveries of each.
func rowArgs(rows []PendingEntry) []any {
	args := make([]any, 0, 3*len(rows))
	for _, row := range rows {
		args = append(args, row.ID, row.Consumer, row.Deliveries)
	}
	return args
}

// refusedRows reads the reply of a script on rows: it lists those that were not acted on.
func refusedRows(reply any) map[string][]any {
	refused := map[string][]any{}
	for _, item := range asList(reply) {
		if parts := asList(item); len(parts) >= 4 {
			refused[asString(parts[0])] = parts
		}
	}
	return refused
}

// rowBatch is how many rows one script acts on.
const rowBatch = 100

// onRows runs a script on rows, some at a time, and notes what came of each. reason reads why a row was refused; "" is
// that it was done after all, as by a run whose reply was lost.
func (g *Group) onRows(ctx context.Context, o *Outcome, s *script, rows []PendingEntry, first []any,
	reason func(parts []any, lost bool) string,
) bool {
	for len(rows) > 0 {
		batch := rows[:min(len(rows), rowBatch)]
		rows = rows[len(batch):]
		args := append(append([]any{g.q.Group}, first...), rowArgs(batch)...)
		reply, lost, err := g.certain(ctx, s, []string{g.q.Stream}, args...)
		if err != nil {
			err = on(err, s.name, g.q.Stream)
			for _, row := range batch {
				o.note(row.ID, "", err)
			}
			return false
		}
		refused := refusedRows(reply)
		for _, row := range batch {
			skipped := ""
			if parts, no := refused[row.ID]; no {
				skipped = reason(parts, lost)
			}
			o.note(row.ID, skipped, nil)
		}
	}
	return true
}

// otherwise tells why a row is not as it was seen.
func otherwise(parts []any) string {
	switch asString(parts[1]) {
	case "gone":
		return "is not pending any more"
	case "other":
		return "is now held by " + holder(asString(parts[2])) + ", deliveries " + asString(parts[3])
	}
	return asString(parts[1])
}

func holder(name string) string {
	if name == "" {
		return "nobody (released)"
	}
	return safe.Text(name)
}

// pendingRows reads all pending entries up to the id stop, at most that many (0 is no limit), in pages; all says that
// it came to the end. f returns false to end.
func (g *Group) pendingRows(ctx context.Context, stop string, most int, f func([]PendingEntry) bool) (all bool, err error) {
	start, n := "-", 0
	for most == 0 || n < most {
		if ctx.Err() != nil {
			return false, &Error{Op: "read the pending entries", On: g.q.Stream, Code: CodeCanceled, Err: context.Cause(ctx)}
		}
		reply, err := g.c.Do(ctx, "XPENDING", g.q.Stream, g.q.Group, start, stop, pendingPage)
		if err != nil {
			return false, on(err, "read the pending entries", g.q.Stream)
		}
		var rows []PendingEntry
		for _, item := range asList(reply) {
			columns := asList(item)
			if len(columns) < 4 {
				return false, badReply("read the pending entries", g.q.Stream, reply)
			}
			row := PendingEntry{Entry: Entry{ID: asString(columns[0])}, Consumer: asString(columns[1]), Idle: -1}
			if idle, ok := asInt(columns[2]); ok && idle >= 0 {
				row.Idle = time.Duration(idle) * time.Millisecond
			}
			row.Deliveries, _ = asInt(columns[3])
			rows = append(rows, row)
		}
		if !f(rows) {
			return false, nil
		}
		if len(rows) < pendingPage {
			return true, nil
		}
		n += len(rows)
		next, ok := after(rows[len(rows)-1].ID)
		if order, _ := CompareIDs(next, stop); !ok || order > 0 {
			return true, nil
		}
		start = next
	}
	return false, nil
}

// groupState is what XINFO GROUPS tells of the group.
type groupState struct {
	last    string
	pending int64
	others  []string // the other groups of the stream
}

// state looks at the group; it is an error when the stream or the group does not exist.
func (g *Group) state(ctx context.Context) (s groupState, err error) {
	const op = "look at the group"
	reply, err := g.c.Do(ctx, "XINFO", "GROUPS", g.q.Stream)
	if err != nil {
		return s, on(err, op, g.q.Stream)
	}
	found := false
	for _, item := range asList(reply) {
		m := asMap(item)
		if name := asString(m["name"]); name != g.q.Group {
			s.others = append(s.others, name)
			continue
		}
		found = true
		s.last = asString(m["last-delivered-id"])
		s.pending, _ = asInt(m["pending"])
	}
	if !found {
		return s, &Error{
			Op: op, On: g.q.Stream, Code: "NOGROUP", Err: fmt.Errorf("it has no group %s", safe.Text(g.q.Group)), Hint: hint("NOGROUP"),
		}
	}
	return s, nil
}

// countRange counts the entries of the stream from start to end, up to 1,000.
func (g *Group) countRange(ctx context.Context, start, end string) (Number, error) {
	const page, most = 100, 1000
	n := 0
	for n < most {
		reply, err := g.c.Do(ctx, "XRANGE", g.q.Stream, start, end, "COUNT", page)
		if err != nil {
			return Number{}, on(err, "count entries", g.q.Stream)
		}
		entries := asList(reply)
		n += len(entries)
		if len(entries) < page {
			return Exact(int64(n), Counted), nil
		}
		last, ok := asEntry(entries[page-1])
		if !ok {
			return Number{}, badReply("count entries", g.q.Stream, reply)
		}
		if start, ok = after(last.ID); !ok {
			return Exact(int64(n), Counted), nil
		}
	}
	return AtLeast(int64(n), Counted), nil
}

// someOf is "3 entries" or "1000+ entries".
func someOf(n Number, one, many string) string {
	if n.Known && !n.AtLeast && n.Value == 1 {
		return "1 " + one
	}
	return n.String() + " " + many
}
