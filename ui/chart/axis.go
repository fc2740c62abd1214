package chart

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"example.com/unacked/ui/cell"
)

// Mark is something that was done.
type Mark struct {
	At    time.Time
	Label string // short, printable, without styles: "killed w2"
}

// Marks returns one line of width cells with a mark at the column of each that lies in from … to, in the columns of
// [Spark], and its label beside it where there is room: to the right, else to the left. The newest go first, and
// nothing overlaps: an older one loses its label, never its mark.
func Marks(marks []Mark, from, to time.Time, width int, g cell.Glyphs) string {
	if width <= 0 {
		return ""
	}
	line := make([]string, width) // "" is free
	span := to.Sub(from)
	if span <= 0 {
		return cell.Spaces(width)
	}
	free := func(from, to int) bool {
		if from < 0 || to > width {
			return false
		}
		for _, s := range line[from:to] {
			if s != "" {
				return false
			}
		}
		return true
	}
	// All marks before any label: a label does not hide the mark of something else that was done.
	column := func(m Mark) int {
		if m.At.Before(from) || m.At.After(to) {
			return -1
		}
		return min(int(float64(m.At.Sub(from))/float64(span)*float64(width)), width-1)
	}
	for _, m := range marks {
		if c := column(m); c >= 0 {
			line[c] = g.Mark
		}
	}
	labelled := make(map[int]bool, len(marks))
	for i := len(marks) - 1; i >= 0; i-- {
		c := column(marks[i])
		w := cell.Width(marks[i].Label)
		if c < 0 || w == 0 || labelled[c] {
			continue
		}
		labelled[c] = true // the newest of a column speaks for it
		// A blank is kept between a label and what comes next.
		switch {
		case free(c+1, c+1+w) && (c+1+w == width || free(c+1+w, c+2+w)):
			put(line[c+1:], marks[i].Label)
		case free(c-w, c) && (c == w || free(c-w-1, c-w)):
			put(line[c-w:], marks[i].Label)
		}
	}
	var b strings.Builder
	for _, s := range line {
		switch s {
		case "":
			b.WriteByte(' ')
		case taken:
		default:
			b.WriteString(s)
		}
	}
	return b.String()
}

// taken is a cell that a wide character to its left covers.
const taken = "\x00"

func put(line []string, label string) {
	at := 0
	for len(label) > 0 {
		cluster, w := ansi.FirstGraphemeCluster(label, ansi.GraphemeWidth)
		label = label[len(cluster):]
		if w == 0 {
			continue
		}
		line[at] = cluster
		for i := 1; i < w; i++ {
			line[at+i] = taken
		}
		at += w
	}
}

// axisWide is from how many cells on an axis has its quarters named too.
const axisWide = 64

// Axis returns the labels of the time axis as one line of width cells: "-60s", the middle and the quarters where there is
// room, "now". The middle of a label stands at its time. to is taken to be now.
func Axis(from, to time.Time, width int) string {
	if width <= 0 {
		return ""
	}
	span := to.Sub(from)
	left, right := "-"+short(span), "now"
	if span <= 0 || width < len(left)+len(right)+1 {
		return cell.PadLeft(right, width)
	}
	parts := time.Duration(2)
	if width >= axisWide {
		parts = 4
	}
	line := left
	for i := parts - 1; i > 0; i-- {
		label := "-" + short(span*i/parts)
		at := width*int(parts-i)/int(parts) - len(label)/2
		if at < len(line)+2 || at+len(label)+2 > width-len(right) {
			continue
		}
		line += cell.Spaces(at-len(line)) + label
	}
	return line + cell.Spaces(width-len(line)-len(right)) + right
}

// short returns a duration in one unit: "30s", "7.5s", "5m", "2h".
func short(d time.Duration) string {
	number := func(x float64) string {
		s := strconv.FormatFloat(x, 'f', 1, 64)
		return strings.TrimSuffix(s, ".0")
	}
	switch {
	case d <= 2*time.Minute:
		return number(d.Seconds()) + "s"
	case d <= 2*time.Hour:
		return number(d.Minutes()) + "m"
	}
	return number(d.Hours()) + "h"
}
