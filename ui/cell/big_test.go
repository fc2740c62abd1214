package cell

import (
	"strings"
	"testing"
)

func TestBig(t *testing.T) {
	for _, c := range []struct {
		text  string
		large bool
		g     Glyphs
		want  []string
	}{
		{"1L", false, Unicode(), []string{
			"▄█  █   ",
			" █  █   ",
			"▀▀▀ ▀▀▀ ",
		}},
		{"1l", true, ASCII(), []string{
			"  ##    ##      ",
			"####    ##      ",
			"  ##    ##      ",
			"  ##    ##      ",
			"######  ######  ",
		}},
		{"1.", false, ASCII(), []string{
			" #      ",
			"##      ",
			" #      ",
			" #      ",
			"###  #  ",
		}},
	} {
		got := Big(c.text, c.large, c.g)
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%q:\n%s\nwant\n%s", c.text, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	for _, text := range []string{"", "FALLING BEHIND", "50.0/s", "1000+", "日本\x1b[2J\n\t", "\xff"} {
		for _, large := range []bool{false, true} {
			for _, g := range []Glyphs{Unicode(), ASCII()} {
				w, h := BigSize(text, large, g)
				lines := Big(text, large, g)
				if len(lines) != h {
					t.Errorf("%q has %d lines, should have %d", text, len(lines), h)
				}
				for _, line := range lines {
					if Width(line) != w || strings.ContainsAny(line, "\x1b\n\t") {
						t.Errorf("%q is %q, should be %d wide", text, line, w)
					}
				}
			}
		}
	}
}
