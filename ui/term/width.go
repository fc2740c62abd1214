package term

import (
	"os"

	xterm "golang.org/x/term"
)

// Width returns how many cells wide the terminal behind f is; false where it is none.
func Width(f *os.File) (int, bool) {
	width, _, err := xterm.GetSize(int(f.Fd()))
	return width, err == nil && width > 0
}
