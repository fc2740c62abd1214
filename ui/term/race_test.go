//go:build race

package term

// raceEnabled: the race detector makes times meaningless.
const raceEnabled = true
