package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"example.com/unacked/ui"
	"example.com/unacked/ui/background"
	"example.com/unacked/ui/cell"
	"example.com/unacked/ui/term"
)

// screen is the flags of how the dashboard looks; they have the same names on every command that has one.
type screen struct {
	theme       string
	ascii, mono bool
	plain       bool // lines of text instead of a screen
	mouse       bool
	present     bool
	log         string // file that gets what libraries log
	interval    time.Duration
}

func (s *screen) flags(cmd *cobra.Command, interval time.Duration) {
	f := cmd.Flags()
	f.DurationVar(&s.interval, "interval", interval, "`TIME` between readings")
	f.StringVar(&s.theme, "theme", background.Guess(os.Getenv), "dark or light; \"\" can be read on both")
	f.BoolVar(&s.ascii, "ascii", false, "draw with ASCII characters only")
	f.BoolVar(&s.plain, "plain", false, "no screen: a line of text whenever something changes, for screen readers and logs")
	f.BoolVar(&s.mono, "no-color", false, "no colours (also NO_COLOR)")
	f.BoolVar(&s.mouse, "mouse", false, "click to select, wheel to scroll; the terminal's own selection is with shift then")
	f.BoolVar(&s.present, "present", false, "begin in the presenter's mode: large, for a projector")
	f.StringVar(&s.log, "log", "", "`FILE` that gets what libraries and workers log")
	_ = cmd.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions([]string{background.Dark, background.Light}, cobra.ShellCompDirectiveNoFileComp))
}

// check says what is wrong with the flags, and that there is no terminal where one is needed.
func (s *screen) check() error {
	if err := readingInterval(s.interval); err != nil {
		return err
	}
	if s.theme != "" && s.theme != background.Dark && s.theme != background.Light {
		return usageError{fmt.Errorf("theme %q: use dark, light or \"\"", s.theme)}
	}
	if s.plain {
		return nil
	}
	if err := term.Check(os.Stdin, os.Stdout); err != nil {
		return usageError{fmt.Errorf("%w; or use --plain for lines of text", err)}
	}
	return nil
}

// options are those of the screen, once the flags are read.
func (s *screen) options(keys ui.KeyMap) ui.Options {
	glyphs := cell.Unicode()
	if s.ascii {
		glyphs = cell.ASCII()
	}
	return ui.Options{
		Keys: keys, Glyphs: glyphs, Interval: s.interval, Theme: cell.ThemeFor(s.theme, cell.Profile(os.Stdout, s.mono)),
		Present: s.present,
	}
}
