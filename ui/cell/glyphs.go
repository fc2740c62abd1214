package cell

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
