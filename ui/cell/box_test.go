package cell

import (
	"math"
	"strings"
	"testing"

	"github.com/muesli/termenv"
)

var colourless = ThemeFor("dark", termenv.Ascii)

func TestBox(t *testing.T) {
	for _, c := range []struct {
		name  string
		title string
		lines []string
		w, h  int
		want  string
	}{
		{"usual", "Pending 3", []string{"a", "longer than that"}, 16, 5, `
╭ Pending 3 ───╮
│a             │
│longer than t…│
│              │
╰──────────────╯`},
		{"more lines than room", "T", []string{"1", "2", "3"}, 7, 4, `
╭ T ──╮
│1    │
│2    │
╰─────╯`},
		{"long title", "Dead letters 12", nil, 10, 3, `
╭ Dead… ─╮
│        │
╰────────╯`},
		{"no title", "", nil, 5, 3, `
╭───╮
│   │
╰───╯`},
		{"no room for a title", "Title", nil, 5, 2, `
╭───╮
╰───╯`},
		{"wide title", "日本", nil, 9, 2, `
╭ 日本 ─╮
╰───────╯`},
		{"smallest", "T", []string{"x"}, 2, 2, `
╭╮
╰╯`},
		{"no border", "T", []string{"x"}, 1, 2, "\n \n "},
		{"nothing", "T", []string{"x"}, -1, -5, ""},
	} {
		got := strings.Join(Box(c.title, c.lines, c.w, c.h, false, colourless, Unicode()), "\n")
		if want := strings.TrimPrefix(c.want, "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
	ascii := Box("T", nil, 6, 3, true, colourless, ASCII())
	if got, want := strings.Join(ascii, "\n"), "+ T -+\n|    |\n+----+"; got != want {
		t.Errorf("ascii:\n%s\nwant\n%s", got, want)
	}
}

// Whatever the size, a box is that many lines of that many cells, and its focus shows in colours.
func TestBoxSizes(t *testing.T) {
	theme := ThemeFor("dark", termenv.TrueColor)
	lines := []string{theme.Bad.On("dead ✖ 日本語"), "x"}
	for w := range 30 {
		for h := range 6 {
			for _, focused := range []bool{false, true} {
				box := Box("title 日本", lines, w, h, focused, theme, Unicode())
				if len(box) != h {
					t.Fatalf("%dx%d has %d lines", w, h, len(box))
				}
				for _, line := range box {
					if Width(line) != w {
						t.Errorf("%dx%d: %q is %d wide", w, h, line, Width(line))
					}
				}
			}
		}
	}
	if Box("t", nil, 9, 3, true, theme, Unicode())[0] == Box("t", nil, 9, 3, false, theme, Unicode())[0] {
		t.Error("the focus does not show")
	}
}

func TestInside(t *testing.T) {
	for _, c := range [][4]int{{10, 5, 8, 3}, {2, 2, 0, 0}, {1, 0, 0, 0}, {-7, 3, 0, 1}} {
		if w, h := Inside(c[0], c[1]); w != c[2] || h != c[3] {
			t.Errorf("Inside(%d, %d) = %d, %d, want %d, %d", c[0], c[1], w, h, c[2], c[3])
		}
	}
}

func TestJoin(t *testing.T) {
	got := Join([]string{"ab", "cd", "ef"}, nil, []string{"日"}, []string{"1", "2"})
	want := []string{"ab日1", "cd  2", "ef   "}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Join(); len(got) != 0 {
		t.Errorf("of nothing: %q", got)
	}
}

func TestMeter(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{
		{0, "▱▱▱▱▱"},
		{0.6, "▰▰▰▱▱"},
		{1, "▰▰▰▰▰"},
		{7, "▰▰▰▰▰"},
		{-1, "▱▱▱▱▱"},
		{math.NaN(), "▱▱▱▱▱"},
		{math.Inf(1), "▰▰▰▰▰"},
		{math.Inf(-1), "▱▱▱▱▱"},
	} {
		if got := Meter(c.share, 5, Unicode()); got != c.want {
			t.Errorf("Meter(%v) = %s, want %s", c.share, got, c.want)
		}
	}
	if got := Meter(0.5, -1, Unicode()); got != "" {
		t.Errorf("of no width: %q", got)
	}
}

func TestBoxes(t *testing.T) {
	for _, c := range []struct {
		n, limit int64
		w        int
		want     string
	}{
		{2, 5, 8, "▮▮▯▯▯"},
		{9, 5, 8, "▮▮▮▮▮"},
		{-1, 3, 8, "▯▯▯"},
		{1, 0, 8, ""}, // no limit
		{1, 9, 8, ""}, // no room: the number beside it says it
		{1, 3, -1, ""},
		{math.MaxInt64, 2, 2, "▮▮"},
	} {
		if got := Boxes(c.n, c.limit, c.w, Unicode()); got != c.want {
			t.Errorf("Boxes(%d, %d, %d) = %q, want %q", c.n, c.limit, c.w, got, c.want)
		}
	}
}

func BenchmarkPadASCII(b *testing.B)  { benchmarkPad(b, "1764365984740-0") }
func BenchmarkPadStyled(b *testing.B) { benchmarkPad(b, "\x1b[38;5;214mpending 3 of 12\x1b[0m") }
func BenchmarkPadGlyphs(b *testing.B) { benchmarkPad(b, "● w1 sending ▰▰▰▱▱") }
func BenchmarkPadWide(b *testing.B) {
	benchmarkPad(b, "日本語 👩‍👩‍👧‍👦 กำ text")
}

func benchmarkPad(b *testing.B, s string) {
	for b.Loop() {
		Pad(s, 30)
	}
}

func BenchmarkCutASCII(b *testing.B) {
	s := strings.Repeat("0123456789", 20)
	for b.Loop() {
		Cut(s, 30)
	}
}

func BenchmarkBox(b *testing.B) {
	theme := ThemeFor("dark", termenv.TrueColor)
	lines := make([]string, 20)
	for i := range lines {
		lines[i] = "> 1764365984740-0  8.2s  " + theme.Warn.On("4.1s") + "  2 of 5 ▮▮▯▯▯ w2 " + theme.Bad.On("dead")
	}
	for b.Loop() {
		Box("Pending 20", lines, 100, 22, true, theme, Unicode())
	}
}

func BenchmarkJoin(b *testing.B) {
	theme := ThemeFor("dark", termenv.TrueColor)
	left := Box("Workers", nil, 100, 58, true, theme, Unicode())
	right := Box("Pending", nil, 100, 58, false, theme, Unicode())
	for b.Loop() {
		Join(left, right)
	}
}
