package e2e

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// slow makes what happens to a message last long enough to be seen: an order a second or less, 1.5 s a mail, a lease
// that a worker keeps also on a machine that lets it stand still for two seconds, no bad address but those asked for.
var slow = []string{"--rate", "0.7", "--bad", "0", "--service", "1500ms", "--lease", "4s", "--workers", "2"}

// stuck is slow with mails of a minute: who was seen at work is at work still when a key comes.
var stuck = append(slices.Clone(slow), "--service", "1m")

// The terminal shows a frame at once and figures soon after, without having been asked anything.
func TestStart(t *testing.T) {
	inEach(t, func(t *testing.T, mode string) {
		p := lab(t, mode)
		p.WaitText("w1", "w2", "w3", "backlog", "pending", "dead letters")
		p.Wait("figures", func() bool { _, ok := p.figure("backlog"); return ok })
		t.Logf("first byte after %v, workers and figures after %v",
			p.First().Sub(p.Started).Round(time.Millisecond), time.Since(p.Started).Round(time.Millisecond))
		p.Wait("the first orders", func() bool { n, ok := p.figure("orders"); return ok && n > 0 })
		// A program that waits for the terminal's replies shows nothing for five seconds.
		if q := p.Queries(); len(q) > 0 {
			t.Errorf("asked the terminal: %q", q)
		}
		if regexp.MustCompile(`\x1b\[\?(9|1000|1001|1002|1003|1005|1006|1015)h`).MatchString(p.Raw()) {
			t.Error("took the mouse from the terminal")
		}
		if mode == "embedded" != p.has("embedded") {
			t.Error("the header does not say which server it is")
		}
		p.quit()
	})
}

// A worker that is killed before the work leaves its message pending; another claims it after the lease, and in the
// end each order has one mail.
func TestKillBeforeTheWork(t *testing.T) {
	inEach(t, func(t *testing.T, mode string) {
		p := lab(t, mode, slow...)
		order := p.killAt("before the work", 0)
		p.waitLine("w1 dead", order) // still pending, under the dead one's name
		p.waitLine("w2", order, "2 of 5")
		p.Wait(order+" to be acked", func() bool { return !p.pending(order) })
		p.Wait("the books of one mail an order", func() bool {
			b := p.books()
			return b["orders"] > 3 && b["sent twice"] == 0 && b["never"] == 0 && b.balance() && b["sent once"] > 1
		})
		p.quit()
	})
}

// A worker that is killed between the work and the ack makes a second mail: at least once.
func TestKillAfterTheWork(t *testing.T) {
	inEach(t, func(t *testing.T, mode string) {
		p := lab(t, mode, slow...)
		order := p.killAt("after the work", 1)
		p.waitLine("w1 dead", order)
		p.Wait("a second mail, and books that balance", func() bool {
			b := p.books()
			return b["sent twice"] == 1 && b["never"] == 0 && b.balance() && !p.pending(order)
		})
		p.quit()
	})
}

// An order that no retry can mail ends in the dead letters with the mail server's reason. Replayed, it comes back.
func TestDeadLetterAndReplay(t *testing.T) {
	inEach(t, func(t *testing.T, mode string) {
		p := lab(t, mode, "--rate", "0.2", "--bad", "0", "--service", "50ms", "--lease", "500ms", "--max-deliveries", "2")
		p.WaitText("w3", "backlog")
		p.Wait("the first order", func() bool { return p.books()["sent once"] > 0 })
		p.Type("b")
		p.waitLine("550", "2 deliveries")
		p.Type("4")
		p.waitLine("550", "never") // replayed never
		p.Type("r")
		p.WaitText("Replay 1 dead letter", "XADD", "XDEL") // the plan, before anything is sent
		p.Type("\r")
		p.WaitText("replayed 1")
		p.Wait("the letter to come back, replayed once", func() bool { return p.has("550") && !p.has("550", "never") })
		p.Type("1")
		p.Wait("books that balance", func() bool { b := p.books(); return b["not yet"] >= 1 && b["never"] == 0 && b.balance() })
		p.quit()
	})
}

// A load is queued and worked off, and a worker can be stopped and started again.
func TestLoadAndWorkers(t *testing.T) {
	t.Parallel()
	p := lab(t, "embedded", "--rate", "0.2", "--bad", "0", "--service", "50ms", "--workers", "2")
	p.WaitText("w2", "backlog")
	p.Type("l")
	p.Wait("20 orders more", func() bool { return p.books()["sent once"] >= 20 })
	p.Type("a")
	p.waitWorker("w3", "waiting")
	p.Type("s")
	p.waitWorker("w1", "stopped")
	p.Type("s")
	p.waitWorker("w1", "waiting")
	p.Wait("books that balance", func() bool { return p.books().balance() })
	p.quit()
}

// quit presses q: the program ends, leaving the terminal whole and no child.
func (p *program) quit() {
	p.t.Helper()
	children := descendants(p.t, p.PID)
	if len(children) == 0 {
		p.t.Error("there is no child before the end: the test would show nothing")
	}
	p.Type("q")
	pressed := time.Now()
	if code := p.Exit(); code != 0 {
		p.t.Errorf("exit code %d\n%s", code, p.Text())
	}
	p.t.Logf("ended %v after q", time.Since(pressed).Round(time.Millisecond))
	if left := alive(p.t, children); len(left) > 0 {
		p.t.Errorf("children outlive the program: %v", left)
	}
	p.WaitRestored()
}

// waitWorker waits until the list of workers says that of one: "w1   4711    sending #7".
func (p *program) waitWorker(name, does string) {
	p.t.Helper()
	row := regexp.MustCompile(`\b` + name + ` +\d+ +` + regexp.QuoteMeta(does))
	p.Wait(name+" "+does, func() bool { return row.MatchString(p.Text()) })
}

// killAt has w1 killed at the point with that many presses of "down", and returns its order's body, "order=7".
func (p *program) killAt(point string, down int) string {
	p.t.Helper()
	p.waitWorker("w1", "sending")
	p.Type("X")
	p.WaitText("SIGKILL w1", point)
	p.Wait("the cursor at the first point", func() bool { return p.has(">", "before the work") })
	for range down {
		p.Type("\x1b[B")
	}
	p.Wait("the cursor at the point", func() bool { return p.has(">", point) })
	p.Type("\r")
	p.waitWorker("w1", "killed, holds #")
	for _, line := range p.Lines() {
		if m := holds.FindStringSubmatch(line); m != nil {
			return "order=" + m[1]
		}
	}
	p.t.Fatalf("which order w1 held is not on the screen any more:\n%s", p.Text())
	return ""
}

var holds = regexp.MustCompile(`killed, holds #(\d+)`)

// pending says that an order has a row among the pending entries.
func (p *program) pending(order string) bool {
	for _, line := range p.Lines() {
		if _, after, ok := strings.Cut(line, order); ok && (after == "" || after[0] < '0' || after[0] > '9') {
			return true
		}
	}
	return false
}

// books are the mail sink's figures on the screen.
type books map[string]int

func (p *program) books() books {
	b := books{}
	for _, name := range []string{"orders", "sent once", "sent twice", "not yet", "never"} {
		if n, ok := p.figure(name); ok {
			b[name] = n
		}
	}
	return b
}

// balance: every order has one mail, more, none yet, or never. All of them have to be on the screen.
func (b books) balance() bool {
	return len(b) == 5 && b["orders"] == b["sent once"]+b["sent twice"]+b["not yet"]+b["never"]
}

// figure returns the number after a word that begins a line of a pane.
func (p *program) figure(name string) (int, bool) {
	for _, line := range p.Lines() {
		rest, ok := strings.CutPrefix(strings.TrimLeft(line, "│ "), name)
		if !ok {
			continue
		}
		if f := strings.Fields(rest); len(f) > 0 {
			if n, err := strconv.Atoi(f[0]); err == nil {
				return n, true
			}
		}
	}
	return 0, false
}
