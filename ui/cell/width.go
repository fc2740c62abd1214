package cell

import (
	"strings"

	"github.com/mattn/go-runewidth"

	_ "example.com/unacked/ui/cell/narrow" // before the width libraries read the environment
)

func init() {
	// bubbles' text input measures with this one; it takes the locale for the truth.
	runewidth.DefaultCondition.EastAsianWidth = false
	runewidth.EastAsianWidth = false
}

const ellipsis = "…"

const esc = 0x1b

// Width returns how many cells s takes as [Cut] and [Pad] draw it, SGR sequences not counted.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return measureWide(s)
}

// plain says that s is printable ASCII only: one byte is one cell.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i]-0x20 >= 0x7f-0x20 {
			return false
		}
	}
	return true
}

// Cut returns s cut to at most w cells; "…" stands at the end of what was cut. SGR sequences after the cut are kept,
// so that colours end where they should. w <= 0 gives "".
func Cut(s string, w int) string {
	cut, _ := fit(s, w)
	return cut
}

// Middle returns s cut to at most w cells with "…" in its middle, for names that differ at their end. Where s has styles it
// is [Cut].
func Middle(s string, w int) string {
	if w <= 2 || strings.IndexByte(s, esc) >= 0 || Width(s) <= w {
		return Cut(s, w)
	}
	tail := (w - 1) / 2
	head := w - 1 - tail
	if plain(s) {
		return s[:head] + ellipsis + s[len(s)-tail:]
	}
	var b strings.Builder
	var ends []int // where each cluster begins that may begin the tail
	var widths []int
	width := 0
	for i := 0; i < len(s); {
		n, drawn, dw := next(s[i:], i == 0)
		if width+dw <= head && len(ends) == 0 {
			b.WriteString(drawn)
			width += dw
		} else {
			ends, widths = append(ends, i), append(widths, dw)
		}
		i += n
	}
	from, room := len(s), tail
	for i := len(ends) - 1; i >= 0 && widths[i] <= room; i-- {
		from, room = ends[i], room-widths[i]
	}
	b.WriteString(ellipsis)
	for i := from; i < len(s); {
		n, drawn, _ := next(s[i:], i == from)
		b.WriteString(drawn)
		i += n
	}
	return b.String()
}

// Break returns the beginning of s that fits into w cells, up to a blank where there is one, and the rest without that
// blank. A word that is longer than w is cut between characters. w under 1 is taken for 1, and one character is taken
// though it is wider.
func Break(s string, w int) (line, rest string) {
	blank, width := 0, 0
	for i := 0; i < len(s); {
		if s[i] == esc {
			i += sequence(s[i:])
			continue
		}
		n, _, dw := next(s[i:], i == 0)
		if width+dw > max(w, 1) && i > 0 {
			at := i
			switch {
			case s[i] == ' ':
			case blank > 0:
				at = blank
			}
			return s[:at], strings.TrimLeft(s[at:], " ")
		}
		if s[i] == ' ' {
			blank = i
		}
		width += dw
		i += n
	}
	return s, ""
}

// Pad returns s cut or filled with spaces on the right to exactly w cells. w <= 0 gives "".
func Pad(s string, w int) string {
	cut, have := fit(s, w)
	if have >= w {
		return cut
	}
	return cut + Spaces(w-have)
}

// PadLeft is Pad with the spaces on the left, for numbers.
func PadLeft(s string, w int) string {
	cut, have := fit(s, w)
	if have >= w {
		return cut
	}
	return Spaces(w-have) + cut
}

const blank = "                                                                                                    "

// Spaces returns n spaces; n <= 0 gives "".
func Spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blank):
		return blank[:n]
	}
	return strings.Repeat(" ", n)
}

// Repeat returns s n times; n <= 0 gives "".
func Repeat(s string, n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(s, n)
}

// fit cuts s to w cells and returns how many it takes then.
func fit(s string, w int) (string, int) {
	if w <= 0 {
		return "", 0
	}
	if plain(s) {
		if len(s) <= w {
			return s, len(s)
		}
		return s[:w-1] + ellipsis, w
	}
	return fitWide(s, w)
}

// fitWide is fit for text that is not plain. It goes through s cluster by cluster, once.
func fitWide(s string, w int) (string, int) {
	var b strings.Builder
	b.Grow(len(s) + len(ellipsis))
	var (
		width    int  // of what is in b
		room     = -1 // length of b where the cut with its ellipsis would be, -1 before that place
		roomWide int  // width of b there
		text     bool // b has text
	)
	for i := 0; i < len(s); {
		if s[i] == esc {
			n := sequence(s[i:])
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		n, drawn, dw := next(s[i:], !text)
		i += n
		text = true
		if width+dw > w-1 && room < 0 {
			room, roomWide = b.Len(), width
		}
		if width+dw > w {
			// What was written after the place of the ellipsis goes, but for its sequences and those to come.
			all := b.String()
			return all[:room] + ellipsis + sequences(all[room:]) + sequences(s[i:]), roomWide + 1
		}
		b.WriteString(drawn)
		width += dw
	}
	return b.String(), width
}

// measureWide is the width of what fitWide draws where nothing is cut.
func measureWide(s string) int {
	width, text := 0, false
	for i := 0; i < len(s); {
		if s[i] == esc {
			i += sequence(s[i:])
			continue
		}
		n, _, dw := next(s[i:], !text)
		i += n
		width += dw
		text = true
	}
	return width
}

// sequence returns the length of the escape sequence that s begins with.
func sequence(s string) int {
	if len(s) < 2 || s[1] != '[' {
		return 1
	}
	for i := 2; i < len(s); i++ {
		if 0x40 <= s[i] && s[i] <= 0x7e {
			return i + 1
		}
	}
	return len(s)
}

// sequences returns the escape sequences of s without its text.
func sequences(s string) string {
	if strings.IndexByte(s, esc) < 0 {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != esc {
			i++
			continue
		}
		n := sequence(s[i:])
		b.WriteString(s[i : i+n])
		i += n
	}
	return b.String()
}
