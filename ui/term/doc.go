// Package term runs a Bubble Tea program on a terminal and gives the terminal back whole, however the program ends:
// asked to quit, by a signal, by a panic in the model, in a command or in a goroutine of [Program.Go], or because the
// terminal or what started the program went away.
//
// Frames go out as one synchronized update each (mode 2026), so that a terminal that knows it never shows half of
// one. Nothing is asked of the terminal, and the mouse stays the terminal's own.
package term
