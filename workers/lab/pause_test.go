package lab_test

import (
	"slices"
	"testing"
	"time"

	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// A lab that is set aside stands still, at next to no cost, and goes on from where it was.
func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	d := quick()
	d.Rate, d.Workers = 100, 2
	l := start(t, embedded(d))
	await(t, l, "orders are mailed", func(u lab.Update) bool { return u.State.Sink.Mails > 10 })

	l.Pause()
	l.Pause()
	until(t, "no worker has a message in hand", func() bool {
		return !slices.ContainsFunc(l.Workers(), func(w workers.State) bool { return w.ID != "" || w.Phase != workers.PhaseWaiting })
	})
	l.AddLoad(5, false)
	for drained := false; !drained; { // the readings of before, and those of what was just asked for
		select {
		case <-l.Updates():
		case <-time.After(400 * time.Millisecond):
			drained = true
		}
	}
	before := l.Checkouts()
	if before.Queued != 5 {
		t.Errorf("%d orders of the burst wait, want the 5 that were asked for", before.Queued)
	}
	quiet := time.After(500 * time.Millisecond)
	select {
	case u := <-l.Updates():
		t.Errorf("a reading at %v", u.State.At)
	case <-quiet:
	}
	if got := l.Checkouts(); got.Offered != before.Offered || got.Accepted != before.Accepted {
		t.Errorf("checkouts went on: %+v, before %+v", got, before)
	}

	l.Resume()
	u := await(t, l, "the burst and more are mailed, and the books known", func(u lab.Update) bool {
		return u.State.Sink.Mails > before.Accepted+20 && u.State.Books.Once > before.Accepted+20
	})
	if u.State.Decisions != d {
		t.Errorf("decisions %+v, want the %+v of before", u.State.Decisions, d)
	}
	if u.State.Books.Twice != 0 || u.State.Books.Never != 0 {
		t.Errorf("books %+v: nothing may be lost or doubled by it", u.State.Books)
	}
	l.Resume()
}
