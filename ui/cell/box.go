package cell

import "strings"

// Box returns lines within a border of exactly w times h cells, the title set into the upper border. Lines are cut or
// filled to the inside, which is [Inside](w, h); missing ones are blank. Under 2x2 there is no room for a border: then
// it is blank.
func Box(title string, lines []string, w, h int, focused bool, theme *Theme, g Glyphs) []string {
	w, h = max(w, 0), max(h, 0)
	out := make([]string, h)
	if w < 2 || h < 2 {
		for i := range out {
			out[i] = Spaces(w)
		}
		return out
	}
	border, name := theme.Border, theme.Title
	if focused {
		border = theme.BorderFocus
	}
	inner := w - 2
	side := border.On(g.Vertical)
	for i := 0; i < h-2; i++ {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		out[i+1] = side + Pad(line, inner) + side
	}
	out[h-1] = border.On(g.BottomLeft + Repeat(g.Horizontal, inner) + g.BottomRight)
	// "╭ Title ───╮": a blank on each side of the title, and at least one line after it.
	if title == "" || inner < 4 {
		out[0] = border.On(g.TopLeft + Repeat(g.Horizontal, inner) + g.TopRight)
		return out
	}
	title, width := fit(title, inner-3)
	out[0] = border.On(g.TopLeft) + " " + name.On(title) + " " +
		border.On(Repeat(g.Horizontal, inner-2-width)+g.TopRight)
	return out
}

// Inside returns the size of what fits into a [Box] of w times h cells, never negative.
func Inside(w, h int) (int, int) { return max(w-2, 0), max(h-2, 0) }

// Join lays panes side by side. The lines of a pane are of equal width; a pane with fewer lines than the tallest one
// is filled up with blanks of its first line's width.
func Join(panes ...[]string) []string {
	tall := 0
	for _, p := range panes {
		tall = max(tall, len(p))
	}
	short := make([]string, len(panes))
	for i, p := range panes {
		if len(p) > 0 && len(p) < tall {
			short[i] = Spaces(Width(p[0]))
		}
	}
	out := make([]string, tall)
	var b strings.Builder
	for row := range out {
		b.Reset()
		n := 0
		for _, p := range panes {
			if row < len(p) {
				n += len(p[row])
			}
		}
		b.Grow(n)
		for i, p := range panes {
			if row < len(p) {
				b.WriteString(p[row])
			} else {
				b.WriteString(short[i])
			}
		}
		out[row] = b.String()
	}
	return out
}

// Meter returns a bar of w cells filled to share, which is held to 0 … 1; NaN is empty.
func Meter(share float64, w int, g Glyphs) string {
	if w <= 0 {
		return ""
	}
	n := 0
	if share > 0 {
		n = int(min(share, 1)*float64(w) + 0.5)
	}
	return strings.Repeat(g.Full, n) + strings.Repeat(g.Empty, w-n)
}

// Boxes returns n of limit as small boxes, "▮▮▯▯▯", at most w cells; more than limit fills them all. limit <= 0 gives
// "".
func Boxes(n, limit int64, w int, g Glyphs) string {
	if limit <= 0 || w <= 0 || limit > int64(w) {
		return ""
	}
	n = max(min(n, limit), 0)
	return strings.Repeat(g.BoxFull, int(n)) + strings.Repeat(g.BoxEmpty, int(limit-n))
}
