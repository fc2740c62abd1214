package experiment

import (
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// How often an experiment may be played until the figures hold that say how quick this machine is: other tests run at
// the same time. After busyTries they are not judged where the machine was too busy to tell; after tries they are. The
// other figures have to hold each time.
const (
	busyTries = 3
	tries     = 6
)

func TestAllHold(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		for _, e := range All() {
			t.Run(e.Name, func(t *testing.T) {
				exact := !slices.ContainsFunc(e.Figures, func(f Figure) bool { return f.Rests&(OnService|OnClock|OnServer) != 0 })
				if exact {
					t.Parallel()
				}
				mustHold(t, e, on(t, s))
			})
		}
	})
}

// mustHold plays an experiment, all figures of which have to hold.
func mustHold(t *testing.T, e Experiment, o Options) {
	t.Helper()
	for n := 1; ; n++ {
		late := lateness(t, o)
		r, err := Run(t.Context(), e, o)
		busy := late()
		if err != nil && busy > tooBusy { // the server's answers came after the checkout's patience
			if n < busyTries {
				t.Logf("played again, for answers were %v late: %v", busy, err)
				continue
			}
			t.Logf("not judged, for answers were %v late: %v", busy, err)
			return
		}
		complete(t, e, r, err)
		again := false
		for _, row := range r.Rows {
			tooSlow := row.Holds == Unclaimed && r.Server.Embedded && row.Clocked
			switch {
			case row.Holds == Yes || tooSlow:
			case row.Clocked && busy > tooBusy && n >= busyTries:
				t.Logf("not judged, for answers were %v late: %s", busy, row.Words())
			case row.Clocked && n < tries:
				t.Logf("played again, for answers were %v late: %s", busy, row.Words())
				again = true
			default:
				t.Errorf("%s %s (answers were %v late)", row.Words(), row.Reason, busy)
			}
		}
		if !again || t.Failed() {
			return
		}
	}
}

// tooBusy is how late the answers are of a machine that has too much else to do to tell how quick a queue is. One that
// does nothing else takes a millisecond, which is as exact as its timers are.
const tooBusy = 2 * time.Millisecond

// lateness measures, each millisecond until the returned function is called, how late a timer is and how long the server
// takes to answer a PING after it, where it is known before the experiment: nine of ten are not later than that.
func lateness(t *testing.T, o Options) func() time.Duration {
	t.Helper()
	ping := func() {}
	if o.Target != nil {
		client, err := redisq.Connect(*o.Target, redisq.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		ping = func() { _, _ = client.Do(t.Context(), "PING") }
		ping() // connects
	}
	var late []time.Duration
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			due := time.Now().Add(time.Millisecond)
			timer := time.NewTimer(time.Millisecond)
			select {
			case <-stop:
				timer.Stop()
				return
			case <-timer.C:
				ping()
				late = append(late, time.Since(due))
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		<-stopped
		if len(late) == 0 {
			return 0
		}
		slices.Sort(late)
		return late[len(late)*9/10]
	}
}

// play plays an experiment to its end.
func play(t *testing.T, e Experiment, o Options) Result {
	t.Helper()
	r, err := Run(t.Context(), e, o)
	complete(t, e, r, err)
	return r
}

// complete says that an experiment was played to its end, and every figure was measured.
func complete(t *testing.T, e Experiment, r Result, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != len(e.Figures) || len(r.Rows) == 0 {
		t.Fatalf("%d rows for %d figures", len(r.Rows), len(e.Figures))
	}
}

// find returns an experiment of the list.
func find(t *testing.T, name string) Experiment {
	t.Helper()
	e, ok := Find(name)
	if !ok {
		t.Fatalf("there is no experiment %q", name)
	}
	return e
}

// The sixteen, in the order in which they are told.
func TestNames(t *testing.T) {
	want := []string{
		"sync", "queued", "timeline", "list-crash", "stream-crash-before", "stream-crash-after", "idempotent",
		"idempotent-gap", "idempotent-done", "poison", "dead-letter", "overload", "scale-out", "cap", "backpressure-wait",
		"backpressure-refuse",
	}
	var got []string
	for _, e := range All() {
		got = append(got, e.Name)
		if e.Title == "" || e.Teaches == "" || e.Decision == "" || e.Takes <= 0 || len([]rune(e.Title)) > 60 {
			t.Errorf("%s lacks words, or has too many: %+v", e.Name, e)
		}
		for _, f := range e.Figures {
			if n := len([]rune(f.Name)); n == 0 || n > 28 {
				t.Errorf("%s: the figure %q has %d characters", e.Name, f.Name, n)
			}
		}
		if err := e.Setup.Check(); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	if _, ok := Find("no-such"); ok {
		t.Error("an experiment that is not there was found")
	}
}

func TestSelect(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  int
		first string
	}{{[]string{"all"}, 16, "sync"}, {[]string{"poison", "queued", "poison"}, 2, "queued"}, {[]string{"cap", "all"}, 16, "sync"}} {
		got, err := Select(c.names...)
		if err != nil || len(got) != c.want || got[0].Name != c.first {
			t.Errorf("%v: %d experiments, %v", c.names, len(got), err)
		}
	}
	if _, err := Select("sync", "no-such"); err == nil || !strings.Contains(err.Error(), `"no-such"`) {
		t.Errorf("a name that is not there: %v", err)
	}
}
