package redisq

import (
	"context"
	"slices"
	"strconv"
	"time"
)

// histogramBars is how many delivery counts are told apart; the last bar is that count or more.
const histogramBars = 10

// The fields of an entry never change, so a body is fetched again only to see whether it is still there: when the
// stream's counters show that something was removed, and where there are no counters, after uncountedAge. A body of
// bigBody bytes and more is not fetched more often than bigBodyAge, and large ones one after the other.
const (
	bigBody      = 8 << 10
	bigBodyAge   = 5 * time.Second
	uncountedAge = time.Second
)

// askPending asks for the pending page that the figures are taken from, and, where a filter is set that the page
// does not answer, for the filtered one.
func (r *reading) askPending(b *batch) (stat, filtered int) {
	page := r.o.PendingRows + 1
	if r.pendingCount <= pendingAll {
		page = pendingAll + 1 // all of them, so that the figures are exact
	}
	stat = b.add("XPENDING", r.q.Stream, r.q.Group, "-", "+", page)
	filtered = -1
	if r.filter != (PendingFilter{}) {
		filtered = b.add(r.filterCommand(r.filterStart(), r.filterPage())...)
	}
	return stat, filtered
}

func (r *reading) filterStart() string {
	if r.filter.Start == "" {
		return "-"
	}
	return r.filter.Start
}

func (r *reading) filterEnd() string {
	if r.filter.End == "" {
		return "+"
	}
	return r.filter.End
}

// filterRows is how many rows are wanted.
func (r *reading) filterRows() int {
	if r.filter.Count <= 0 {
		return r.o.PendingRows
	}
	return min(r.filter.Count, pendingPage-1)
}

// filterPage is how many rows one XPENDING of the filter asks for: with an idle time, whole pages are looked at here.
func (r *reading) filterPage() int {
	if r.filter.MinIdle > 0 {
		return pendingPage
	}
	return r.filterRows() + 1
}

// filterCommand never has IDLE: over a large range it costs the server as much as reading all of it (84 ms at a
// million entries), whatever COUNT says.
func (r *reading) filterCommand(start string, page int) []any {
	args := []any{"XPENDING", r.q.Stream, r.q.Group, start, r.filterEnd(), page}
	if r.filter.Consumer != "" {
		args = append(args, r.filter.Consumer)
	}
	return args
}

// PendingCommand returns the XPENDING that redis-cli takes for a filter; rows is the count where the filter has none.
func PendingCommand(q Queue, f PendingFilter, rows int) []string {
	args := []string{"XPENDING", q.Stream, q.Group}
	if f.MinIdle > 0 {
		args = append(args, "IDLE", strconv.FormatInt(f.MinIdle.Milliseconds(), 10))
	}
	start, end := f.Start, f.End
	if start == "" {
		start = "-"
	}
	if end == "" {
		end = "+"
	}
	if f.Count > 0 {
		rows = f.Count
	}
	args = append(args, start, end, strconv.Itoa(rows))
	if f.Consumer != "" {
		args = append(args, f.Consumer)
	}
	return args
}

// readPending takes in the pages of XPENDING.
func (r *reading) readPending(stat result, filtered *result) {
	page := &r.snap.Pending
	page.Filter = r.filter
	page.Command = PendingCommand(r.q, r.filter, r.filterRows())
	g := &r.snap.Group
	if stat.err != nil {
		code := CodeOf(stat.err)
		if code != CodeNoKey && code != "NOGROUP" && code != "WRONGTYPE" {
			reason := r.problem("pending", stat.err)
			g.OldestIdle, g.MaxDeliveries = Unknown(reason), Unknown(reason)
		}
		return
	}
	r.statRows = r.rows(stat.reply)
	asked := r.o.PendingRows + 1
	if r.pendingCount <= pendingAll {
		asked = pendingAll + 1
	}
	r.statAll = len(r.statRows) < asked
	r.pendingCount = int64(len(r.statRows))
	if g.Pending.Known {
		r.pendingCount = max(g.Pending.Value, r.pendingCount)
	}
	r.figures()
	r.byConsumer()

	rows := r.statRows
	if filtered != nil {
		if filtered.err != nil {
			r.problem("pending", filtered.err)
			return
		}
		rows = r.rows(filtered.reply)
		page.More = len(rows) >= r.filterPage()
		if len(rows) > 0 {
			r.lastFiltered = rows[len(rows)-1].ID
		}
		rows = r.idleEnough(rows)
	} else {
		page.More = !r.statAll
	}
	r.keepRows(rows)
}

func (r *reading) keepRows(rows []PendingEntry) {
	want := r.filterRows()
	if len(rows) > want {
		rows = rows[:want:want]
		r.snap.Pending.More = true
	}
	r.snap.Pending.Rows = rows
}

func (r *reading) rows(reply any) []PendingEntry { return pendingRows(reply, r.now) }

// pendingRows reads the reply of XPENDING's extended form; now is by the server's clock.
func pendingRows(reply any, now time.Time) []PendingEntry {
	list := asList(reply)
	rows := make([]PendingEntry, 0, len(list))
	for _, item := range list {
		parts := asList(item)
		if len(parts) < 4 {
			continue
		}
		e := PendingEntry{Entry: Entry{ID: asString(parts[0])}, Consumer: asString(parts[1])}
		idle, _ := asInt(parts[2])
		e.Idle = time.Duration(idle) * time.Millisecond
		if idle < 0 {
			e.Idle = -1
		}
		e.Deliveries, _ = asInt(parts[3])
		if at, ok := TimeOfID(e.ID); ok {
			e.Age = Exact(max(now.Sub(at).Milliseconds(), 0), Derived)
		} else {
			e.Age = Unknown("the id is not a time")
		}
		rows = append(rows, e)
	}
	return rows
}

func (r *reading) idleEnough(rows []PendingEntry) []PendingEntry {
	if r.filter.MinIdle <= 0 {
		return rows
	}
	kept := rows[:0:0]
	for _, e := range rows {
		if e.Idle >= r.filter.MinIdle {
			kept = append(kept, e)
		}
	}
	return kept
}

// figures takes the oldest idle time, the largest delivery count and the histogram from the page.
func (r *reading) figures() {
	g := &r.snap.Group
	var oldest time.Duration
	var most int64
	bars := make([]int64, histogramBars)
	for _, e := range r.statRows {
		oldest, most = max(oldest, e.Idle), max(most, e.Deliveries)
		if e.Deliveries > 0 {
			bars[min(e.Deliveries, histogramBars)-1]++
		}
	}
	g.OldestIdle, g.MaxDeliveries = Exact(oldest.Milliseconds(), Derived), Exact(most, Derived)
	g.OldestIdle.AtLeast, g.MaxDeliveries.AtLeast = !r.statAll, !r.statAll
	r.snap.Pending.Histogram = bars
}

// byConsumer makes the summary form of XPENDING from XINFO CONSUMERS, which tells the same. Entries that XNACK released
// belong to nobody: where a row shows one, the rest stands under the name "".
func (r *reading) byConsumer() {
	owned := int64(0)
	for _, c := range r.snap.Group.Consumers {
		if c.Pending > 0 {
			r.snap.Pending.ByConsumer = append(r.snap.Pending.ByConsumer, c)
			owned += c.Pending
		}
	}
	pending := r.snap.Group.Pending
	for _, e := range r.statRows {
		if e.Consumer == "" && pending.Known && pending.Value > owned {
			r.snap.Pending.ByConsumer = append(r.snap.Pending.ByConsumer, Consumer{
				Pending: pending.Value - owned, Idle: Unknown("nobody holds them"), Inactive: Unknown("nobody holds them"),
			})
			return
		}
	}
}

// bodyCache keeps the bodies of the pending rows from one reading to the next.
type bodyCache map[string]cachedBody

type cachedBody struct {
	entry   Entry
	at      time.Time
	removed Number // entries removed from the stream ever, when it was fetched
}

// removed is how many entries were ever removed from the stream, where the server counts.
func (r *reading) removed() Number {
	if added := r.stream.added; r.haveStream && added.Known && added.Source == FromServer {
		return Exact(added.Value-r.stream.length, Derived)
	}
	return Number{}
}

// cached returns a body that was fetched before, and whether it is certain enough that it is still there.
func (r *reading) cached(id string) (body cachedBody, have, good bool) {
	body, have = r.bodies[id]
	if !have {
		return body, false, false
	}
	age := r.snap.At.Sub(body.at)
	switch removed := r.removed(); {
	case body.entry.Gone, removed.Known && removed == body.removed, size(body.entry) >= bigBody && age < bigBodyAge:
		good = true
	case removed.Known:
		good = r.onlyTrimmed() // and it is not before the first entry
	default:
		good = age < uncountedAge
	}
	return body, true, good
}

// onlyTrimmed says that no entry was ever deleted by its id, so that all from the first one on are there.
func (r *reading) onlyTrimmed() bool { return r.haveStream && r.stream.maxDeleted == entryID{} }

// trimmedAway says that an entry lies before all that the stream holds.
func (r *reading) trimmedAway(id string) bool {
	at, ok := parseID(id)
	return ok && r.haveStream && (r.stream.length == 0 || at.compare(r.stream.first) < 0)
}

// askBodies asks for the bodies of the rows, one XRANGE each, as many as a reading may carry: first the one that is
// wanted, then those that were never read, then those of which it is not certain that they are still there. The places
// are below 0 where none is asked for.
func (r *reading) askBodies(b *batch) []int {
	rows := r.snap.Pending.Rows
	places := make([]int, len(rows))
	var wanted, fresh, old []int
	for i := range rows {
		places[i] = -1
		body, have, good := r.cached(rows[i].ID)
		if have {
			rows[i].Entry = body.entry
		}
		switch {
		case r.trimmedAway(rows[i].ID):
			rows[i].Entry = Entry{ID: rows[i].ID, Gone: true}
		case good:
		case rows[i].ID == r.wants:
			wanted = append(wanted, i)
		case !have:
			fresh = append(fresh, i)
		default:
			old = append(old, i)
		}
	}
	slices.SortStableFunc(old, func(i, j int) int { return r.bodies[rows[i].ID].at.Compare(r.bodies[rows[j].ID].at) })
	left := bodyBudget
	for n, i := range slices.Concat(wanted, fresh, old) {
		costs := max(r.stream.entrySize, size(rows[i].Entry))
		if n > 0 && costs > left {
			break
		}
		left -= costs
		places[i] = b.add("XRANGE", r.q.Stream, rows[i].ID, rows[i].ID)
	}
	return places
}

func (r *reading) readBodies(results []result, places []int) {
	kept := make(bodyCache, len(places))
	rows := r.snap.Pending.Rows
	for i, place := range places {
		id := rows[i].ID
		if place < 0 {
			if body, have := r.bodies[id]; have {
				kept[id] = body
			}
			continue
		}
		if results[place].err != nil {
			r.problem("pending", results[place].err)
			continue
		}
		rows[i].Entry = found(id, results[place].reply)
		kept[id] = cachedBody{rows[i].Entry, r.snap.At, r.removed()}
	}
	r.bodies = kept
}

// found reads the reply of XRANGE id id.
func found(id string, reply any) Entry {
	if entries := asEntries(reply); len(entries) == 1 {
		return entries[0]
	}
	return Entry{ID: id, Gone: true}
}

func size(e Entry) int {
	n := 0
	for _, f := range e.Fields {
		n += len(f.Name) + len(f.Value)
	}
	return n
}

// finishPending looks at further pages where a filter by idle time found too little on the first: bounded, so that a
// reading costs the server at most about 1 ms more.
func (r *reading) finishPending(ctx context.Context) {
	page := &r.snap.Pending
	if r.filter.MinIdle <= 0 || !page.More || len(page.Rows) >= r.filterRows() || r.lastFiltered == "" {
		return
	}
	last := r.lastFiltered
	for range filterPages {
		start, ok := after(last)
		if !ok {
			page.More = false
			return
		}
		reply, err := r.c.Do(ctx, r.filterCommand(start, pendingPage)...)
		if err != nil {
			r.problem("pending", err)
			return
		}
		rows := r.rows(reply)
		page.More = len(rows) >= pendingPage
		if len(rows) > 0 {
			last = rows[len(rows)-1].ID
		}
		enough := r.idleEnough(rows)
		had := len(page.Rows)
		r.keepRows(append(page.Rows, enough...))
		var b batch
		places := make([]int, 0, len(page.Rows)-had)
		for _, e := range page.Rows[had:min(len(page.Rows), had+affordable(r.stream.entrySize, 1, len(page.Rows)))] {
			places = append(places, b.add("XRANGE", r.q.Stream, e.ID, e.ID))
		}
		err = b.send(ctx, r.c)
		r.snap.Bytes += b.bytes
		if err != nil {
			return
		}
		for i, place := range places {
			if row := &page.Rows[had+i]; b.results[place].err == nil {
				row.Entry = found(row.ID, b.results[place].reply)
			}
		}
		if !page.More || len(page.Rows) >= r.filterRows() {
			return
		}
	}
}
