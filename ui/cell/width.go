package cell

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"

	_ "example.com/unacked/ui/cell/narrow" // before the width libraries read the environment
)

func init() {
	// bubbles' text input measures with this one; it takes the locale for the truth.
	runewidth.DefaultCondition.EastAsianWidth = false
	runewidth.EastAsianWidth = false
}

const ellipsis = "…"

// Width returns how many cells s takes, SGR sequences not counted. It agrees with the renderer's own measure.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
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
	var (
		width    int  // of what is in b
		room     = -1 // length of b where the cut with its ellipsis would be, -1 before that place
		roomWide int  // width of b there
		full     bool // the cut was made: only sequences are kept
	)
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			n := sequence(s[i:])
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		if full {
			i++
			continue
		}
		cluster, cw := next(s[i:])
		i += len(cluster)
		if emoji := first(cluster); emoji != cluster {
			cluster, cw = emoji, ansi.StringWidth(emoji)
		}
		if width+cw > w-1 && room < 0 {
			room, roomWide = b.Len(), width
		}
		if width+cw > w {
			tail := sequences(b.String()[room:])
			kept := b.String()[:room]
			b.Reset()
			b.WriteString(kept)
			b.WriteString(ellipsis)
			b.WriteString(tail)
			width, full = roomWide+1, true
			continue
		}
		b.WriteString(cluster)
		width += cw
	}
	return b.String(), width
}

// next returns the first grapheme cluster of s and its width.
func next(s string) (string, int) {
	if s[0]-0x20 < 0x7f-0x20 && (len(s) == 1 || s[1] < 0x80) {
		return s[:1], 1
	}
	return ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
}

// first returns an emoji sequence as its first emoji, and any other cluster as it is. Terminals disagree about how
// many cells a joined family, a skin tone or a variation selector take; they agree about single emoji.
func first(cluster string) string {
	if len(cluster) < 5 || !sequenced(cluster) {
		return cluster
	}
	for i := range cluster {
		if i > 0 {
			return cluster[:i]
		}
	}
	return cluster
}

// sequenced says that a cluster holds what makes an emoji sequence: the emoji variation selector, a keycap, a joiner
// before an emoji, a skin tone, or a tag.
func sequenced(cluster string) bool {
	joined := false
	for i, r := range cluster {
		switch {
		case r == 0xfe0f, r == 0x20e3, 0xe0020 <= r && r <= 0xe007f:
			return true
		case i > 0 && 0x1f3fb <= r && r <= 0x1f3ff:
			return true
		case joined && (r >= 0x1f000 || 0x2190 <= r && r <= 0x2bff):
			return true
		}
		joined = r == 0x200d
	}
	return false
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
	if strings.IndexByte(s, 0x1b) < 0 {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != 0x1b {
			i++
			continue
		}
		n := sequence(s[i:])
		b.WriteString(s[i : i+n])
		i += n
	}
	return b.String()
}
