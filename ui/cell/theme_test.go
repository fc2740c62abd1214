package cell

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

var palettes = map[string]palette{"dark": dark, "light": light, "either": either}

// grounds are the backgrounds on which each palette's text must be readable.
var grounds = map[string][]string{
	"dark":   {"#000000", "#282c34"}, // black, and a usual dark grey
	"light":  {"#ffffff", "#fdf6e3"}, // white, and a usual cream
	"either": {"#000000", "#ffffff"},
}

func (p palette) text() map[string]lipgloss.CompleteColor {
	return map[string]lipgloss.CompleteColor{
		"grey": p.grey, "green": p.green, "amber": p.amber, "red": p.red, "cyan": p.cyan, "violet": p.violet,
	}
}

// Text has a contrast of at least 4.5:1 (WCAG 2 AA), a border of at least 2:1.
func TestContrast(t *testing.T) {
	for name, p := range palettes {
		for _, ground := range grounds[name] {
			for word, c := range p.text() {
				if got := contrast(c.TrueColor, ground); got < 4.5 {
					t.Errorf("%s: %s on %s: %.2f", name, word, ground, got)
				}
				least := 4.5
				if name == "either" {
					least = 4 // as the palette's comment says
				}
				if got := contrast(indexed(t, c.ANSI256), ground); got < least {
					t.Errorf("%s: %s of 256 colours on %s: %.2f", name, word, ground, got)
				}
			}
			if got := contrast(p.border.TrueColor, ground); got < 2 {
				t.Errorf("%s: border on %s: %.2f", name, ground, got)
			}
		}
		for word, badge := range map[string][2]lipgloss.CompleteColor{
			"good": {p.onGreen, p.green}, "warn": {p.onAmber, p.amber}, "bad": {p.onRed, p.red},
		} {
			if got := contrast(badge[0].TrueColor, badge[1].TrueColor); got < 4.5 {
				t.Errorf("%s: badge %s: %.2f", name, word, got)
			}
			if got := contrast(indexed(t, badge[0].ANSI256), indexed(t, badge[1].ANSI256)); got < 4 {
				t.Errorf("%s: badge %s of 256 colours: %.2f", name, word, got)
			}
		}
		if p.ground.TrueColor == "" {
			continue
		}
		for word, c := range p.text() {
			if got := contrast(c.TrueColor, p.ground.TrueColor); got < 4.5 {
				t.Errorf("%s: %s on a selected row: %.2f", name, word, got)
			}
		}
	}
}

// sixteen are the 16 colours as terminals have them: xterm, and the console of Linux.
var sixteen = map[string][]string{
	"xterm": strings.Fields("#000000 #cd0000 #00cd00 #cdcd00 #0000ee #cd00cd #00cdcd #e5e5e5 #7f7f7f #ff0000 #00ff00 #ffff00 #5c5cff #ff00ff #00ffff #ffffff"),
	"linux": strings.Fields("#000000 #aa0000 #00aa00 #aa5500 #0000aa #aa00aa #00aaaa #aaaaaa #555555 #ff5555 #55ff55 #ffff55 #5555ff #ff55ff #55ffff #ffffff"),
}

// With 16 colours too text can be read: 4:1 at least, which the grey of xterm has on white. The console of Linux is dark.
func TestContrastOfSixteenColours(t *testing.T) {
	for name, p := range palettes {
		for terminal, all := range sixteen {
			for _, ground := range map[string][]string{"dark": {"#000000"}, "light": {"#ffffff"}, "either": {"#000000", "#ffffff"}}[name] {
				if terminal == "linux" && name != "dark" {
					continue
				}
				colour := func(c lipgloss.CompleteColor) (string, bool) {
					n, err := strconv.Atoi(c.ANSI)
					if err != nil {
						return "", false // the terminal's own foreground
					}
					return all[n], true
				}
				for word, c := range p.text() {
					hex, ok := colour(c)
					if got := contrast(cmp.Or(hex, ground), ground); ok && got < 3.95 {
						t.Errorf("%s, %s: %s on %s: %.2f", name, terminal, word, ground, got)
					}
				}
				if hex, _ := colour(p.border); contrast(hex, ground) < 2 {
					t.Errorf("%s, %s: border on %s: %.2f", name, terminal, ground, contrast(hex, ground))
				}
			}
		}
		// A badge is its colour turned round, so that what was said of the colour holds for it; and never bold.
		th := ThemeFor(name, termenv.ANSI)
		for word, s := range map[string]Style{"good": th.VerdictGood, "warn": th.VerdictWarn, "bad": th.VerdictBad} {
			if on := s.On("x"); !strings.HasPrefix(on, "\x1b[7") || strings.HasPrefix(on, "\x1b[1") {
				t.Errorf("%s: badge %s is %q", name, word, on)
			}
		}
	}
}

// The states can be told apart with protanopia and deuteranopia (simulated after Machado et al. 2009), as Lab colours
// that lie at least 12 apart, about five just noticeable differences.
func TestColourBlind(t *testing.T) {
	vision := map[string][3][3]float64{
		"usual": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia": {
			{0.152286, 1.052583, -0.204868},
			{0.114503, 0.786281, 0.099216},
			{-0.003882, -0.048116, 1.051998},
		},
		"deuteranopia": {
			{0.367322, 0.860646, -0.227968},
			{0.280085, 0.672501, 0.047413},
			{-0.011820, 0.042940, 0.968881},
		},
	}
	for name, p := range palettes {
		for eyes, m := range vision {
			for a, ca := range p.text() {
				for b, cb := range p.text() {
					if a >= b || strings.Contains("grey violet", a) || strings.Contains("grey violet", b) {
						continue
					}
					if d := distance(lab(ca.TrueColor, m), lab(cb.TrueColor, m)); d < 12 {
						t.Errorf("%s, %s: %s and %s are %.1f apart", name, eyes, a, b, d)
					}
				}
			}
		}
	}
}

func TestNoColour(t *testing.T) {
	for _, background := range []string{"dark", "light", ""} {
		th := ThemeFor(background, termenv.Ascii)
		for name, s := range styles(th) {
			if got := s.On("word"); got != "word" {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

// With colours each style is a constant prefix and suffix, and the row under the cursor differs on every terminal.
func TestStyles(t *testing.T) {
	for _, profile := range []termenv.Profile{termenv.TrueColor, termenv.ANSI256, termenv.ANSI} {
		for _, background := range []string{"dark", "light", ""} {
			th := ThemeFor(background, profile)
			for name, s := range styles(th) {
				got := s.On("word")
				own := name == "Text" || name == "Good" && profile == termenv.ANSI && background != "dark" // the terminal's own
				if !own && (!strings.HasPrefix(got, "\x1b[") || !strings.HasSuffix(got, "word\x1b[0m")) {
					t.Errorf("%s: %q", name, got)
				}
				if Width(got) != 4 {
					t.Errorf("%s: %q is %d wide", name, got, Width(got))
				}
				if s.On("") != "" {
					t.Errorf("%s: of nothing is %q", name, s.On(""))
				}
			}
		}
	}
}

// A style goes on behind a word that has one of its own.
func TestStyleAroundStyles(t *testing.T) {
	outer, inner := Style{"\x1b[7m", "\x1b[0m"}, Style{"\x1b[31m", "\x1b[0m"}
	want := "\x1b[7ma \x1b[31mred\x1b[0m\x1b[7m word\x1b[0m"
	if got := outer.On("a " + inner.On("red") + " word"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func styles(th *Theme) map[string]Style {
	return map[string]Style{
		"Text": th.Text, "Dim": th.Dim, "Title": th.Title, "Label": th.Label, "Value": th.Value,
		"Good": th.Good, "Warn": th.Warn, "Bad": th.Bad, "Accent": th.Accent,
		"Selected": th.Selected, "Border": th.Border, "BorderFocus": th.BorderFocus,
		"Key": th.Key, "KeyHelp": th.KeyHelp, "Stale": th.Stale, "Mark": th.Mark, "Spark": th.Spark,
		"VerdictGood": th.VerdictGood, "VerdictWarn": th.VerdictWarn, "VerdictBad": th.VerdictBad,
	}
}

// indexed returns colour 16 … 255 of the 256, as xterm defines them.
func indexed(t *testing.T, index string) string {
	t.Helper()
	n, err := strconv.Atoi(index)
	if err != nil || n < 16 || n > 255 {
		t.Fatalf("colour %q is not one of the fixed ones", index)
	}
	hex := func(r, g, b int) string {
		return "#" + strconv.FormatInt(1<<24|int64(r)<<16|int64(g)<<8|int64(b), 16)[1:]
	}
	if n >= 232 {
		v := 8 + 10*(n-232)
		return hex(v, v, v)
	}
	level := [6]int{0, 95, 135, 175, 215, 255}
	n -= 16
	return hex(level[n/36], level[n/6%6], level[n%6])
}

// linear returns red, green and blue as light, 0 … 1.
func linear(hex string) [3]float64 {
	n, _ := strconv.ParseUint(hex[1:], 16, 32)
	var out [3]float64
	for i := range out {
		c := float64(n>>(16-8*i)&0xff) / 255
		if c <= 0.04045 {
			out[i] = c / 12.92
		} else {
			out[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return out
}

// contrast is the ratio of WCAG 2.
func contrast(a, b string) float64 {
	luminance := func(hex string) float64 {
		c := linear(hex)
		return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
	}
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// lab returns a colour, as eyes with the matrix m see it, in CIE Lab.
func lab(hex string, m [3][3]float64) [3]float64 {
	c := linear(hex)
	var seen [3]float64
	for i := range seen {
		seen[i] = min(max(m[i][0]*c[0]+m[i][1]*c[1]+m[i][2]*c[2], 0), 1)
	}
	f := func(x float64) float64 {
		if x > 0.008856 {
			return math.Cbrt(x)
		}
		return 7.787*x + 16.0/116
	}
	x := f((0.4124*seen[0] + 0.3576*seen[1] + 0.1805*seen[2]) / 0.9505)
	y := f(0.2126*seen[0] + 0.7152*seen[1] + 0.0722*seen[2])
	z := f((0.0193*seen[0] + 0.1192*seen[1] + 0.9505*seen[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}
