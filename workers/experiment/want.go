package experiment

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Want is what a figure is expected to be, with its tolerance, at full scale.
type Want struct {
	about     string  // the article's word, "" where the range says all
	low, high float64 // what holds, both included
	below     bool    // high itself does not hold
	time      float64 // the part of low and high that is a time of the experiment, in ms: it shrinks with the scale
	scaled    *bounds // instead of low and high at a smaller scale, where what this machine adds weighs more
	named     bool    // the figure is a set of orders: exactly these
	orders    []string
}

type bounds struct{ low, high float64 }

// exactly n.
func exactly(n float64) Want { return Want{low: n, high: n} }

// under x, which itself does not hold.
func under(x float64) Want { return Want{high: x, below: true} }

// called gives it the article's word.
func (w Want) called(about string) Want {
	w.about = about
	return w
}

// atMost x; about is the article's word for it.
func atMost(x float64, about string) Want { return Want{high: x, about: about} }

// within low and high, both included.
func within(about string, low, high float64) Want { return Want{low: low, high: high, about: about} }

// after is a time in ms: base, of the experiment, and what this machine may add to it.
func after(about string, base, low, high float64) Want {
	return Want{low: low, high: high, about: about, time: base}
}

// atLeastMail is the time of a mail in ms, or more.
func atLeastMail() Want { return Want{low: 290, high: math.Inf(1), time: 300} }

// orders are exactly these; none is nothing.
func orders(names ...string) Want { return Want{named: true, orders: names} }

// small is the tolerance at a smaller scale.
func (w Want) small(low, high float64) Want {
	w.scaled = &bounds{low, high}
	return w
}

// at is what is wanted at a scale.
func (w Want) at(scale float64) Want {
	if scale < 1 && w.scaled != nil {
		w.low, w.high = w.scaled.low, w.scaled.high
		return w
	}
	w.low, w.high = w.low-w.time+w.time*scale, w.high-w.time+w.time*scale
	if scale != 1 && w.time > 0 {
		w.about = "" // the article's word is for full scale
	}
	return w
}

// holds says whether a known figure is as wanted.
func (w Want) holds(m Measured) bool {
	if w.named {
		return slices.Equal(m.Orders, w.orders)
	}
	return m.Value >= w.low && (m.Value < w.high || m.Value == w.high && !w.below)
}

// String is what is wanted in words: "9", "under 1", "466 (455–475)", "order 4", "none".
func (w Want) String() string {
	var text string
	switch {
	case w.named:
		return Orders(w.orders)
	case w.below && w.low == 0:
		text = "under " + number(w.high)
	case w.low == 0 && w.high > 0:
		text = "at most " + number(w.high)
	case w.low == w.high:
		text = number(w.low)
	case math.IsInf(w.high, 1):
		text = "at least " + number(w.low)
	default:
		text = number(w.low) + "–" + number(w.high)
	}
	if w.about != "" {
		return fmt.Sprintf("%s (%s)", w.about, text)
	}
	return text
}

// Measured is what a figure came to.
type Measured struct {
	Known  bool
	Reason string // why it is not known
	Value  float64
	// Orders are the ones that the figure counts, by number, where they are of interest.
	Named  bool
	Orders []string
	Note   string // more about it: "550 5.1.1 no such user"
}

func count[N int | int64](n N) Measured { return Measured{Known: true, Value: float64(n)} }

func unknown(reason string) Measured { return Measured{Reason: reason} }

// named counts orders, which are sorted.
func named(orders []string) Measured {
	return Measured{Known: true, Value: float64(len(orders)), Named: true, Orders: orders}
}

// noted adds a note.
func (m Measured) noted(note string) Measured {
	m.Note = note
	return m
}

// String is "?", the number, or the orders.
func (m Measured) String() string {
	switch {
	case !m.Known:
		return "?"
	case m.Named:
		return Orders(m.Orders)
	}
	return number(m.Value)
}

// number writes a figure with what digits it needs: 466, 301.2, 1.25, 0.214.
func number(x float64) string {
	digits := 3
	switch {
	case x >= 10:
		digits = 1
	case x >= 1:
		digits = 2
	}
	text := strconv.FormatFloat(x, 'f', digits, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Orders names orders, sorted by number, with runs as ranges: "none", "order 4", "orders 4, 7, 12–15".
func Orders(names []string) string {
	switch len(names) {
	case 0:
		return "none"
	case 1:
		return "order " + names[0]
	}
	var parts []string
	for i := 0; i < len(names); {
		j := i
		for j+1 < len(names) && follows(names[j], names[j+1]) {
			j++
		}
		switch {
		case j-i >= 2:
			parts = append(parts, names[i]+"–"+names[j])
		default:
			parts = append(parts, names[i:j+1]...)
		}
		i = j + 1
	}
	return "orders " + strings.Join(parts, ", ")
}

func follows(a, b string) bool {
	n, errN := strconv.Atoi(a)
	m, errM := strconv.Atoi(b)
	return errN == nil && errM == nil && m == n+1
}
