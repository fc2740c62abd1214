package ui

import (
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
)

func TestFormMakesTheCommand(t *testing.T) {
	d := paneData(pendingSnapshot())
	l := &paneLab{t: t}
	p := newPendingPane(false, l)
	p.Data(d)
	press(t, p, d, "f")
	if !p.Capturing() {
		t.Fatal("the open form does not take all keys")
	}
	typed(t, p, d, "5s")
	press(t, p, d, "tab")
	typed(t, p, d, "(1-1")
	press(t, p, d, "tab", "tab")
	typed(t, p, d, "10")
	press(t, p, d, "tab")
	typed(t, p, d, "w 2")
	const want = `XPENDING emails mailers IDLE 5000 (1-1 + 10 "w 2"`
	if got := p.Lines(d, 100, 20, true)[1]; !strings.HasPrefix(got, want) {
		t.Errorf("the form makes %q, want %q", got, want)
	}
	if len(l.calls) > 0 {
		t.Errorf("typing called the lab: %v", l.calls)
	}
	cmd := press(t, p, d, "enter")
	if len(l.calls) > 0 || p.Capturing() {
		t.Errorf("enter called the lab itself (%v), or left the form open", l.calls)
	}
	msg := l.run(cmd)
	if n, ok := msg.(notice); !ok || n.bad {
		t.Errorf("applying answers %+v", msg)
	}
	if want := "filter {MinIdle:5s Start:(1-1 End: Count:10 Consumer:w 2}"; len(l.calls) != 1 || l.calls[0] != want {
		t.Errorf("the lab was asked %v, want %q", l.calls, want)
	}
	if got := p.Lines(d, 100, 20, true)[1]; !strings.Contains(got, "from the next reading on") {
		t.Errorf("%q does not say that the rows are still the old ones", got)
	}
	// The reading with that filter comes.
	s := pendingSnapshot()
	s.Pending.Filter = redisq.PendingFilter{MinIdle: 5 * time.Second, Start: "(1-1", Count: 10, Consumer: "w 2"}
	s.Pending.Command = []string{"XPENDING", "emails", "mailers", "IDLE", "5000", "(1-1", "+", "10", "w 2"}
	d.good = s
	p.Data(d)
	if got := p.Lines(d, 120, 20, true)[1]; !strings.HasPrefix(got, want+"   read in pages") {
		t.Errorf("the command is %q, want %q, and that the server is not asked for IDLE", got, want)
	}
	// The form begins with what is in force; emptied it is the plain form again.
	press(t, p, d, "f", "ctrl+u", "tab", "ctrl+u", "tab", "tab", "ctrl+u", "tab", "ctrl+u")
	l.run(press(t, p, d, "enter"))
	if want := "filter {MinIdle:0s Start: End: Count:0 Consumer:}"; l.calls[len(l.calls)-1] != want {
		t.Errorf("emptied: %q, want %q", l.calls[len(l.calls)-1], want)
	}
}

func TestFormRefusesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		field int
		text  string
		ok    bool
	}{
		{formIdle, "", true},
		{formIdle, "0", true},
		{formIdle, "1500", true},
		{formIdle, "1.5s", true},
		{formIdle, "-1", false},
		{formIdle, "soon", false},
		{formIdle, "99999999999999999999", false},
		{formStart, "-", true},
		{formStart, "1764365984740", true},
		{formStart, "1764365984740-3", true},
		{formStart, "(1764365984740-3", true},
		{formStart, "abc", false},
		{formStart, "1-2-3", false},
		{formStart, "-1", false},
		{formStart, "1-18446744073709551616", false},
		{formEnd, "+", true},
		{formEnd, "$", false},
		{formCount, "1", true},
		{formCount, "999", true},
		{formCount, "0", false},
		{formCount, "1000", false},
		{formCount, "many", false},
	} {
		d := paneData(pendingSnapshot())
		p := newPendingPane(false, &paneLab{t: t})
		p.Data(d)
		press(t, p, d, "f")
		for range c.field {
			press(t, p, d, "tab")
		}
		typed(t, p, d, c.text)
		cmd := press(t, p, d, "enter")
		if (cmd != nil) != c.ok || p.Capturing() == c.ok {
			t.Errorf("%s %q: applied %v, want %v", formNames[c.field], c.text, cmd != nil, c.ok)
		}
		if line := p.Lines(d, 90, 20, true)[1]; !c.ok && !strings.HasPrefix(line, formNames[c.field]+": ") {
			t.Errorf("%s %q: the screen says %q", formNames[c.field], c.text, line)
		}
	}
}

func TestFormKeys(t *testing.T) {
	d := paneData(pendingSnapshot())
	l := &paneLab{t: t}
	p := newPendingPane(false, l)
	p.Data(d)
	press(t, p, d, "f", "shift+tab")
	typed(t, p, d, "qxf/")
	if got := p.(*pendingPane).form.fields[formConsumer].text(); got != "qxf/" {
		t.Errorf("the consumer's field has %q", got)
	}
	paste := keyMsg("a\nb\x1b")
	paste.Paste = true
	p.Key(d, paste)
	if got := p.(*pendingPane).form.fields[formConsumer].text(); strings.ContainsAny(got, "\n\x1b") || !p.Capturing() {
		t.Errorf("a paste of two lines is %q, form open %v", got, p.Capturing())
	}
	press(t, p, d, "esc")
	if p.Capturing() || len(l.calls) > 0 {
		t.Errorf("esc leaves the form open (%v) or called the lab (%v)", p.Capturing(), l.calls)
	}
	if got := strings.TrimRight(p.Lines(d, 90, 20, true)[1], " "); got != "XPENDING emails mailers - + 50" {
		t.Errorf("after esc the command is %q", got)
	}
}

func TestCompactHasNoForm(t *testing.T) {
	d := paneData(pendingSnapshot())
	p := compactPending(d)
	if _, taken := p.Key(d, keyMsg("f")); taken {
		t.Error("the table of the overview took the form's key")
	}
}
