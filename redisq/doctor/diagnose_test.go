package doctor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func exact(n int64) redisq.Number { return redisq.Exact(n, redisq.Derived) }
func told(n int64) redisq.Number  { return redisq.Exact(n, redisq.FromServer) }

func row(id, consumer string, idle time.Duration, deliveries int64) redisq.PendingEntry {
	return redisq.PendingEntry{
		Entry:    redisq.Entry{ID: id, Fields: []redisq.Field{{Name: "order", Value: "31"}}},
		Consumer: consumer, Idle: idle, Deliveries: deliveries,
	}
}

func consumer(name string, pending int64, idle, inactive time.Duration) redisq.Consumer {
	return redisq.Consumer{Name: name, Pending: pending, Idle: told(idle.Milliseconds()), Inactive: told(inactive.Milliseconds())}
}

// well is a queue with nothing wrong: ten entries, eight delivered, two of them in hand.
func well(at time.Duration) Reading {
	g := redisq.GroupReading{
		Name: "g",
		GroupFigures: redisq.GroupFigures{
			LastDelivered: "8-0", Pending: told(2), Undelivered: told(2), Backlog: exact(4), Read: told(8), Lag: told(2),
			Members: told(2), TrimmedUnread: exact(0), OldestIdle: exact(100), MaxDeliveries: exact(1),
			Consumers: []redisq.Consumer{
				consumer("w1", 1, 50*time.Millisecond, 100*time.Millisecond), consumer("w2", 1, 20*time.Millisecond, 50*time.Millisecond),
			},
		},
		Rows:   []redisq.PendingEntry{row("7-0", "w1", 100*time.Millisecond, 1), row("8-0", "w2", 50*time.Millisecond, 1)},
		All:    true,
		Ghosts: exact(0),
	}
	return Reading{
		At: epoch.Add(at), Server: redisq.ServerInfo{Product: "redis", Version: "8.0.2", Role: "master", Addr: "127.0.0.1:6379"},
		Name: "q", User: "ro", Named: true, DeadLetter: "{q}:dead", Dead: redisq.DeadPage{Missing: true, Length: told(0)},
		Stream: redisq.StreamFigures{Length: told(10), Added: told(10), FirstID: "1-0", TopID: "10-0", LastID: "10-0"},
		Groups: []redisq.GroupReading{g},
	}
}

// again is n readings a second apart, each changed by the function.
func again(n int, change func(i int, r *Reading)) []Reading {
	var all []Reading
	for i := range n {
		r := well(time.Duration(i) * time.Second)
		change(i, &r)
		all = append(all, r)
	}
	return all
}

func codes(findings []Finding) string {
	var all []string
	for _, f := range findings {
		who := ""
		if f.Consumer != "" {
			who = " " + f.Consumer
		}
		all = append(all, string(f.Severity)+" "+string(f.Code)+who)
	}
	return strings.Join(all, ", ")
}

// state is one state of a queue, and what is to be said about it: severity, code and consumer of each finding, worst
// first.
type state struct {
	name   string
	change func(r *Reading, g *redisq.GroupReading)
	want   string
}

func check(t *testing.T, states []state) {
	t.Helper()
	for _, s := range states {
		t.Run(s.name, func(t *testing.T) {
			r := well(0)
			s.change(&r, &r.Groups[0])
			got := Diagnose([]Reading{r}, Defaults())
			if codes(got) != s.want {
				t.Errorf("got  %s\nwant %s", codes(got), s.want)
			}
			sound(t, got)
		})
	}
}

// sound checks what holds for every finding.
func sound(t *testing.T, findings []Finding) {
	t.Helper()
	for _, f := range findings {
		if !slices.Contains(Codes(), f.Code) {
			t.Errorf("unknown code %q", f.Code)
		}
		if f.Text == "" || !strings.HasSuffix(f.Text, ".") || strings.Contains(f.Text, "  ") {
			t.Errorf("%s: text %q", f.Code, f.Text)
		}
		if len(f.Evidence) == 0 {
			t.Errorf("%s: no evidence", f.Code)
		}
		if len(f.Remedies) == 0 {
			t.Errorf("%s: no remedy", f.Code)
		}
		for _, r := range f.Remedies {
			for _, c := range r.Commands {
				if len(c) < 2 || slices.Contains(c, "") && c[0] != "XADD" { // where a consumer is nobody
					t.Errorf("%s: command %q", f.Code, c)
				}
			}
		}
		for _, e := range f.Evidence {
			switch e.Value.(type) {
			case int64, float64, bool, string, []string, redisq.Number:
			default:
				t.Errorf("%s: evidence %s is a %T", f.Code, e.Name, e.Value)
			}
		}
	}
}

// has returns the finding of a code.
func has(t *testing.T, findings []Finding, code Code) Finding {
	t.Helper()
	for _, f := range findings {
		if f.Code == code {
			return f
		}
	}
	t.Fatalf("no %s among %s", code, codes(findings))
	return Finding{}
}

func says(t *testing.T, f Finding, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(f.Text, w) {
			t.Errorf("%s does not say %q: %s", f.Code, w, f.Text)
		}
	}
}

func commands(f Finding) string {
	var all []string
	for _, r := range f.Remedies {
		for _, c := range r.Commands {
			all = append(all, strings.Join(c, " "))
		}
	}
	return strings.Join(all, "\n")
}

func mends(t *testing.T, f Finding, want ...string) {
	t.Helper()
	got := "\n" + commands(f) + "\n"
	for _, w := range want {
		if !strings.Contains(got, "\n"+w+"\n") {
			t.Errorf("%s: no command %q among\n%s", f.Code, w, got)
		}
	}
}

func fact(t *testing.T, f Finding, name string) string {
	t.Helper()
	for _, e := range f.Evidence {
		if e.Name == name {
			return fmt.Sprint(e.Value)
		}
	}
	t.Errorf("%s has no evidence %s", f.Code, name)
	return ""
}

func TestNothingIsSaidOfAHealthyQueue(t *testing.T) {
	for _, n := range []int{1, 6} {
		if got := Diagnose(again(n, func(int, *Reading) {}), Defaults()); len(got) != 0 {
			t.Errorf("%d readings: %s", n, codes(got))
		}
	}
	// Work flows: entries come, are delivered, and acknowledged.
	flow := again(6, func(i int, r *Reading) {
		g, n := &r.Groups[0], int64(i*20)
		r.Stream.Added, r.Stream.Length = told(10+n), told(10+n)
		r.Stream.TopID, r.Stream.LastID = fmt.Sprintf("%d-0", 10+n), fmt.Sprintf("%d-0", 10+n)
		g.LastDelivered, g.Read = fmt.Sprintf("%d-0", 8+n), told(8+n)
		g.Rows = []redisq.PendingEntry{row(fmt.Sprintf("%d-0", 7+n), "w1", 100*time.Millisecond, 1), row(fmt.Sprintf("%d-0", 8+n), "w2", 50*time.Millisecond, 1)}
	})
	if got := Diagnose(flow, Defaults()); len(got) != 0 {
		t.Errorf("a flow: %s", codes(got))
	}
	if got := Diagnose(nil, Defaults()); got != nil {
		t.Errorf("no readings: %s", codes(got))
	}
}

func TestStreamStates(t *testing.T) {
	check(t, []state{
		{"missing", func(r *Reading, _ *redisq.GroupReading) {
			*r = Reading{At: epoch, Name: "q", Named: true, Wanted: "g", Stream: redisq.StreamFigures{Missing: true}}
		}, "critical stream-missing"},
		{"gone while the server was searched", func(r *Reading, _ *redisq.GroupReading) {
			*r = Reading{At: epoch, Name: "q", Stream: redisq.StreamFigures{Missing: true}}
		}, ""},
		{"a list", func(r *Reading, _ *redisq.GroupReading) {
			*r = Reading{At: epoch, Name: "q", Named: true, Stream: redisq.StreamFigures{WrongType: "list"}}
		}, "critical wrong-type"},
		{"the dead letters are a string", func(r *Reading, _ *redisq.GroupReading) {
			r.Problems = []redisq.Problem{{Panel: "dead", Code: redisq.ProblemWrongType, Text: "the key holds another kind of data"}}
			r.Dead.Length = redisq.Unknown("wrong type")
		}, "critical wrong-type"},
		{"no group at all, and a person asked for the stream", func(r *Reading, _ *redisq.GroupReading) { r.Groups = nil }, "critical group-missing"},
		{"no group at all, found by searching", func(r *Reading, _ *redisq.GroupReading) { r.Groups, r.Named = nil, false }, ""},
		{"groups not known", func(r *Reading, _ *redisq.GroupReading) { r.Groups, r.Partial = nil, true }, ""},
		{"another group was asked for", func(r *Reading, _ *redisq.GroupReading) {
			r.Wanted = "other"
			r.Groups = append(r.Groups, redisq.GroupReading{Name: "other"})
			r.Groups[1].Missing = true
		}, "critical group-missing"},
		{"a replica", func(r *Reading, g *redisq.GroupReading) {
			r.Server.Role = "replica"
			g.Lag, g.Read = redisq.Unknown(redisq.LagNil), redisq.Unknown("nil there")
		}, "info replica"},
		{"a replica of a stream that was cut past the group", func(r *Reading, g *redisq.GroupReading) {
			r.Server.Role, r.Stream.FirstID = "replica", "10-0"
			g.TrimmedUnread, g.Read = redisq.Unknown(redisq.ReplicaUntold), redisq.Unknown("nil there")
		}, "info replica"},
		{"a right is missing", func(r *Reading, g *redisq.GroupReading) {
			g.Problems = []redisq.Problem{{Panel: "consumers", Code: redisq.ProblemNoPermission, Command: "XINFO CONSUMERS", Text: "no permission"}}
			g.Consumers = nil
		}, "warning no-permission"},
		{"dead letters", func(r *Reading, _ *redisq.GroupReading) {
			r.Dead = redisq.DeadPage{Length: told(3), Rows: []redisq.DeadLetter{{ID: "9-0", Stream: "q", Original: "2-0", Reason: "550 no such user", Fields: []redisq.Field{{Name: "a", Value: "1"}}}}}
		}, "warning dead-letters"},
		{"dead letters not known", func(r *Reading, _ *redisq.GroupReading) { r.Dead.Length = redisq.Unknown("no permission") }, ""},
		{"a failed reading", func(r *Reading, _ *redisq.GroupReading) { r.Err = fmt.Errorf("timeout") }, ""},
	})
}

func TestStreamTexts(t *testing.T) {
	r := well(0)
	r.Groups = []redisq.GroupReading{{Name: "mailers"}}
	r.Groups[0].Missing, r.Wanted = true, "mailers"
	f := has(t, Diagnose([]Reading{r}, Defaults()), GroupMissing)
	says(t, f, "q has no group mailers", "10 entries are stored")
	mends(t, f, "XGROUP CREATE q mailers 0", "XGROUP CREATE q mailers $")

	r = Reading{Name: "q", Named: true, Wanted: "g", Stream: redisq.StreamFigures{Missing: true}}
	mends(t, has(t, Diagnose([]Reading{r}, Defaults()), StreamMissing), "XGROUP CREATE q g 0 MKSTREAM")

	two := []Reading{well(0), well(0)}
	for i, name := range []string{"a", "b"} {
		two[i].Name, two[i].Server.Role = name, "replica"
		two[i].Problems = []redisq.Problem{
			{Panel: "dead", Code: redisq.ProblemNoPermission, Command: "XLEN", Key: "{" + name + "}:dead"},
			{Panel: "group", Code: redisq.ProblemNoPermission, Command: "XINFO GROUPS"},
		}
	}
	got := Diagnose(two, Defaults())
	if want := "warning no-permission, warning no-permission, warning no-permission, info replica"; codes(got) != want {
		t.Errorf("what all streams share is said once, a key for each: %s", codes(got))
	}
	mends(t, got[0], "ACL SETUSER ro +xinfo|groups")
	if fact(t, got[0], "streams") != "2" || got[0].Stream != "" {
		t.Errorf("%+v", got[0])
	}
	mends(t, got[1], "ACL SETUSER ro %R~{a}:dead")

	r = well(0)
	letter := func(id string, replays int64) redisq.DeadLetter {
		return redisq.DeadLetter{
			ID: id, Stream: "q", Group: "g", Original: "2-0", Reason: "550 no such user", Replays: replays,
			Fields: []redisq.Field{{Name: "order", Value: "31"}, {Name: "order", Value: "32"}},
		}
	}
	r.Dead = redisq.DeadPage{Length: told(12), Rows: []redisq.DeadLetter{letter("8-0", 0), letter("9-0", 2)}, More: true}
	before := well(-5 * time.Second)
	f = has(t, Diagnose([]Reading{before, r}, Defaults()), DeadLetters)
	says(t, f, "12 dead letters wait in {q}:dead", "12 of them new in the last 5 s", "the newest: 550 no such user", "1 of the newest was replayed before")
	mends(t, f,
		"XADD q * order 31 order 32 unacked:original 2-0 unacked:replays 1", "XDEL {q}:dead 8-0",
		"XADD q * order 31 order 32 unacked:original 2-0 unacked:replays 3", "XDEL {q}:dead 9-0")
}

func TestUnbounded(t *testing.T) {
	stored := func(n int64) func(r *Reading, g *redisq.GroupReading) {
		return func(r *Reading, g *redisq.GroupReading) {
			r.Stream.Length, r.Stream.Added = told(n), told(n)
			r.Stream.TopID, r.Stream.LastID = fmt.Sprintf("%d-0", n), fmt.Sprintf("%d-0", n)
			g.LastDelivered, g.Read = fmt.Sprintf("%d-0", n-2), told(n-2)
		}
	}
	and := func(more func(r *Reading, g *redisq.GroupReading)) func(r *Reading, g *redisq.GroupReading) {
		return func(r *Reading, g *redisq.GroupReading) {
			stored(5000)(r, g)
			more(r, g)
		}
	}
	check(t, []state{
		{"thousands stored and handled", stored(5000), "info unbounded"},
		{"not that many", stored(1003), ""},
		{"just that many", stored(1004), "info unbounded"},
		{"it is trimmed", and(func(r *Reading, _ *redisq.GroupReading) { r.Stream.Added = told(90_000) }), ""},
		{"another group has not read them", and(func(r *Reading, g *redisq.GroupReading) {
			far := *g
			far.Name, far.Backlog = "far", exact(4500)
			r.Groups = append(r.Groups, far)
		}), ""},
		{"what another group has read is not known", and(func(r *Reading, g *redisq.GroupReading) {
			far := *g
			far.Name, far.Backlog = "far", redisq.AtLeast(1000, redisq.Counted)
			r.Groups = append(r.Groups, far)
		}), ""},
		{"how many were added is not known", and(func(r *Reading, _ *redisq.GroupReading) { r.Stream.Added = redisq.Unknown("6.2") }), ""},
		{"there may be other groups", and(func(r *Reading, _ *redisq.GroupReading) { r.Partial = true }), ""},
	})
	r := well(0)
	stored(5000)(&r, &r.Groups[0])
	f := has(t, Diagnose([]Reading{r}, Defaults()), Unbounded)
	says(t, f, "5,000 entries", "about 4,996")
	mends(t, f, "XTRIM q MINID ~ 7-0") // the oldest pending entry stays
}

// What a replica cannot tell is said, with whom to ask about what.
func TestReplicaNamesWhatItDoesNotKnow(t *testing.T) {
	r := well(0)
	r.Server.Role = "replica"
	f := has(t, Diagnose([]Reading{r}, Defaults()), Replica)
	says(t, f, "what was trimmed unread is not known here.")
	r.Stream.FirstID, r.Groups[0].TrimmedUnread = "10-0", redisq.Unknown(redisq.ReplicaUntold)
	f = has(t, Diagnose([]Reading{r}, Defaults()), Replica)
	says(t, f, "what was trimmed unread is not known here: q begins after where g is, so ask the master about g.")
}
