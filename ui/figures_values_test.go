package ui

import (
	"testing"

	"example.com/unacked/redisq"
)

// A list has neither a lease nor a limit of deliveries: the figures do not speak of them.
func TestNotesOfAList(t *testing.T) {
	d := calm()
	if got := oldestNote(d); got != "lease 5.0 s" {
		t.Errorf("oldest of a stream: %q", got)
	}
	if got := deadNote(d); got != "after 5 deliveries" {
		t.Errorf("dead letters of a stream: %q", got)
	}
	d.last.State.Decisions.Worker.Kind = redisq.List
	d.good.Group.Pending, d.good.Group.OldestIdle = known(0), known(0)
	if got := oldestNote(d); got != "a list keeps no time" {
		t.Errorf("oldest of a list: %q", got)
	}
	if got := deadNote(d); got != "none: a failure is lost" {
		t.Errorf("dead letters of a list: %q", got)
	}
}

// A count is never cut: one that has no room is rounded.
func TestGreatCountsAreNotCut(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 412: "412", 999_999: "999999", 1_000_000: "1.0M", 1_250_000: "1.2M", 999_949_999: "999.9M", 999_960_000: "1.0G",
		12_345_678_901: "12.3G", 1 << 62: "4.6E",
	} {
		if got := compact(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	s := newStage(t, 120, 36)
	u := sampleUpdate(sampleNow)
	u.Snapshot.Group.Backlog, u.Snapshot.Group.Pending = known(12_345_678_901), redisq.AtLeast(123_456_789, redisq.Counted)
	s.send(updateMsg{u})
	s.wants("backlog          12.3G", "pending        123.5M+", "max 12.3G")
	u.Snapshot.Generation++
	u.Snapshot.Group.Backlog = known(99_999_999)
	s.send(updateMsg{u})
	s.wants("backlog       99999999")
}

// The number at a chart is the highest that it shows, not one that has moved out of it.
func TestHighestIsOfWhatIsShown(t *testing.T) {
	s := filled(t, 120, 36) // a burst of 20 was added 20 s ago
	s.wants("max 22", "max 4.0/s")
	s.press("[", "[", "[") // 7.5 s
	s.lacks("max 22", "max 4.0/s")
	s.check()
}

// Why there is no dead letter is not the same everywhere.
func TestWhyThereAreNoDeadLetters(t *testing.T) {
	d := calm()
	if got := noLetters(d); got != "No dead letters: no message has reached its limit." {
		t.Errorf("with a limit: %q", got)
	}
	d.last.State.Decisions.Worker.MaxDeliveries = 0
	if got := noLetters(d); got != "No dead letters: there is no limit of deliveries, no message is given up." {
		t.Errorf("without a limit: %q", got)
	}
	d.last.State.Decisions.Worker.Kind = redisq.List
	if got := noLetters(d); got != "No dead letters: a list gives no message up, a failure is lost." {
		t.Errorf("of a list: %q", got)
	}
	d = calm()
	d.watch, d.good.Dead.Missing = &watching{}, true
	if got, want := noLetters(d), "No dead letters: there is no key unacked:lab:{emails}:dead; --dead-letter names another."; got != want {
		t.Errorf("without the key: %q, want %q", got, want)
	}
}
