package ui

import (
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
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

	opened   bool
	calm     string               // the word of the last verdict that said that nothing is wrong; "" while something is
	next     string               // one that has to last before it is told
	since    time.Time            // from when next holds
	begins   map[string]time.Time // what is wrong and not told yet, since when
	standing map[string]time.Time // what was told to be wrong, when it last was: by word and what it is about

	marks, notices, events lab.Mark          // the last ones told
	failures               map[string]string // reason that was told last of an entry's failure, by its id
	books                  lab.Books
	rows                   map[watch.Choice]string // of the list of streams: what was told of them
	listed                 bool
}

const (
	warnAfter = time.Second     // a warning must last before it is told; what is worse is told at once
	calmAfter = 3 * time.Second // a verdict that is no alarm must last before it is told
	overAfter = 4 * time.Second // what is wrong must be gone for so long before it is over: figures go up and down
)

// NewTeller returns one for a lab, or for what Options.Watch has. Keys, theme and size mean nothing to it.
func NewTeller(o Options, w io.Writer) *Teller {
	o.Still = true
	t := &Teller{m: New(o), w: w, standing: map[string]time.Time{}, failures: map[string]string{}, rows: map[watch.Choice]string{}}
	t.m.d.keyless, t.m.d.plain, t.m.d.told = true, true, true
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
	lines := t.opening()
	lines = append(lines, t.happened()...)
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

// opening tells what the lines are of, once that is known.
func (t *Teller) opening() []line {
	d := t.m.d
	var at time.Time
	var text string
	switch {
	case t.opened:
		return nil
	case t.m.browsing():
		s := d.watch.streams
		if s == nil || s.Server.Product == "" && !s.Ended {
			return nil
		}
		at, text = s.At, "watching every stream on "+serverText(s.Server)+" at "+clean(d.watch.address)
	case d.good == nil:
		return nil
	case d.watch != nil:
		at, text = d.good.At, "watching "+nameOf(d.watch.chosen)+" on "+serverText(d.good.Server)+" at "+clean(d.watch.address)
	default:
		dec := d.state().Decisions
		at, text = d.good.At, "the lab on "+serverText(d.good.Server)+": "+many(int64(dec.Workers), "worker")+", "+
			plainly(dec.Rate)+" orders a second"
		if dec.BadShare > 0 {
			text += ", " + plainly(100*dec.BadShare) + " % of them with a bad address"
		}
	}
	t.opened = true
	return []line{{at, text}}
}

// plainly is a number with at most one decimal.
func plainly(x float64) string { return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64) }

// nameOf is a group in words: no sign to be read aloud stands between the names.
func nameOf(c watch.Choice) string {
	if c.Group == "" {
		return clean(c.Stream)
	}
	return clean(c.Stream) + ", group " + clean(c.Group)
}

// happened tells of the events since the last time.
func (t *Teller) happened() []line {
	d := t.m.d
	s := d.state()
	all := fresh(s.Marks, &t.marks)
	all = append(all, fresh(s.Notices, &t.notices)...)
	if d.watch != nil {
		events := make([]lab.Mark, len(d.watch.events))
		for i, e := range d.watch.events {
			events[i] = lab.Mark{At: e.At, Text: e.Text, ID: e.ID}
		}
		all = append(all, fresh(events, &t.events)...)
	}
	lines := make([]line, 0, len(all))
	attempts := map[string]int{} // line of the last attempt at an entry, while nothing else happened to it
	for _, e := range all {
		attempt, begun := attempts[e.ID]
		delete(attempts, e.ID)
		reason, failed := failure(e.Text)
		if !failed {
			if e.ID != "" && strings.Contains(e.Text, "(delivery ") {
				attempts[e.ID] = len(lines)
			}
			lines = append(lines, line{e.At, e.Text})
			continue
		}
		// An attempt and its failure are one line, and the reason is not told again while it is the same.
		before := t.failures[e.ID]
		if len(t.failures) >= mostKept {
			clear(t.failures)
		}
		t.failures[e.ID] = reason
		text := " and failed: " + reason
		if before == reason {
			text = " and failed again"
		}
		switch {
		case begun:
			lines[attempt].text += text
		case before == reason:
			lines = append(lines, line{e.At, strings.TrimSuffix(e.Text, ": "+reason) + " again"})
		default:
			lines = append(lines, line{e.At, e.Text})
		}
	}
	return lines
}

// failure is the reason of what the lab notices of one: "w1 failed at order 5: 550 no such user".
func failure(text string) (reason string, ok bool) {
	_, rest, failed := strings.Cut(text, " failed at ")
	_, reason, told := strings.Cut(rest, ": ")
	return reason, failed && told
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

// byEvents are the words of which events tell, each time: a dead letter with its reason, a server that does not answer.
func (t *Teller) byEvents(word string) bool {
	if t.m.watcher != nil {
		return word == "NO ANSWER"
	}
	return word == "DEAD LETTERS"
}

// verdict tells what begins to be wrong and what is over, and how it goes where nothing is wrong.
func (t *Teller) verdict() []line {
	d := t.m.d
	all := findings(d)
	first := worst(all)
	if d.watch != nil {
		all = watchAll(d)
	}
	var lines []line
	begins := map[string]time.Time{}
	for _, f := range all {
		if f.level != levelBad && f.level != levelWarn || t.byEvents(f.word) {
			continue
		}
		key := f.word + "\x00" + f.about
		if _, told := t.standing[key]; told {
			t.standing[key] = d.now
			continue
		}
		since, before := t.begins[key]
		if !before {
			since = d.now
		}
		begins[key] = since
		if f.level == levelBad || d.now.Sub(since) >= warnAfter {
			t.standing[key] = d.now
			lines = append(lines, line{d.now, f.word + ": " + spoken(f.text)})
		}
	}
	t.begins = begins
	over := map[string]bool{}
	for key, last := range t.standing {
		switch word, _, _ := strings.Cut(key, "\x00"); {
		case first.word == "NO ANSWER" && word != first.word:
			t.standing[key] = d.now // nobody knows
		case d.now.Sub(last) >= overAfter:
			delete(t.standing, key)
			over[word] = true
		}
	}
	still := map[string]bool{}
	for key := range t.standing {
		word, _, _ := strings.Cut(key, "\x00")
		still[word] = true
	}
	if len(still) > 0 || first.word == "NO ANSWER" {
		t.calm, t.next = "", ""
		for _, word := range slices.Sorted(maps.Keys(over)) {
			if !still[word] {
				lines = append(lines, line{d.now, word + " is over"})
			}
		}
		return lines
	}
	// All that was wrong is over: what is said now says so.
	calm := calmest(all)
	if t.next != calm.word {
		t.next, t.since = calm.word, d.now
	}
	if calm.word != t.calm && d.now.Sub(t.since) >= calmAfter {
		t.calm = calm.word
		lines = append(lines, line{d.now, calm.word + ": " + spoken(calm.text)})
	}
	return lines
}

// calmest is the first finding that is no alarm.
func calmest(all []finding) finding {
	for _, f := range all {
		if f.level == levelGood || f.level == levelCalm {
			return f
		}
	}
	return worst(nil)
}

// aSecond is what a rate looks like on the screen; aloud it is said in words.
var aSecond = regexp.MustCompile(`(\d)/s\b`)

func spoken(text string) string { return aSecond.ReplaceAllString(text, "$1 a second") }

// book tells the lab's books where an order was mailed twice, was lost or does not add up.
func (t *Teller) book() []line {
	d := t.m.d
	b := d.state().Books
	if !b.Known {
		return nil
	}
	old := t.books
	t.books = b
	if old.Twice == b.Twice && old.Never == b.Never && old.Vanished == b.Vanished && old.Off == b.Off {
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
	if !t.listed && s.Ended {
		t.listed = true
		lines = append([]line{{s.At, many(int64(s.Found), "stream") + ", " + many(int64(bad), "group") + " not well"}}, lines...)
	}
	if s.Err != nil && t.rows[watch.Choice{}] != s.Err.Error() {
		t.rows[watch.Choice{}] = s.Err.Error()
		lines = append(lines, line{s.At, "NO ANSWER: " + s.Err.Error()})
	} else if s.Err == nil {
		delete(t.rows, watch.Choice{})
	}
	return lines
}

func rowText(r *watch.Row, state string) string {
	text := nameOf(r.Choice) + ": " + state
	sep := "; "
	for _, f := range []struct {
		name string
		n    redisq.Number
		text string
	}{
		{"backlog", r.Backlog, r.Backlog.String()},
		{"pending", r.Pending, r.Pending.String()},
		{"oldest idle", r.OldestIdle, idleOf(r.OldestIdle, r.Pending)},
	} {
		if f.n.Known && f.text == "0" {
			continue
		}
		text += sep + f.name + " " + f.text
		sep = ", "
	}
	return text
}
