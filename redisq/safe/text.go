package safe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with every byte that is not a printable character shown as a visible mark, one cell wide a character:
// ␀ to ␟ and ␡ for the controls, \x9b for a C1 control (raw or encoded) and for a byte that is no UTF-8, \u202e for
// what turns, joins or hides text. The result has only printable runes and spaces, no ESC, and Text leaves it as it is.
func Text(s string) string {
	i := firstUnsafe(s)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			writeByte(&b, s[i])
		case isSafe(r):
			b.WriteString(s[i : i+size])
		default:
			writeMark(&b, r)
		}
		i += size
	}
	return b.String()
}

// TextN is Text of the first maxBytes bytes of s, with … where something was cut. A character is never cut in two.
// Cutting comes first, so that a large value costs no more than a small one.
func TextN(s string, maxBytes int) string {
	cut, short := cutBytes(s, maxBytes)
	if !short {
		return Text(s)
	}
	return Text(cut) + "…"
}

// cutBytes returns at most maxBytes bytes of s, ending at the end of a character where s is UTF-8 there.
func cutBytes(s string, maxBytes int) (cut string, short bool) {
	maxBytes = max(maxBytes, 0)
	if len(s) <= maxBytes {
		return s, false
	}
	end := maxBytes
	for back := 0; back < utf8.UTFMax && end > 0 && !utf8.RuneStart(s[end]); back++ {
		end--
	}
	if !utf8.RuneStart(s[end]) { // not UTF-8 at all: cut where it was asked for
		end = maxBytes
	}
	return s[:end], true
}

// firstUnsafe returns where the first character that needs a mark begins, len(s) if there is none.
func firstUnsafe(s string) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || !isSafe(r) {
			return i
		}
		i += size
	}
	return len(s)
}

// isSafe says that r draws something, or marks the character before it, and does nothing else.
func isSafe(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= ' ' && r != 0x7f
	case r == 0x200d, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef:
		// The joiner and the variation selectors belong to ordinary emoji, but they are invisible alone, and
		// terminals disagree about the width of what they make. They are shown as marks.
		return false
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0:
		return false // soft hyphen, joiners and fillers: printable by their class, and yet not seen
	case r == unicode.ReplacementChar:
		return true // it was in the string, as a character of its own
	}
	return unicode.IsPrint(r)
}

const hexDigits = "0123456789abcdef"

func writeByte(b *strings.Builder, c byte) {
	b.WriteString(`\x`)
	b.WriteByte(hexDigits[c>>4])
	b.WriteByte(hexDigits[c&15])
}

func writeMark(b *strings.Builder, r rune) {
	switch {
	case r < ' ':
		b.WriteRune('␀' + r)
	case r == 0x7f:
		b.WriteRune('␡')
	case r < 0xa0:
		writeByte(b, byte(r))
	default:
		digits := 4
		b.WriteByte('\\')
		if r > 0xffff {
			b.WriteByte('U')
			digits = 8
		} else {
			b.WriteByte('u')
		}
		for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
			b.WriteByte(hexDigits[r>>shift&15])
		}
	}
}
