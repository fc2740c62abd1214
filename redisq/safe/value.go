package safe

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// looked is how much of a value is looked at to tell text from binary.
const looked = 4096

// IsBinary says that value is better shown as bytes: it is not UTF-8, or more than a tenth of its characters are
// controls other than tab and line ends. Only the first 4 kB are looked at.
func IsBinary(value string) bool {
	part, _ := cutBytes(value, looked)
	if !utf8.ValidString(part) {
		return true
	}
	controls, runes := 0, 0
	for _, r := range part {
		runes++
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 {
			controls++
		}
	}
	return controls*10 > runes
}

// Preview returns one line that shows value: its text made harmless, cut after maxBytes bytes of the value, or
// "binary, 312 B 1f8b08…" where it is no text.
func Preview(value string, maxBytes int) string {
	if !IsBinary(value) {
		return TextN(value, maxBytes)
	}
	shown, short := value, ""
	if limit := min(max(maxBytes, 0), 16); len(shown) > limit {
		shown, short = shown[:limit], "…"
	}
	return "binary, " + Size(len(value)) + " " + hex.EncodeToString([]byte(shown)) + short
}

// Size returns a number of bytes for a person: "312 B", "12 kB", "1.0 MB". A kB is 1,000 bytes.
func Size(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n) + " B"
	case n < 10_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000:
		return strconv.Itoa(n/1000) + " kB"
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// Hex returns value as the lines of a dump: offset, 16 bytes, and the same bytes as characters with a dot for what is
// no printable ASCII. A large value makes many lines (one for 16 bytes): cut it first.
func Hex(value string) []string {
	lines := make([]string, 0, (len(value)+15)/16)
	for at := 0; at < len(value); at += 16 {
		row := value[at:min(at+16, len(value))]
		var b strings.Builder
		fmt.Fprintf(&b, "%08x ", at)
		for i := range 16 {
			if i%8 == 0 {
				b.WriteByte(' ')
			}
			if i < len(row) {
				fmt.Fprintf(&b, "%02x ", row[i])
			} else {
				b.WriteString("   ")
			}
		}
		b.WriteString(" ")
		for i := range len(row) {
			if c := row[i]; c >= ' ' && c < 0x7f {
				b.WriteByte(c)
			} else {
				b.WriteByte('.')
			}
		}
		lines = append(lines, b.String())
	}
	return lines
}

// JSON returns value indented and made harmless, a string for each line, where it is a JSON object or array; ok is
// false for everything else. Numbers and the order of names stay as they were written.
func JSON(value string) (pretty []string, ok bool) {
	trimmed := strings.TrimSpace(value)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || !utf8.ValidString(trimmed) {
		return nil, false
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(trimmed), "", "  ") != nil {
		return nil, false
	}
	for line := range strings.Lines(b.String()) {
		pretty = append(pretty, Text(strings.TrimSuffix(line, "\n")))
	}
	return pretty, true
}
