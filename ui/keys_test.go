package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/watch"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

func noRun(context.Context) redisq.Outcome { return redisq.Outcome{} }

func TestKeysAskTheLab(t *testing.T) {
	for _, test := range []struct {
		name  string
		keys  []string
		calls []string
		says  string
	}{
		{"kill", []string{"x"}, []string{"Kill w1 "}, "SIGKILL sent to w1 (pid 4711)"},
		{"kill the third", []string{"down", "down", "x"}, []string{"Kill w3 "}, "SIGKILL sent to w3 (pid 4713)"},
		{"kill the dead one", []string{"down", "x"}, nil, "w2 does not run (killed)"},
		{"kill from another pane", []string{"tab", "down", "x"}, []string{"Kill w1 "}, "w1"},
		{"kill before the work", []string{"X", "enter"}, []string{"Kill w1 before-work"}, "before the work of its next message"},
		{"kill after the work", []string{"X", "down", "enter"}, []string{"Kill w1 after-work"}, "after the work, before the ack"},
		{"kill after the record", []string{"X", "down", "down", "enter"}, []string{"Kill w1 after-record"}, "after the record"},
		{"kill now from the menu", []string{"X", "up", "enter"}, []string{"Kill w1 "}, "SIGKILL sent"},
		{"leave the menu", []string{"X", "esc"}, nil, ""},
		{"add a worker", []string{"a"}, []string{"AddWorker"}, "w4 starts"},
		{"stop", []string{"s"}, []string{"StopWorker w1"}, "w1 stops after order 41"},
		{"start", []string{"down", "s"}, []string{"StartWorker w2"}, "w2 starts"},
		{"load", []string{"l"}, []string{"AddLoad 20 orders"}, "+20 orders"},
		{"load twice", []string{"l", "l"}, []string{"AddLoad 20 orders", "AddLoad 20 orders"}, "+40 orders"},
		{"bad order", []string{"b"}, []string{"AddLoad bad"}, "refuses"},
		{"rate up", []string{"+"}, []string{"Decide"}, "5.0/s"},
		{"rate up twice", []string{"+", "+"}, []string{"Decide", "Decide"}, "10.0/s"},
		{"rate down", []string{"-", "-", "-", "-"}, []string{"Decide", "Decide", "Decide", "Decide"}, "0/s"},
		{"interval", []string{"i"}, []string{"SetInterval 500ms"}, "every 500 ms"},
		{"replay", []string{"r"}, []string{"Plan replay " + newestDead()}, "Sent to Redis:"},
		{"replay all", []string{"R"}, []string{"Plan replay all"}, "Sent to Redis:"},
		{"hold", []string{"space"}, nil, "HELD"},
		{"views", []string{"2", "3", "4", "5", "1"}, nil, "Mail sink"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := filled(t, 120, 36)
			s.lab.plan.Run = noRun
			s.press(test.keys...)
			s.lab.expect(test.calls...)
			if test.says != "" {
				s.wants(test.says)
			}
			s.check()
		})
	}
}

// newestDead is the id of the letter that the list of dead letters has on top.
func newestDead() string {
	rows := sampleUpdate(sampleNow).Snapshot.Dead.Rows
	return rows[len(rows)-1].ID
}

func TestKillSaysWhatItHeldAndWhatComes(t *testing.T) {
	s := filled(t, 120, 36)
	s.press("x")
	next := sampleUpdate(sampleNow.Add(250 * time.Millisecond))
	next.State.Workers[0].Phase, next.State.Workers[0].Since = workers.PhaseKilled, sampleNow
	s.send(updateMsg{next})
	s.wants("w1 killed by SIGKILL (pid 4711), held order 41; another worker may claim it after 5.0 s idle")
}

// A worker that has nothing in hand may still hold messages that failed: the notice must not deny what the panes show.
func TestKillOfAnIdleWorkerSaysWhatStaysPendingWithIt(t *testing.T) {
	for _, c := range []struct {
		held int64
		want string
	}{
		{0, "w1 killed by SIGKILL (pid 4711), nothing in hand"},
		{2, "w1 killed by SIGKILL (pid 4711), nothing in hand; still pending with it: 2 messages given before"},
	} {
		s := filled(t, 120, 36)
		s.press("x")
		next := sampleUpdate(sampleNow.Add(250 * time.Millisecond))
		w := &next.State.Workers[0]
		w.Phase, w.Since, w.ID, w.Order = workers.PhaseKilled, sampleNow, "", ""
		next.Snapshot.Pending.ByConsumer = []redisq.Consumer{{Name: "w1", Pending: c.held}}
		s.send(updateMsg{next})
		s.wants(c.want)
		if c.held == 0 {
			s.lacks("still pending with it")
		}
	}
}

// No key of the help is dumb: where it means nothing, it says where it means something.
func TestKeysThatMeanNothingHereSayWhereTheyDo(t *testing.T) {
	for press, want := range map[string]string{
		"f": "the XPENDING form is in view 2",
		"n": "what is pending is counted in view 2, dead letters in view 4",
		"z": "dead letters stand by their reason in view 4",
		"t": "text, JSON or hex is for an opened message; enter opens one",
		"w": "only an opened message is written to a file; enter opens one",
		"p": "steps are of an experiment; m plays one",
		"c": "there is one stream here; unacked watch lists all that a server has",
		"v": "Workers: nothing here to mark; tab goes to another pane",
		"/": "Workers: nothing here to filter; tab goes to another pane",
	} {
		s := filled(t, 120, 36)
		s.m.keys.Streams, s.m.keys.Sweep, s.m.keys.Save = bindNamed("c", "streams", "c"), bindNamed("n", "count all", "n"), bindNamed("w", "write to a file", "w")
		s.press(press)
		s.wants(want)
	}
}

// The doctor must not call well what he cannot look at: beside a verdict that says LOST.
func TestTheDoctorOfAListSaysThatHeSeesNothing(t *testing.T) {
	d, p := calm(), newDoctorPane(false)
	d.last.State.Decisions.Worker.Kind = redisq.List
	d.last.Doctor = &watch.Diagnosis{At: sampleNow, Watched: time.Minute}
	p.Data(d)
	if got, want := p.Title(d), "Doctor"+dot(d)+"for streams only"; got != want {
		t.Errorf("the title is %q, want %q", got, want)
	}
	text := strings.Join(p.Lines(d, 120, 4, false), "\n")
	if !strings.Contains(text, "The doctor looks at groups of a stream.") || strings.Contains(text, "Nothing is wrong") {
		t.Errorf("the pane says %q", text)
	}
}

func TestKillOfAListSaysThatTheMessageIsGone(t *testing.T) {
	s := newStage(t, 120, 36)
	u := sampleUpdate(sampleNow)
	u.State.Decisions.Worker.Kind = redisq.List
	s.send(updateMsg{u})
	s.press("x")
	next := sampleUpdate(sampleNow.Add(time.Second))
	next.State.Decisions.Worker.Kind = redisq.List
	next.State.Workers[0].Phase = workers.PhaseKilled
	s.send(updateMsg{next})
	s.wants("held order 41: the list does not know it any more")
}

func TestErrorOfTheLabIsSaid(t *testing.T) {
	s := filled(t, 120, 36)
	s.lab.fail = errors.New("no such process\x1b[2J")
	s.press("x")
	s.wants("killing w1: no such process")
	s.check()
	s.press("a")
	s.wants("adding a worker: no such process")
}

func TestNothingSelected(t *testing.T) {
	s := newStage(t, 120, 36)
	for _, k := range []string{"x", "X", "s"} {
		s.press(k)
		s.wants("no worker is selected")
	}
	s.press("r")
	s.wants("no dead letter to replay")
	s.press("R")
	s.wants("no dead letter to replay")
	s.press("+")
	s.wants("still starting")
	s.press("d")
	s.wants("still starting")
	s.lab.expect()
}

func TestWorkerThatLeftIsNotMistakenForItsNeighbour(t *testing.T) {
	s := filled(t, 120, 36)
	s.press("down", "down")
	u := sampleUpdate(sampleNow.Add(time.Second))
	u.State.Workers = u.State.Workers[:2]
	s.send(updateMsg{u})
	s.press("x")
	s.lab.expect()
	s.wants("w3 is not there any more: nothing was done")
}

func TestWorkerThatCameBackIsNotKilledByAnOldMenu(t *testing.T) {
	s := filled(t, 120, 36)
	s.press("X")
	u := sampleUpdate(sampleNow.Add(time.Second))
	u.State.Workers[0].PID = 5000
	s.send(updateMsg{u})
	s.press("enter")
	s.lab.expect()
	s.wants("nothing was done")
}

func TestPlanIsShownFirstAndDoneByEnter(t *testing.T) {
	s := filled(t, 120, 36)
	done := 0
	s.lab.plan.Run = func(context.Context) redisq.Outcome {
		done++
		return redisq.Outcome{Text: "1 dead letter replayed", Done: 1}
	}
	s.press("r")
	s.wants("Replay 1 dead letter?", "XADD q * order 9", "XDEL q:dead 1-0", "order 9 goes back to work")
	if done != 0 {
		t.Fatal("the plan was run before it was shown")
	}
	s.press("esc")
	s.lacks("Sent to Redis")
	s.press("r", "enter")
	if done != 1 {
		t.Fatalf("the plan ran %d times, should be once", done)
	}
	s.wants("1 dead letter replayed")
}

func TestDestructivePlanNamesItsCount(t *testing.T) {
	s := filled(t, 120, 36)
	s.lab.plan.Destructive, s.lab.plan.Count, s.lab.plan.Run = true, 7, noRun
	s.press("R")
	s.wants("enter does it to 7 letters")
}

func TestPlanThatCameTooLateIsNotShown(t *testing.T) {
	s := filled(t, 120, 36)
	s.lab.plan.Run = noRun
	cmd := s.m.replayAll() // asked, and the answer takes its time
	s.press("r", "esc")    // meanwhile something else was asked, and left
	s.run(cmd)
	s.lacks("Sent to Redis")
}

func TestOutcomeSaysWhatFailed(t *testing.T) {
	s := filled(t, 120, 36)
	s.lab.plan.Run = func(context.Context) redisq.Outcome {
		return redisq.Outcome{Text: "0 of 1 replayed", Failed: []redisq.Skipped{{ID: "1-0", Reason: "OOM"}}, Err: errors.New("OOM command not allowed")}
	}
	s.press("r", "enter")
	s.wants("0 of 1 replayed: OOM command not allowed")
}

func TestDecisionsSwitchAtOnce(t *testing.T) {
	for i, test := range []struct {
		key  string
		want func(*lab.Decisions)
	}{
		{"right", func(d *lab.Decisions) { d.Worker.AckBefore = true }},
		{"right", func(d *lab.Decisions) { d.Worker.MaxDeliveries = 10 }},
		{"right", func(d *lab.Decisions) { d.Worker.Idempotent = workers.RecordBefore }},
		{"left", func(d *lab.Decisions) { d.Worker.Lease = 2 * time.Second }},
		{"right", func(d *lab.Decisions) { d.Workers = 4 }},
		{"right", func(d *lab.Decisions) { d.Full = lab.Cap }},
		{"left", func(d *lab.Decisions) { d.Rate = 1 }},
		{"right", func(d *lab.Decisions) { d.BadShare = 0.2 }},
		{"right", func(d *lab.Decisions) { d.Worker.Kind = redisq.List }},
		{"left", func(d *lab.Decisions) { d.Service = 100 * time.Millisecond }},
	} {
		s := filled(t, 120, 36)
		s.press("d")
		for range i {
			s.press("down")
		}
		s.press(test.key)
		s.lab.expect("Decide")
		want := lab.Defaults()
		test.want(&want)
		if s.lab.last != want {
			t.Errorf("%s: decided %+v, should be %+v", questions[i].text, s.lab.last, want)
		}
		s.check()
		s.press("d")
		s.wants("Mail sink")
	}
}

func TestQuickDecisionsBuildOnEachOther(t *testing.T) {
	s := filled(t, 120, 36)
	s.press("+", "+", "d", "right")
	s.lab.expect("Decide", "Decide", "Decide")
	if s.lab.last.Rate != 10 || !s.lab.last.Worker.AckBefore {
		t.Errorf("decided %+v, should be 10 a second and ack before", s.lab.last)
	}
}

func TestDecisionsArriveInTheirOrder(t *testing.T) {
	l := &fakeLab{t: t}
	var d decider
	first := d.command(l, lab.Decisions{Rate: 1})
	second := d.command(l, lab.Decisions{Rate: 2})
	second()
	first() // it is late and must not win
	if l.last.Rate != 2 {
		t.Errorf("the lab ended with a rate of %v, should be 2", l.last.Rate)
	}
}

func TestQuitting(t *testing.T) {
	for _, k := range []string{"q", "Q", "ctrl+c"} {
		s := filled(t, 120, 36)
		s.press(k)
		if !s.quit {
			t.Errorf("%s does not quit", k)
		}
	}
	s := filled(t, 120, 36)
	s.press("?", "q")
	if s.quit {
		t.Error("q quits out of the help")
	}
	s.lacks("Words")
	s.press("?", "ctrl+c")
	if !s.quit {
		t.Error("ctrl+c does not quit out of the help")
	}
}

func TestPasteDoesNothing(t *testing.T) {
	s := filled(t, 120, 36)
	before := s.text()
	for _, text := range []string{"q", "x", "q\nr\x1b[2J", "l"} {
		s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
	}
	s.lab.expect()
	if s.quit || s.text() != before {
		t.Error("a paste did something")
	}
}

func TestFilterTakesKeysAsText(t *testing.T) {
	s := filled(t, 120, 36)
	s.press("tab", "/", "q", "x", "l", "1", "?")
	s.lab.expect()
	if s.quit {
		t.Error("q in the filter quits")
	}
	s.wants("qxl1?")
	s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a\nb\x1b[2J"), Paste: true})
	s.check()
	s.press("ctrl+c")
	if !s.quit {
		t.Error("ctrl+c does not quit out of the filter")
	}
}
