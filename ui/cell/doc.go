// Package cell is how text becomes cells of the terminal: the one width function of the program, cutting and padding
// to it, boxes, and the colours and characters that everything is drawn with.
//
// Strings given to this package are printable text with or without SGR sequences (colours) of our own. What came from
// a server is made harmless before, by package redisq/safe.
//
// Widths do not depend on the locale. Importing this package turns off what RUNEWIDTH_EASTASIAN and Asian locales
// change in the width libraries, because terminals do not follow them.
package cell
