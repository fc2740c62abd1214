package redisq

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"example.com/unacked/redisq/safe"
)

// An act on pending entries is planned from rows that a person saw. It is carried out only on those that are still so:
// held by that consumer, with that number of deliveries. The scripts look at that in the same step.

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

// rowBatch is how many rows one script acts on: 0.7 ms of the server's time.
const rowBatch = 50

// onRows runs a script on rowBatch rows at most, and notes what came of each; see [chosen.onRows].
func (g *Group) onRows(ctx context.Context, o *Outcome, s *script, rows []PendingEntry, first []any,
	reason func(parts []any, lost bool) string,
) bool {
	args := append(append([]any{g.q.Group}, first...), rowArgs(rows)...)
	reply, lost, err := g.certain(ctx, s, []string{g.q.Stream}, args...)
	if err != nil {
		err = on(err, s.name, g.q.Stream)
		for _, row := range rows {
			o.note(row.ID, "", err)
		}
		return false
	}
	refused := refusedRows(reply)
	for _, row := range rows {
		skipped := ""
		if parts, no := refused[row.ID]; no {
			skipped = reason(parts, lost)
		}
		o.note(row.ID, skipped, nil)
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

// pendingScan is a range of the pending entries.
type pendingScan struct {
	start, stop string // ids, both inclusive; "" is from the first, to the last
	consumer    string // "" is all
}

// pendingPages reads pending entries in pages, with a pause between two, so that the server has time for others; all
// says that it came to the end. f returns false to end.
func (g *Group) pendingPages(ctx context.Context, scan pendingScan, f func([]PendingEntry) bool) (all bool, err error) {
	start, stop := cmp.Or(scan.start, "-"), cmp.Or(scan.stop, "+")
	for {
		if ctx.Err() != nil {
			return false, &Error{Op: "read the pending entries", On: g.q.Stream, Code: CodeCanceled, Err: context.Cause(ctx)}
		}
		args := []any{"XPENDING", g.q.Stream, g.q.Group, start, stop, pendingPage}
		if scan.consumer != "" {
			args = append(args, scan.consumer)
		}
		reply, err := g.ask(ctx, args...)
		if err != nil {
			return false, on(err, "read the pending entries", g.q.Stream)
		}
		rows := make([]PendingEntry, 0, len(asList(reply)))
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
		last := ""
		if len(rows) == pendingPage {
			last = rows[len(rows)-1].ID // f may change the rows
		}
		if !f(rows) {
			return false, nil
		}
		next, ok := after(last)
		if order, _ := CompareIDs(next, stop); !ok || stop != "+" && order > 0 {
			return true, nil
		}
		start = next
		pause(ctx, sweepPause)
	}
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
