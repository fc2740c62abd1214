package ui

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/watch"
	"example.com/unacked/workers/lab"
)

// told gives updates to a teller and returns the lines that it wrote.
func told(t *testing.T, updates ...lab.Update) []string {
	t.Helper()
	var out bytes.Buffer
	teller := NewTeller(Options{Lab: &fakeLab{t: t}}, &out)
	defer teller.Close()
	for _, u := range updates {
		if err := teller.Lab(u); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// atRest is a reading of a lab in which all is well.
func atRest(at time.Time) lab.Update {
	u := sampleUpdate(at)
	for i := range u.State.Workers {
		u.State.Workers[i].Phase, u.State.Workers[i].ID, u.State.Workers[i].Order = "waiting", "", ""
	}
	u.Snapshot.Pending, u.Snapshot.Dead = redisq.PendingPage{}, redisq.DeadPage{Length: known(0)}
	u.Snapshot.Group.Pending, u.Snapshot.Group.Backlog, u.Snapshot.Group.Undelivered = known(0), known(0), known(0)
	u.Snapshot.Group.OldestIdle = known(0)
	u.State.Books = lab.Books{At: at, Known: true, Orders: 10, Once: 10, Balanced: true}
	u.State.Marks, u.State.Notices = nil, nil
	return u
}

func TestTellerIsSilentWhereNothingChanges(t *testing.T) {
	var all []lab.Update
	for i := range 40 {
		all = append(all, atRest(sampleNow.Add(time.Duration(i)*250*time.Millisecond)))
	}
	lines := told(t, all...)
	if len(lines) > 3 {
		t.Errorf("ten quiet seconds are told in %d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
}

func TestTellerTellsWhatHappens(t *testing.T) {
	at := func(s float64) time.Time { return sampleNow.Add(time.Duration(s * float64(time.Second))) }
	killed := sampleUpdate(at(4))
	killed.State.Marks = []lab.Mark{{At: at(3), Text: "killed w2, holding order 30", ID: "1-0"}}
	killed.State.Notices = nil
	killed.State.Books = atRest(at(4)).State.Books
	claimed := atRest(at(9))
	claimed.State.Marks = killed.State.Marks
	claimed.State.Notices = []lab.Mark{{At: at(8.5), Text: "w3 claimed order 30 from w2 (delivery 2)", ID: "1-0"}}
	claimed.State.Books = lab.Books{At: at(9), Known: true, Orders: 12, Once: 10, Twice: 1, NotYet: 1, Dead: 1, Balanced: true}
	well := claimed
	well.Snapshot, well.State = atRest(at(30)).Snapshot, claimed.State
	lines := strings.Join(told(t, atRest(at(0)), killed, claimed, well, well), "\n")
	rest := lines
	for _, want := range []string{
		"killed w2, holding order 30\n",
		"NOT ACKING: w2 was killed",
		"w3 claimed order 30 from w2 (delivery 2)\n",
		"books: 12 orders, mailed once 10, twice 1, not yet 1 (dead letters 1), never 0",
		"TWICE: 1 order got a second mail",
	} {
		i := strings.Index(rest, want)
		if i < 0 {
			t.Fatalf("not told, or not in this order: %q\n%s", want, lines)
		}
		rest = rest[i:]
	}
	for _, once := range []string{"killed w2, holding", "claimed order 30", "twice 1,"} {
		if n := strings.Count(lines, once); n != 1 {
			t.Errorf("%q is told %d times:\n%s", once, n, lines)
		}
	}
	if strings.ContainsAny(lines, "\x1b\r") {
		t.Errorf("there are controls in %q", lines)
	}
	for _, key := range []string{" r puts", " l adds"} {
		if strings.Contains(lines, key) {
			t.Errorf("there is no key %q to press:\n%s", key, lines)
		}
	}
}

func TestTellerTellsOfAServerThatIsGone(t *testing.T) {
	lost := lab.Update{Snapshot: &redisq.Snapshot{At: sampleNow.Add(time.Second), Generation: 1 << 60, Err: errors.New("refused\x1b[2J")}}
	lines := told(t, atRest(sampleNow), lost)
	last := lines[len(lines)-1]
	if !strings.Contains(last, "NO ANSWER: ") || strings.Contains(last, "\x1b") {
		t.Errorf("told %q", lines)
	}
}

func TestTellerOfManyStreams(t *testing.T) {
	var out bytes.Buffer
	teller := NewTeller(Options{Watch: &WatchOptions{Watcher: fakeWatcher{&fakeLab{t: t}}}}, &out)
	defer teller.Close()
	row := func(name string, trouble redisq.Trouble) watch.Row {
		return watch.Row{
			Choice: watch.Choice{Stream: name, Group: "g\x1b[2J"}, Trouble: trouble,
			Backlog: known(4), Pending: known(2), OldestIdle: known(61_000),
		}
	}
	pass := func(rows ...watch.Row) {
		t.Helper()
		if err := teller.Watch(watch.Update{Streams: &watch.Streams{At: sampleNow, Rows: rows, Found: 2, Looked: 2, Ended: true}}); err != nil {
			t.Fatal(err)
		}
	}
	pass(row("a", redisq.TroubleLate), row("b", redisq.TroubleWaiting))
	pass(row("a", redisq.TroubleLate), row("b", redisq.TroubleNone))
	pass(row("a", redisq.TroubleNone), row("b", redisq.TroubleNobody))
	clock := sampleNow.Format("15:04:05")
	want := clock + " a > g␛[2J: PAST THE LEASE; backlog 4, pending 2, oldest idle 1m1s\n" +
		clock + " 2 streams watched, 1 group not well\n" +
		clock + " a > g␛[2J: well; backlog 4, pending 2, oldest idle 1m1s\n" +
		clock + " b > g␛[2J: NO CONSUMERS; backlog 4, pending 2, oldest idle 1m1s\n"
	if out.String() != want {
		t.Errorf("told\n%swant\n%s", out.String(), want)
	}
}
