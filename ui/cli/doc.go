// Package cli is the command line: one file for each command, and the flags that they share. It wires what the other
// packages do and does nothing of its own.
package cli
