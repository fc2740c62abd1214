package doctor

import (
	"strings"
	"testing"

	"example.com/unacked/redisq"
)

// trimmedPast is a group that stands at 3-0 while the stream begins at first; 4 entries went unread.
func trimmedPast(first string) Reading {
	r := well(0)
	g := &r.Groups[0]
	g.Rows, g.Consumers, g.Members = nil, nil, told(0)
	g.Pending, g.Undelivered, g.Backlog, g.TrimmedUnread, g.LastDelivered = told(0), exact(3), exact(3), exact(4), "3-0"
	g.Read, g.Lag = told(3), told(3)
	r.Stream.FirstID, r.Stream.Length = first, told(3)
	return r
}

func TestATrimKeepsWhatAnyGroupNeeds(t *testing.T) {
	// Nothing that is stored is below what the group needs: there is nothing to trim.
	f := has(t, Diagnose([]Reading{trimmedPast("8-0")}, Defaults()), TrimmedUnread)
	if strings.Contains(commands(f), "XTRIM") {
		t.Errorf("commands:\n%s", commands(f))
	}
	r := trimmedPast("1-0")
	mends(t, has(t, Diagnose([]Reading{r}, Defaults()), TrimmedUnread), "XTRIM q MINID ~ 3-0")

	// Another group still holds 2-0.
	slow := well(0).Groups[0]
	slow.Name, slow.LastDelivered = "slow", "2-0"
	slow.Rows = []redisq.PendingEntry{row("2-0", "w1", 0, 1)}
	slow.Pending = told(1)
	r.Groups = append(r.Groups, slow)
	mends(t, has(t, Diagnose([]Reading{r}, Defaults()), TrimmedUnread), "XTRIM q MINID ~ 2-0")

	// It is not known what that one holds.
	r.Groups[1].Rows = nil
	if f := has(t, Diagnose([]Reading{r}, Defaults()), TrimmedUnread); strings.Contains(commands(f), "XTRIM") {
		t.Errorf("commands:\n%s", commands(f))
	}
}

func TestLagWrongSaysWhichWay(t *testing.T) {
	r := well(0)
	g := &r.Groups[0]
	g.Undelivered, g.Backlog, g.Lag = exact(5), exact(7), told(0)
	f := has(t, Diagnose([]Reading{r}, Defaults()), LagWrong)
	says(t, f, "The server says a lag of 0 for g, and 5 entries are undelivered", "ENTRIESREAD")
	if strings.Contains(f.Text, "trimmed") {
		t.Errorf("%s", f.Text)
	}
	g.Lag = told(9)
	says(t, has(t, Diagnose([]Reading{r}, Defaults()), LagWrong), "It counts what was trimmed")
}

func TestOneEntryWaits(t *testing.T) {
	r := trimmedPast("1-0")
	r.Groups[0].Undelivered = exact(1)
	says(t, has(t, Diagnose([]Reading{r}, Defaults()), NoConsumers), "1 entry waits to be delivered", "g has no consumer")
	r.Groups[0].Undelivered = redisq.AtLeast(1, redisq.Counted)
	says(t, has(t, Diagnose([]Reading{r}, Defaults()), NoConsumers), "1+ entries wait to be delivered")
}

// A user who may read few keys of a server with many streams gets one finding, not three for each of them.
func TestManyKeysThatMayNotBeRead(t *testing.T) {
	denied := func(n int) []Finding {
		var all []Reading
		for i := range n {
			name := string(rune('a' + i))
			all = append(all, Reading{
				At: epoch, Name: name, User: "kr", Problems: []redisq.Problem{
					{Panel: "stream", Code: redisq.ProblemNoPermission, Command: "XINFO STREAM", Key: name},
					{Panel: "group", Code: redisq.ProblemNoPermission, Command: "XINFO GROUPS", Key: name},
				},
			})
		}
		return Diagnose(all, Defaults())
	}
	got := denied(24)
	if len(got) != 1 {
		t.Fatalf("%d findings: %s", len(got), codes(got))
	}
	says(t, got[0], "kr may not send XINFO STREAM, XINFO GROUPS on 24 keys (a, b, c, …)")
	if c := commands(got[0]); !strings.Contains(c, "ACL SETUSER kr %R~a %R~b %R~c %R~d") || fact(t, got[0], "streams") != "24" {
		t.Errorf("commands:\n%s\n%+v", c, got[0].Evidence)
	}
	got = denied(2)
	if len(got) != 2 || got[0].Stream != "a" {
		t.Fatalf("%s", codes(got))
	}
	says(t, got[0], "XINFO STREAM, XINFO GROUPS on the key a:")
	mends(t, got[1], "ACL SETUSER kr %R~b")
}
