// Package narrow takes RUNEWIDTH_EASTASIAN out of the environment of this process. The width libraries read it when
// they are initialised and then count borders and sparklines as two cells, which no terminal draws.
//
// It works by the order of initialisation: the package imports nothing but os, and its path sorts before theirs.
package narrow
