package chart

import (
	"math"
	"strconv"
	"strings"

	"example.com/unacked/ui/cell"
)

// Bin is one bar of a histogram.
type Bin struct {
	Label string // printable, without styles
	Count int64
	Text  string // after the bar; "" is Count in digits
}

// Histogram returns one line of width cells a bin: its label, a bar to one shared scale, its count. A bin that is not
// empty has a bar of at least one cell where there is room for bars.
func Histogram(bins []Bin, width int, g cell.Glyphs) []string {
	if width <= 0 {
		return nil
	}
	labels, texts := 0, 0
	var high int64 = 1
	for i := range bins {
		labels = max(labels, cell.Width(bins[i].Label))
		texts = max(texts, cell.Width(text(bins[i])))
		high = max(high, bins[i].Count)
	}
	labels = min(labels, width/2)
	room := max(width-labels-texts-2, 0)
	lines := make([]string, len(bins))
	for i, b := range bins {
		n := 0
		if b.Count > 0 && room > 0 {
			n = max(1, int(math.Round(float64(b.Count)/float64(high)*float64(room))))
		}
		line := cell.PadLeft(b.Label, labels) + " " + strings.Repeat(g.Bar, n)
		if n > 0 {
			line += " "
		}
		lines[i] = cell.Pad(line+text(b), width)
	}
	return lines
}

func text(b Bin) string {
	if b.Text != "" {
		return b.Text
	}
	return strconv.FormatInt(b.Count, 10)
}
