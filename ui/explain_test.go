package ui

import (
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
)

func TestExplainHasThePresentNumbers(t *testing.T) {
	d := paneData(pendingSnapshot())
	d.good.Group.Lag = redisq.Unknown(redisq.LagNil)
	d.rates = redisq.Rates{
		In: redisq.Rate{PerSecond: 50, Known: true}, Done: redisq.Rate{PerSecond: 9.6, Known: true}, Window: 10 * time.Second,
	}
	d.drain = redisq.Drain{Never: true, Workers: 11}
	for what, wants := range map[string][]string{
		"backlog":      {"undelivered + pending = 2 + 3 = 5", "XLEN now 40", "From: XINFO GROUPS emails"},
		"undelivered":  {"undelivered = 2: the server's lag", "last-delivered-id " + idAt(1), "From: XINFO STREAM emails"},
		"pending":      {"pending = 3: held by other 1 + w1 1 + w2 1", "From: XPENDING emails mailers"},
		"in":           {"over the last 10 s", "= 50.0/s", "entries-added now 40"},
		"done":         {"= 9.6/s (in 50.0/s, backlog now 5)"},
		"oldest idle":  {"6.0 s at the reading, 500 ms ago", "lease of 5.0 s", "From: XPENDING emails mailers - + 50"},
		"dead letters": {"length of the dead-letter stream = 3", "after 5 deliveries", "From: XLEN {emails}:dead"},
		// Two workers run; each does 4.8/s: 50 / 4.8 = 10.4.
		"drain":      {"5 / (9.6/s - 50.0/s): never at this rate", "50.0/s / (9.6/s / 2), rounded up = 11"},
		"deliveries": {"not a failure", "= 4; at 5 the message is dead-lettered"},
		"idle":       {"idle + 500 ms", "lease of 5.0 s"},
		"lag":        {"nil or wrong after deletions and trimming", "lag = ? (the server does not know it) as told", "undelivered = 2"},
	} {
		got := strings.Join(explain(d, what), "\n")
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", what, want, got)
			}
		}
	}
	d.drain, d.good.Group.Undelivered = redisq.Drain{Never: true}, known(0)
	if got := strings.Join(explain(d, "drain"), "\n"); !strings.Contains(got, "undelivered = 0: each message of the backlog was given to a worker") {
		t.Errorf("drain does not say why no workers would do:\n%s", got)
	}
	if got := explain(d, "weather"); got != nil {
		t.Errorf("an unknown figure is explained: %v", got)
	}
}

func TestExplainSaysWhyAFigureIsUnknown(t *testing.T) {
	s := pendingSnapshot()
	s.Group.Undelivered = redisq.Unknown("entries were deleted ahead of the group")
	s.Group.Backlog = s.Group.Undelivered
	d := paneData(s)
	d.rates.In.Reason = "one reading is not enough"
	for _, c := range []struct{ what, want string }{
		{"backlog", "= ? (entries were deleted ahead of the group) + 3 = ? (entries"},
		{"undelivered", "it is not known: entries were deleted ahead of the group"},
		{"in", "= ? (one reading is not enough)"},
		{"drain", "not known yet"},
	} {
		if got := strings.Join(explain(d, c.what), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s lacks %q:\n%s", c.what, c.want, got)
		}
	}
	d.stale, d.now = true, readAt.Add(4*time.Second)
	if got := strings.Join(explain(d, "pending"), "\n"); !strings.Contains(got, "of the last reading that went well, 4.0 s ago") {
		t.Errorf("stale numbers are not said to be:\n%s", got)
	}
}

func TestExplainAList(t *testing.T) {
	s := pendingSnapshot()
	s.ListLen = redisq.Exact(17, redisq.FromServer)
	d := paneData(s)
	d.last.State.Decisions.Worker.Kind = redisq.List
	got := strings.Join(explain(d, "backlog"), "\n")
	if !strings.Contains(got, "length of the list = 17") || !strings.Contains(got, "From: LLEN {emails}:list") {
		t.Errorf("a list's backlog:\n%s", got)
	}
}
