package redisq

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"
)

// film makes readings of a queue that was watched from the outside: at each step the true totals are given.
type film struct {
	h  History
	at time.Time
}

func newFilm() *film { return &film{at: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)} }

// step adds a reading after d with these totals.
func (f *film) step(d time.Duration, added, backlog int64) {
	f.at = f.at.Add(d)
	f.h.Add(&Snapshot{
		At:     f.at,
		Stream: StreamFigures{Added: Exact(added, FromServer)},
		Group: GroupFigures{
			Backlog: Exact(backlog, Derived), Undelivered: Exact(backlog, Derived), Pending: Exact(0, FromServer),
			OldestIdle: Exact(1500, Derived), TrimmedUnread: Exact(0, Derived),
		},
		Dead: DeadPage{Length: Exact(2, FromServer)},
	})
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestRatesUseRealTime(t *testing.T) {
	f := newFilm()
	if r := f.h.Rates(); r.In.Known || r.In.Reason == "" {
		t.Errorf("before any reading: %+v", r)
	}
	f.step(0, 100, 10)
	if r := f.h.Rates(); r.In.Known || r.Done.Known {
		t.Errorf("after one reading: %+v", r)
	}
	// 5 a second come in for 4 s; the backlog grows by 12: 8 were done. The readings are not evenly spaced.
	f.step(300*time.Millisecond, 101, 10)
	f.step(3700*time.Millisecond, 120, 22)
	r := f.h.Rates()
	near(t, "in", r.In.PerSecond, 5)
	near(t, "done", r.Done.PerSecond, 2)
	same(t, "window", r.Window, 4*time.Second)
}

// Counting ends at 1,000, so that a backlog that grows by 40 a second looks the same in every reading. What is done is
// then not known: taking the two for equal would make it what comes in.
func TestDoneIsNotKnownWhereTheBacklogIsABound(t *testing.T) {
	f := newFilm()
	for i := range int64(3) {
		f.at = f.at.Add(time.Second)
		f.h.Add(&Snapshot{
			At:     f.at,
			Stream: StreamFigures{Added: Exact(5000+50*i, FromServer)},
			Group:  GroupFigures{Backlog: AtLeast(1003, Derived), TrimmedUnread: Exact(0, Derived)},
		})
	}
	r := f.h.Rates()
	near(t, "in", r.In.PerSecond, 50)
	if r.Done.Known || r.Done.Reason == "" {
		t.Errorf("done with an unknown backlog: %+v", r.Done)
	}
	if d := f.h.Drain(3); d.Known {
		t.Errorf("drain with an unknown backlog: %+v", d)
	}
}

// 3 a second are pushed for 4 s and the list grows by 4: 8 were taken. What happens on the stream does not count while
// the list is in use, and the rates begin again at the change.
func TestRatesAreThoseOfTheListWhereItIsInUse(t *testing.T) {
	f := newFilm()
	f.step(0, 100, 10)
	f.step(2*time.Second, 150, 10)
	take := func(pushed, length int64) Rates {
		f.at = f.at.Add(time.Second)
		f.h.Add(&Snapshot{
			At: f.at, Kind: List, Pushed: Exact(pushed, Counted), ListLen: Exact(length, FromServer),
			Stream: StreamFigures{Added: Exact(150, FromServer)},
			Group:  GroupFigures{Backlog: Exact(0, Derived), TrimmedUnread: Unknown("none")},
		})
		return f.h.Rates()
	}
	if r := take(7, 5); r.In.Known || r.Done.Known {
		t.Errorf("rates across the change: %+v", r)
	}
	take(10, 6)
	take(13, 7)
	take(16, 8)
	r := take(19, 9)
	near(t, "in", r.In.PerSecond, 3)
	near(t, "done", r.Done.PerSecond, 2)
	d := f.h.Drain(2)
	same(t, "drain", d.Text, "never drains: 4 workers would") // one takes 1 a second, and 3 come in; a spare one keeps up
}

func TestRatesForgetWhatIsOlderThanTheWindow(t *testing.T) {
	f := newFilm()
	for i := range int64(31) {
		added := 100 * i // 100 a second for 20 s, then nothing
		if i > 20 {
			added = 2000
		}
		f.step(time.Second, added, 0)
	}
	r := f.h.Rates()
	near(t, "in over the last 10 s", r.In.PerSecond, 0)
	near(t, "done", r.Done.PerSecond, 0)
	same(t, "window", r.Window, 10*time.Second)
	f.step(30*time.Second, 2300, 0)
	r = f.h.Rates()
	near(t, "readings further apart than the window", r.In.PerSecond, 10)
	same(t, "then the window is that", r.Window, 30*time.Second)
}

func TestTrimmedIsNotDone(t *testing.T) {
	f := newFilm()
	f.h.Window = time.Minute
	read := func(added, backlog, removed, losses int64) Rates {
		f.at = f.at.Add(10 * time.Second)
		f.h.Add(&Snapshot{
			At:     f.at,
			Stream: StreamFigures{Added: Exact(added, FromServer)},
			Group:  GroupFigures{Backlog: Exact(backlog, Derived), RemovedUnread: removed, Losses: losses},
		})
		return f.h.Rates()
	}
	read(1000, 500, 7, 3)
	r := read(1100, 550, 47, 3) // 100 in, backlog + 50, 40 were trimmed: 10 done in 10 s
	near(t, "in", r.In.PerSecond, 10)
	near(t, "done", r.Done.PerSecond, 1)
	same(t, "it rests on", r.DoneOver, 10*time.Second)
	r = read(1200, 560, 47, 4) // nobody knows how many of the 90 that are gone were done
	near(t, "in goes on", r.In.PerSecond, 10)
	near(t, "done by what is known", r.Done.PerSecond, 1)
	same(t, "it rests on as much as before", r.DoneOver, 10*time.Second)
	r = read(1300, 610, 47, 4) // 100 in, backlog + 50: 50 done in 10 s
	near(t, "done by both", r.Done.PerSecond, 3)
	same(t, "it rests on both", r.DoneOver, 20*time.Second)
	same(t, "of", r.Window, 30*time.Second)
}

// While some are lost from each reading to the next, and nobody knows how many, what is done is not known; it is a second
// after the last.
func TestDoneIsKnownAgainAfterALossThatIsOver(t *testing.T) {
	f := newFilm()
	for i := range int64(16) {
		f.at = f.at.Add(500 * time.Millisecond)
		f.h.Add(&Snapshot{ // 20 a second come in, the backlog grows by 12 a second
			At:     f.at,
			Stream: StreamFigures{Added: Exact(10*i, Counted)},
			Group:  GroupFigures{Backlog: Exact(6*i, Derived), TrimmedUnread: Unknown("some"), Losses: min(i, 9)},
		})
		r := f.h.Rates()
		switch {
		case i >= 2 && i <= 9:
			same(t, "done while some are lost", fmt.Sprint(r.Done.Known, r.Done.Reason), "false"+LossReason)
		case i >= 11:
			near(t, "done afterwards", r.Done.PerSecond, 8)
		}
	}
}

func TestUnknownIsNeverZero(t *testing.T) {
	f := newFilm()
	f.step(0, 10, 5)
	f.at = f.at.Add(5 * time.Second)
	f.h.Add(&Snapshot{At: f.at, Stream: StreamFigures{Added: Unknown("not told")}, Group: GroupFigures{Backlog: Unknown("no group")}})
	r := f.h.Rates()
	same(t, "in", fmt.Sprint(r.In), fmt.Sprint(Rate{Reason: "not told"}))
	same(t, "done", r.Done.Known, false)
	points := f.h.Points(FigBacklog)
	same(t, "known", fmt.Sprint(points[0].Value, points[0].Gap), "5 false")
	same(t, "not known", points[1].Gap, true)
	same(t, "drain", fmt.Sprint(f.h.Drain(1)), fmt.Sprint(Drain{Text: "?", Reason: "no group"}))
	for _, figure := range []Figure{FigDead, FigIn, FigDone, FigOldestIdle, FigList, FigPending} {
		if p := f.h.Points(figure); !p[1].Gap {
			t.Errorf("figure %d has the value %v", figure, p[1].Value)
		}
	}
	same(t, "a figure that there is not", f.h.Points(figures)[0].Gap, true)
}

func TestGapsAndRestarts(t *testing.T) {
	f := newFilm()
	f.step(0, 100, 50)
	f.step(2*time.Second, 110, 50)
	f.at = f.at.Add(time.Second)
	f.h.Add(&Snapshot{At: f.at, Err: errors.New("gone")})
	f.h.Gap(f.at.Add(time.Second))
	f.at = f.at.Add(2 * time.Second)
	f.step(0, 500, 90)
	if r := f.h.Rates(); r.In.Known {
		t.Errorf("rates across a gap: %+v", r)
	}
	f.step(2*time.Second, 504, 90)
	near(t, "after it", f.h.Rates().In.PerSecond, 2)
	gaps := ""
	for _, p := range f.h.Points(FigBacklog) {
		gaps += fmt.Sprint(p.Gap, " ")
	}
	same(t, "one gap", gaps, "false false true false false ")

	f.step(2*time.Second, 3, 1) // the stream was replaced
	if r := f.h.Rates(); r.In.Known {
		t.Errorf("rates across a restart: %+v", r)
	}
	points := f.h.Points(FigBacklog)
	same(t, "a gap where it was replaced", points[len(points)-2].Gap, true)
	f.step(2*time.Second, 7, 1)
	near(t, "then they begin again", f.h.Rates().In.PerSecond, 2)
}

func TestOldReadingsAreLeftOut(t *testing.T) {
	f := newFilm()
	f.step(time.Second, 10, 1)
	f.step(-time.Second, 5, 9)
	f.step(time.Second, 10, 1)
	same(t, "points", len(f.h.Points(FigBacklog)), 1)
}

func TestFiguresOfAPoint(t *testing.T) {
	f := newFilm()
	f.step(0, 10, 7)
	f.step(5*time.Second, 20, 7)
	for figure, want := range map[Figure]float64{
		FigBacklog: 7, FigUndelivered: 7, FigPending: 0, FigDead: 2, FigIn: 2, FigDone: 2, FigOldestIdle: 1.5,
	} {
		p := f.h.Points(figure)
		near(t, fmt.Sprint("figure ", figure), p[1].Value, want)
		same(t, "known", p[1].Gap, false)
		same(t, "time", p[1].At, f.at)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	f := newFilm()
	for i := range int64(2 * keptSamples) {
		f.step(250*time.Millisecond, i, 0)
	}
	points := f.h.Points(FigBacklog)
	same(t, "15 minutes at 4 a second", len(points), 3600)
	same(t, "the newest is there", points[len(points)-1].At, f.at)
	same(t, "oldest first", points[0].At, f.at.Add(-3599*250*time.Millisecond))
	near(t, "rate", f.h.Rates().In.PerSecond, 4)
}

func TestDrain(t *testing.T) {
	for _, c := range []struct {
		name             string
		in, done         float64 // a second, over 10 s
		backlog, workers int64
		text             string
		never, stalled   bool
		takes            time.Duration
		need             int
	}{
		{name: "nothing to do", in: 2, done: 2, text: "empty"},
		{name: "overload: one worker of 300 ms a mail", in: 50, done: 3.2, backlog: 468, workers: 1, text: "never drains: 16 workers would", never: true, need: 16},
		{name: "three of them", in: 50, done: 9.9, backlog: 400, workers: 3, text: "never drains: 16 workers would", never: true, need: 16},
		{name: "exactly as many as come in do not", in: 10, done: 5, backlog: 400, workers: 1, text: "never drains: 3 workers would", never: true, need: 3},
		{name: "nobody works", in: 5, backlog: 400, workers: 0, text: "never drains", never: true},
		{name: "workers that do nothing", in: 5, backlog: 400, workers: 3, text: "never drains", never: true},
		{name: "drains", in: 2, done: 12, backlog: 420, workers: 3, text: "drains in 42 s", takes: 42 * time.Second},
		{name: "drains for long", in: 1, done: 2, backlog: 7200, workers: 3, text: "drains in 2 h", takes: 2 * time.Hour},
		{name: "as much in as out", in: 10, done: 10.1, backlog: 420, workers: 3, text: "stalled", stalled: true},
		{name: "a stuck group", backlog: 1, workers: 3, text: "stalled", stalled: true},
		{name: "what is in hand", in: 2, done: 2, backlog: 3, workers: 3, text: "keeping up"},
	} {
		f := newFilm()
		added := int64(math.Round(c.in * 10))
		done := int64(math.Round(c.done * 10))
		f.step(0, 1000, c.backlog-added+done)
		f.step(10*time.Second, 1000+added, c.backlog)
		got := f.h.Drain(int(c.workers))
		want := Drain{
			Text: c.text, Known: true, Never: c.never, Stalled: c.stalled, In: c.takes, Workers: c.need,
			KeepsUp: c.text == "keeping up",
		}
		sameText(t, c.name, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
	}
}

// Of what was given to a worker and is not acked, more workers would not make an end; whether they keep up is told by
// whether it grows. Ten seconds, three workers, nothing undelivered.
func TestDrainOfWhatIsPending(t *testing.T) {
	for _, c := range []struct {
		name                  string
		in, pending0, pending int64
		text                  string
	}{
		{"two poisonous entries wait for their next delivery", 20, 0, 5, "keeping up"},
		{"many do, and as many are given up", 20, 24, 24, "keeping up"},
		{"and one more", 20, 24, 25, "keeping up"},
		{"their number falls", 20, 24, 12, "keeping up"},
		{"half of all that comes fails, or one of two consumers never acks", 20, 14, 24, "never drains: not acked"},
		{"all that comes fails", 20, 4, 24, "never drains: not acked"},
	} {
		var h History
		at := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
		for i, pending := range []int64{c.pending0, c.pending} {
			h.Add(&Snapshot{
				At: at.Add(time.Duration(i) * 10 * time.Second), Stream: StreamFigures{Added: Exact(1000+int64(i)*c.in, FromServer)},
				Group: GroupFigures{
					Backlog: Exact(pending, Derived), Undelivered: Exact(0, Derived), Pending: Exact(pending, FromServer),
					TrimmedUnread: Exact(0, Derived),
				},
			})
		}
		keeps := c.text == "keeping up"
		sameText(t, c.name, fmt.Sprintf("%+v", h.Drain(3)), fmt.Sprintf("%+v", Drain{Text: c.text, Known: true, KeepsUp: keeps, Never: !keeps}))
	}
}

func TestDrainLeavesRoomForWhatIsInHand(t *testing.T) {
	// 20 came and 17 were done in ten seconds: with three workers the others may be in their hands.
	f := newFilm()
	f.step(0, 1000, 1)
	f.step(10*time.Second, 1020, 4)
	same(t, "drain", f.h.Drain(3).Never, false)
	f = newFilm()
	f.step(0, 1000, 1)
	f.step(10*time.Second, 1020, 11)
	same(t, "a real loss of ground", f.h.Drain(3).Never, true)
}

func TestNumbers(t *testing.T) {
	three, bound, none := Exact(3, FromServer), AtLeast(1000, Counted), Unknown("why")
	same(t, "text", three.String()+" "+bound.String()+" "+none.String()+" "+Number{}.String(), "3 1000+ ? ?")
	same(t, "sum", three.Add(three), Number{Value: 6, Known: true, Source: Derived})
	same(t, "sum with a bound", three.Add(bound), Number{Value: 1003, Known: true, AtLeast: true, Source: Derived})
	same(t, "sum with an unknown", three.Add(none), none)
	same(t, "and the other way", none.Add(three), none)
}
