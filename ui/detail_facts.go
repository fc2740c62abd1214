package ui

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
)

// labelWide is the room of the names before the facts.
const labelWide = 12

// Lines draws what is known of the message, its fields, its story and the commands.
func (v *detail) Lines(d *data, width, height int, _ bool) []string {
	if height <= 0 {
		return nil
	}
	all := v.whereabouts(d, width)
	if v.beside(width) {
		left := width * leftShare / 100
		facts, fields := v.facts(d, left), v.fieldLines(d, width-left)[1:] // without the free line over a heading
		for i := range max(len(facts), len(fields)) {
			a, b := cell.Spaces(left), cell.Spaces(width-left)
			if i < len(facts) {
				a = facts[i]
			}
			if i < len(fields) {
				b = fields[i]
			}
			all = append(all, a+b)
		}
	} else {
		all = append(all, v.facts(d, width)...)
		all = append(all, v.fieldLines(d, width)...)
	}
	all = append(all, v.storyLines(d, width)...)
	all = append(all, v.commandLines(d, width)...)

	v.total, v.height = len(all), height
	v.scroll = max(0, min(v.scroll, len(all)-height))
	below := len(all) - v.scroll - height
	out := exactly(all[v.scroll:], width, height)
	if below > 0 && height > 1 {
		out[height-1] = d.look.theme.Dim.On(cell.Pad(" "+d.look.glyphs.Down+" "+many(int64(below+1), "more line"), width))
	}
	return out
}

// Facts and fields of an entry stand side by side from besideFrom cells on, where the fields are few and small, so that
// the story has the room.
const (
	besideFrom  = 100
	besideMost  = 8   // fields
	besideBytes = 400 // of them
)

func (v *detail) beside(width int) bool {
	fields := v.fields()
	if width < besideFrom || len(fields) == 0 || len(fields) > besideMost || v.format != formatText ||
		v.kind != detailPending || v.pending.Gone {
		return false
	}
	size := 0
	for _, f := range fields {
		if strings.Contains(f.Value, "\n") {
			return false
		}
		size += len(f.Name) + len(f.Value)
	}
	return size <= besideBytes
}

// fact draws one labelled line.
func fact(d *data, width int, label, text string, style cell.Style) string {
	if d.stale {
		style = d.look.theme.Stale
	}
	return cell.Pad(" "+d.look.theme.Label.On(cell.Pad(label, labelWide))+style.On(text), width)
}

func heading(d *data, width int, text, note string) []string {
	t := d.look.theme
	return []string{cell.Spaces(width), cell.Pad(" "+t.Title.On(text)+" "+t.Dim.On(note), width)}
}

// facts is what changes with the clock: who has the message, for how long, how often it was delivered.
func (v *detail) facts(d *data, width int) []string {
	switch {
	case !v.seen:
		return nil
	case v.kind == detailDead:
		return v.letterFacts(d, width)
	}
	return v.pendingFacts(d, width)
}

// whereabouts says where the message is now, as far as the readings tell.
func (v *detail) whereabouts(d *data, width int) []string {
	t := d.look.theme
	place := "pending list"
	if v.kind == detailDead {
		place = "dead letters"
	}
	var text string
	style := t.Warn
	switch {
	case v.read.IsZero():
		text = "nothing was read yet"
	case v.unsure != "":
		text = "not seen now: " + v.unsure
	case v.leftAt.IsZero() && v.kind == detailDead:
		text, style = "in the dead letters", t.Bad
	case v.leftAt.IsZero():
		text, style = "pending", t.Accent
	case !v.seen:
		text = "not in the " + place + " when this was opened: " + v.fate
	default:
		// It left between the two readings: the first without it tells the least time ago.
		text = v.fate + " " + durText(d.now.Sub(v.leftAt)) + " ago: last seen at " + stamp(v.seenAt)
		if v.kind == detailPending && v.pending.Consumer != "" {
			text += " with " + clean(v.pending.Consumer) + ", delivery " + deliveryNumber(v.pending.Deliveries)
		}
		style = t.Text
		if strings.HasPrefix(v.fate, fateDead) {
			style = t.Bad
		}
	}
	lines := []string{}
	for i, s := range wrap(text, max(width-labelWide-2, 1)) {
		label := ""
		if i == 0 {
			label = "Now"
		}
		lines = append(lines, fact(d, width, label, s, style))
	}
	if v.seen && v.unsure != "" {
		lines = append(lines, fact(d, width, "Last seen", stamp(v.seenAt)+", as below", t.Dim))
	}
	return lines
}

func (v *detail) pendingFacts(d *data, width int) []string {
	t, e := d.look.theme, v.pending
	there := v.leftAt.IsZero() && v.unsure == ""
	idle, lease, leaseStyle := "", "", t.Text
	switch {
	case e.Idle < 0:
		idle = "ready now: its consumer gave it back (XNACK)"
	case there:
		idle = durShort(d.idleNow(e))
		lease, leaseStyle = leaseText(d, e)
	default: // it does not grow any more
		idle = durShort(e.Idle)
	}
	owner := ownerText(d, e)
	if seen := seenText(d, e.Consumer); d.watch != nil && seen != "" {
		owner += " (" + seen + ")"
	}
	if d.watch == nil && e.Consumer != "" && lifeOf(d, e.Consumer) == "?" {
		owner += " (not a worker of this lab)"
	}
	out := []string{fact(d, width, "Owner", owner, ownerStyle(d, e)), fact(d, width, "Idle", idle, t.Text)}
	if lease == "?" {
		lease = "? (nobody told what the lease is)"
	}
	if lease != "" {
		out = append(out, fact(d, width, "Lease", lease, leaseStyle))
	}
	out = append(out, fact(d, width, "Deliveries", deliveriesText(d, e.Deliveries), deliveriesStyle(d, e.Deliveries)))
	age := "? (its id is no time)"
	if at, ok := redisq.TimeOfID(e.ID); ok {
		age = durShort(max(0, d.now.Sub(at).Truncate(100*time.Millisecond))) + ", added " + stamp(at)
	}
	out = append(out, fact(d, width, "Age", age, t.Text))
	if e.Gone {
		body := "gone (deleted or trimmed): a ghost, nothing is left to work on"
		if len(e.Fields) > 0 {
			body = "gone (deleted or trimmed): a ghost; the fields are those that were read before"
		}
		out = append(out, fact(d, width, "Body", body, t.Warn))
	}
	return out
}

func (v *detail) letterFacts(d *data, width int) []string {
	t, l := d.look.theme, v.letter
	age := "dead-lettered " + deadFor(d, l) + " ago"
	if l.Foreign {
		return []string{
			fact(d, width, "From", foreignText+": it has no metadata of ours, the fields are all that there is", t.Warn),
			fact(d, width, "Age", age, t.Text),
		}
	}
	from := clean(l.Stream)
	if l.Group != "" {
		from += ", group " + clean(l.Group)
	}
	if !l.At.IsZero() {
		age += ", " + stamp(l.At)
	}
	original := clean(l.Original)
	if v.repeats > 1 {
		original += ", which has " + strconv.Itoa(v.repeats) + " dead letters"
	}
	out := []string{
		fact(d, width, "Reason", clean(l.Reason), t.Bad),
		fact(d, width, "Original", original, t.Text),
		fact(d, width, "From", from, t.Text),
		fact(d, width, "Deliveries", strconv.FormatInt(l.Deliveries, 10), t.Text),
		fact(d, width, "Last had by", clean(l.Consumer), t.Text),
		fact(d, width, "Replays", replaysText(l.Replays, d.look.glyphs), t.Text),
		fact(d, width, "Age", age, t.Text),
	}
	if l.Entry != "" && l.Entry != l.Original {
		out = slices.Insert(out, 2, fact(d, width, "Entry", clean(l.Entry)+", the last replay of the original", t.Text))
	}
	return out
}

// storyLines is the story, one line an event, with the time since the first.
func (v *detail) storyLines(d *data, width int) []string {
	t := d.look.theme
	note := "from successive readings"
	if d.last.State != nil {
		note = "as the workers told it"
	}
	var quiet string
	switch {
	case v.act == nil && !v.watched:
		quiet = "nobody tells it here"
	case v.entryID() == "":
		quiet = "the letter does not say which entry it was"
	case !v.watched:
		quiet = "asked for, not here yet"
	case len(v.story) == 0:
		quiet = "nothing is known before this reading"
	}
	if quiet != "" {
		return append(heading(d, width, "Story", ""), cell.Pad("   "+t.Dim.On(quiet), width))
	}
	out := heading(d, width, "Story", note)
	first := v.story[0].At
	for _, line := range v.story {
		since := "+" + strconv.FormatFloat(line.At.Sub(first).Seconds(), 'f', 3, 64) + "s"
		text := "   " + t.Dim.On(stamp(line.At)+" "+cell.PadLeft(since, 10)) + "  " + clean(line.Text)
		out = append(out, cell.Pad(text, width))
	}
	return out
}

// commands are those that show the message in redis-cli.
func (v *detail) commands() [][]string {
	q := v.queue
	if q == (redisq.Queue{}) {
		return nil
	}
	if v.kind == detailDead {
		cmds := [][]string{{"XRANGE", q.DeadLetter, v.id, v.id}}
		if id := v.entryID(); id != "" && v.letter.Stream != "" {
			cmds = append(cmds, []string{"XRANGE", v.letter.Stream, id, id})
		}
		return cmds
	}
	return [][]string{
		{"XPENDING", q.Stream, q.Group, v.id, v.id, "1"},
		{"XRANGE", q.Stream, v.id, v.id},
	}
}

func (v *detail) commandLines(d *data, width int) []string {
	cmds := v.commands()
	if len(cmds) == 0 {
		return nil
	}
	out := heading(d, width, "To see it in redis-cli", "")
	for _, c := range cmds {
		out = append(out, cell.Pad("   "+d.look.theme.Accent.On(clean(redisq.RedisCLI(c))), width))
	}
	return out
}

// stamp is a time of day to the millisecond.
func stamp(t time.Time) string { return t.Format("15:04:05.000") }

// deliveryNumber is which delivery it was: "2", or "max" of an entry that was marked fatal.
func deliveryNumber(n int64) string {
	if n == math.MaxInt64 {
		return "max"
	}
	return strconv.FormatInt(n, 10)
}
