package ui

import (
	"strconv"
	"strings"

	"example.com/unacked/ui/cell"
)

// label is the left part of a row: cursor, name and value.
func (p *figuresPane) label(d *data, row int, focused bool) string {
	t := d.look.theme
	f := figures[row]
	cursor, name := "  ", t.Label.On(cell.Pad(f.name, figureLabel))
	if focused && row == p.at {
		cursor, name = d.look.glyphs.Cursor+" ", t.Selected.On(cell.Pad(f.name, figureLabel))
	}
	text, _ := f.value(d)
	if len(text) > figureValue { // a count of nine digits and more
		number, more := strings.CutSuffix(text, "+")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			text = compact(n)
		}
		if more {
			text += "+"
		}
	}
	return " " + cursor + name + valueStyle(d, row).On(cell.PadLeft(text, figureValue)) + "  "
}

// valueStyle is how the value of a figure stands out.
func valueStyle(d *data, row int) cell.Style {
	t := d.look.theme
	if d.stale {
		return t.Stale
	}
	text, known := figures[row].value(d)
	switch {
	case !known:
		return t.Warn
	case text == "0" || text == "0/s":
		return t.Dim
	case row == rowDead:
		return t.Bad
	case row == rowOldest:
		if idle, _ := oldest(d); idle > d.lease() {
			return t.Bad
		}
	}
	return t.Value
}

// restText is the figures that have no row of their own on a small screen.
func restText(d *data) string {
	var p parts
	p.add("   ", cell.Style{})
	for i, row := range []int{rowOldest, rowDead} {
		if i > 0 {
			p.add(" ", cell.Style{})
		}
		text, _ := figures[row].value(d)
		p.add(figures[row].short+" ", d.look.theme.Label)
		p.add(text, valueStyle(d, row))
	}
	return p.b.String()
}

// figuresLine is all figures in one line, without charts.
func figuresLine(d *data, width int) string {
	var p parts
	p.add(" ", cell.Style{})
	for row, f := range figures {
		text, _ := f.value(d)
		piece := f.short + " " + text
		if !p.fits("   "+piece, width-1) {
			break
		}
		if row > 0 {
			p.add("   ", cell.Style{})
		}
		p.add(f.short+" ", d.look.theme.Label)
		p.add(text, valueStyle(d, row))
	}
	if note := backlogNote(d); d.good != nil && p.fits("   "+note, width-1) {
		p.add("   "+note, d.look.theme.Dim)
	}
	return cell.Pad(p.b.String(), width)
}
