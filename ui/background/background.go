package background

import (
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// ThemeVariable is the environment variable by which a person says how the terminal looks: "dark" or "light".
const ThemeVariable = "UNACKED_THEME"

// The kinds of background.
const (
	Dark    = "dark"
	Light   = "light"
	Unknown = "" // nobody told: use colours that can be read on both
)

func init() { lipgloss.SetHasDarkBackground(Guess(os.Getenv) != Light) }

// Guess returns the background as the environment tells it: [ThemeVariable], else COLORFGBG, which some terminals set
// to "foreground;background" in numbers of the 16 colours, else that of the console of Linux, which is black.
func Guess(getenv func(string) string) string {
	switch theme := strings.ToLower(getenv(ThemeVariable)); theme {
	case Dark, Light:
		return theme
	}
	fields := strings.Split(getenv("COLORFGBG"), ";")
	if len(fields) < 2 {
		if getenv("TERM") == "linux" {
			return Dark
		}
		return Unknown
	}
	n, err := strconv.Atoi(fields[len(fields)-1]) // rxvt puts a third one in the middle
	switch {
	case err != nil || n < 0 || n > 15:
		return Unknown
	case n == 7 || n > 8:
		return Light
	}
	return Dark
}
