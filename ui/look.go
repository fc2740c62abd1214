package ui

import "example.com/unacked/ui/cell"

// look is how things are drawn on this terminal: colours and characters.
type look struct {
	theme  *cell.Theme
	glyphs cell.Glyphs
}
