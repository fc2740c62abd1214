package cell

import (
	"os"

	"github.com/muesli/termenv"
)

// Profile returns the colours that the terminal behind out has, from the environment alone (NO_COLOR, CLICOLOR,
// COLORTERM, TERM); the terminal is not asked. Off a terminal, or with noColor, it is [termenv.Ascii].
func Profile(out *os.File, noColor bool) termenv.Profile {
	if noColor {
		return termenv.Ascii
	}
	return termenv.NewOutput(out).EnvColorProfile()
}
