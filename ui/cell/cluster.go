package cell

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Most terminals give each character the cells that it has alone; some, and Bubble Tea's renderer, measure a grapheme
// cluster as a whole. Where the two differ no line of such text would be right in both. So it is drawn in a way on
// which they agree: an emoji sequence as its first emoji, a half of a flag as its letter, and in other clusters (Thai,
// the scripts of India, half-width katakana) the characters kept apart by a word joiner, which takes no cell.
const joiner = "\u2060"

const (
	selector = 0xfe0f   // the emoji variation selector
	unknown  = "\ufffd" // for what cannot be drawn alike everywhere
)

// next looks at the first cluster of s, which begins no escape sequence: its length in s, how it is drawn, and the
// cells that takes. start says that nothing stands before it in its string, so that it must not join with whatever is
// put there.
func next(s string, start bool) (n int, drawn string, width int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		if s[0] < 0x20 || s[0] == 0x7f {
			return 1, s[:1], 0
		}
		return 1, s[:1], 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if symbol(r) {
		after, _ := utf8.DecodeRuneInString(s[size:])
		if len(s) == size || after < utf8.RuneSelf || symbol(after) {
			return size, s[:size], 1
		}
	}
	if r == selector {
		return size, "", 0 // of nothing: it would change what is put before it
	}
	cluster, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	n = len(cluster)
	if len(cluster) > size {
		drawn, width = agreed(cluster, size, width)
	} else {
		drawn = cluster
		switch {
		case 0x1f1e6 <= r && r <= 0x1f1ff:
			return n, string('A' + r - 0x1f1e6), 1
		case ansi.StringWidthWc(cluster) != width: // a few signs of musical notation
			return n, unknown, 1
		}
	}
	if start && width > 0 && joins("x", drawn) {
		drawn = joiner + drawn
	}
	if (n == len(s) || s[n] == esc) && joins(drawn, "x") {
		drawn += joiner
	}
	return n, drawn, width
}

// symbol says that r is one of the characters that the screen itself is drawn with: one cell, joining with nothing but
// what is not a symbol. It saves looking for the cluster.
func symbol(r rune) bool {
	return 0x2500 <= r && r <= 0x25fc || // borders, blocks, shapes
		0x2190 <= r && r <= 0x21ff || // arrows
		r == 0x2026 || r == 0xb7
}

// agreed returns a cluster of several characters, the first of size bytes, as all terminals draw it.
func agreed(cluster string, size, width int) (string, int) {
	if emoji(cluster) {
		_, first, w := next(cluster[:size], false)
		return first, w
	}
	if ansi.StringWidthWc(cluster) == width {
		return cluster, width
	}
	var b strings.Builder
	for _, r := range cluster {
		if b.Len() > 0 && ansi.StringWidthWc(string(r)) > 0 {
			b.WriteString(joiner)
		}
		b.WriteRune(r)
	}
	drawn := b.String()
	width = ansi.StringWidth(drawn)
	if ansi.StringWidthWc(drawn) != width { // half a flag with an accent
		return unknown, 1
	}
	return drawn, width
}

// joins says that b becomes part of the last cluster of a when it stands after it.
func joins(a, b string) bool {
	for len(a) > 0 {
		cluster, _ := ansi.FirstGraphemeCluster(a+b, ansi.GraphemeWidth)
		if len(cluster) > len(a) {
			return true
		}
		a = a[len(cluster):]
	}
	return false
}

// emoji says that a cluster is an emoji sequence: that it holds the emoji variation selector, a keycap, a skin tone, a
// tag, or a joiner before an emoji.
func emoji(cluster string) bool {
	joined := false
	for i, r := range cluster {
		switch {
		case r == selector, r == 0x20e3, 0xe0020 <= r && r <= 0xe007f:
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
