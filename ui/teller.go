package ui

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/watch"
	"example.com/unacked/workers/lab"
)

// Teller writes a line of text whenever something changes: for screen readers, logs, and where there is no terminal. It
// has its words from the screen, whose model it keeps without ever drawing it. It belongs to one goroutine.
type Teller struct {
	m *Model
	w io.Writer

	word  string               // of the verdict that was told last
	next  string               // a calmer one that has to last before it is told
	since time.Time            // from when next holds
	seen  map[string]time.Time // other findings, when they last held

	marks, notices, events lab.Mark // the last ones told
	books                  lab.Books
	rows                   map[watch.Choice]string // of the list of streams: what was told of them
	listed                 bool
}

const (
	calmAfter = time.Second      // a verdict that is no alarm must last before it is told
	seenFor   = 15 * time.Second // a finding that went and comes again within this is not told again
)

// NewTeller returns one for a lab, or for what Options.Watch has. Keys, theme and size mean nothing to it.
func NewTeller(o Options, w io.Writer) *Teller {
	o.Still = true
	t := &Teller{m: New(o), w: w, seen: map[string]time.Time{}, rows: map[watch.Choice]string{}}
	t.m.d.keyless, t.m.d.plain = true, true
	return t
}

// Close ends what the teller has under way.
func (t *Teller) Close() { t.m.Close() }

// Lab takes a reading of the lab. The error is that of the writer.
func (t *Teller) Lab(u lab.Update) error {
	t.m.receive(u)
	return t.tell()
}

// Watch takes what the watching brings. The error is that of the writer.
func (t *Teller) Watch(u watch.Update) error {
	t.m.receiveWatch(u)
	return t.tell()
}

// Tick has the time go on where no reading comes. The error is that of the writer.
func (t *Teller) Tick(now time.Time) error {
	t.m.clock(now)
	return t.tell()
}

// Say tells something that came from elsewhere. The error is that of the writer.
func (t *Teller) Say(at time.Time, text string) error {
	_, err := fmt.Fprintln(t.w, at.Format("15:04:05")+" "+clean(text))
	return err
}

func (t *Teller) tell() error {
	d := t.m.d
	if d.now.IsZero() {
		return nil
	}
	var lines []line
	s := d.state()
	happened := fresh(s.Marks, &t.marks)
	happened = append(happened, fresh(s.Notices, &t.notices)...)
	if d.watch != nil {
		events := make([]lab.Mark, len(d.watch.events))
		for i, e := range d.watch.events {
			events[i] = lab.Mark{At: e.At, Text: e.Text, ID: e.ID}
		}
		happened = append(happened, fresh(events, &t.events)...)
	}
	for _, e := range happened {
		lines = append(lines, line{e.At, e.Text})
	}
	if t.m.browsing() {
		lines = append(lines, t.list()...)
	} else {
		lines = append(lines, t.verdict()...)
	}
	lines = append(lines, t.book()...)
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	for _, l := range lines {
		if err := t.Say(l.at, l.text); err != nil {
			return err
		}
	}
	return nil
}

type line struct {
	at   time.Time
	text string
}

// fresh returns what came after last, and remembers the newest.
func fresh(all []lab.Mark, last *lab.Mark) []lab.Mark {
	from := len(all)
	for from > 0 && all[from-1] != *last && (last.At.IsZero() || !all[from-1].At.Before(last.At)) {
		from--
	}
	if len(all) > 0 {
		*last = all[len(all)-1]
	}
	return append([]lab.Mark(nil), all[from:]...)
}

// verdict tells the verdict where its word is another, and what else began to be wrong.
func (t *Teller) verdict() []line {
	d := t.m.d
	all := findings(d)
	first := worst(all)
	var lines []line
	alarm := first.level == levelBad || first.level == levelWarn
	if t.next != first.word {
		t.next, t.since = first.word, d.now
	}
	if first.word != t.word && (alarm || t.word == "" || d.now.Sub(t.since) >= calmAfter) {
		text := first.word + ": " + first.text
		if last, ok := t.seen[first.word]; ok && d.now.Sub(last) < seenFor {
			text = "now " + first.word // its sentence was told
		}
		t.word = first.word
		t.seen[first.word] = d.now
		lines = append(lines, line{d.now, text})
	}
	for _, f := range all[min(1, len(all)):] {
		if f.level != levelBad && f.level != levelWarn {
			continue
		}
		if last, ok := t.seen[f.word]; !ok || d.now.Sub(last) > seenFor {
			lines = append(lines, line{d.now, "also " + f.word + ": " + f.text})
		}
		t.seen[f.word] = d.now
	}
	if alarm {
		t.seen[first.word] = d.now
	}
	return lines
}

// book tells the lab's books where an order was mailed twice, was lost or was given up.
func (t *Teller) book() []line {
	d := t.m.d
	b := d.state().Books
	if !b.Known {
		return nil
	}
	old := t.books
	t.books = b
	if old.Known && old.Twice == b.Twice && old.Never == b.Never && old.Dead == b.Dead && old.Vanished == b.Vanished && old.Off == b.Off {
		return nil
	}
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	text := "books: " + many(b.Orders, "order") + ", mailed once " + n(b.Once) + ", twice " + n(b.Twice) + ", not yet " + n(b.NotYet) +
		" (dead letters " + n(b.Dead) + "), never " + n(b.Never)
	if !b.Balanced && b.Off != "" {
		text += "; " + b.Off
	}
	return []line{{b.At, text}}
}

// mostTold bounds how many groups are told of one by one at first, and kept in mind.
const (
	mostTold = 20
	mostKept = 10_000
)

// list tells of groups whose state is another than before.
func (t *Teller) list() []line {
	d := t.m.d
	s := d.watch.streams
	if s == nil {
		return nil
	}
	var lines []line
	bad := 0
	for i := range s.Rows {
		r := &s.Rows[i]
		state := stateOf(r)
		if r.Trouble == redisq.TroubleNone || r.Trouble == redisq.TroubleWaiting {
			state = "well"
		} else {
			bad++
		}
		before, known := t.rows[r.Choice]
		if known && before == state || !known && state == "well" {
			continue
		}
		if !known && len(t.rows) >= mostKept {
			continue
		}
		t.rows[r.Choice] = state
		if !t.listed && bad > mostTold {
			continue
		}
		lines = append(lines, line{s.At, rowText(r, state)})
	}
	if s.Err != nil && t.rows[watch.Choice{}] != s.Err.Error() {
		t.rows[watch.Choice{}] = s.Err.Error()
		lines = append(lines, line{s.At, "NO ANSWER: " + s.Err.Error()})
	} else if s.Err == nil {
		delete(t.rows, watch.Choice{})
	}
	if !t.listed && s.Ended {
		t.listed = true
		lines = append(lines, line{s.At, many(int64(s.Found), "stream") + " watched, " + many(int64(bad), "group") + " not well"})
	}
	return lines
}

func rowText(r *watch.Row, state string) string {
	name := clean(r.Stream)
	if r.Group != "" {
		name += " > " + clean(r.Group)
	}
	facts := []string{"backlog " + r.Backlog.String(), "pending " + r.Pending.String(), "oldest idle " + idleOf(r.OldestIdle, r.Pending)}
	return name + ": " + state + "; " + strings.Join(facts, ", ")
}
