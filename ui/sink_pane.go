package ui

import (
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
)

// sinkPane is what the mail server counted, and the books: where every accepted order is.
type sinkPane struct{}

func (*sinkPane) Name() string { return "Mail sink" }

func (*sinkPane) Title(d *data) string {
	s := d.state().Sink
	if !s.Known {
		return "Mail sink"
	}
	title := "Mail sink " + many(s.Mails, "mail")
	if s.Refused > 0 {
		title += ", " + strconv.FormatInt(s.Refused, 10) + " refused (550)"
	}
	return title
}

func (*sinkPane) Data(*data) {}

func (*sinkPane) Key(*data, tea.KeyMsg) (tea.Cmd, bool) { return nil, false }

func (*sinkPane) Help(*data) []key.Binding { return nil }

func (*sinkPane) Capturing() bool { return false }

func (*sinkPane) Lines(d *data, width, height int, _ bool) []string {
	t := d.look.theme
	b, s := d.state().Books, d.state().Sink
	var lines []string
	switch {
	case d.last.State == nil:
		lines = append(lines, t.Dim.On(" nothing was counted yet"))
	case !b.Known:
		reason := clean(b.Reason)
		if reason == "" {
			reason = "nothing was counted yet"
		}
		for _, line := range wrapWords(reason, width-2, 3) {
			lines = append(lines, t.Dim.On(" "+line))
		}
	default:
		never := ""
		if b.Never > 0 {
			never = orders(b.NeverIDs)
		}
		twice := ""
		if b.Twice > 0 && len(s.TwiceIDs) > 0 {
			twice = orders(s.TwiceIDs)
		}
		dead := ""
		if b.Dead > 0 {
			dead = many(b.Dead, "dead letter")
		}
		lines = append(lines,
			booksBar(d, width),
			countLine(d, "orders", b.Orders, t.Value, "accepted"),
			countLine(d, "sent once", b.Once, t.Good, ""),
			countLine(d, "sent twice", b.Twice, t.Warn, twice),
			countLine(d, "not yet", b.NotYet, t.Value, dead),
			countLine(d, "never", b.Never, t.Bad, never),
		)
		if b.Balanced {
			lines = append(lines, " "+t.Label.On(cell.Pad("books", 11))+t.Good.On(d.look.glyphs.Check+" balanced"))
		} else {
			lines = append(lines, " "+t.Label.On(cell.Pad("books", 11))+t.Bad.On("off: "+clean(b.Off)))
		}
	}
	lines = append(lines, checkoutLines(d)...)
	out := make([]string, 0, max(height, 0))
	for i := 0; i < height; i++ {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		out = append(out, cell.Pad(line, width))
	}
	return out
}

// countLine is a count with its name and what belongs to it; a zero is quiet.
func countLine(d *data, name string, n int64, style cell.Style, more string) string {
	t := d.look.theme
	if n == 0 {
		style = t.Dim
	}
	line := " " + t.Label.On(cell.Pad(name, 11)) + style.On(cell.PadLeft(strconv.FormatInt(n, 10), 6))
	if more != "" {
		line += "  " + t.Dim.On(more)
	}
	return line
}

// booksBar shows the orders' shares: sent once, twice, not yet, never.
func booksBar(d *data, width int) string {
	t, g := d.look.theme, d.look.glyphs
	b := d.state().Books
	room := width - 2
	all := b.Once + b.Twice + b.NotYet + b.Never
	if all <= 0 || room <= 0 {
		return " " + t.Dim.On(cell.Repeat(g.Empty, room))
	}
	shares := []struct {
		n     int64
		style cell.Style
		glyph string
	}{{b.Once, t.Good, g.Full}, {b.Twice, t.Warn, g.Full}, {b.NotYet, t.Dim, g.Empty}, {b.Never, t.Bad, g.Full}}
	// What there is gets a cell, however few; the largest share gives way.
	cells := make([]int, len(shares))
	sum, largest := 0, 0
	for i, s := range shares {
		cells[i] = int(s.n * int64(room) / all)
		if s.n > 0 && cells[i] == 0 {
			cells[i] = 1
		}
		sum += cells[i]
		if s.n > shares[largest].n {
			largest = i
		}
	}
	cells[largest] = max(cells[largest]+room-sum, 0)
	line := " "
	for i, s := range shares {
		line += s.style.On(cell.Repeat(s.glyph, cells[i]))
	}
	return line
}

// checkoutLines is the producer's side.
func checkoutLines(d *data) []string {
	t, p := d.look.theme, d.state().Producer
	if d.last.State == nil {
		return nil
	}
	var worse string
	add := func(n int64, what string) {
		if n > 0 {
			worse += ", " + strconv.FormatInt(n, 10) + " " + what
		}
	}
	add(p.Refused, "refused")
	add(p.Failed, "failed")
	add(p.Unknown, "unknown")
	text := "p99 " + latency(p.P99)
	switch {
	case p.Accepted == 0:
		text = "nothing accepted yet"
	case worse == "":
		text = "p50 " + latency(p.P50) + ", " + text
	}
	lines := []string{" " + t.Label.On(cell.Pad("checkout", 11)) + text + t.Warn.On(worse)}
	switch {
	case p.Error != "":
		lines = append(lines, " "+cell.Spaces(11)+t.Bad.On(clean(p.Error)))
	case p.Waiting:
		lines = append(lines, " "+cell.Spaces(11)+t.Warn.On("a customer waits now"))
	}
	return lines
}
