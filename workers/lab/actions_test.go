package lab_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/server"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

func embedded(d lab.Decisions) lab.Options { return lab.Options{Server: server.Embedded, Decisions: d} }

func marks(u lab.Update) []string {
	var texts []string
	for _, m := range u.State.Marks {
		texts = append(texts, m.Text)
	}
	return texts
}

func marked(text string) func(lab.Update) bool {
	return func(u lab.Update) bool { return slices.Contains(marks(u), text) }
}

func TestKillSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	l := start(t, embedded(quick()))
	for _, c := range []struct {
		worker string
		at     workers.CrashPoint
		want   string
	}{
		{"w9", workers.CrashNone, "there is no worker \"w9\""},
		{"", workers.CrashNone, "there is no worker \"\""},
		{"\x1b[2J", workers.CrashBeforeWork, "there is no worker"},
		{"w1", workers.CrashAfterRecord, "idempotent"},
	} {
		err := l.Kill(c.worker, c.at)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("kill %q at %q: %v, want %q", c.worker, c.at, err, c.want)
		}
	}
	if err := l.Kill("w1", workers.CrashNone); err != nil {
		t.Fatal(err)
	}
	for _, at := range []workers.CrashPoint{workers.CrashNone, workers.CrashBeforeWork} {
		if err := l.Kill("w1", at); err == nil || err.Error() != "w1 is not running" {
			t.Errorf("kill a dead worker at %q: %v", at, err)
		}
	}
	if err := l.StopWorker("w1"); err == nil || err.Error() != "w1 is not running" {
		t.Errorf("stop a dead worker: %v", err)
	}
	await(t, l, "the mark", marked("killed w1"))
}

func TestAKillInTheMiddleOfAMail(t *testing.T) {
	t.Parallel()
	d := quick()
	d.Service = time.Minute
	l := start(t, embedded(d))
	l.AddLoad(1, false)
	await(t, l, "w1 at work", func(u lab.Update) bool { return first(u).Phase == workers.PhaseWorking })
	if err := l.Kill("w1", workers.CrashNone); err != nil {
		t.Fatal(err)
	}
	killed := await(t, l, "the mark and the pending entry", func(u lab.Update) bool {
		return marked("killed w1, holding order 1")(u) && len(u.Snapshot.Pending.Rows) == 1
	})
	if order, alive := find(t, killed, "w1"); order != "1" || alive {
		t.Errorf("w1 holds %q, alive %v; want a dead one that holds order 1", order, alive)
	}
	mark := killed.State.Marks[len(killed.State.Marks)-1]
	if killed.Snapshot.Pending.Rows[0].ID != mark.ID {
		t.Errorf("mark %+v, want the entry of the pending row %+v", mark, killed.Snapshot.Pending.Rows)
	}
}

func TestACrashPointIsArmedAndMarked(t *testing.T) {
	t.Parallel()
	l := start(t, embedded(quick()))
	arm(t, l, workers.CrashAfterWork)
	await(t, l, "armed", func(u lab.Update) bool { return first(u).Armed == workers.CrashAfterWork })
	l.AddLoad(1, false)
	await(t, l, "the mark", marked("killed w1 after the work, before the ack, holding order 1"))
	await(t, l, "w1 dead", func(u lab.Update) bool { return first(u).Phase == workers.PhaseKilled })
}

func names(u lab.Update, alive bool) string {
	var all []string
	for _, w := range u.State.Workers {
		if w.Alive() == alive {
			all = append(all, w.Name)
		}
	}
	return strings.Join(all, " ")
}

func TestTheNumberOfWorkers(t *testing.T) {
	t.Parallel()
	d := quick()
	d.Workers = 3
	l := start(t, embedded(d))
	number := func(n int, living, dead string) {
		t.Helper()
		await(t, l, living+" alive", func(u lab.Update) bool {
			return names(u, true) == living && names(u, false) == dead && u.State.Decisions.Workers == n
		})
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	number(3, "w1 w2 w3", "")
	must(l.Kill("w2", workers.CrashNone))
	number(3, "w1 w3", "w2") // a killed one counts until it is replaced by hand
	name, err := l.AddWorker()
	if err != nil || name != "w4" {
		t.Fatalf("added %q, %v; want w4", name, err)
	}
	number(4, "w1 w3 w4", "w2")
	must(l.StopWorker("w3"))
	number(3, "w1 w4", "w2 w3")
	must(l.StartWorker("w2"))
	number(3, "w1 w2 w4", "w3")
	if err := l.StartWorker("w2"); err == nil || err.Error() != "w2 runs already" {
		t.Errorf("start a running worker: %v", err)
	}
	d.Workers = 1
	l.Decide(d)
	number(1, "w1", "w2 w3 w4")
	d.Workers = 5
	l.Decide(d)
	number(5, "w1 w2 w3 w4 w5", "")
}

func TestDecisionsTakeEffectAtOnceAndAreMarked(t *testing.T) {
	t.Parallel()
	d := quick()
	d.Workers = 0
	l := start(t, embedded(d))
	d.Worker.Lease = 2 * time.Second
	d.Worker.AckBefore = true
	d.Worker.MaxDeliveries = 0
	d.Worker.Idempotent = workers.RecordBefore
	d.Full, d.Limit = lab.Cap, 50
	d.BadShare = 1
	d.Service = 2 * time.Millisecond
	d.Rate = 100
	l.Decide(d)
	u := await(t, l, "100 orders a second", func(u lab.Update) bool { return u.State.Producer.Accepted > 20 })
	want := []string{
		"ack after the work → before the work", "deliveries limit 5 → none", "record none → before the work",
		"lease 300ms → 2s", "full queue grow → cap at 50", "rate 0/s → 100/s", "bad addresses 0% → 100%", "mail 10ms → 2ms",
	}
	if got := marks(u); !slices.Equal(got, want) {
		t.Errorf("marks %q, want %q", got, want)
	}
	if u.State.Decisions != d {
		t.Errorf("decisions %+v, want %+v", u.State.Decisions, d)
	}
	for _, rate := range []float64{110, 120, 130} {
		d.Rate = rate
		l.Decide(d)
	}
	await(t, l, "one mark for one turn of the same knob", func(u lab.Update) bool {
		got := marks(u)
		return got[len(got)-1] == "rate 100/s → 130/s" && len(got) == len(want)+1
	})
	d.Workers = 1
	l.Decide(d)
	await(t, l, "bad addresses refused", func(u lab.Update) bool { return u.State.Sink.Refused > 0 })
}

func TestDecisionsOutsideTheirRange(t *testing.T) {
	t.Parallel()
	l := start(t, embedded(quick()))
	zero := 0.0
	l.Decide(lab.Decisions{
		Worker: workers.Settings{Kind: "pigeon", Idempotent: "maybe", Lease: -1, MaxDeliveries: -1, Batch: -1},
		Full:   "explode", Limit: -1, Workers: -1, Rate: zero / zero, BadShare: 7, Service: -time.Hour,
	})
	u := await(t, l, "no worker", func(u lab.Update) bool { return names(u, true) == "" })
	if err := u.State.Decisions.Check(); err != nil {
		t.Errorf("decisions %+v: %v", u.State.Decisions, err)
	}
	l.AddLoad(-5, false)
	l.SetInterval(-time.Second)
	await(t, l, "another reading", func(v lab.Update) bool { return v.State.At.After(u.State.At) })
}
