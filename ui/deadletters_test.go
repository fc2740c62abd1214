package ui

import (
	"testing"
	"time"

	"example.com/unacked/redisq"
)

func TestDeadLettersCompact(t *testing.T) {
	d := paneData(pendingSnapshot())
	p := newDeadPane(true)
	p.Data(d)
	if got, want := p.Title(d), "Dead letters 3 · {emails}:dead"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
	wantPane(t, p, d, 78, 4, `
> order 17  bad@nowhere… 550 5.1.1 no such user            5 deliveries    12s
  order 17  bad@nowhere… 550 5.1.1 no such user            5 deliveries    30s
  foreign                not written by unacked: what=ever                 40s
`)
}

func TestDeadLettersInFull(t *testing.T) {
	d := paneData(pendingSnapshot())
	p := newDeadPane(false)
	p.Data(d)
	wantPane(t, p, d, 130, 5, `
  LETTER ID↓      ORIGINAL ID        REASON                  DELIVERIES REPLAYS     LAST CONSUMER    AGE BODY
> 1772359196200-0 1772359158200-0 x2 550 5.1.1 no such user           5 replayed 2× w3               12s order=17 to=bad@nowhere.…
  1772359178200-0 1772359158200-0 x2 550 5.1.1 no such user           5 never       w1               30s order=17 to=bad@nowhere.…
  1772359168200-0                    not written by unacked                                          40s what=ever
`)
	wantPane(t, p, d, 60, 2, `
  LETTER ID↓      REASON                 BODY
> 1772359196200-0 550 5.1.1 no such user order=17 to=bad@no…
`)
}

func TestDeadLettersSelectionIsTheLetter(t *testing.T) {
	d := paneData(pendingSnapshot())
	p := newDeadPane(false)
	p.Data(d)
	press(t, p, d, "down")
	if got := p.(selectable).Selected(); got != idAt(30) {
		t.Fatalf("selected %s, want the letter %s: newest first", got, idAt(30))
	}
	// Another letter comes in above; then the selected one leaves by itself.
	next(d, func(s *redisq.Snapshot) {
		s.Dead.Rows = append(s.Dead.Rows, redisq.DeadLetter{ID: idAt(0), Reason: "new"})
	})
	p.Data(d)
	if got := p.(selectable).Selected(); got != idAt(30) {
		t.Errorf("selected %s after another came, want %s", got, idAt(30))
	}
	next(d, func(s *redisq.Snapshot) { s.Dead.Rows = []redisq.DeadLetter{s.Dead.Rows[0], s.Dead.Rows[2]} })
	p.Data(d)
	if got := p.(leaver).Left(); got != idAt(30) {
		t.Errorf("left %q, want %s", got, idAt(30))
	}
	p.(leaver).Settle()
	if got := p.(leaver).Left(); got != "" {
		t.Errorf("settled, but left is %q", got)
	}
}

func TestDeadLetterTitleOfAPage(t *testing.T) {
	s := pendingSnapshot()
	s.Dead.Length, s.Dead.More = redisq.Exact(4000, redisq.FromServer), true
	d := paneData(s)
	p := newDeadPane(false)
	p.Data(d)
	if got, want := p.Title(d), "Dead letters 3 of 4000 · {emails}:dead"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
}

func TestDeadLetterAge(t *testing.T) {
	d := paneData(pendingSnapshot())
	for _, c := range []struct {
		letter redisq.DeadLetter
		want   string
	}{
		{redisq.DeadLetter{ID: idAt(3), At: readAt.Add(-9500 * time.Millisecond)}, "10s"},
		{redisq.DeadLetter{ID: idAt(2.5)}, "3.0s"},
		{redisq.DeadLetter{ID: "5-1"}, "?"},
		{redisq.DeadLetter{ID: idAt(3), At: nowAt.Add(time.Hour)}, "0ms"}, // the server's clock is ahead
	} {
		if got := deadFor(d, c.letter); got != c.want {
			t.Errorf("age of %+v is %s, want %s", c.letter, got, c.want)
		}
	}
}

func TestDeadLetterKeys(t *testing.T) {
	d := paneData(pendingSnapshot())
	p := newDeadPane(false)
	p.Data(d)
	if msg := press(t, p, d, "enter")(); msg != (openMsg{detailDead, idAt(12)}) {
		t.Errorf("enter sends %+v", msg)
	}
	var copied string
	d.clipboard = recordClipboard(&copied)
	press(t, p, d, "y")()
	if want := "XRANGE {emails}:dead " + idAt(12) + " " + idAt(12); copied != want {
		t.Errorf("copied %q, want %q", copied, want)
	}
}
