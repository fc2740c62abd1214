package cell

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"
)

const asSubject = "CELL_TEST_SUBJECT"

func TestMain(m *testing.M) {
	if os.Getenv(asSubject) != "" {
		const s = "│…▁█╭●·"
		fmt.Println(Width(s), ansi.StringWidth(s), ansi.StringWidthWc(s), lipgloss.Width(s), runewidth.StringWidth(s),
			len([]rune(Pad(s, 9))))
		return
	}
	os.Exit(m.Run())
}

// No locale and no setting makes a border two cells wide, in any of the libraries that measure.
func TestLocales(t *testing.T) {
	for _, env := range []string{
		"LC_ALL=C", "LC_ALL=ja_JP.UTF-8", "LC_ALL=zh_CN.UTF-8", "LC_ALL=ko_KR.UTF-8", "RUNEWIDTH_EASTASIAN=1",
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asSubject+"=1", env)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(out)); got != "7 7 7 7 7 9" {
			t.Errorf("%s: widths %s, want 7 of each library and 9 runes padded", env, got)
		}
	}
}

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"":                         0,
		"plain":                    5,
		"日本語":                      6,
		"e\u0301":                  1,
		"ﾟ":                        1,
		"👍":                        2,
		"🇫🇮":                       2,
		"👩‍👩‍👧‍👦":                  2,
		"│…▁█":                     4,
		"\x1b[1;31mred\x1b[m":      3,
		"\x1b[38;2;1;2;3m日\x1b[0m": 2,
	} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestCutAndPad(t *testing.T) {
	for _, c := range []struct {
		s              string
		w              int
		cut, pad, left string
	}{
		{"abc", 5, "abc", "abc  ", "  abc"},
		{"abc", 3, "abc", "abc", "abc"},
		{"abcdef", 4, "abc…", "abc…", "abc…"},
		{"abc", 1, "…", "…", "…"},
		{"abc", 0, "", "", ""},
		{"abc", -3, "", "", ""},
		{"", 2, "", "  ", "  "},
		{"日本語", 6, "日本語", "日本語", "日本語"},
		{"日本語", 5, "日本…", "日本…", "日本…"},
		{"日本語", 4, "日…", "日… ", " 日…"}, // half of a wide character is a blank
		{"日本", 1, "…", "…", "…"},
		{"ae\u0301b", 3, "ae\u0301b", "ae\u0301b", "ae\u0301b"},
		{"ae\u0301bc", 3, "ae\u0301…", "ae\u0301…", "ae\u0301…"},
		// Colours end where they did, after the cut as well.
		{"\x1b[31mabcdef\x1b[0m", 4, "\x1b[31mabc…\x1b[0m", "\x1b[31mabc…\x1b[0m", "\x1b[31mabc…\x1b[0m"},
		{"\x1b[31mab\x1b[0mcd", 3, "\x1b[31mab\x1b[0m…", "\x1b[31mab\x1b[0m…", "\x1b[31mab\x1b[0m…"},
		{"\x1b[31mab\x1b[0m", 3, "\x1b[31mab\x1b[0m", "\x1b[31mab\x1b[0m ", " \x1b[31mab\x1b[0m"},
		// Emoji sequences become what all terminals draw alike.
		{"👩‍👩‍👧‍👦x", 4, "👩x", "👩x ", " 👩x"},
		{"☁\ufe0fx", 4, "☁x", "☁x  ", "  ☁x"},
		{"👍🏽", 4, "👍", "👍  ", "  👍"},
		{"1\ufe0f\u20e3", 2, "1", "1 ", " 1"},
		{"🇫🇮", 2, "🇫🇮", "🇫🇮", "🇫🇮"},
		{"🇫", 2, "F", "F ", " F"},
		// Characters of which terminals make one cell or two are kept apart.
		{"ｶﾞ", 3, "ｶ\u2060ﾞ", "ｶ\u2060ﾞ ", " ｶ\u2060ﾞ"},
		{"ﾞ", 2, "\u2060ﾞ", "\u2060ﾞ ", " \u2060ﾞ"},
		{"กำ", 2, "ก\u2060ำ", "ก\u2060ำ", "ก\u2060ำ"},
	} {
		if got := Cut(c.s, c.w); got != c.cut {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.s, c.w, got, c.cut)
		}
		if got := Pad(c.s, c.w); got != c.pad {
			t.Errorf("Pad(%q, %d) = %q, want %q", c.s, c.w, got, c.pad)
		}
		if got := PadLeft(c.s, c.w); got != c.left {
			t.Errorf("PadLeft(%q, %d) = %q, want %q", c.s, c.w, got, c.left)
		}
	}
}

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{
		{"mailer-7f76-x2x9z", 17, "mailer-7f76-x2x9z"},
		{"mailer-7f76-x2x9z", 11, "maile…x2x9z"},
		{"mailer-7f76-x2x9z", 10, "maile…2x9z"},
		{"1795992500521-12", 15, "1795992…0521-12"},
		{"abcdef", 3, "a…f"},
		{"abcdef", 2, "a…"},
		{"abcdef", 0, ""},
		{"abcdef", -1, ""},
		{"日本語の名前", 12, "日本語の名前"},
		{"日本語の名前", 9, "日本…名前"},
		{"日本語の名前", 8, "日本…前"},
		{"\x1b[31mabcdef\x1b[0m", 4, "\x1b[31mabc…\x1b[0m"},
	} {
		if got := Middle(c.s, c.w); got != c.want {
			t.Errorf("Middle(%q, %d) = %q, want %q", c.s, c.w, got, c.want)
		}
	}
}

func TestBreak(t *testing.T) {
	for _, c := range []struct {
		s          string
		w          int
		line, rest string
	}{
		{"", 5, "", ""},
		{"fits", 5, "fits", ""},
		{"two words", 9, "two words", ""},
		{"two words", 8, "two", "words"},
		{"two words", 3, "two", "words"},
		{"two  words", 4, "two ", "words"},
		{"XCLAIM q 1795992500521-12", 20, "XCLAIM q", "1795992500521-12"}, // not at the hyphen
		{"1795992500521-12", 10, "1795992500", "521-12"},
		{" x", 1, " ", "x"},
		{"日本語 x", 5, "日本", "語 x"},
		{"日", 1, "日", ""},
		{"日本", 0, "日", "本"},
		{"e\u0301e\u0301", 1, "e\u0301", "e\u0301"},
	} {
		if line, rest := Break(c.s, c.w); line != c.line || rest != c.rest {
			t.Errorf("Break(%q, %d) = %q, %q, want %q, %q", c.s, c.w, line, rest, c.line, c.rest)
		}
	}
}

func TestSymbolsAreOneCell(t *testing.T) {
	for r := rune(0x80); r < 0x3000; r++ {
		if s := string(r); symbol(r) && (ansi.StringWidth(s) != 1 || ansi.StringWidthWc(s) != 1 || joins("x", s) || joins(s, "x")) {
			t.Errorf("%U is no symbol", r)
		}
	}
}

func TestGlyphsAreOneCell(t *testing.T) {
	for name, g := range map[string]Glyphs{"unicode": Unicode(), "ascii": ASCII()} {
		all := append([]string{
			g.Horizontal, g.Vertical, g.TopLeft, g.TopRight, g.BottomLeft, g.BottomRight,
			g.TeeLeft, g.TeeRight, g.TeeTop, g.TeeBottom, g.Middle, g.On, g.Off, g.Half, g.Dead, g.Waiting, g.Warning,
			g.Full, g.Empty, g.BoxFull, g.BoxEmpty, g.Bar, g.Gap, g.Mark, g.Tick, g.Cursor, g.Ellipsis, g.Bullet,
			g.Into, g.Up, g.Down, g.Left, g.Right, g.Check, g.Sorted, g.Approx,
		}, g.Spark[:]...)
		for i, s := range all {
			if utf8.RuneCountInString(s) != 1 || Width(s) != 1 || ansi.StringWidthWc(s) != 1 {
				t.Errorf("%s: glyph %d %q is not one rune of one cell", name, i, s)
			}
			if g.ASCII && !plain(s) {
				t.Errorf("ascii: %q", s)
			}
		}
	}
}

// FuzzPad: whatever is printed, padded text is exactly as wide as it was to be, and the renderer thinks so too.
func FuzzPad(f *testing.F) {
	for _, s := range []string{
		"", "plain", "日本語 text", "👩‍👩‍👧‍👦", "🇫🇮🇫🇮🇫", "☁\ufe0f", "e\u0301\u0301", "ﾟ", "क्षि", "한글", "각",
		"👍🏽👍🏽", "1\ufe0f\u20e3", "a\u200db", "\u0301 starts", "\U0001f3f4\U000e0067\U000e007f", "﷽", "\u3164", "\ufe0f", "\u0600", "กำ", "ｶﾞ",
	} {
		for _, w := range []int{-1, 0, 1, 2, 3, 7, 80} {
			f.Add(s, w, 0)
			f.Add(s, w, 2)
		}
	}
	f.Fuzz(func(t *testing.T, s string, w, at int) {
		w %= 300
		s = printable(s)
		styled := s
		if at > 0 && len(s) > 0 {
			at %= len(s)
			for !utf8.RuneStart(s[at]) {
				at--
			}
			styled = s[:at] + "\x1b[1;38;5;120m" + s[at:] + "\x1b[0m"
		}
		for _, in := range []string{s, styled} {
			want := max(w, 0)
			for name, got := range map[string]string{"Pad": Pad(in, w), "PadLeft": PadLeft(in, w)} {
				if Width(got) != want || ansi.StringWidth(got) != want {
					t.Errorf("%s(%q, %d) = %q is %d wide, the renderer says %d",
						name, in, w, got, Width(got), ansi.StringWidth(got))
				}
				// Also within a border, and by terminals that measure each character alone.
				if g := "│" + got + "│"; ansi.StringWidth(g) != want+2 || ansi.StringWidthWc(g) != want+2 {
					t.Errorf("%s(%q, %d) = %q in a border is %d wide by clusters, %d by characters",
						name, in, w, got, ansi.StringWidth(g), ansi.StringWidthWc(g))
				}
				if strings.Count(got, "\x1b") != strings.Count(in, "\x1b") && w > 0 {
					t.Errorf("%s(%q, %d) = %q lost a sequence", name, in, w, got)
				}
			}
			if got := Pad(Middle(in, w), w); Width(got) != want || ansi.StringWidth(got) != want {
				t.Errorf("Middle(%q, %d) = %q is %d wide, the renderer says %d", in, w, got, Width(got), ansi.StringWidth(got))
			}
			if got := Cut(in, w); Width(got) > want {
				t.Errorf("Cut(%q, %d) = %q is %d wide", in, w, got, Width(got))
			}
			if whole := Cut(in, 1<<20); Width(in) != ansi.StringWidth(whole) || Width(whole) != Width(in) {
				t.Errorf("Width(%q) = %d, of it as drawn %d, the renderer says %d",
					in, Width(in), Width(whole), ansi.StringWidth(whole))
			}
		}
	})
}

// printable drops what package safe would have made visible.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) || 0x80 <= r && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// In a frame for ASCII terminals nothing else is left, and everything stays in its place.
func TestFrame(t *testing.T) {
	for s, want := range map[string]string{
		"plain\nlines":        "plain\nlines",
		"cut…":                "cut~",
		"日本 x":                "???? x",
		"e\u0301a":            "ea",
		"\x1b[31m→ ok\x1b[0m": "\x1b[31m> ok\x1b[0m",
		"☁\ufe0f 👩‍👩‍👧‍👦 🇫🇮 กำ.": "? ?? ?? ??.",
		"": "",
	} {
		if got := ASCII().Frame(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
		if got := Unicode().Frame(s); got != s {
			t.Errorf("%q becomes %q where nothing was to be done", s, got)
		}
	}
}
