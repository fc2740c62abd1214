package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/redisq/doctor"
)

func field(name, value string) redisq.Entry {
	return redisq.Entry{ID: "5-0", Fields: []redisq.Field{{Name: name, Value: value}}}
}

// The form and the filter of the view together say what all that match are, and the filter looks at what the table shows.
func TestAllThatMatchIsWhatTheFiltersSay(t *testing.T) {
	s := acting(t, 120, 36, func(s *redisq.Snapshot) {
		s.Pending.Filter = redisq.PendingFilter{MinIdle: 90 * time.Second, Start: "(5-1", End: "9", Consumer: "worker-1", Count: 7}
	})
	s.press("2", "/")
	s.typed("!Refused")
	s.press("enter")
	s.menu("dead-letter all that match")
	s.wants("Dead-letter all that match", "by hand")
	s.press("enter")
	s.lab.expect("Plan dead-letter matching idle=1m30s of=worker-1 from=(5-1 until=9 reason=by hand")
	s.wants("chosen are those idle for 1 min 30 s or longer, the ids from (5-1 to 9", "held by worker-1", `without "Refused"`)
	for e, want := range map[*redisq.PendingEntry]bool{
		{Entry: field("note", "was refused")}:                       false,
		{Entry: field("note", "fine")}:                              true,
		{Entry: field("refused", "1")}:                              false,
		{Entry: redisq.Entry{ID: "6-0", Gone: true}}:                true,
		{Entry: redisq.Entry{ID: "6-0"}, Consumer: "Refused-by-me"}: false,
	} {
		if got := s.lab.wished.Pending.Only(*e); got != want {
			t.Errorf("%+v: chosen is %v, want %v", *e, got, want)
		}
	}
}

func letter(id, reason string, fields ...redisq.Field) redisq.DeadLetter {
	return redisq.DeadLetter{ID: id, Stream: "orders", Group: "mailers", Entry: "1-0", Original: "1-0", Reason: reason, Fields: fields}
}

// stored is a letter as it stands in the stream.
func stored(id, reason, order string) redisq.Entry {
	e := redisq.Entry{ID: id}
	for _, pair := range [][2]string{
		{"unacked:stream", "orders"},
		{"unacked:group", "mailers"},
		{"unacked:entry", "1-0"},
		{"unacked:original", "1-0"},
		{"unacked:deliveries", "5"},
		{"unacked:consumer", "w1"},
		{"unacked:reason", reason},
		{"unacked:time", "1764365984740"},
		{"unacked:replays", "0"},
		{"order", order},
	} {
		e.Fields = append(e.Fields, redisq.Field{Name: pair[0], Value: pair[1]})
	}
	return e
}

func TestAReasonStandsForAllItsLetters(t *testing.T) {
	many := func(s *redisq.Snapshot) {
		s.Dead.Rows = []redisq.DeadLetter{letter("9-0", "550"), letter("9-1", "timed out"), letter("9-2", "550")}
		s.Dead.Length, s.Dead.More = known(5000), true
	}
	of := func(t *testing.T, s *stage, want map[string]bool, only func(redisq.Entry) bool) {
		t.Helper()
		for reason, chosen := range want {
			if got := only(stored("1-0", reason, "7")); got != chosen {
				t.Errorf("%s: chosen is %v, want %v", reason, got, chosen)
			}
		}
	}
	s := acting(t, 120, 36, many)
	s.press("4", "z", "r")
	s.lab.expect("Plan replay matching")
	s.wants(`chosen are those of the reason "550"`)
	of(t, s, map[string]bool{"550": true, "timed out": false, "5501": false}, s.lab.wished.Replay.Only)

	s = acting(t, 120, 36, many)
	s.press("4", "z", "down", "enter", "R") // the second reason, opened
	s.lab.expect("Plan replay matching")
	of(t, s, map[string]bool{"550": false, "timed out": true}, s.lab.wished.Replay.Only)

	s = acting(t, 120, 36, many)
	s.press("4", "z", "v", "v")
	s.menu("discard all that match")
	s.lab.expect("Plan discard matching")
	of(t, s, map[string]bool{"550": true, "timed out": true, "other": false}, s.lab.wished.Letters.Only)
	s.press("esc")

	s = acting(t, 120, 36, many)
	s.press("4", "/")
	s.typed("7")
	s.press("enter")
	s.menu("move all that match")
	s.typed("parked")
	s.press("enter")
	s.lab.expect("Plan move matching to=parked")
	only := s.lab.wished.Letters.Only
	if !only(stored("1-0", "550", "17")) || only(stored("1-0", "550", "18")) {
		t.Error("the filter chooses other letters than it shows")
	}
}

// A row that stands for many consumers can be cleared away; what holds something is not in it.
func TestManyIdleConsumersAreRemovedAtOnce(t *testing.T) {
	s := acting(t, 120, 36, func(s *redisq.Snapshot) {
		for i := range 60 {
			s.Group.Consumers = append(s.Group.Consumers, redisq.Consumer{Name: fmt.Sprintf("pod-x-%d", i), Idle: known(7_200_000), Inactive: known(7_200_000)})
		}
	})
	s.press("3", "/")
	s.typed("pod-x")
	s.press("enter", "esc") // the filter shows each by itself; without it they stand together
	for i := 0; !strings.Contains(s.m.views[1].(*membersPane).list.sel, "*"); i++ {
		if s.press("down"); i > 10 {
			t.Fatalf("no row stands for many:\n%s", s.text())
		}
	}
	s.menu("remove 60 consumers")
	if names := s.lab.wished.Consumers; len(names) != 60 || s.lab.wished.Deed != desk.RemoveIdle {
		t.Errorf("wished %+v", s.lab.wished)
	}
}

// remedied is a screen with a finding that has these remedies.
func remedied(t *testing.T, write bool, code doctor.Code, remedies ...doctor.Remedy) *stage {
	t.Helper()
	s := watchStageWith(t, 120, 36, mailers, write)
	u := watchUpdate(sampleNow)
	u.Doctor.Findings = []doctor.Finding{{Code: code, Severity: doctor.Critical, Stream: "orders", Group: "mailers", Text: "It is bad.", Remedies: remedies}}
	s.lab.plan = redisq.Plan{Title: "Do it", Commands: [][]string{{"XACK", "orders", "mailers", "1-0"}}, Count: 2, Destructive: true, Run: noRun}
	s.send(watchMsg{u})
	s.lab.expect()
	return s
}

func TestARemedyIsAPlan(t *testing.T) {
	row := redisq.PendingEntry{Entry: redisq.Entry{ID: "1-0"}, Consumer: "worker-1", Deliveries: 3}
	for _, test := range []struct {
		wish desk.Wish
		name string
		do   []string
		want string
	}{
		{desk.Wish{Deed: desk.Claim, Pending: redisq.PendingChoice{Consumers: []string{"worker-1"}, Idle: time.Minute}}, "claim them for a consumer", []string{"enter"}, "claim all idle=1m0s of=worker-1 to=worker-2"},
		{desk.Wish{Deed: desk.Ack, Pending: redisq.PendingChoice{Rows: []redisq.PendingEntry{row}}}, "acknowledge them", nil, "ack 1-0/worker-1/3"},
		{desk.Wish{Deed: desk.AckGhosts}, "acknowledge the ghosts", nil, "ack-ghosts all"},
		{desk.Wish{Deed: desk.Bury, Reason: "too often", Pending: redisq.PendingChoice{Deliveries: 5}}, "dead-letter them", []string{"!", "enter"}, "dead-letter all deliveries=5 reason=too often!"},
		{desk.Wish{Deed: desk.RemoveIdle, Consumers: []string{"a", "b"}}, "remove these", nil, "remove-idle consumers=a|b"},
		{desk.Wish{Deed: desk.CreateGroup, Start: "0"}, "create the group at 0", []string{"g", "x", "enter"}, "create-group group=gx start=0"},
		{desk.Wish{Deed: desk.CreateGroup, Group: "mailers", Start: "$"}, "create the group at $", nil, "create-group group=mailers start=$"},
		{desk.Wish{Deed: desk.SetID, Start: "$"}, "set the group to $", nil, "set-id start=$"},
		{desk.Wish{Deed: desk.SetCounter}, "set the server's counter right", nil, "set-counter"},
		{desk.Wish{Deed: desk.Trim}, "trim the stream", nil, "trim"},
		{desk.Wish{Deed: desk.Replay}, "replay them all", []string{"enter"}, "replay all"}, // a letter by another tool is among them
	} {
		t.Run(test.name, func(t *testing.T) {
			s := remedied(t, true, doctor.StuckConsumer, doctor.Remedy{Text: "Start the worker again:", Commands: [][]string{{"XREADGROUP", "x"}}},
				doctor.Remedy{Text: "Or mend it so:", Commands: [][]string{{"X"}}, Wish: test.wish})
			s.press("6")
			s.wants("Or mend it so: [. does it]")
			s.lacks("Start the worker again: [")
			s.press(".")
			s.wants("Act on stuck-consumer", "copy the commands", "Start the worker again", "> "+test.name)
			s.check()
			s.press("enter")
			s.press(test.do...)
			s.lab.expect("Plan " + test.want)
			s.wants("Do it?", "Sent to Redis:", "XACK orders mailers 1-0", "does it to 2")
			s.check()
		})
	}
}

func TestARemedyThatMayNotBeDoneSaysWhy(t *testing.T) {
	ack := doctor.Remedy{Text: "Acknowledge the ghosts:", Commands: [][]string{{"XACK", "orders"}}, Wish: desk.Wish{Deed: desk.AckGhosts}}
	s := remedied(t, false, doctor.GhostEntries, ack)
	s.press("6")
	s.wants("[. does it where --write allows it]")
	s.press(".")
	s.wants(readOnlyText)
	s.press("enter")
	s.wants(readOnlyText)
	s.check()

	s = remedied(t, true, doctor.GhostEntries, ack)
	s.m.d.permits.rights = desk.Rights{desk.AckGhosts: "no permission: XACK on orders (user ro)"}
	s.press("6")
	s.wants("[off: no permission: XACK on orders (user ro)]")
	s.press("enter") // as the act key
	s.wants("Act on ghost-entries", "off: no permission: XACK")
	s.lab.expect()

	// A finding about another group is not acted on by a plan for this one.
	s = remedied(t, true, doctor.GhostEntries, ack)
	u := watchUpdate(sampleNow.Add(time.Second))
	u.Doctor.Findings = []doctor.Finding{{Code: doctor.GhostEntries, Severity: doctor.Warning, Stream: "orders", Group: "audit", Text: "Ghosts.", Remedies: []doctor.Remedy{ack}}}
	s.send(watchMsg{u})
	s.press("6")
	s.lacks("does it")
	s.press(".")
	s.lacks("> acknowledge the ghosts")
	s.wants("> copy the commands")
}

// From the overview enter opens the finding in the view of the doctor, where its remedies are.
func TestEnterOpensTheFinding(t *testing.T) {
	s := acting(t, 120, 36, nil)
	for i := 0; s.m.focus != s.m.second; i++ {
		if s.press("tab"); i > 5 {
			t.Fatal("the doctor cannot have the focus")
		}
	}
	s.press("down", "enter")
	s.wants("dead-letters", "XRANGE orders:dlq - +")
	if full := s.m.focused().(*doctorPane); full.compact || !strings.Contains(full.Selected(), string(doctor.DeadLetters)) {
		t.Errorf("selected is %q", full.Selected())
	}
}

// lettersWatcher is a watcher of many dead letters.
type lettersWatcher struct {
	fakeWatcher
	err error
}

func (f lettersWatcher) SweepLetters(_ context.Context, key string, progress func(redisq.LetterSweep)) (redisq.LetterSweep, error) {
	_ = f.note("SweepLetters " + key)
	sweep := redisq.LetterSweep{
		Looked: 5000, Total: known(5000), Done: f.err == nil, Reasons: []redisq.ReasonSum{
			{Reason: "timed out\x1b[2J", Letters: 4000, LeastDeliveries: 3, MostDeliveries: 5, MostReplays: 2, Newest: []redisq.DeadLetter{
				letter("8-7", "timed out\x1b[2J", redisq.Field{Name: "order", Value: "87"}), letter("8-6", "timed out\x1b[2J"),
			}},
			{Reason: "550", Letters: 999, LeastDeliveries: 5, MostDeliveries: 5, Newest: []redisq.DeadLetter{letter("9-0", "550")}},
			{Foreign: true, Letters: 1, Newest: []redisq.DeadLetter{{ID: "2-0", Foreign: true}}},
		},
	}
	progress(sweep)
	return sweep, f.err
}

func lettersStage(t *testing.T, err error) *stage {
	s := acting(t, 120, 36, func(s *redisq.Snapshot) {
		s.Dead.Rows, s.Dead.Length, s.Dead.More = []redisq.DeadLetter{letter("9-0", "550")}, known(5000), true
	})
	s.m.source = lettersWatcher{fakeWatcher{s.lab}, err}
	s.m.keys.Sweep = bindNamed("n", "count all", "n")
	s.m.d.keys.Sweep = s.m.keys.Sweep
	s.press("4")
	return s
}

// The reasons of all letters are counted on request; what is done to a reason is done to all its letters.
func TestReasonsOfAllLetters(t *testing.T) {
	s := lettersStage(t, nil)
	s.press("z")
	s.wants("1 read of 5000 are of 1 reason · n looks at all")
	s.press("n")
	s.lab.expect("SweepLetters orders:dlq")
	s.wants("5000 of 3 reasons · all 5000 looked at", "4000 letters", "timed out␛[2J", "3-5", "replayed 2×", "999 letters", "1 letter", "not written by unacked")
	s.check()
	s.press("home", "enter")
	s.wants("8-7", "8-6", "timed out␛[2J", "2 of 5000")
	s.check()
	s.press("r") // one letter, which is not among those read
	s.lab.expect("Plan replay 8-7")
	s.press("esc", "enter")
	s.wants("order", "87", "it is older than the rows that were read")
	s.check()
	s.lab.expect("Watch 1-0")
	s.press("esc", "R")
	s.lab.expect("Watch ", "Plan replay matching")
	if only := s.lab.wished.Replay.Only; !only(stored("1-0", "timed out\x1b[2J", "1")) || only(stored("1-0", "550", "1")) {
		t.Error("other letters are chosen than those of the reason")
	}
	s.lab.plan.Run = func(context.Context) redisq.Outcome { return redisq.Outcome{Text: "replayed 4000", Done: 4000} }
	s.press("esc", "R", "enter") // what was done is counted again
	s.lab.expect("Plan replay matching", "SweepLetters orders:dlq")
	s.send(chooseMsg{Choice: sampleStreams(sampleNow).Rows[0].Choice})
	if s.m.d.letters != nil {
		t.Error("the letters of another group are kept")
	}
}

func TestALookAtAllLettersThatFails(t *testing.T) {
	s := lettersStage(t, errors.New("LOADING\x1b[2J"))
	s.press("z", "n")
	s.wants("not all dead letters could be looked at: LOADING␛[2J", "the newest 5000 of 5000 were looked at")
	s.check()
	s = lettersStage(t, context.Canceled)
	s.press("n")
	s.wants("stopped after 5000 letters")
}
