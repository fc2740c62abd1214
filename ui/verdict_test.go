package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// calm is a lab where all is well: three workers, one at work, two orders a second in and done.
func calm() *data {
	u := sampleUpdate(sampleNow)
	s, st := u.Snapshot, u.State
	s.Pending.Rows = s.Pending.Rows[2:]
	s.Pending.ByConsumer = []redisq.Consumer{{Name: "w1", Pending: 1}}
	s.Group.Pending, s.Group.Backlog, s.Dead = known(1), known(1), redisq.DeadPage{Length: known(0)}
	st.Workers[1].Phase, st.Workers[1].ID, st.Workers[1].Order = workers.PhaseWaiting, "", ""
	st.Books, st.Sink = lab.Books{Known: true, Balanced: true, Orders: 40, Once: 39, NotYet: 1}, lab.Sink{Known: true, Once: 39}
	return &data{
		now: sampleNow, last: u, good: s, history: &redisq.History{}, every: 250 * time.Millisecond, keys: testKeys(),
		look:  &look{theme: cell.NewTheme(true, termenv.Ascii), glyphs: cell.Unicode()},
		rates: redisq.Rates{In: redisq.Rate{PerSecond: 2, Known: true}, Done: redisq.Rate{PerSecond: 2, Known: true}},
	}
}

// holds gives a worker's entry of the sample to calm: order 30 of w2, idle for 4.1 s of a lease of 5 s.
func holds(d *data) {
	full := sampleUpdate(sampleNow)
	d.good.Pending.Rows = full.Snapshot.Pending.Rows[1:]
	d.good.Pending.ByConsumer = append(d.good.Pending.ByConsumer, redisq.Consumer{Name: "w2", Pending: 1})
	d.last.State.Workers[1] = full.State.Workers[1]
}

func TestVerdict(t *testing.T) {
	setRates := func(d *data, in, done float64, backlog int64) {
		d.rates.In.PerSecond, d.rates.Done.PerSecond = in, done
		d.good.Group.Backlog = known(backlog)
	}
	tests := []struct {
		name  string
		make  func(d *data)
		word  string
		level level
		says  []string
	}{
		{"nothing read", func(d *data) { d.good, d.last = nil, lab.Update{} }, "STARTING", levelCalm, nil},
		{"all is well", func(*data) {}, "FLOWING", levelGood, []string{"2.0/s come in", "2.0/s are done", "3 workers", "1 not acked yet"}},
		{"rates unknown", func(d *data) { d.rates = redisq.Rates{} }, "FLOWING", levelGood, []string{"not known"}},
		{
			"only in is known", func(d *data) { d.rates.Done = redisq.Rate{Reason: "some were trimmed"} }, "FLOWING", levelGood,
			[]string{"2.0/s come in to 3 workers; how many are done is not known: some were trimmed"},
		},
		{"backlog unknown", func(d *data) { d.good.Group.Backlog = redisq.Unknown("lag is nil") }, "FLOWING", levelGood, []string{"lag is nil"}},
		{"no answer", func(d *data) {
			d.now = sampleNow.Add(4 * time.Second)
			d.last.Snapshot = &redisq.Snapshot{At: d.now, Err: errors.New("dial: connection refused\x1b[2J")}
			d.stale = true
		}, "NO ANSWER", levelBad, []string{"no answer for 4.0 s", "14:02:11", "connection refused"}},
		{"never an answer", func(d *data) {
			d.good = nil
			d.last.Snapshot = &redisq.Snapshot{At: d.now, Err: errors.New("WRONGPASS")}
		}, "NO ANSWER", levelBad, []string{"WRONGPASS"}},
		{"silent", func(d *data) { d.now = sampleNow.Add(3 * time.Second); d.stale = true }, "NO ANSWER", levelBad, []string{"3.0 s"}},
		{"stream gone", func(d *data) { d.good.Stream.Missing = true }, "QUEUE GONE", levelBad, []string{"no stream"}},
		{"group gone", func(d *data) { d.good.Group.Missing = true }, "QUEUE GONE", levelBad, []string{"no group mailers"}},
		{"wrong type", func(d *data) { d.good.Stream.WrongType = "list" }, "QUEUE GONE", levelBad, []string{"holds a list"}},
		{"stream missing does not matter to a list", func(d *data) {
			d.good.Stream.Missing = true
			d.last.State.Decisions.Worker.Kind = redisq.List
		}, "FLOWING", levelGood, nil},
		{"lost just now", func(d *data) {
			d.last.State.Books.Never, d.last.State.Books.NeverIDs = 2, []string{"7", "9"}
			d.last.State.Decisions.Worker.AckBefore = true
			d.news.never = sampleNow.Add(-time.Second)
		}, "LOST", levelBad, []string{"2 orders", "7, 9", "acked before the work"}},
		{"lost long ago leads over what is well", func(d *data) { d.last.State.Books.Never = 1 }, "LOST", levelBad, []string{"1 order "}},
		{"lost long ago gives way to what happens now", func(d *data) { d.last.State.Books.Never = 1; holds(d) }, "NOT ACKING", levelBad, nil},
		{"killed worker holds", holds, "NOT ACKING", levelBad, []string{"w2 was killed 4.1 s ago", "1 message", "order 30", "w1 or w3", "in 0.9 s"}},
		{"past the lease", func(d *data) { holds(d); d.now = sampleNow.Add(1100 * time.Millisecond) }, "NOT ACKING", levelBad, []string{"may claim it now", "5.2 s"}},
		{"nobody left to claim", func(d *data) {
			holds(d)
			for i := range d.last.State.Workers {
				d.last.State.Workers[i].Phase = workers.PhaseKilled
			}
		}, "NOT ACKING", levelBad, []string{"no other worker"}},
		{"living worker does not work on it", func(d *data) {
			d.good.Pending.Rows[0].Consumer, d.good.Pending.Rows[0].Idle = "w3", 9*time.Second
			d.good.Pending.ByConsumer = []redisq.Consumer{{Name: "w3", Pending: 1}}
		}, "NOT ACKING", levelBad, []string{"w3 is alive and does not work on it"}},
		{"stranger holds", func(d *data) {
			d.good.Pending.Rows[0].Consumer, d.good.Pending.Rows[0].Idle = "old\x1b[31m", 90*time.Second
			d.good.Pending.ByConsumer = []redisq.Consumer{{Name: "old\x1b[31m", Pending: 4}}
		}, "NOT ACKING", levelBad, []string{"is no worker of ours", "4 messages"}},
		{"no workers", func(d *data) {
			d.last.State.Workers = nil
			d.good.Pending = redisq.PendingPage{}
		}, "NO WORKERS", levelBad, []string{"1 message waits", "2.0/s more"}},
		{"no workers, and nothing to do", func(d *data) {
			d.last.State.Workers, d.last.State.Decisions.Workers = nil, 0
			d.good.Pending = redisq.PendingPage{}
			setRates(d, 0, 0, 0)
		}, "IDLE", levelGood, []string{"nothing waits"}},
		{"no workers left, and nothing to do", func(d *data) {
			for i := range d.last.State.Workers {
				d.last.State.Workers[i].Phase = workers.PhaseKilled
			}
			d.good.Pending = redisq.PendingPage{}
			setRates(d, 0, 0, 0)
		}, "NO WORKERS", levelBad, []string{"no worker runs"}},
		{"all back off", func(d *data) {
			for i := range d.last.State.Workers {
				d.last.State.Workers[i].Phase, d.last.State.Workers[i].Reason = workers.PhaseBackingOff, "READONLY"
			}
			d.good.Pending = redisq.PendingPage{}
		}, "BACKING OFF", levelBad, []string{"every worker", "READONLY"}},
		{"one backs off", func(d *data) {
			d.last.State.Workers[2].Phase, d.last.State.Workers[2].Reason = workers.PhaseBackingOff, "refused"
		}, "BACKING OFF", levelWarn, []string{"w3 pauses", "refused"}},
		{"poison", func(d *data) { d.good.Pending.Rows[0].Deliveries = 4 }, "POISON", levelWarn, []string{"order 41", "4 times of 5", "1 delivery more"}},
		{"three of five is no poison yet", func(d *data) { d.good.Pending.Rows[0].Deliveries = 3 }, "FLOWING", levelGood, nil},
		{"poison without a limit", func(d *data) {
			d.good.Pending.Rows[0].Deliveries = 50
			d.last.State.Decisions.Worker.MaxDeliveries = 0
		}, "POISON", levelWarn, []string{"50 times", "for ever"}},
		{"falling behind", func(d *data) {
			setRates(d, 50, 9.8, 412)
			d.drain = redisq.Drain{Never: true, Workers: 16}
		}, "FALLING BEHIND", levelWarn, []string{"50.0/s come in", "9.8/s are done", "412", "40.2/s", "16 workers", "3 are there"}},
		{"falling behind for another reason than too few workers", func(d *data) {
			setRates(d, 5, 3, 24)
			d.good.Group.Undelivered, d.drain = known(0), redisq.Drain{Never: true}
		}, "FALLING BEHIND", levelWarn, []string{"5.0/s come in", "3.0/s are done", "24 wait", "more workers would not help"}},
		{"a small backlog is not behind", func(d *data) {
			setRates(d, 50, 9.8, 9)
			d.drain = redisq.Drain{Never: true, Workers: 16}
		}, "FLOWING", levelGood, nil},
		{"stalled", func(d *data) {
			setRates(d, 0, 0, 1)
			d.last.State.Workers[0].Phase = workers.PhaseWaiting
			d.good.Pending.Rows[0].Idle, d.good.Group.OldestIdle = 5500*time.Millisecond, known(5500)
		}, "STALLED", levelWarn, []string{"1 message not acked", "idle for 5.5 s of a lease of 5.0 s"}},
		{"undelivered and nobody takes it is stalled", func(d *data) {
			setRates(d, 0, 0, 2)
			d.last.State.Workers[0].Phase = workers.PhaseWaiting
		}, "STALLED", levelWarn, []string{"2 messages not acked"}},
		{"who waits for a lease is not stalled", func(d *data) {
			setRates(d, 0, 0, 1)
			d.last.State.Workers[0].Phase = workers.PhaseWaiting
			d.good.Pending.Rows[0].Idle, d.good.Group.OldestIdle = 2*time.Second, known(2000)
		}, "FLOWING", levelGood, []string{"1 not acked yet: it may be claimed when its lease is over, in 3.0 s"}},
		{"every worker hangs", func(d *data) {
			setRates(d, 2, 0, 42)
			d.drain = redisq.Drain{Never: true}
			for i := range d.last.State.Workers {
				d.last.State.Workers[i].Phase, d.last.State.Workers[i].WorkSince = workers.PhaseWorking, sampleNow.Add(-20*time.Second)
			}
		}, "FALLING BEHIND", levelWarn, []string{"none are done, 42 wait", "w1, w2 and w3 have been at one message for 20 s"}},
		{"every work fails", func(d *data) {
			setRates(d, 2, 0, 42)
			d.drain = redisq.Drain{Never: true}
			d.last.State.Notices = []lab.Mark{{At: sampleNow, Text: "w2 failed at order 7: the mail server is not there"}}
		}, "FALLING BEHIND", levelWarn, []string{"none are done", "w2 failed at order 7: the mail server is not there"}},
		{"a long piece of work is not stalled", func(d *data) { setRates(d, 0, 0, 1) }, "FLOWING", levelGood, nil},
		{"a customer waits", func(d *data) {
			d.last.State.Decisions.Full = lab.Wait
			d.last.State.Producer.Waiting = true
		}, "FULL", levelWarn, []string{"limit of 100", "waits"}},
		{"refused", func(d *data) {
			d.last.State.Decisions.Full, d.last.State.Producer.Refused = lab.Refuse, 7
			d.news.refused = sampleNow
		}, "FULL", levelWarn, []string{"7 checkouts"}},
		{"trimmed", func(d *data) { d.good.Group.TrimmedUnread = known(7) }, "TRIMMED", levelWarn, []string{"7 messages"}},
		{"twice just now", func(d *data) {
			d.last.State.Books.Twice, d.last.State.Sink.TwiceIDs = 1, []string{"30"}
			d.news.twice = sampleNow
		}, "TWICE", levelWarn, []string{"1 order", "30"}},
		{"twice long ago", func(d *data) { d.last.State.Books.Twice = 1 }, "FLOWING", levelGood, nil},
		{"dead letter just now", func(d *data) {
			d.good.Dead = sampleUpdate(sampleNow).Snapshot.Dead
			d.news.dead = sampleNow
		}, "DEAD LETTERS", levelWarn, []string{"2 messages", "order 9", "5 deliveries", "550 5.1.1"}},
		{"books off", func(d *data) {
			d.last.State.Books.Balanced, d.last.State.Books.Off = false, "one order too many"
		}, "BOOKS OFF", levelWarn, []string{"one order too many"}},
		{"no permission", func(d *data) {
			d.good.Problems = []redisq.Problem{{Panel: "dead", Code: "no-permission", Text: "NOPERM"}}
		}, "PARTLY READ", levelWarn, []string{"dead: NOPERM"}},
		{"draining", func(d *data) {
			setRates(d, 2, 10, 80)
			d.drain = redisq.Drain{In: 10 * time.Second}
		}, "DRAINING", levelGood, []string{"80 wait", "empty in 10 s"}},
		{"idle", func(d *data) { setRates(d, 0, 0, 0) }, "IDLE", levelGood, []string{"nothing waits"}},
		{"unknown is not idle", func(d *data) {
			setRates(d, 0, 0, 0)
			d.good.Group.Backlog = redisq.Unknown("not told")
		}, "FLOWING", levelGood, []string{"not known"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := calm()
			test.make(d)
			got := verdict(d)
			if got.word != test.word || got.level != test.level {
				t.Errorf("the verdict is %s (level %d), should be %s (level %d): %s", got.word, got.level, test.word, test.level, got.text)
			}
			for _, part := range test.says {
				if !strings.Contains(got.text, part) {
					t.Errorf("it does not say %q: %s", part, got.text)
				}
			}
			if strings.ContainsRune(got.text, 0x1b) {
				t.Errorf("an escape gets through: %q", got.text)
			}
		})
	}
}

// The verdict and the figure of the backlog are about the same thing, whatever comes in, is done, waits or is pending.
func TestVerdictAgreesWithTheFigures(t *testing.T) {
	behind, keeping, draining := 0, 0, 0
	for _, in := range []int64{0, 1, 20, 22, 25, 500} { // in ten seconds
		for _, done := range []int64{0, 1, 18, 20, 22, 60, 480} {
			for _, undelivered := range []int64{0, 1, 12, 400} {
				for _, pending := range []int64{0, 1, 3, 9, 12, 24} {
					d := calm()
					d.last.State.Workers[0].Phase, d.last.State.Workers[0].WorkSince = workers.PhaseWaiting, time.Time{}
					backlog := undelivered + pending
					for step, added := range []int64{1000, 1000 + in} {
						n := backlog
						if step == 0 {
							n += done - in
						}
						if n < 0 {
							continue
						}
						s := *d.good
						s.At = sampleNow.Add(time.Duration(step-1) * 10 * time.Second)
						s.Stream.Added, s.Group.TrimmedUnread = known(added), known(0)
						s.Group.Undelivered, s.Group.Pending, s.Group.Backlog = known(undelivered), known(pending), known(n)
						s.Pending = redisq.PendingPage{}
						d.history.Add(&s)
						d.good = &s
					}
					d.rates, d.drain = d.history.Rates(), d.history.Drain(3)
					word, note := map[string]bool{}, backlogNote(d)
					for _, f := range findings(d) {
						word[f.word] = true
					}
					at := fmt.Sprintf("%d in, %d done, %d undelivered, %d pending: %v and %q", in, done, undelivered, pending, word, note)
					if word["FALLING BEHIND"] && !strings.HasPrefix(note, "never drains") {
						t.Error(at)
					}
					if word["DRAINING"] && !strings.HasPrefix(note, "drains in") {
						t.Error(at)
					}
					if backlog >= 10 && strings.HasPrefix(note, "never drains") && !word["FALLING BEHIND"] {
						t.Error(at)
					}
					switch {
					case word["FALLING BEHIND"]:
						behind++
					case word["DRAINING"]:
						draining++
					case note == "keeping up":
						keeping++
					}
				}
			}
		}
	}
	if behind < 50 || keeping < 50 || draining < 50 {
		t.Errorf("behind %d times, keeping up %d, draining %d: one of them was not tried", behind, keeping, draining)
	}
}

func TestVerdictStatesStandInTheHelp(t *testing.T) {
	help := strings.Join(helpLines(calm(), 100), "\n")
	for _, c := range conditions {
		if !strings.Contains(help, c.word) {
			t.Errorf("the help does not know %s", c.word)
		}
	}
}

// Of a verdict that is too long whole sentences are left out, where one fits.
func TestVerdictIsNotCutWithinASentence(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"One two three. Four five six.", "One two three.|Four five six."},
		{"One two three four five. Six seven.", "One two three|four five."},
		{"One two three. Four. Five six seven eight.", "One two three.|Four."},
		{"One two three four five six seven.", "One two three|four five six…"},
		{"v1.2 of a b.c holds d e f. Yes.", "v1.2 of a b.c|holds d e f."},
	} {
		if got := strings.Join(wholeSentences(c.text, 14, 2), "|"); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
}
