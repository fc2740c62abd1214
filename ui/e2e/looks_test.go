package e2e

import (
	"fmt"
	"regexp"
	"testing"

	"example.com/unacked/ui/cell"
)

// Without colours the row under the cursor and every state can be told.
func TestNoColour(t *testing.T) {
	for name, c := range map[string]struct {
		env  []string
		args []string
	}{
		"NO_COLOR":   {env: []string{"NO_COLOR=1"}},
		"dumb":       {env: []string{"TERM=dumb"}},
		"--no-color": {args: []string{"--no-color"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, 120, 36, c.env, append(append([]string{"lab", "--server", "embedded"}, stuck...), c.args...)...)
			p.waitWorker("w1", "sending")
			p.waitLine("> ", "w1") // selected
			p.Type("x")
			p.waitWorker("w1", "killed")
			p.WaitText("w1 was killed") // the verdict
			// Bubble Tea itself writes a reset; nothing may set anything.
			if sgr := regexp.MustCompile(`\x1b\[[1-9][0-9;:]*m`).FindString(p.Raw()); sgr != "" {
				t.Errorf("styled with %q", sgr)
			}
			p.quit()
		})
	}
	p := lab(t, "embedded")
	p.WaitText("w3", "backlog")
	if !regexp.MustCompile(`\x1b\[[0-9;]*3[0-9]`).MatchString(p.Raw()) {
		t.Error("no colour where there should be some: this test would show nothing")
	}
	p.quit()
}

// With --ascii nothing but ASCII is drawn.
func TestASCII(t *testing.T) {
	t.Parallel()
	p := lab(t, "embedded", append([]string{"--ascii"}, slow...)...)
	p.waitWorker("w1", "sending")
	p.waitWorker("w2", "sending")
	for _, line := range p.Lines() {
		for _, r := range line {
			if r > 0x7e {
				t.Errorf("%q in %q", r, line)
			}
		}
	}
	p.quit()
}

// The screen fits its terminal in each usual size, and is there again after any change of it.
func TestSizes(t *testing.T) {
	t.Parallel()
	p := start(t, 80, 24, nil, append([]string{"lab", "--server", "embedded"}, slow...)...)
	p.waitWorker("w1", "sending")
	for _, size := range [][2]int{{80, 24}, {60, 15}, {200, 60}, {120, 36}, {100, 20}, {61, 50}} {
		w, h := size[0], size[1]
		p.Resize(w, h)
		p.Wait(fmt.Sprintf("a whole screen of %dx%d", w, h), func() bool {
			lines := p.Lines()
			if len(lines) != h || !p.has("w1") || !p.has("pending") || !p.has("unacked") {
				return false
			}
			widest := 0
			for _, line := range lines {
				widest = max(widest, cell.Width(line))
			}
			return widest <= w && widest > w*3/4
		})
	}
	for _, size := range [][2]int{{20, 5}, {59, 40}, {100, 14}, {1, 1}} {
		w, h := size[0], size[1]
		p.Resize(w, h)
		if w > 30 {
			p.WaitText("60x15", fmt.Sprintf("%dx%d", w, h))
		}
	}
	for i := range 100 {
		p.Resize(20+i, 5+i/3)
	}
	p.Resize(120, 36)
	p.WaitText("w1", "w2", "backlog", "pending")
	p.quit()
}
