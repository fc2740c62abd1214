package cell

import (
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Theme is the styles of the screen. Colours have a meaning and always stand beside a word that says the same.
type Theme struct {
	Text  Style // the terminal's own foreground
	Dim   Style // of less weight
	Title Style // of a pane
	Label Style // before a value
	Value Style // a figure

	Good   Style // done, alive
	Warn   Style // pending, needs a look
	Bad    Style // dead, lost, an error
	Accent Style // claimed, in hand, what is looked at

	Selected    Style // a whole row; callers print a cursor too
	Border      Style
	BorderFocus Style
	Key         Style // in the key bar
	KeyHelp     Style
	Stale       Style // a figure that is older than it should be
	Mark        Style // something was done, on the time axis
	Spark       Style

	// Badges: a word on a coloured ground.
	VerdictGood Style
	VerdictWarn Style
	VerdictBad  Style
}

// palette is the colours of one kind of background. Of the 16 colours, which each terminal has its own of, green, yellow
// and cyan cannot be read on white: there others stand for them, "" being the terminal's own foreground. The words beside
// them say what is meant.
type palette struct {
	grey, green, amber, red, cyan, violet lipgloss.CompleteColor
	border                                lipgloss.CompleteColor
	ground                                lipgloss.CompleteColor // under a selected row; empty is reverse video
	onGreen, onAmber, onRed               lipgloss.CompleteColor // text of the badges; with 16 colours the background is
}

func color(true24, c256, c16 string) lipgloss.CompleteColor {
	return lipgloss.CompleteColor{TrueColor: true24, ANSI256: c256, ANSI: c16}
}

var (
	// dark is for backgrounds known to be dark.
	dark = palette{
		grey: color("#9aa4b2", "248", "7"), green: color("#5fd787", "78", "10"), amber: color("#f7bd4f", "214", "11"),
		red: color("#ff7f9f", "211", "9"), cyan: color("#62b6ff", "75", "14"), violet: color("#b79cff", "147", "13"),
		border: color("#56606e", "241", "8"), ground: color("#2a3140", "236", ""),
		onGreen: color("#000000", "16", ""), onAmber: color("#000000", "16", ""), onRed: color("#000000", "16", ""),
	}
	// light is for backgrounds known to be light.
	light = palette{
		grey: color("#5b6470", "241", "8"), green: color("#0b735a", "23", ""), amber: color("#9a560c", "94", "5"),
		red: color("#97082a", "88", "1"), cyan: color("#0f62c9", "26", "4"), violet: color("#6a35c9", "56", "4"),
		border: color("#8b949e", "246", "8"), ground: color("#e3e9f2", "254", ""),
		onGreen: color("#ffffff", "231", ""), onAmber: color("#ffffff", "231", ""), onRed: color("#ffffff", "231", ""),
	}
	// either is for backgrounds that nobody told us: its colours can be read on black and on white, which leaves no
	// choice of how light they are. The 256 colours have no such red and blue; the nearest are taken.
	either = palette{
		grey: color("#767676", "243", "8"), green: color("#00856c", "29", ""), amber: color("#aa660c", "130", "5"),
		red: color("#e31569", "161", "9"), cyan: color("#0e71f0", "31", "12"), violet: color("#8c54ec", "98", "5"),
		border:  color("#767676", "243", "8"),
		onGreen: color("#ffffff", "231", ""), onAmber: color("#ffffff", "231", ""), onRed: color("#ffffff", "231", ""),
	}
)

// NewTheme returns the theme for a background known to be dark, or light, and the terminal's colours. The profile
// [termenv.Ascii] (NO_COLOR, TERM=dumb, no terminal) has no colours and no other attributes.
func NewTheme(dark bool, profile termenv.Profile) *Theme {
	if dark {
		return ThemeFor("dark", profile)
	}
	return ThemeFor("light", profile)
}

// ThemeFor returns the theme for a background: "dark", "light", or anything else for one that is not known, whose
// colours can be read on both.
func ThemeFor(background string, profile termenv.Profile) *Theme {
	switch background {
	case "dark":
		return dark.theme(profile)
	case "light":
		return light.theme(profile)
	}
	return either.theme(profile)
}

func (p palette) theme(profile termenv.Profile) *Theme {
	r := newRenderer(profile)
	plain := func() lipgloss.Style { return lipgloss.NewStyle() }
	fg := func(c lipgloss.CompleteColor) Style { return newStyle(r, plain().Foreground(c)) }
	// With 16 colours bold is another colour on many terminals: black becomes grey, and a badge cannot be read.
	few := profile == termenv.ANSI
	bold := func(c lipgloss.CompleteColor) Style { return newStyle(r, plain().Bold(!few).Foreground(c)) }
	badge := func(text, ground lipgloss.CompleteColor) Style {
		if few {
			return newStyle(r, plain().Reverse(true).Foreground(ground))
		}
		return newStyle(r, plain().Bold(true).Foreground(text).Background(ground))
	}
	selected := plain().Reverse(true)
	if p.ground != (lipgloss.CompleteColor{}) && profile < termenv.ANSI {
		selected = plain().Bold(true).Background(p.ground)
	}
	return &Theme{
		Dim:         fg(p.grey),
		Title:       newStyle(r, plain().Bold(true)),
		Label:       fg(p.grey),
		Value:       newStyle(r, plain().Bold(true)),
		Good:        fg(p.green),
		Warn:        fg(p.amber),
		Bad:         bold(p.red),
		Accent:      fg(p.cyan),
		Selected:    newStyle(r, selected),
		Border:      fg(p.border),
		BorderFocus: fg(p.cyan),
		Key:         bold(p.cyan),
		KeyHelp:     fg(p.grey),
		Stale:       fg(p.grey),
		Mark:        bold(p.violet),
		Spark:       fg(p.cyan),
		VerdictGood: badge(p.onGreen, p.green),
		VerdictWarn: badge(p.onAmber, p.amber),
		VerdictBad:  badge(p.onRed, p.red),
	}
}
