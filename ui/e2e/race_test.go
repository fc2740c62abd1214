//go:build race

package e2e

// raceEnabled: the program is built with the race detector too, and its times mean nothing.
const raceEnabled = true
