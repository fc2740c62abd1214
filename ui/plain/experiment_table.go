package plain

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"example.com/unacked/redisq/safe"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers/experiment"
)

// The columns of a table of 80: two blanks, the figure, what is expected, what was measured, and whether it holds.
const (
	tableWidth    = 80
	figureWidth   = 28
	expectedWidth = 23
	measuredWidth = 19
	indent        = "  "
	deeper        = "      "
	maxDetail     = 4 // lines below one figure
)

// ExperimentTable writes results as a table that fits 80 columns.
func ExperimentTable(w io.Writer, results []experiment.Result) error {
	var b bytes.Buffer
	row := func(figure, expected, measured, holds string) {
		line := indent + cell.Pad(figure, figureWidth) + " " + cell.Pad(expected, expectedWidth) + " " +
			cell.Pad(measured, measuredWidth) + " " + holds
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	row("figure", "expected", "measured", "holds")
	held := 0
	for _, r := range results {
		state := "HOLDS NOT"
		switch {
		case r.Err != nil:
			state = "NOT PLAYED"
		case r.Holds():
			state = "holds"
			held++
		}
		right := fmt.Sprintf("%.1f s  %s", r.Took.Seconds(), state)
		b.WriteString("\n" + cell.Pad(r.Name, tableWidth-cell.Width(right)-1) + " " + right + "\n")
		b.WriteString(indent + cell.Cut(r.Title, tableWidth-len(indent)) + "\n")
		if r.Err != nil {
			wrap(&b, indent, r.Err.Error())
		}
		for _, f := range r.Rows {
			row(f.Name, withUnit(f.Expected, f), measured(f), holdsWord(f.Holds))
			switch {
			case f.Reason != "":
				wrap(&b, deeper, f.Reason)
			case f.Measured.Note != "":
				wrap(&b, deeper, f.Measured.Note)
			}
			if text := experiment.Orders(f.Measured.Orders); len(f.Measured.Orders) > 0 && text != measured(f) {
				wrap(&b, deeper, text)
			}
		}
	}
	fmt.Fprintf(&b, "\n%d of %d hold", held, len(results))
	if len(results) > 0 {
		s := results[0].Server
		if s.Product != "" {
			fmt.Fprintf(&b, ", on %s", strings.TrimSpace(safe.Text(s.Product+" "+s.Version)))
		}
		b.WriteString(".\n")
		if scales := scaleWords(results); scales != "" {
			wrap(&b, "", scales)
		}
	} else {
		b.WriteString(".\n")
	}
	_, err := b.WriteTo(w)
	return err
}

// scaleWords say at which scale the experiments were played, "" where all were at full scale.
func scaleWords(results []experiment.Result) string {
	usual := results[0].Scale
	for _, r := range results {
		usual = min(usual, r.Scale)
	}
	var others []string
	for _, r := range results {
		if r.Scale != usual {
			others = append(others, fmt.Sprintf("%s at %g", r.Name, r.Scale))
		}
	}
	if usual == 1 && len(others) == 0 {
		return ""
	}
	text := fmt.Sprintf("Scaled: every time was multiplied by %g, and the tolerances are those of that scale", usual)
	if len(others) > 0 {
		text += "; " + strings.Join(others, ", ")
	}
	return text + ". The article's figures are those of scale 1."
}

// measured is what stands in the column: the figure, or how many orders where their names do not fit.
func measured(f experiment.Row) string {
	text := withUnit(f.Measured.String(), f)
	if cell.Width(text) > measuredWidth && f.Measured.Named {
		return fmt.Sprintf("%d orders", len(f.Measured.Orders))
	}
	return text
}

// withUnit adds the unit of a time; what is counted is said by the figure's name.
func withUnit(text string, f experiment.Row) string {
	if f.Unit != "ms" || text == "?" {
		return text
	}
	return text + " ms"
}

func holdsWord(h experiment.Holds) string {
	switch h {
	case experiment.Yes:
		return "yes"
	case experiment.No:
		return "NO"
	}
	return "?"
}

// wrap writes text in lines of the table's width at most, and no more than maxDetail of them.
func wrap(b *bytes.Buffer, before, text string) {
	room := tableWidth - len(before)
	line, lines := "", 0
	flush := func(last bool) bool {
		lines++
		if lines == maxDetail && !last {
			line = cell.Cut(line+" …", room)
		}
		b.WriteString(before + line + "\n")
		line = ""
		return lines < maxDetail
	}
	for _, word := range strings.Fields(safe.Text(text)) {
		word = cell.Cut(word, room-2)
		switch {
		case line == "":
			line = word
		case cell.Width(line)+1+cell.Width(word) <= room-2:
			line += " " + word
		default:
			if !flush(false) {
				return
			}
			line = word
		}
	}
	if line != "" {
		flush(true)
	}
}
