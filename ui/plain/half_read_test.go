package plain

import (
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
)

// A group whose pending entries were not told is not healthy: nobody looked.
func TestWhatWasHalfReadIsNotHealthy(t *testing.T) {
	failed := redisq.Problem{Panel: "pending", Code: redisq.ProblemError, Text: "XPENDING: no answer in time"}
	refused := redisq.Problem{Panel: "pending", Code: redisq.ProblemNoPermission, Text: "no permission: XPENDING"}
	reading := func(problems ...redisq.Problem) []doctor.Reading {
		r := doctor.Reading{}
		r.At = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		r.Name = "q"
		r.Groups = []redisq.GroupReading{{Name: "g", Problems: problems}}
		return []doctor.Reading{r}
	}
	for _, c := range []struct {
		name     string
		readings []doctor.Reading
		group    string
		unread   int
	}{
		{"all was told", reading(), "", 0},
		{"one thing was not", reading(failed), "", 1},
		{"not of the group that was asked for", reading(failed), "other", 0},
		{"a missing right is a finding of its own", reading(refused), "", 0},
	} {
		v := verdictOf(c.readings, DoctorOptions{Group: c.group, Thresholds: doctor.Defaults()})
		if len(v.unread) != c.unread {
			t.Errorf("%s: %d not looked at, want %d", c.name, len(v.unread), c.unread)
		}
	}
}
