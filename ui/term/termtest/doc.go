// Package termtest runs a program on a pseudo-terminal, for tests: it types keys, reads the screen as an emulator
// draws it, and tells whether the terminal was given back as it had been.
//
// The terminal answers no query: what a program asks of it stays without a reply, as on a serial line or a recorder.
package termtest
