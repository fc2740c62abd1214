package safe_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"example.com/unacked/redisq/safe"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"order 31, déjà vu 日本語 ▰▱":     "order 31, déjà vu 日本語 ▰▱",
		"\x1b[2J":                      "␛[2J",
		"\x1b]0;own\x07":               "␛]0;own␇",
		"\x1b]52;c;aGk=\x07":           "␛]52;c;aGk=␇",
		"\x9b31m":                      `\x9b31m`,
		"\u009b31m":                    `\x9b31m`,
		"a\tb\nc\rd\be\x00f\x7fg":      "a␉b␊c␍d␈e␀f␡g",
		"\xff\xfe":                     `\xff\xfe`,
		"cut \xe2\x82":                 `cut \xe2\x82`,
		"\u202egnp.exe":                `\u202egnp.exe`,
		"a\u2028b\u2029c":              `a\u2028b\u2029c`,
		"a\u200bb\u200dc\ufeffd\u00ad": `a\u200bb\u200dc\ufeffd\u00ad`,
		"☁\ufe0f":                      `☁\ufe0f`,
		"\U000e0041":                   `\U000e0041`,
		"e\u0301":                      "e\u0301",
		"\ufffd":                       "\ufffd",
		"\u00a0":                       `\u00a0`,
		"\ue000":                       `\ue000`,
		`\x1b is text`:                 `\x1b is text`,
	} {
		if got := safe.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTextNCutsBytesFirst(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"日本", 4, "日…"},
		{"日本", 2, "…"},
		{"", 0, ""},
		{"a", 0, "…"},
		{"a", -1, "…"},
		{"\x1b\x1b\x1b", 2, "␛␛…"},
		{"\x80\x80\x80\x80\x80\x80", 5, `\x80\x80\x80\x80\x80…`},
	} {
		if got := safe.TextN(c.in, c.n); got != c.want {
			t.Errorf("TextN(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestPreview(t *testing.T) {
	for in, want := range map[string]string{
		"order=31":                      "order=31",
		"line\nline":                    "line␊line",
		"\x1f\x8b\x08\x00":              "binary, 4 B 1f8b0800",
		strings.Repeat("\x00", 312):     "binary, 312 B " + strings.Repeat("00", 16) + "…",
		strings.Repeat("\x00", 12_000):  "binary, 12 kB " + strings.Repeat("00", 16) + "…",
		strings.Repeat("\xff", 1500000): "binary, 1.5 MB " + strings.Repeat("ff", 16) + "…",
		strings.Repeat("x", 50):         strings.Repeat("x", 40) + "…",
		"":                              "",
	} {
		if got := safe.Preview(in, 40); got != want {
			t.Errorf("Preview(%.20q) = %q, want %q", in, got, want)
		}
	}
}

func TestIsBinary(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "text\r\n\ttext": false, "one \x1b in much text is text": false, "\x01\x02\x03abc": true, "\xac\xed\x00\x05t": true,
		strings.Repeat("日", 5000): false, "\xff": true,
	} {
		if got := safe.IsBinary(in); got != want {
			t.Errorf("IsBinary(%.20q) = %v", in, got)
		}
	}
}

func TestHex(t *testing.T) {
	got := strings.Join(safe.Hex("\x1b[2J hello, world\xff"), "\n")
	want := "00000000  1b 5b 32 4a 20 68 65 6c  6c 6f 2c 20 77 6f 72 6c  .[2J hello, worl\n" +
		"00000010  64 ff                                             d."
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if lines := safe.Hex(""); len(lines) != 0 {
		t.Errorf("of nothing: %q", lines)
	}
}

func TestJSON(t *testing.T) {
	pretty, ok := safe.JSON(` {"b":1.0, "a":["x\u001b", "` + "\u202e" + `"], "n":12345678901234567890} `)
	want := []string{
		`{`, `  "b": 1.0,`, `  "a": [`, `    "x\u001b",`, `    "\u202e"`, `  ],`, `  "n": 12345678901234567890`, `}`,
	}
	if !ok || strings.Join(pretty, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %v\n%s", ok, strings.Join(pretty, "\n"))
	}
	for _, no := range []string{"", "  ", "31", `"text"`, "{", "{}x", "[\xff]"} {
		if pretty, ok := safe.JSON(no); ok {
			t.Errorf("JSON(%q) = %q", no, pretty)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 9999: "10.0 kB", 64_000: "64 kB", 1_000_000: "1.0 MB"} {
		if got := safe.Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"", "plain", "\x1b[31mred\x1b[0m", "\x9b31m", "\u009b", "\xc2", "\xe2\x80\xae", "日本語", "👩‍👩‍👧‍👦", "☁️", "\xff\xfe", "a\u0301",
		"\x1b]8;;http://x\x07y", "\U0010ffff", "\xed\xa0\x80", "\ue000", "\u2066x\u2069", "ﾟ", "\u3164",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		check := func(what, got string) {
			if !utf8.ValidString(got) {
				t.Errorf("%s of %q is no UTF-8: %q", what, s, got)
			}
			for _, r := range got {
				if !unicode.IsPrint(r) || r < ' ' || r >= 0x7f && r < 0xa0 {
					t.Errorf("%s of %q has %U: %q", what, s, r, got)
				}
			}
			if again := safe.Text(got); again != got {
				t.Errorf("%s of %q changes again: %q, %q", what, s, got, again)
			}
		}
		text := safe.Text(s)
		check("Text", text)
		if allPrintable(s) && text != s {
			t.Errorf("Text(%q) = %q, though it is ASCII", s, text)
		}
		check("TextN", safe.TextN(s, 5))
		check("Preview", safe.Preview(s, 5))
		for _, line := range safe.Hex(s) {
			check("Hex", line)
		}
		if pretty, ok := safe.JSON(s); ok {
			for _, line := range pretty {
				check("JSON", line)
			}
		}
	})
}

func allPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func BenchmarkText(b *testing.B) {
	for name, s := range map[string]string{"ascii": strings.Repeat("order=31 ", 20), "controls": strings.Repeat("\x1b[2J", 40)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = safe.Text(s)
			}
		})
	}
}
