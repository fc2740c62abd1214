package ui

import (
	"strconv"

	"example.com/unacked/ui/cell"
)

// capacityText is whether those who work can do what comes in: the rates, what one of them does, and when the backlog is
// empty or how many of them it would take.
func capacityText(d *data) string { return capacity(d, false) }

// capacity is capacityText; short is for a narrow line.
func capacity(d *data, short bool) string {
	in, done, n := d.rates.In, d.rates.Done, d.waiting()
	crew := d.crew()
	comes, are, who := " come in", " are done by ", "active consumer"
	if short {
		comes, are, who = " in", " done by ", "consumer"
	}
	if !in.Known {
		return "the rates are not known: " + clean(in.Reason)
	}
	text := perSecond(in.PerSecond) + comes
	if !done.Known {
		return text + ", done is not known: " + clean(done.Reason)
	}
	text += ", " + perSecond(done.PerSecond) + are + many(int64(crew), who)
	if crew > 1 && !short && done.PerSecond >= 0.05 {
		text += " (" + perSecond(done.PerSecond/float64(crew)) + " each)"
	}
	switch {
	case !n.Known:
		return text + "; the backlog is not known: " + clean(n.Reason)
	case n.Value == 0 && !n.AtLeast:
		return text + "; nothing waits"
	case d.drain.Never && d.drain.Workers > 0:
		text += ": never drains, " + strconv.Itoa(d.drain.Workers) + " like these would"
	case d.drain.Stalled:
		text += ": the backlog of " + n.String() + " stays as it is"
	case d.drain.Known:
		text += ": " + d.drain.Text
	}
	return text
}

// capacityLine is the sentence in a line of its own.
func capacityLine(d *data, width int) string {
	t := d.look.theme
	style := t.Text
	if d.stale {
		style = t.Stale
	}
	room := max(width-12, 0)
	text := "the first reading is on its way"
	switch {
	case d.good != nil:
		if text = capacityText(d); cell.Width(text) > room {
			text = capacity(d, true)
		}
	case !d.silent.IsZero():
		text = "not known: the server has not answered yet"
	}
	return cell.Pad(" "+t.Label.On("capacity")+"  "+style.On(cell.Cut(text, room)), width)
}
