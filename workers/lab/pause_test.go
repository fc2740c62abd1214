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
	d.Rate, d.Workers = 20, 2
	d.Worker.Lease = time.Minute // nobody's work is taken over, however long the machine keeps it waiting
	l := start(t, embedded(d))
	l.SetInterval(0) // as often as may be: 20 readings a second
	mailed := await(t, l, "orders are mailed", func(u lab.Update) bool { return u.State.Sink.Mails > 10 }).State.Sink.Mails

	l.Pause()
	l.Pause()
	until(t, "no worker has a message in hand", func() bool {
		return !slices.ContainsFunc(l.Workers(), func(w workers.State) bool { return w.ID != "" || w.Phase != workers.PhaseWaiting })
	})
	l.Place(5, false)
	before := l.Checkouts()
	if before.Queued != 5 {
		t.Errorf("%d orders of the burst wait, want the 5 that were asked for", before.Queued)
	}
	// Those that are under way may be with the server, or wait until the shop is open again.
	underWay := before.Offered - before.Accepted - before.Refused - before.Failed - before.Unknown
	readings := 0
	for second, over := time.After(time.Second), false; !over; {
		select {
		case <-l.Updates():
			readings++
		case <-second:
			over = true
		}
	}
	if readings > 4 { // one that nobody took, one under way, and those for the pause and for the burst
		t.Errorf("%d readings in a second of rest", readings)
	}
	if got := l.Checkouts(); got.Offered != before.Offered || got.Accepted > before.Accepted+underWay {
		t.Errorf("checkouts went on: %+v, before %+v", got, before)
	}

	l.Resume()
	u := await(t, l, "the burst and more are ordered, more are mailed, and the books known", func(u lab.Update) bool {
		return u.State.Producer.Offered > before.Offered+10 && u.State.Sink.Mails > mailed+10 && u.State.Books.Once > mailed+10
	})
	if u.State.Decisions != d {
		t.Errorf("decisions %+v, want the %+v of before", u.State.Decisions, d)
	}
	if u.State.Books.Twice != 0 || u.State.Books.Never != 0 {
		t.Errorf("books %+v: nothing may be lost or doubled by it", u.State.Books)
	}
	l.Resume()
}
