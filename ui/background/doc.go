// Package background decides, before anything else is initialised, whether the terminal's background is dark, so that
// nobody asks the terminal.
//
// Bubble Tea v1 asks in its package initialisation: on a terminal that does not answer that is five seconds of
// nothing, even for --help, and an answer that comes late is typed into the program. Lip Gloss does not ask when it
// was told. This package tells it in its own initialisation, which comes first because it imports nothing but Lip
// Gloss and because Go initialises packages that are ready in the order of their paths: this one has to sort before
// github.com/charmbracelet/bubbletea. It must be imported, for its effect, wherever Bubble Tea is linked in.
package background
