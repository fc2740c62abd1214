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
	if got := deadNote(d); got != "a list gives none up: a failure is lost" {
		t.Errorf("dead letters of a list: %q", got)
	}
}
