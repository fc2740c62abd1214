package cell

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Style is a constant pair of SGR sequences. The zero value changes nothing.
type Style struct{ pre, post string }

// On returns s in this style. Where s has styles of its own, this one goes on after each of them.
func (s Style) On(text string) string {
	if s.pre == "" || text == "" {
		return text
	}
	if strings.IndexByte(text, 0x1b) >= 0 {
		text = strings.ReplaceAll(text, s.post, s.post+s.pre)
	}
	return s.pre + text + s.post
}

// newStyle asks lipgloss once for the sequences of a style on a terminal of this profile.
func newStyle(r *lipgloss.Renderer, s lipgloss.Style) Style {
	pre, post, _ := strings.Cut(s.Renderer(r).Inline(true).Render("x"), "x")
	return Style{pre, post}
}

func newRenderer(profile termenv.Profile) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(true) // never asked of the terminal
	return r
}
