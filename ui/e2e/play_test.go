package e2e

import (
	"strings"
	"testing"
)

// choose opens the menu of experiments and plays one, each of whose steps waits for the key.
func (p *program) choose(name string) {
	p.t.Helper()
	p.WaitText("w1", "w2", "backlog")
	p.Wait("the first orders", func() bool { return p.books()["orders"] > 0 })
	p.Type("m")
	p.WaitText("Experiments", "stream-crash-before")
	for _, other := range []string{
		"queued", "timeline", "list-crash", "stream-crash-before", "stream-crash-after", "idempotent", "idempotent-gap",
		"idempotent-done", "poison", "dead-letter", "overload",
	} {
		if p.has("> " + name + " ") {
			break
		}
		p.Type("\x1b[B")
		p.waitLine("> " + other + " ")
	}
	p.Type("\rp")
	p.waitLine(name, "step 1 of ")
}

// An experiment plays on the live screen, step by step, to its verdict; then the demonstration is back as it was.
func TestPlayAnExperiment(t *testing.T) {
	inEach(t, func(t *testing.T, mode string) {
		p := lab(t, mode, "--rate", "5", "--bad", "0", "--service", "20ms", "--workers", "2")
		p.choose("stream-crash-after")
		p.WaitText("It will be killed at order 4")
		p.waitLine("space goes on", "p by itself", "esc ends")
		p.Type("x")
		p.WaitText("kill is off while stream-crash-after plays")
		p.Type(" ")
		p.waitLine("step 2 of 4")
		p.WaitText("Its mail is out, and Redis cannot know.", "killed, holds #4")
		p.waitLine("w1 dead", "order=4")
		p.Wait("four mails", func() bool { return p.books()["sent once"] == 4 && p.books()["orders"] == 10 })
		p.Type(" ")
		p.waitLine("step 3 of 4")
		p.WaitText("eleven mails for ten orders")
		p.Type(" ")
		p.WaitText("stream-crash-after holds, as the article says", "What happens to your customer when the work is done twice?")
		p.waitLine("mails for ten orders", "11", "yes")
		p.waitLine("mailed twice", "order 4", "yes")
		p.Type(" ")
		p.WaitText("stream-crash-after holds; the demonstration goes on")
		p.waitLine("w2")
		orders := p.books()["orders"]
		p.Wait("more orders, each with one mail", func() bool {
			b := p.books()
			return b["orders"] > orders+5 && b["sent twice"] == 0 && b["never"] == 0 && b.balance()
		})
		p.quit()
	})
}

// Esc and q end an experiment in the middle of it, and leave nothing behind.
func TestLeaveAnExperiment(t *testing.T) {
	inEach(t, func(t *testing.T, mode string) {
		p := lab(t, mode, slow...)
		p.choose("overload")
		p.waitLine("being done")
		p.Wait("a backlog", func() bool { return p.backlog() > "0" && p.backlog() != "?" })
		during := descendants(t, p.PID)
		p.Type("\x1b")
		p.WaitText("overload was ended; the demonstration goes on")
		gone := 0
		for _, child := range during {
			if len(alive(t, []process{child})) == 0 {
				gone++
			}
		}
		if gone == 0 {
			t.Errorf("no child has ended with the experiment: %v", during)
		}
		p.choose("overload")
		p.waitLine("being done")
		if len(descendants(t, p.PID)) != len(during) {
			t.Errorf("children %v, the first time %v", descendants(t, p.PID), during)
		}
		p.quit()
	})
}

// backlog is the figure of the overview.
func (p *program) backlog() string {
	for _, line := range p.Lines() {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "backlog "); ok {
			return strings.Fields(rest + " ?")[0]
		}
	}
	return ""
}
