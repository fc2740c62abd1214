package cell

import (
	"strings"
	"unicode/utf8"
)

// Glyphs are the characters that the screen is drawn with. Each is one cell wide.
type Glyphs struct {
	ASCII bool // nothing but ASCII: for terminals and fonts without box characters

	// Borders.
	Horizontal, Vertical                         string
	TopLeft, TopRight, BottomLeft, BottomRight   string
	TeeLeft, TeeRight, TeeTop, TeeBottom, Middle string

	// States. Words stand beside them: a state is never told by its bullet alone.
	On      string // living and working
	Off     string // stopped, empty
	Half    string // in between: starting, stopping
	Dead    string // killed, died
	Waiting string // living, nothing to do
	Warning string

	// Meters and small boxes.
	Full, Empty       string // progress
	BoxFull, BoxEmpty string // deliveries of the limit
	Bar               string // histogram

	// Spark is the levels of a sparkline, lowest first.
	Spark [8]string
	Gap   string // where nothing is known

	Mark     string // something was done, on the time axis
	Tick     string // on the time axis
	Cursor   string // before the selected row
	Ellipsis string
	Bullet   string // between parts of a line
	Into     string // "emails ▸ mailers"
	Up       string
	Down     string
	Left     string
	Right    string
	Check    string
	Sorted   string // after the name of the column that rows are sorted by
	Approx   string // before a figure that was corrected
}

// Unicode returns the usual glyphs.
func Unicode() Glyphs {
	return Glyphs{
		Horizontal: "─", Vertical: "│",
		TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯",
		TeeLeft: "├", TeeRight: "┤", TeeTop: "┬", TeeBottom: "┴", Middle: "┼",
		On: "●", Off: "○", Half: "◐", Dead: "✖", Waiting: "○", Warning: "▲",
		Full: "▰", Empty: "▱", BoxFull: "▮", BoxEmpty: "▯", Bar: "█",
		Spark: [8]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, Gap: "·",
		Mark: "▲", Tick: "┴", Cursor: ">", Ellipsis: "…", Bullet: "·", Into: "▸",
		Up: "↑", Down: "↓", Left: "←", Right: "→", Check: "✓", Sorted: "▾", Approx: "≈",
	}
}

// ASCII returns glyphs of ASCII only.
func ASCII() Glyphs {
	return Glyphs{
		ASCII:      true,
		Horizontal: "-", Vertical: "|",
		TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
		TeeLeft: "+", TeeRight: "+", TeeTop: "+", TeeBottom: "+", Middle: "+",
		On: "*", Off: "o", Half: "~", Dead: "x", Waiting: "o", Warning: "!",
		Full: "#", Empty: ".", BoxFull: "#", BoxEmpty: ".", Bar: "#",
		Spark: [8]string{"_", ".", ",", "-", "=", "+", "*", "#"}, Gap: " ",
		Mark: "^", Tick: "|", Cursor: ">", Ellipsis: "~", Bullet: "-", Into: ">",
		Up: "^", Down: "v", Left: "<", Right: ">", Check: "+", Sorted: "v", Approx: "~",
	}
}

// Frame returns a drawn frame, or any other text, for a terminal of these glyphs: with ASCII ones every other character
// is replaced, cell by cell, by a likeness or "?", so that the widths stay.
func (g Glyphs) Frame(frame string) string {
	if !g.ASCII {
		return frame
	}
	var b strings.Builder
	b.Grow(len(frame))
	for i := 0; i < len(frame); {
		if frame[i] < utf8.RuneSelf && (i+1 == len(frame) || frame[i+1] < utf8.RuneSelf) {
			b.WriteByte(frame[i]) // escape sequences and ends of lines too
			i++
			continue
		}
		n, _, width := next(frame[i:], false)
		r, _ := utf8.DecodeRuneInString(frame[i:])
		i += n
		switch like, ok := likeness[r]; {
		case r < utf8.RuneSelf: // with an accent
			b.WriteRune(r)
			b.WriteString(Repeat("?", width-1))
		case ok:
			b.WriteByte(like)
		default:
			b.WriteString(Repeat("?", width))
		}
	}
	return b.String()
}

// likeness has what texts are written with; the rest is in Glyphs.
var likeness = map[rune]byte{
	'…': '~', '·': '-', '▸': '>', '↑': '^', '↓': 'v', '←': '<', '→': '>', '≈': '~', '✓': '+', '×': 'x', '–': '-', '—': '-',
	'␛': '^', '␊': '/', '␍': '/', '␉': '>',
}
