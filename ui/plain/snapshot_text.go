package plain

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/ui/cell"
)

// longestPreview is how many bytes of one value stand in the table.
const longestPreview = 200

// columns of the table after the name, with their widths.
var columns = []struct {
	title string
	width int
}{
	{"STORED", 8}, {"UNDELIV.", 9}, {"PENDING", 8}, {"BACKLOG", 8}, {"OLDEST", 8}, {"DELIV.", 7}, {"CONS.", 6},
}

func (l *looker) writeText(w io.Writer, s *redisq.Survey) error {
	out := bufio.NewWriter(w)
	name := l.o.Width
	for _, c := range columns {
		name -= c.width
	}
	row := func(first string, cells ...string) {
		line := cell.Pad(first, name)
		for i, c := range columns {
			text := ""
			if i < len(cells) {
				text = cells[i]
			}
			line += cell.PadLeft(text, c.width)
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	fmt.Fprintln(out, cell.Cut(header(s.Server)+"  "+stamp(s.At), l.o.Width))
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	row("STREAM / GROUP", titles...)
	shown := 0
	for i := range s.Streams {
		r := &s.Streams[i]
		if !l.shown(r) {
			continue
		}
		shown++
		title := safe.Text(r.Name)
		if cell.Width(title) >= name {
			fmt.Fprintln(out, cell.Cut(title, l.o.Width))
			title = ""
		}
		row(title, r.Stream.Length.String())
		notes := &notes{}
		notes.add(safe.Text(streamError(r)))
		notes.problems(r.Problems, streamError(r))
		if r.DeadLetterOf != "" {
			notes.add("dead letters of " + safe.Text(r.DeadLetterOf))
		}
		for _, g := range l.groups(r) {
			row("  "+safe.Text(g.Name), "", g.Undelivered.String(), g.Pending.String(), g.Backlog.String(),
				idle(g.OldestIdle), deliveries(g.MaxDeliveries), consumers(g))
			if g.Missing {
				notes.add(groupError(r, g))
			} else {
				notes.unknown(g)
			}
			notes.problems(g.Problems, "")
			l.writeRows(out, g)
		}
		if n := r.Dead.Length; r.DeadLetter != "" && (!n.Known || n.Value > 0) {
			notes.add(letters(n) + " in " + safe.Text(r.DeadLetter))
		}
		for _, text := range notes.list {
			for _, line := range paragraph(text, l.o.Width-4) {
				fmt.Fprintln(out, "    "+line)
			}
		}
	}
	switch {
	case shown == 0 && l.o.Group != "":
		fmt.Fprintln(out, "No stream has a group "+safe.Text(l.o.Group)+".")
	case shown == 0:
		fmt.Fprintln(out, "There is no stream on this server.")
	case l.more:
		fmt.Fprintln(out, "There are more streams than these.")
	}
	return out.Flush()
}

func letters(n redisq.Number) string {
	if n.Known && n.Value == 1 {
		return "1 dead letter"
	}
	return n.String() + " dead letters"
}

// header says what the server is.
func header(s redisq.ServerInfo) string {
	parts := []string{s.Product, s.Version, s.Role, s.Mode, s.Addr}
	var known []string
	for _, p := range parts {
		if p != "" {
			known = append(known, safe.Text(p))
		}
	}
	return strings.Join(known, " ")
}

// writeRows writes the oldest pending entries of a group.
func (l *looker) writeRows(out io.Writer, g *redisq.GroupReading) {
	for _, e := range g.Rows[:min(len(g.Rows), max(l.o.Pending, 0))] {
		owner := safe.Text(e.Consumer)
		if e.Consumer == "" {
			owner = "(released)"
		}
		line := "    " + cell.Pad(e.ID, 22) + cell.PadLeft(idleOf(e), 9) + cell.PadLeft(count(e.Deliveries), 7) + "  " + cell.Pad(owner, 14) + " " + body(e)
		fmt.Fprintln(out, strings.TrimRight(cell.Cut(line, l.o.Width), " "))
	}
	if more := g.Pending.Value - int64(l.o.Pending); l.o.Pending > 0 && g.Pending.Known && more > 0 {
		fmt.Fprintf(out, "    … %d more\n", more)
	}
}

func body(e redisq.PendingEntry) string {
	switch {
	case e.Gone:
		return "body gone (deleted or trimmed)"
	case len(e.Fields) == 0:
		return "body not known"
	}
	var parts []string
	for _, f := range e.Fields[:min(len(e.Fields), 10)] {
		parts = append(parts, safe.Preview(f.Name, longestPreview)+"="+safe.Preview(f.Value, longestPreview))
	}
	return strings.Join(parts, " ")
}

func idleOf(e redisq.PendingEntry) string {
	if e.Idle < 0 {
		return "ready now"
	}
	return span(e.Idle)
}

// count is a delivery count; the mark of XNACK FATAL is no number of times.
func count(n int64) string {
	if n == redisq.FatalDeliveries {
		return "fatal"
	}
	return fmt.Sprint(n)
}

func deliveries(n redisq.Number) string {
	if n.Known && n.Value == redisq.FatalDeliveries {
		return "fatal"
	}
	return n.String()
}

func consumers(g *redisq.GroupReading) string {
	if g.Consumers != nil {
		return fmt.Sprint(len(g.Consumers))
	}
	return g.Members.String()
}

// idle is a number of ms for the table.
func idle(n redisq.Number) string {
	if !n.Known {
		return "?"
	}
	text := span(time.Duration(n.Value) * time.Millisecond)
	if n.AtLeast {
		text += "+"
	}
	return text
}

// span writes a duration in at most six cells: 0.4s, 12s, 4m12s, 3h05m, 12d.
func span(d time.Duration) string {
	switch s := int64(d.Seconds()); {
	case d < 10*time.Second:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + "s"
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 48*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
	return fmt.Sprintf("%dd", int64(d.Hours()/24))
}

// notes are the lines under a stream, each once.
type notes struct{ list []string }

func (n *notes) add(text string) {
	if text == "" {
		return
	}
	for _, have := range n.list {
		if have == text {
			return
		}
	}
	n.list = append(n.list, text)
}

func (n *notes) problems(list []redisq.Problem, said string) {
	for _, p := range list {
		if p.Code == redisq.ProblemWrongType && said != "" {
			continue // which type it is was said
		}
		if text := safe.Text(p.Text); p.Text != said && !n.said(text) {
			n.add(text)
		}
	}
}

// said says that a note has the text in it already.
func (n *notes) said(text string) bool {
	for _, have := range n.list {
		if strings.Contains(have, text) {
			return true
		}
	}
	return false
}

// unknown gives the reasons of the question marks, those that are the same together.
func (n *notes) unknown(g *redisq.GroupReading) {
	var reasons []string
	of := map[string][]string{}
	for _, f := range []struct {
		name   string
		number redisq.Number
	}{
		{"undelivered", g.Undelivered},
		{"pending", g.Pending},
		{"oldest idle", g.OldestIdle},
		{"deliveries", g.MaxDeliveries},
	} {
		if reason := safe.Text(f.number.Reason); !f.number.Known {
			if of[reason] == nil {
				reasons = append(reasons, reason)
			}
			of[reason] = append(of[reason], f.name)
		}
	}
	for _, reason := range reasons {
		n.add("? " + safe.Text(g.Name) + ": " + strings.Join(of[reason], ", ") + ": " + reason)
	}
	switch t := g.TrimmedUnread; {
	case t.Known:
	case t.Reason == redisq.LostSome:
		n.add(safe.Text(g.Name) + ": entries were removed before the group read them, " + t.Reason)
	case t.Reason == redisq.ReplicaUntold:
		n.add("? " + safe.Text(g.Name) + ": trimmed unread: " + t.Reason)
	}
}

// paragraph cuts text into lines of at most width cells, at blanks where there are some.
func paragraph(text string, width int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(text) {
		for cell.Width(w) > width { // a word that fits on no line
			part := strings.TrimSuffix(cell.Cut(w, width), "…")
			if line != "" {
				lines, line = append(lines, line), ""
			}
			if part == "" || !strings.HasPrefix(w, part) {
				break
			}
			lines = append(lines, part)
			w = w[len(part):]
		}
		switch {
		case line == "":
			line = w
		case cell.Width(line)+1+cell.Width(w) <= width:
			line += " " + w
		default:
			lines, line = append(lines, line), w
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
