package term

import (
	"errors"
	"fmt"
	"os"

	xterm "golang.org/x/term"
)

// ErrNoTerminal is wrapped by the error of [Check].
var ErrNoTerminal = errors.New("no terminal")

// Check returns nil where both in and out are terminals, and else an error, a sentence for a person, that says which
// is not and what to do. It is to be called before anything is started.
func Check(in, out *os.File) error {
	which := ""
	switch read, write := isTerminal(in), isTerminal(out); {
	case read && write:
		return nil
	case !read && !write:
		which = "standard input and output are not terminals"
	case !read:
		which = "standard input is not a terminal"
	default:
		which = "standard output is not a terminal"
	}
	return fmt.Errorf("%w: the dashboard needs one, and %s; run it in a terminal, without a pipe or redirection "+
		"(ssh -t, docker run -it)", ErrNoTerminal, which)
}

func isTerminal(f *os.File) bool { return f != nil && xterm.IsTerminal(int(f.Fd())) }
