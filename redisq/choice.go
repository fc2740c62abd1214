package redisq

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/unacked/redisq/safe"
)

// rowsLooked is how many pending entries a plan looks at where nobody follows the looking.
const rowsLooked = 10_000

// PendingChoice says which pending entries an action is about: those of Rows as a person saw them, or where that is nil
// all of the group that fulfil the rest. The zero value is all.
type PendingChoice struct {
	Rows []PendingEntry

	Idle       time.Duration // idle for at least that, in ms; of a claim also what Rows have to be still
	Deliveries int64         // delivered at least that often
	Consumers  []string      // held by one of these, "" is nobody (released); nil is whoever holds it
	Start, End string        // the range of ids as XPENDING has it: "5", "5-1", "(5-1" is without it, "" or - and + are no bound
	// Only is asked last, with the body: those for which it is true. Nil is all, and reads no bodies.
	Only func(PendingEntry) bool
}

// chosen is a PendingChoice as it was looked at for a plan.
type chosen struct {
	PendingChoice
	g      *Group
	stop   string    // the last delivered id then: what comes later is not touched
	at     time.Time // when the looking ended
	looked int64
	of     int64 // pending then
	count  int
	all    bool // looked at to the end
	first  []PendingEntry
	owners map[string]bool // as far as they are to be told
	passed int64           // looked at by the run
}

// mostOwners is how many consumers a plan tells apart.
const mostOwners = 1000

// choose looks for the entries of a choice; of those that fulfil it only the meant ones are counted. It reads only.
func (g *Group) choose(ctx context.Context, c PendingChoice, meant func(PendingEntry) bool) (*chosen, error) {
	ch := &chosen{PendingChoice: c, g: g, owners: map[string]bool{}}
	if c.Rows != nil {
		ch.note(c.Rows)
		ch.all = true
		return ch, nil
	}
	group, err := g.state(ctx)
	if err != nil {
		return ch, err
	}
	ch.stop, ch.of = group.last, group.pending
	tell, bounded := looker(ctx)
	var failed error
	ch.all, err = ch.pages(ctx, func(rows []PendingEntry, _ time.Duration) bool {
		ch.looked += int64(len(rows))
		rows, failed = ch.fulfil(ctx, rows, 0)
		if failed != nil {
			return false
		}
		ch.note(slices.DeleteFunc(rows, func(e PendingEntry) bool { return !meant(e) }))
		return tell(Looked{Looked: ch.looked, Of: ch.of, Found: ch.count}) && !(bounded && ch.looked >= rowsLooked)
	})
	if err == nil {
		err = failed
	}
	ch.all = ch.all || ch.looked >= ch.of // it was ended at the end
	ch.at = time.Now()
	return ch, err
}

func anyEntry(PendingEntry) bool { return true }

func (c *chosen) note(rows []PendingEntry) {
	c.count += len(rows)
	for _, row := range rows {
		if len(c.first) < shownInPlan {
			c.first = append(c.first, row)
		}
		if len(c.owners) < mostOwners {
			c.owners[row.Consumer] = true
		}
	}
}

// pages reads the pending entries that may be meant, with pauses between the pages. f gets the time since the looking
// for the plan ended, as it was before the page was read.
func (c *chosen) pages(ctx context.Context, f func(rows []PendingEntry, since time.Duration) bool) (all bool, err error) {
	scan, some := c.scan()
	if !some {
		return true, nil
	}
	if len(c.Consumers) == 1 {
		scan.consumer = c.Consumers[0] // the server has a list of its own for each
	}
	since := c.since()
	return c.g.pendingPages(ctx, scan, func(rows []PendingEntry) bool {
		more := f(rows, since)
		since = c.since()
		return more
	})
}

// scan is the range of ids that may be meant; some is false where there is none.
func (c *chosen) scan() (scan pendingScan, some bool) {
	scan, some = pendingScan{start: c.Start, stop: c.stop}, true
	if id, beyond := strings.CutPrefix(c.Start, "("); beyond {
		scan.start, some = after(id)
	}
	switch id, below := strings.CutPrefix(c.End, "("); {
	case below:
		end, ok := previous(id)
		if some = some && ok; before(end, scan.stop) {
			scan.stop = end
		}
	case c.End == "-" || c.Start == "+":
		return scan, false
	case c.End != "" && c.End != "+":
		if !strings.Contains(id, "-") {
			id += "-" + strconv.FormatUint(math.MaxUint64, 10) // as the server completes the end of a range
		}
		if before(id, scan.stop) {
			scan.stop = id
		}
	}
	return scan, some && !before(scan.stop, scan.start)
}

// since is the time that has passed since the entries were looked at, less what clocks may differ by.
func (c *chosen) since() time.Duration {
	if c.at.IsZero() {
		return 0
	}
	d := time.Since(c.at)
	return max(0, d-d/1000-5*time.Millisecond)
}

// fulfil keeps the rows that fulfil the choice, and that nobody has touched for as long as since: these were so before
// that time already.
func (c *chosen) fulfil(ctx context.Context, rows []PendingEntry, since time.Duration) ([]PendingEntry, error) {
	rows = slices.DeleteFunc(rows, func(e PendingEntry) bool {
		return e.Idle >= 0 && e.Idle < c.Idle+since || e.Deliveries < c.Deliveries ||
			c.Consumers != nil && !slices.Contains(c.Consumers, e.Consumer)
	})
	if c.Only == nil {
		return rows, nil
	}
	if err := c.g.bodies(ctx, rows); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(rows, func(e PendingEntry) bool { return !c.Only(e) }), nil
}

// run does something with all that are meant, page by page. Of those that were looked for it leaves out what was
// delivered, claimed or renewed since: that is not what the person saw.
func (c *chosen) run(ctx context.Context, o *Outcome, act func([]PendingEntry) bool) {
	if c.Rows != nil {
		act(c.Rows)
		return
	}
	var failed error
	_, err := c.pages(ctx, func(rows []PendingEntry, since time.Duration) bool {
		looked := int64(len(rows))
		rows, failed = c.fulfil(ctx, rows, since)
		if failed != nil || !act(rows) {
			return false
		}
		c.passed += looked
		c.tell(ctx, o, "")
		return true
	})
	if err == nil {
		err = failed
	}
	switch {
	case CodeOf(err) == CodeCanceled:
		o.Stopped = true
	case err != nil:
		o.fail(err)
	}
}

// missed tells of those that were counted and are not so any more: done, or in somebody's hand.
func (c *chosen) missed(o *Outcome) {
	if c.Rows == nil && c.all {
		o.meanwhile(c.count-o.Done-len(o.Skipped)-len(o.Failed)-o.Unknown, "were acknowledged or delivered")
	}
}

// tell tells how far a run is.
func (c *chosen) tell(ctx context.Context, o *Outcome, id string) {
	p := Progress{ID: id, Looked: c.passed, Of: c.of}
	if c.all {
		p.Total = c.count
	}
	o.tell(ctx, p)
}

// onRows runs a script on rows, some at a time, and notes what came of each. reason reads why a row was refused; "" is
// that it was done after all, as by a run whose reply was lost. False is that going on makes no sense.
func (c *chosen) onRows(ctx context.Context, o *Outcome, s *script, rows []PendingEntry, first []any,
	reason func(parts []any, lost bool) string,
) bool {
	for len(rows) > 0 {
		batch := rows[:min(len(rows), rowBatch)]
		rows = rows[len(batch):]
		if !c.g.onRows(ctx, o, s, batch, first, reason) {
			return false
		}
		c.tell(ctx, o, batch[len(batch)-1].ID)
	}
	return true
}

// counted is "3 pending entries", "at least 3 pending entries" where not all were looked at.
func (c *chosen) counted(one, many string) string {
	text := plural(c.count, one, many)
	if !c.all {
		text = "at least " + text
	}
	return text
}

// begin is a plan with what the looking found.
func (c *chosen) begin(verb string) Plan {
	p := Plan{Title: verb + " " + c.counted("pending entry", "pending entries"), Count: c.count, AtLeast: !c.all}
	if c.Rows == nil {
		p.Effects = append(p.Effects, c.saysLooked())
	}
	return p
}

// saysLooked tells what was looked at, and which of it is meant.
func (c *chosen) saysLooked() string {
	what := "all " + strconv.FormatInt(c.looked, 10) + " pending entries were looked at"
	if !c.all {
		what = fmt.Sprintf("only the first %d of %d pending entries were looked at; the others are looked at as it is done", c.looked, c.of)
	} else if len(c.Consumers) == 1 || c.Start != "" || c.End != "" {
		what = plural(int(c.looked), "pending entry was", "pending entries were") + " looked at"
	}
	return what + "; what is touched until it is done is left alone"
}

// ids are those that the commands of a plan name.
func (c *chosen) ids() []string {
	ids := make([]string, len(c.first))
	for i, row := range c.first {
		ids[i] = row.ID
	}
	if c.count > len(ids) {
		ids = append(ids, "…")
	}
	return ids
}

// holders are the consumers that lose the entries, for a sentence.
func (c *chosen) holders() string {
	switch n := len(c.owners); {
	case n == mostOwners:
		return strconv.Itoa(n) + " or more consumers"
	case n == 1:
		for name := range c.owners {
			return holder(name)
		}
	}
	return plural(len(c.owners), "consumer", "consumers")
}

// bodyBatch and bodyBytes bound what is read at once where the bodies of many entries are looked at: one reply may be
// large, so the next round trip asks for fewer.
const (
	bodyBatch = 100
	bodyBytes = 1 << 20
)

// bodies reads the bodies of rows into them.
func (g *Group) bodies(ctx context.Context, rows []PendingEntry) error {
	n := bodyBatch
	for len(rows) > 0 {
		page := rows[:min(len(rows), n)]
		rows = rows[len(page):]
		commands := make([][]any, len(page))
		for i, row := range page {
			commands[i] = []any{"XRANGE", g.q.Stream, row.ID, row.ID}
		}
		results, err := g.askAll(ctx, commands)
		if err != nil {
			return on(err, "look for bodies", g.q.Stream)
		}
		read := 0
		for i := range page {
			if err := results[i].err; err != nil {
				return on(err, "look for bodies", g.q.Stream)
			}
			page[i].Entry = found(page[i].ID, results[i].reply)
			read += size(page[i].Entry)
		}
		n = fewer(n, read, bodyBatch)
	}
	return nil
}

// fewer is how many bodies to read at once after n of them were that many bytes, at most so many.
func fewer(n, bytes, most int) int {
	switch {
	case bytes > bodyBytes:
		return max(1, n/4)
	case bytes < bodyBytes/4:
		return min(most, 2*n)
	}
	return n
}

// holder names who holds an entry.
func holder(name string) string {
	if name == "" {
		return "nobody (released)"
	}
	return safe.Text(name)
}
