package ui

import (
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/lab"
)

// detail is one message: what is known of it, its fields, its story and the commands that show it. It keeps the last
// body that was read when the message leaves, and says when it left.
type detail struct {
	kind, id string
	act      Source // nil where no story can be asked for

	// What the last reading that had the message told.
	seen    bool
	seenAt  time.Time
	pending redisq.PendingEntry // of kind detailPending
	letter  redisq.DeadLetter   // of kind detailDead
	repeats int                 // letters of the same original among those read, this one too
	queue   redisq.Queue

	read    time.Time // the last reading that was looked at
	leftAt  time.Time // the first reading without the message; zero while it is there
	fate    string    // what became of it, in words
	unsure  string    // why a reading without it does not tell whether it left, or ""
	watched bool      // story is about this message
	story   []lab.StoryLine

	format format
	scroll int
	height int // of the text drawn last
	total  int

	body     []string // of the values, wrapped for bodyWide in the present format; nil is to be made
	bodyWide int
}

// format is how values are shown.
type format int

const (
	formatText format = iota
	formatJSON
	formatHex
	formats
)

func (f format) String() string { return [...]string{"text", "JSON", "hex"}[f] }

func newDetail(kind, id string, act Source) pane { return &detail{kind: kind, id: id, act: act} }

func (v *detail) Name() string { return "Message" }

func (v *detail) Title(*data) string {
	if v.kind == detailDead {
		return "Dead letter " + clean(v.id)
	}
	return "Message " + clean(v.id)
}

// Opened looks at the reading that is there and asks the lab for the story.
func (v *detail) Opened(d *data) tea.Cmd {
	v.Data(d)
	act, id := v.act, v.entryID()
	if act == nil || id == "" {
		return nil
	}
	return func() tea.Msg {
		act.Watch(id)
		return nil
	}
}

// Closed tells the lab that the story is not wanted any more.
func (v *detail) Closed(*data) tea.Cmd {
	act := v.act
	if act == nil {
		return nil
	}
	return func() tea.Msg {
		act.Watch("")
		return nil
	}
}

// entryID is the id of the entry in the stream that the message is, or was: "" where a letter does not say. Of a letter
// that was replayed it is the entry of the last replay, whose story has those before it too.
func (v *detail) entryID() string {
	switch {
	case v.kind != detailDead:
		return v.id
	case v.letter.Entry != "":
		return v.letter.Entry
	}
	return v.letter.Original
}

func (v *detail) Data(d *data) {
	if d.last.Watched != "" && d.last.Watched == v.entryID() {
		v.watched, v.story = true, d.last.Story
	}
	if d.good == nil || d.good.At.Equal(v.read) {
		return
	}
	v.read, v.queue = d.good.At, d.good.Queue
	if l, ok := d.letters.letter(v.id); ok && v.kind == detailDead && !v.seen {
		v.letter, v.seen, v.seenAt = l, true, d.letters.at
	}
	found, unsure := v.find(d.good)
	switch {
	case found:
		v.seen, v.seenAt = true, d.good.At
		v.leftAt, v.unsure, v.fate = time.Time{}, "", ""
	case unsure != "":
		v.unsure = unsure
	case v.leftAt.IsZero():
		v.leftAt, v.unsure = d.good.At, ""
		v.fate = v.fateIn(d.good)
	case v.fate == fateOpen:
		v.fate = v.fateIn(d.good)
	}
}

// find looks for the message in a reading. unsure says why its absence would not mean that it left.
func (v *detail) find(s *redisq.Snapshot) (found bool, unsure string) {
	if v.kind == detailDead {
		for _, l := range s.Dead.Rows {
			if l.ID == v.id {
				v.renew(v.letter.Fields, l.Fields)
				v.letter, v.repeats = l, repeatsOf(s.Dead.Rows, l)
				return true, ""
			}
		}
		return false, v.unsureDead(s)
	}
	for _, e := range s.Pending.Rows {
		if e.ID != v.id {
			continue
		}
		if e.Gone && v.seen && !v.pending.Gone {
			e.Fields = v.pending.Fields // the last body that was there
		}
		v.renew(v.pending.Fields, e.Fields)
		v.pending = e
		return true, ""
	}
	return false, v.unsurePending(s)
}

// repeatsOf counts the letters that a letter's original entry has.
func repeatsOf(rows []redisq.DeadLetter, of redisq.DeadLetter) int {
	n := 0
	for _, l := range rows {
		if of.Original != "" && l.Original == of.Original {
			n++
		}
	}
	return n
}

// renew has the body wrapped again when its fields are others.
func (v *detail) renew(old, fresh []redisq.Field) {
	if !slices.Equal(old, fresh) {
		v.body = nil
	}
}

// unsurePending says why a message that is not among the rows of a page may be pending all the same.
func (v *detail) unsurePending(s *redisq.Snapshot) string {
	for _, p := range s.Problems {
		if p.Panel == "pending" {
			return "the pending entries could not be read: " + clean(p.Text)
		}
	}
	f, rows := s.Pending.Filter, s.Pending.Rows
	if f.MinIdle > 0 || f.Consumer != "" || f.Start != "" || f.End != "" {
		return "it is not among the rows that the XPENDING form asks for"
	}
	if !s.Pending.More {
		return ""
	}
	// A page without a filter holds all ids up to its last one.
	if len(rows) > 0 {
		if order, ok := redisq.CompareIDs(v.id, rows[len(rows)-1].ID); ok && order < 0 {
			return ""
		}
	}
	return "it is past the rows that were read: " + s.Group.Pending.String() + " are pending"
}

func (v *detail) unsureDead(s *redisq.Snapshot) string {
	for _, p := range s.Problems {
		if p.Panel == "dead" {
			return "the dead letters could not be read: " + clean(p.Text)
		}
	}
	if rows := s.Dead.Rows; s.Dead.More && len(rows) > 0 {
		if order, ok := redisq.CompareIDs(v.id, rows[0].ID); ok && order > 0 {
			return ""
		}
		return "it is older than the rows that were read"
	}
	return ""
}

// fateDead begins the fate of an entry that became a dead letter.
const fateDead = "dead-lettered"

// fateOpen is all that a reading tells of an entry that is pending no more and is no dead letter that was read.
const fateOpen = "acked or dead-lettered"

// fateIn says what a reading without the message tells of what became of it.
func (v *detail) fateIn(s *redisq.Snapshot) string {
	if v.kind == detailDead {
		if s.Dead.Missing {
			return "replayed or deleted (there are no dead letters)"
		}
		return "replayed or deleted"
	}
	for _, l := range s.Dead.Rows {
		if !l.Foreign && (l.Entry == v.id || l.Original == v.id) {
			return fateDead + " (" + clean(l.Reason) + ")"
		}
	}
	switch {
	case s.Stream.Missing:
		return "gone with its stream"
	case s.Group.Missing:
		return "gone with its group"
	case v.seen && v.pending.Gone:
		return "dropped by a claim, as its body was gone, or acked"
	}
	return fateOpen
}

func (v *detail) Key(d *data, k tea.KeyMsg) (tea.Cmd, bool) {
	if k.Paste {
		return nil, false
	}
	most := max(v.total-v.height, 0)
	if to, ok := moved(d.keys, k, v.scroll, v.height-1, most); ok {
		v.scroll = to
		return nil, true
	}
	switch {
	case key.Matches(k, d.keys.Format):
		v.format = (v.format + 1) % formats
		v.body = nil
	case key.Matches(k, d.keys.Copy):
		return copied(d, commandLines(v.commands())), true
	case key.Matches(k, d.keys.Save):
		return v.save(), true
	default:
		return nil, false
	}
	v.scroll = min(v.scroll, most)
	return nil, true
}

func (v *detail) Help(d *data) []key.Binding {
	return append([]key.Binding{d.keys.Back}, append(actHelp(d, d.keys.Act), d.keys.Up, d.keys.Down, d.keys.Format, d.keys.Copy, d.keys.Save)...)
}

func (v *detail) Capturing() bool { return false }

// Selected returns the id that the detail was opened for.
func (v *detail) Selected() string { return v.id }
