package term

import (
	"fmt"
	"os"

	xterm "golang.org/x/term"
)

// AskPassword shows the prompt on standard error and reads a line from the terminal without showing it. Where standard
// input is no terminal it is an error.
func AskPassword(prompt string) (string, error) {
	if !isTerminal(os.Stdin) {
		return "", fmt.Errorf("ask for the password: %w on standard input; put it into REDISCLI_AUTH", ErrNoTerminal)
	}
	fmt.Fprint(os.Stderr, prompt)
	password, err := xterm.ReadPassword(int(os.Stdin.Fd()))
	fmt.Fprintln(os.Stderr)
	if err != nil {
		return "", fmt.Errorf("ask for the password: %w", err)
	}
	return string(password), nil
}
