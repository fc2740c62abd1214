package ui

import (
	"testing"

	"example.com/unacked/workers/lab"
)

// The notice says what came in, and of the rest why it did not.
func TestLoadIsTold(t *testing.T) {
	for _, c := range []struct {
		name string
		load lab.Load
		key  string
		want string
	}{
		{"all", lab.Load{Sent: 20, Accepted: 20}, "l", "+20 orders"},
		{"a bad one", lab.Load{Sent: 1, Accepted: 1}, "b", "+1 order that the mail server refuses"},
		{
			"the server is away",
			lab.Load{Sent: 20, Failed: 20, Error: "add: connection refused"},
			"l",
			"20 orders sent: none accepted, 20 failed (add: connection refused)",
		},
		{
			"replies were lost",
			lab.Load{Sent: 20, Accepted: 12, Unknown: 8, Error: "add: \x1b[2Jlost"},
			"l",
			"20 orders sent: 12 accepted, 8 unknown: the reply was lost (add: ␛[2Jlost)",
		},
		{"the queue is full", lab.Load{Sent: 20, Accepted: 3, Refused: 17}, "l", "20 orders sent: 3 accepted, 17 refused: the queue is full"},
		{"and they wait", lab.Load{Sent: 20, Accepted: 3, Waiting: 17}, "l", "20 orders sent: 3 accepted, 17 not answered yet"},
		{"a bad one is lost", lab.Load{Sent: 1, Unknown: 1}, "b", "1 order that the mail server refuses sent: none accepted, 1 unknown"},
		{"no lab yet", lab.Load{}, "l", "the lab is still starting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := filled(t, 160, 36)
			s.lab.load = &c.load
			s.press(c.key)
			s.wants(c.want)
			if bad := s.m.note.bad; bad != (c.load.Accepted < max(c.load.Sent, 1)) {
				t.Errorf("told as an error: %v", bad)
			}
			s.check()
		})
	}
}

// Presses that follow one another are told together, those of another kind apart.
func TestLoadsAddUp(t *testing.T) {
	s := filled(t, 160, 36)
	s.press("l", "l")
	s.wants("+40 orders")
	s.lab.load = &lab.Load{Sent: 20, Unknown: 20}
	s.press("l")
	s.wants("60 orders sent: 40 accepted, 20 unknown")
	s.lab.load = nil
	s.press("b")
	s.wants("+1 order that the mail server refuses")
	s.press("l")
	s.wants("+20 orders")
}
