package ui

import (
	"strconv"
	"strings"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
)

// Sizes of the explorer.
const (
	sideFrom   = 100 // cells of width from which the sums stand beside the table
	sideWidth  = 30
	leastTable = 4 // lines that the table keeps: header and three rows
)

// columnText explains the columns of the pending table: what the field means, and the command that it comes from.
var columnText = [...]string{
	colID:         "ENTRY ID: what XADD gave the entry, by default the server's clock in ms and a number · XPENDING, field 1",
	colAge:        "AGE: time since the entry was added, the clock less the ms in its id; ? where the id is no time · derived from the id",
	colIdle:       "IDLE: time since it was last delivered, claimed or renewed by a heartbeat; ! is past the lease · XPENDING, field 3",
	colLease:      "LEASE LEFT: time until another consumer may claim it (XCLAIM's min-idle-time); then claimable · lease less idle",
	colDeliveries: "DELIVERIES: how often it was handed to a consumer, which is no failure yet; at the limit it is dead-lettered · XPENDING, field 4",
	colConsumer:   "CONSUMER: who has it since the last delivery, and whether that process runs; ? is not one of ours · XPENDING, field 2",
	colBody:       "BODY: the entry's fields; a pending entry whose body is gone is a ghost · XRANGE id id, one for each row",
}

func (p *pendingPane) full(d *data, width, height int, focused bool) []string {
	if height <= 0 {
		return nil
	}
	var top, foot []string
	room := height - leastTable
	take := func(lines []string) []string {
		if len(lines) > room {
			return nil
		}
		room -= len(lines)
		return lines
	}
	// What is most worth its lines is given them first.
	top = append(top, take(p.formLines(d, width))...)
	explain := take(p.explanation(d, width))
	if d.sweep != nil {
		for i, line := range wrap(d.sweep.text(d), max(width-1, 1)) {
			if i < 2 {
				top = append(top, take([]string{d.look.theme.Accent.On(cell.Pad(line, width))})...)
			}
		}
	}
	top = append(top, take(problemLines(d, "pending", width, height))...)
	side := width >= sideFrom
	if !side {
		foot = append(foot, take(p.consumerLine(d, width))...)
		foot = append(foot, take(p.histogramLine(d, width))...)
	}
	foot = append(foot, explain...)

	tall := height - len(top) - len(foot)
	table := width
	if side {
		table = width - sideWidth - 1
	}
	var middle []string
	if why := p.nothing(d); len(why) > 0 {
		middle = paragraph(d, why, table, tall)
	} else {
		middle = p.list.lines(d, table, tall, focused, p.paint(d))
	}
	if side {
		for i, line := range exactly(p.sums(d, sideWidth, tall), sideWidth, tall) {
			middle[i] += " " + line
		}
	}
	return append(append(top, middle...), foot...)
}

// explanation is the line about the column under the cursor.
func (p *pendingPane) explanation(d *data, width int) []string {
	var out []string
	for i, line := range wrap(strings.ReplaceAll(columnText[max(p.list.pointed, 0)], " · ", dot(d)), width) {
		if i < 2 {
			out = append(out, d.look.theme.Dim.On(cell.Pad(line, width)))
		}
	}
	return out
}

// sums is the summary form and the histogram, one line each, for the side of the table.
func (p *pendingPane) sums(d *data, width, height int) []string {
	t := d.look.theme
	out := []string{t.Label.On(cell.Pad("HELD BY (XPENDING key group)", width))}
	byConsumer, bars := p.summary(d), p.histogram(d)
	most := max(2, height-len(bars)-3)
	for i, c := range byConsumer {
		if i == most-1 && len(byConsumer) > most {
			out = append(out, t.Dim.On(cell.Pad(many(int64(len(byConsumer)-i), "other consumer"), width)))
			break
		}
		out = append(out, cell.Pad(cell.Pad(holder(c), width-12)+" "+cell.PadLeft(strconv.FormatInt(c.Pending, 10), 8), width))
	}
	if len(byConsumer) == 0 {
		out = append(out, t.Dim.On(cell.Pad("nobody", width)))
	}
	out = append(out, cell.Spaces(width), t.Label.On(cell.Pad("DELIVERIES (entries by count)", width)))
	top := tallest(bars)
	for _, b := range bars {
		drawn := cell.Repeat(d.look.glyphs.Bar, int(b.n*int64(max(width-16, 0))/top))
		if b.n > 0 {
			if drawn == "" {
				drawn = d.look.glyphs.Bar
			}
			drawn = t.Spark.On(drawn) + " "
		}
		out = append(out, cell.Pad(cell.PadLeft(b.name, 4)+" "+drawn+strconv.FormatInt(b.n, 10), width))
	}
	return out
}

// summary is XPENDING's summary form, nil where nothing was read.
func (p *pendingPane) summary(d *data) []redisq.Consumer {
	switch {
	case d.good == nil:
		return nil
	case d.sweep != nil:
		all := make([]redisq.Consumer, len(d.sweep.Consumers))
		for i, c := range d.sweep.Consumers {
			all[i] = redisq.Consumer{Name: c.Name, Pending: c.Pending}
		}
		return all
	}
	return d.good.Pending.ByConsumer
}

// holder is the name of a consumer in a summary; what XNACK released belongs to none.
func holder(c redisq.Consumer) string {
	if c.Name == "" {
		return "(released)"
	}
	return clean(c.Name)
}

// bar is one delivery count of the histogram.
type bar struct {
	name string // "1x", "10x+" for the last one: that count or more
	n    int64
}

// fewBars is how many bars there are at least, so that the histogram does not jump about.
const fewBars = 5

// histogram is the bars of the last reading, without the empty ones at its end.
func (p *pendingPane) histogram(d *data) []bar {
	if d.good == nil {
		return nil
	}
	var out []bar
	counts := d.good.Pending.Histogram
	if d.sweep != nil {
		counts = d.sweep.Histogram
	}
	used := 0
	for i, n := range counts {
		name := strconv.Itoa(i+1) + "x"
		if i == len(counts)-1 {
			name += "+"
		}
		out = append(out, bar{name, n})
		if n > 0 {
			used = i + 1
		}
	}
	return out[:min(len(out), max(used, fewBars))]
}

func tallest(bars []bar) int64 {
	top := int64(1)
	for _, b := range bars {
		top = max(top, b.n)
	}
	return top
}

func (p *pendingPane) consumerLine(d *data, width int) []string {
	line := d.look.theme.Label.On("held by")
	for i, c := range p.summary(d) {
		if i == 20 { // more do not fit into a line
			break
		}
		line += "  " + holder(c) + " " + strconv.FormatInt(c.Pending, 10)
	}
	if len(p.summary(d)) == 0 {
		line += "  nobody"
	}
	return []string{cell.Pad(line, width)}
}

func (p *pendingPane) histogramLine(d *data, width int) []string {
	bars := p.histogram(d)
	top := tallest(bars)
	g := d.look.glyphs
	line := d.look.theme.Label.On("deliveries")
	for _, b := range bars {
		line += "  " + b.name + " "
		if b.n > 0 {
			line += d.look.theme.Spark.On(g.Spark[min(7, b.n*7/top)]) + " "
		}
		line += strconv.FormatInt(b.n, 10)
	}
	return []string{cell.Pad(line, width)}
}
