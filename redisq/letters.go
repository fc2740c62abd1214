package redisq

import (
	"fmt"
	"slices"
	"strconv"

	"example.com/unacked/redisq/safe"
)

// DefaultMaxReplays is how often a letter is put back to work before it is left alone: what came back that often needs
// mending first.
const DefaultMaxReplays = 3

// ReplayOptions say which letters are put back to work, and how. The zero value is all that are there, each as a new
// entry of its stream, as fast as the server answers.
type ReplayOptions struct {
	IDs   []string         // these letters, in this order; nil is all that are there when the plan is made, oldest first
	Match []FieldMatch     // only those of them that match all of these
	Only  func(Entry) bool // and for which this is true, nil is all; metadata are fields too
	Limit int              // put back at most that many, 0 is no limit
	Rate  float64          // letters a second at most, 0 is no limit

	To       string // another stream that gets them, "" is the queue's; on a Cluster in the same slot
	Group    string // only this group is to get them: see PlanReplayOf; "" is every group of the stream
	Consumer string // with Group: whose pending entry it becomes, "" is the letter's last consumer

	Keep       bool  // the letter stays, marked: see PlanReplayOf
	Force      bool  // also those that are over MaxReplays, or were replayed before and kept
	MaxReplays int64 // leave alone what was put back that often, 0 is DefaultMaxReplays

	Edited  map[string][]Field // by letter id: fields that go back instead of the letter's own
	Foreign ForeignLetters     // how to read letters that this program did not write

	LookAtMost int // letters that the plan looks at where nobody follows it (WithLooking), 0 is 10,000, less than 0 is all
}

// ForeignLetters says which fields of a letter by another tool are metadata: they stay behind. With the zero value all
// fields go back. What remains goes back byte for byte; where the original's id is not known nothing is added to it, so
// its replays are not counted.
type ForeignLetters struct {
	Leading  int      // the first so many fields
	Names    []string // and every field of one of these names
	Original string   // the field, one of the metadata or not, that holds the id of the original entry; "" is none
}

// letterWork is one letter and what is to be done with it. Letters cannot change, so this is decided here, and the
// script only makes sure that the letter is still there.
type letterWork struct {
	DeadLetter
	flat     int      // names and values of the letter as it is stored
	first    int      // places, from 1, of the first and last name or value that go back
	last     int      //
	drop     []string // places of names between them that stay behind
	own      []Field  // what goes back, before an edit
	edited   []Field  // what goes back instead, nil for own
	original string   // id of the original entry, "" where it is not known
	replays  int64    // how often it was put back before
	skip     string   // why it is left alone, "" is not
}

// work decides about one letter.
func (o *ReplayOptions) work(e Entry, q Queue) letterWork {
	letter := ParseDeadLetter(e)
	before := len(e.Fields) - len(letter.Fields)
	w := letterWork{
		DeadLetter: letter, flat: 2 * len(e.Fields), first: 2*before + 1, last: 2 * len(e.Fields),
		own: letter.Fields, original: letter.Original, replays: letter.Replays, edited: o.Edited[e.ID],
	}
	if letter.Foreign {
		w.foreign(o.Foreign, before)
	}
	if slices.Equal(w.edited, w.own) {
		w.edited = nil
	}
	limit := o.MaxReplays
	if limit <= 0 {
		limit = DefaultMaxReplays
	}
	switch {
	case !letter.Foreign && letter.Stream != q.Stream:
		w.skip = "came from the stream " + safe.Text(letter.Stream) + ", not from " + safe.Text(q.Stream)
	case len(w.own) == 0 && len(w.edited) == 0:
		w.skip = "has no field of its own"
	case o.Force:
	case letter.Kept != "":
		w.skip = "was replayed as " + letter.Kept + " and kept; it is replayed again only when forced"
	case w.replays >= limit:
		w.skip = "was replayed " + times(w.replays) + " and came back; it is replayed again only when forced"
	}
	if w.skip == "" && o.Group != "" && w.target() == "" {
		w.skip = "does not tell the id of the original entry"
	}
	return w
}

// foreign reads a letter of another tool as o says. Where this program had replayed the entry before, the count goes on.
func (w *letterWork) foreign(o ForeignLetters, before int) {
	fields, original := w.Fields, ""
	if o.Original != "" {
		if value, ok := (Entry{Fields: fields}).Get(o.Original); ok {
			if id, ok := parseID(value); ok {
				original = id.String()
			}
		}
	}
	leading := min(max(o.Leading, 0), len(fields))
	w.first += 2 * leading
	w.original, w.replays = original, 0
	rest := Entry{Fields: fields[leading:]}
	if id, replays, own := Original(rest); id != "" {
		w.original, w.replays, rest.Fields = id, replays, own
		w.last -= 4
	}
	w.own = rest.Fields
	if len(o.Names) == 0 {
		return
	}
	w.own = nil
	for i, f := range rest.Fields {
		if slices.Contains(o.Names, f.Name) {
			w.drop = append(w.drop, strconv.Itoa(2*(before+leading+i)+1))
			continue
		}
		w.own = append(w.own, f)
	}
}

// target is the id of the entry in the stream that the letter was made of, "" where it is not known.
func (w *letterWork) target() string {
	if !w.Foreign {
		return w.Entry
	}
	return w.original
}

// fields are what goes back.
func (w *letterWork) fields() []Field {
	if w.edited != nil {
		return w.edited
	}
	return w.own
}

// Check refuses options that make no sense together.
func (o *ReplayOptions) Check(q Queue) error {
	refuse := func(format string, args ...any) error {
		return &Error{Op: "plan a replay", On: q.DeadLetter, Code: "ERR", Err: fmt.Errorf(format, args...)}
	}
	switch {
	case q.DeadLetter == "" || q.Stream == "":
		return refuse("the stream and its dead letters have to be named")
	case q.DeadLetter == q.Stream:
		return refuse("the stream and its dead letters are one key")
	case o.To == q.DeadLetter:
		return refuse("the letters are in %s already", safe.Text(o.To))
	case o.Group != "" && o.To != "" && o.To != q.Stream:
		return refuse("one group alone gets an entry back in its own stream only, not in %s", safe.Text(o.To))
	case o.Group != "" && len(o.Edited) > 0:
		return refuse("one group alone gets the original entry, which cannot be edited; edited fields go to every group, as a new entry")
	case o.Limit < 0 || o.Rate < 0 || o.MaxReplays < 0 || o.Foreign.Leading < 0:
		return refuse("a limit, rate or count is not negative")
	}
	for _, id := range o.IDs {
		if _, ok := parseID(id); !ok {
			return refuse("%q is not the id of a letter", safe.Text(id))
		}
	}
	for id, fields := range o.Edited {
		if len(fields) == 0 {
			return refuse("the letter %s was edited to nothing: an entry needs a field", safe.Text(id))
		}
	}
	return nil
}

func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return strconv.FormatInt(n, 10) + " times"
}
