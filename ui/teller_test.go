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
	teller := NewTeller(Options{Watch: &WatchOptions{Watcher: fakeWatcher{&fakeLab{t: t}}, Address: "redis.example:6379"}}, &out)
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
	want := clock + " watching every stream on server at redis.example:6379\n" +
		clock + " 2 streams, 1 group not well\n" +
		clock + " a, group g␛[2J: PAST THE LEASE; backlog 4, pending 2, oldest idle 1m1s\n" +
		clock + " a, group g␛[2J: well; backlog 4, pending 2, oldest idle 1m1s\n" +
		clock + " b, group g␛[2J: NO CONSUMERS; backlog 4, pending 2, oldest idle 1m1s\n"
	if out.String() != want {
		t.Errorf("told\n%swant\n%s", out.String(), want)
	}
}

// An order that fails again and again is told once an attempt, with its reason once.
func TestTellerOfRetries(t *testing.T) {
	at := func(s float64) time.Time { return sampleNow.Add(time.Duration(s * float64(time.Second))) }
	const no = ": 550 no such user"
	u := func(s float64, notices ...lab.Mark) lab.Update {
		u := atRest(at(s))
		u.State.Notices = notices
		return u
	}
	all := []lab.Mark{
		{At: at(1), Text: "w1 failed at order 5" + no, ID: "5-0"},
		{At: at(6), Text: "w3 claimed order 5 from w1 (delivery 2)", ID: "5-0"},
		{At: at(6), Text: "w3 failed at order 5" + no, ID: "5-0"},
		{At: at(7), Text: "w2 failed at order 9" + no, ID: "9-0"},
		{At: at(11), Text: "w3 took up its own order 5 again (delivery 3)", ID: "5-0"},
		{At: at(12), Text: "w3 failed at order 5" + no, ID: "5-0"},
		{At: at(16), Text: "w3 took up its own order 5 again (delivery 4)", ID: "5-0"},
		{At: at(16), Text: "w1 claimed order 9 from w2 (delivery 2)", ID: "9-0"},
		{At: at(16), Text: "w3 failed at order 5: the mail server is away", ID: "5-0"},
	}
	lines := told(t, u(0), u(1, all[:1]...), u(6, all[:3]...), u(7, all[:4]...), u(11, all[:5]...), u(12, all[:6]...), u(16, all...))
	clock := func(s float64) string { return at(s).Format("15:04:05") + " " }
	var got []string
	for _, l := range lines {
		if strings.Contains(l, "order 5") || strings.Contains(l, "order 9") {
			got = append(got, l)
		}
	}
	want := []string{
		clock(1) + "w1 failed at order 5: 550 no such user",
		clock(6) + "w3 claimed order 5 from w1 (delivery 2) and failed again",
		clock(7) + "w2 failed at order 9: 550 no such user",
		clock(11) + "w3 took up its own order 5 again (delivery 3)",
		clock(12) + "w3 failed at order 5 again",
		clock(16) + "w3 took up its own order 5 again (delivery 4) and failed: the mail server is away",
		clock(16) + "w1 claimed order 9 from w2 (delivery 2)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What is wrong is told when it begins, once for each that it concerns, and when it is over.
func TestTellerOfWhatBeginsAndEnds(t *testing.T) {
	var out bytes.Buffer
	teller := NewTeller(Options{Watch: &WatchOptions{Watcher: fakeWatcher{&fakeLab{t: t}}, Chosen: mailers, Address: "redis.example:6379"}}, &out)
	defer teller.Close()
	reading := func(s float64, change func(u *watch.Update)) {
		t.Helper()
		u := watchUpdate(sampleNow.Add(time.Duration(s * float64(time.Second))))
		u.Events = nil
		change(&u)
		if err := teller.Watch(u); err != nil {
			t.Fatal(err)
		}
	}
	stuck := func(u *watch.Update) {}
	second := func(u *watch.Update) {
		other := u.Doctor.Findings[0]
		other.Consumer, other.Text = "worker-9", "worker-9 holds 1 entry."
		u.Doctor.Findings = append(u.Doctor.Findings, other)
	}
	one := func(u *watch.Update) { u.Doctor.Findings = u.Doctor.Findings[1:] }
	lost := func(u *watch.Update) {
		u.Snapshot = &redisq.Snapshot{At: u.Snapshot.At, Generation: u.Snapshot.Generation, Err: errors.New("refused")}
		u.Events = []watch.Event{{At: sampleNow.Add(6 * time.Second), Text: "no answer: refused", Mark: true}}
	}
	reading(0, stuck)
	for s := 0.5; s < 5; s += 0.5 {
		reading(s, stuck)
	}
	reading(5, second)
	reading(5.5, second)
	for s := 6.0; s < 10; s += 0.5 {
		reading(s, lost) // nobody knows, so nothing is over
	}
	for s := 10.0; s < 20; s += 0.5 {
		reading(s, one)
	}
	got := out.String()
	rest := got
	for _, want := range []string{
		"watching orders, group mailers on valkey 8.1.1 at redis.example:6379\n",
		"STUCK CONSUMER: worker-1 holds 2 entries",
		"DEAD LETTERS: 1 dead letter waits",
		"STUCK CONSUMER: worker-9 holds 1 entry.\n",
		"no answer: refused\n",
		"STUCK CONSUMER is over\n",
	} {
		i := strings.Index(rest, want)
		if i < 0 {
			t.Fatalf("not told, or not in this order: %q\n%s", want, got)
		}
		rest = rest[i+len(want):]
	}
	for _, once := range []string{"worker-1 holds", "worker-9 holds", "DEAD LETTERS:", "refused", "is over"} {
		if n := strings.Count(got, once); n != 1 {
			t.Errorf("%q is told %d times:\n%s", once, n, got)
		}
	}
	if strings.Contains(got, "/s") {
		t.Errorf("a rate is told as it is written:\n%s", got)
	}
}
