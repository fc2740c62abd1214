package termtest

import (
	"slices"
	"strings"
)

// reel holds what the program has drawn, frame by frame, and how far the test has looked. A synchronized update
// (mode 2026) is one frame; what is written outside of one makes a frame as it is read. A test that is slower than the
// program so sees all the same what stood on the screen for a moment only.
type reel struct {
	now  []string   // the frame that the test looks at
	next [][]string // those drawn since
}

// add takes a frame that differs from the one before it.
func (r *reel) add(frame []string) {
	last := r.now
	if n := len(r.next); n > 0 {
		last = r.next[n-1]
	}
	if !slices.Equal(frame, last) {
		r.next = append(r.next, frame)
	}
}

// step goes to the next frame; false when there is none yet.
func (r *reel) step() bool {
	if len(r.next) == 0 {
		return false
	}
	r.now, r.next = r.next[0], r.next[1:]
	return true
}

// skip goes to the newest frame: what was drawn before what the test does now is no answer to it.
func (r *reel) skip() {
	if n := len(r.next); n > 0 {
		r.now, r.next = r.next[n-1], nil
	}
}

// draw adds the screen as it is to the reel; x.mu is held.
func (x *Terminal) draw() {
	lines := strings.Split(x.emulator.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	x.reel.add(lines)
}

func (x *Terminal) step() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.reel.step()
}

func (x *Terminal) skip() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.reel.skip()
}
