package ui

import (
	"io"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"
)

// clipboardLimit bounds, in bytes, what is handed to the terminal: many drop longer sequences without a word.
const clipboardLimit = 64_000

// clipboardTo returns what a pane copies with: it hands text to the terminal's own clipboard (OSC 52), which works
// through SSH too where the terminal allows it.
//
// w is the output that the renderer writes its frames to, each with one write of the file below. The sequence is one
// write of the same file, and a file's writes exclude each other, so that it never falls into a frame. It goes by
// WriteString, which for term.Output is the file's own: its Write has a buffer that is the renderer's alone. The
// sequence moves no cursor and prints nothing, so that the renderer need not know of it.
func clipboardTo(w io.Writer) func(text string) tea.Cmd {
	return func(text string) tea.Cmd {
		return func() tea.Msg {
			if len(text) > clipboardLimit {
				return notice{text: "too long for the terminal's clipboard", bad: true}
			}
			if _, err := io.WriteString(w, osc52.New(text).String()); err != nil {
				return notice{text: "could not copy: " + err.Error(), bad: true}
			}
			return notice{text: "copied, where the terminal allows it: " + clean(text)}
		}
	}
}
