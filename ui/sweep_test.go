package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/unacked/redisq"
)

// sweepingWatcher is a watcher of a million pending entries.
type sweepingWatcher struct {
	fakeWatcher
	err error
}

func (f sweepingWatcher) Sweep(ctx context.Context, progress func(redisq.Sweep)) (redisq.Sweep, error) {
	_ = f.note("Sweep")
	part := redisq.Sweep{Looked: 400_000, Total: known(1_000_000), Histogram: []int64{400_000}}
	progress(part)
	if f.err != nil {
		return part, f.err
	}
	return redisq.Sweep{
		Looked: 1_000_000, Total: known(1_000_000), Done: true, Took: 15 * time.Second, Histogram: []int64{999_999, 0, 1},
		OldestIdle: time.Hour, OldestID: "17-0", MaxDeliveries: 3, MaxID: "18-0",
		Consumers: []redisq.ConsumerSum{{Name: "big\x1b[2J", Pending: 999_990}, {Name: "small", Pending: 10}},
	}, nil
}

func sweepStage(t *testing.T, err error) *stage {
	s := watchStage(t, 120, 36, mailers)
	by := sweepingWatcher{fakeWatcher{s.lab}, err}
	s.m.source, s.m.keys.Sweep = by, bindNamed("n", "count all", "n")
	s.m.d.keys.Sweep = s.m.keys.Sweep
	s.m.views[0] = newPendingPane(false, by)
	s.send(watchMsg{watchUpdate(sampleNow)})
	s.press("2")
	return s
}

func TestSweepShowsAll(t *testing.T) {
	s := sweepStage(t, nil)
	s.wants("n count all")
	s.press("n")
	s.lab.expect("Sweep")
	s.wants("the sums are of all 1000000 pending entries, looked at in 15 s", "oldest idle 17-0 1 h", "most delivered", "18-0 3 deliveries",
		"big␛[2J", "999990", "3x")
	s.check()
	s.send(chooseMsg{Choice: sampleStreams(sampleNow).Rows[0].Choice})
	s.press("2")
	s.lacks("the sums are of all")
}

func TestSweepThatFails(t *testing.T) {
	s := sweepStage(t, errors.New("LOADING\x1b[2J"))
	s.press("n")
	s.wants("the sums are of the first 400000 of 1000000 pending entries", "not all pending entries could be looked at: LOADING␛[2J")
	s.check()
	s = sweepStage(t, context.Canceled)
	s.press("n")
	s.wants("stopped after 400000 pending entries")
}

// While it is under way its progress is shown, and the key stops it.
func TestSweepIsStopped(t *testing.T) {
	s := sweepStage(t, nil)
	begun, _ := beginSweep(t.Context(), s.m.source.(sweeper))
	stopped := false
	stop := begun.stop
	begun.stop = func() { stopped = true; stop() }
	s.m.d.sweep = begun
	begun.updates <- redisq.Sweep{Looked: 2000, Total: known(1_000_000)} // so that the next progress is there at once
	s.lab.inside = true
	s.m.Update(sweepMsg{of: begun, got: redisq.Sweep{Looked: 1000, Total: known(1_000_000)}})
	s.m.View()
	s.lab.inside = false
	s.wants("looking at all pending entries: 1000 of 1000000; n stops")
	s.press("n")
	if !stopped {
		t.Error("the key did not stop it")
	}
	s.check()
}

func TestNoSweepInTheLab(t *testing.T) {
	s := filled(t, 120, 36)
	s.m.keys.Sweep = bindNamed("n", "count all", "n")
	s.m.d.keys.Sweep = s.m.keys.Sweep
	s.press("2", "n")
	s.wants("all pending entries are looked at in each reading")
}
