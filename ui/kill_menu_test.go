package ui

import (
	"testing"

	"example.com/unacked/redisq"
)

// A list promises less than a stream, and no dialog says otherwise.
func TestAListIsNotToldLikeAStream(t *testing.T) {
	promises := []string{
		"stays pending", "claimed after the lease", "may be claimed", "at least once", "is set aside after that", "every delivery sends the mail",
	}
	for _, kind := range []redisq.Kind{redisq.Stream, redisq.List} {
		for key, says := range map[string][]string{
			"X": {"the message in its hand is lost", "the order is lost", "a list has no ids to record"},
			"d": {
				"a list has no acks: at most once", "a list delivers once: what fails is lost", "a list repeats nothing",
				"a list has none: nobody can claim",
			},
		} {
			s := filled(t, 140, 40)
			u := sampleUpdate(sampleNow)
			u.State.Decisions.Worker.Kind = kind
			s.send(updateMsg{u})
			s.press(key)
			if kind == redisq.List {
				s.lacks(promises...)
				s.wants(says...)
			} else {
				s.lacks(says[0], says[2])
			}
			s.check()
		}
	}
}
