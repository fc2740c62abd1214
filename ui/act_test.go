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
)

// acting is a screen that watches orders with changes allowed, after one reading.
func acting(t *testing.T, width, height int, change func(*redisq.Snapshot)) *stage {
	t.Helper()
	s := watchStageWith(t, width, height, mailers, true)
	u := watchUpdate(sampleNow)
	if change != nil {
		change(u.Snapshot)
	}
	s.lab.plan = redisq.Plan{
		Title: "Do it", Commands: [][]string{{"XACK", "orders", "mailers", "1-0"}}, Effects: []string{"it is done then"},
		Count: 2, Destructive: true, Run: noRun,
	}
	s.send(watchMsg{u})
	s.lab.expect()
	return s
}

// entry is the id of one of the three entries that watchUpdate has.
func entryID(n int) string {
	return fmt.Sprintf("%d-%d", sampleNow.Add(-10*time.Minute).UnixMilli(), n)
}

// menu opens the menu and goes to the line that begins with a name.
func (s *stage) menu(name string) {
	s.t.Helper()
	s.press(".")
	m, ok := s.m.dialog.(*actMenu)
	if !ok {
		s.t.Fatalf("no menu:\n%s", s.text())
	}
	for i := range m.items {
		if strings.HasPrefix(m.items[i].name, name) {
			for range i {
				s.press("down")
			}
			s.press("enter")
			return
		}
	}
	var names []string
	for _, item := range m.items {
		names = append(names, item.name)
	}
	s.t.Fatalf("the menu has no %q but %q", name, names)
}

func (s *stage) typed(text string) {
	s.t.Helper()
	for _, r := range text {
		if r == ' ' {
			s.press("space")
			continue
		}
		s.press(string(r))
	}
}

func TestEveryActIsAWishOfTheActor(t *testing.T) {
	one, two := entryID(1)+"/worker-1/1", entryID(2)+"/worker-1/1"
	letter := fmt.Sprintf("%d-0", sampleNow.Add(-time.Hour).UnixMilli())
	for _, test := range []struct {
		name string
		view string
		do   func(s *stage)
		want string
	}{
		{"claim one for the first that works", "2", func(s *stage) { s.menu("claim " + entryID(1)); s.press("enter") }, "claim " + one + " to=worker-2"},
		{"claim one for a typed name, counted", "2", func(s *stage) {
			s.menu("claim " + entryID(1))
			s.typed("new q")
			s.press("tab", "enter")
		}, "claim " + one + " to=new q count=true"},
		{"claim marked", "2", func(s *stage) { s.press("v", "v"); s.menu("claim 2 marked"); s.press("enter") }, "claim " + one + " " + two + " to=worker-2"},
		{"claim those shown", "2", func(s *stage) {
			s.press("/")
			s.typed("worker-1")
			s.press("enter")
			s.menu("claim all that match")
			s.press("enter")
		}, "claim matching to=worker-2"},
		{"claim all past the lease", "1", func(s *stage) { s.menu("claim all past"); s.press("enter") }, "claim all idle=1m0s to=worker-2"},
		{"ack", "2", func(s *stage) { s.menu("acknowledge " + entryID(1)) }, "ack " + one},
		{"ghosts", "2", func(s *stage) { s.menu("acknowledge the ghosts") }, "ack-ghosts all"},
		{"dead-letter", "2", func(s *stage) { s.menu("dead-letter " + entryID(1)); s.press("enter") }, "dead-letter " + one + " reason=by hand"},
		{"claim all of a consumer", "3", func(s *stage) { s.menu("claim all that worker-1 holds"); s.press("enter") }, "claim all of=worker-1 to=worker-2"},
		{"claim what a consumer holds for long", "3", func(s *stage) { s.menu("claim what worker-1 holds past"); s.press("enter") }, "claim all idle=1m0s of=worker-1 to=worker-2"},
		{"acknowledge those shown", "2", func(s *stage) {
			s.press("/")
			s.typed("worker-1")
			s.press("enter")
			s.menu("acknowledge all that match")
		}, "ack matching"},
		{"replay those shown", "4", func(s *stage) {
			s.press("/")
			s.typed("order")
			s.press("enter", "R")
		}, "replay matching"},
		{"discard those shown", "4", func(s *stage) {
			s.press("/")
			s.typed("order")
			s.press("enter")
			s.menu("discard all that match")
		}, "discard matching"},
		{"release", "2", func(s *stage) { s.menu("release"); s.press("space", "enter") }, "release " + one + " mode=SILENT"},
		{"remove a consumer", "3", func(s *stage) { s.menu("remove the consumer worker-1"); s.press("enter") }, "remove-consumer to=worker-2 consumer=worker-1"},
		{"create", "1", func(s *stage) {
			s.menu("create a group")
			s.typed("audit")
			s.press("tab", "backspace")
			s.typed("$")
			s.press("enter")
		}, "create-group group=audit start=$"},
		{"rewind", "1", func(s *stage) { s.menu("rewind"); s.typed("5-1"); s.press("enter") }, "set-id start=5-1"},
		{"destroy", "1", func(s *stage) { s.menu("destroy") }, "destroy-group"},
		{"trim", "1", func(s *stage) { s.menu("trim") }, "trim"},
		{"replay one", "4", func(s *stage) { s.press("r") }, "replay " + letter},
		{"replay all", "4", func(s *stage) { s.press("R") }, "replay all"},
		{"replay with options", "4", func(s *stage) {
			s.menu("replay letter")
			s.press("tab")
			s.typed("2.5")
			s.press("tab", "tab", "space", "tab", "space", "tab")
			s.typed("late")
			s.press("tab", "tab", "backspace")
			s.typed("1")
			s.press("tab")
			s.typed("why,when")
			s.press("tab")
			s.typed("id")
			s.press("enter")
		}, "replay " + letter + " rate=2.5 keep=true force=true to=late leading=1 names=why|when original=id"},
		{"replay to one group", "4", func(s *stage) {
			s.menu("replay letter")
			s.press("tab", "tab", "tab", "tab", "tab", "tab")
			s.typed("mailers")
			s.press("enter")
		}, "replay " + letter + " group=mailers"},
		{"discard", "4", func(s *stage) { s.menu("discard") }, "discard " + letter},
		{"undo", "4", func(s *stage) { s.press("u") }, "bring-back"},
		{"move", "4", func(s *stage) { s.menu("move"); s.typed("parked"); s.press("enter") }, "move " + letter + " to=parked"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := acting(t, 80, 24, nil)
			s.press(test.view)
			test.do(s)
			s.lab.expect("Plan " + test.want)
			s.wants("Do it?", "Sent to Redis:", "XACK orders mailers 1-0", "it is done then", "does it to 2")
			s.check()
		})
	}
}

func TestWhatTheActorSaysIsShown(t *testing.T) {
	s := acting(t, 80, 24, nil)
	s.press("2")
	s.lab.fail = errors.New("the group is gone\x1b[2J")
	s.menu("acknowledge " + entryID(1))
	s.wants("the group is gone")
	s.check()
	s.lab.fail = nil
	s.lab.plan.Run = func(context.Context) redisq.Outcome {
		return redisq.Outcome{
			Text: "acknowledged 1 entry, left alone 2, failed 1", Done: 1,
			Skipped: []redisq.Skipped{{ID: "2-0", Reason: "is not pending any more"}, {ID: "3-0", Reason: "is now held by w9, deliveries 2"}},
			Failed:  []redisq.Skipped{{ID: "4-0", Reason: "OOM"}}, Unknown: 1, Unclear: []string{"5-0"},
		}
	}
	s.menu("acknowledge " + entryID(1))
	s.press("enter")
	s.wants("acknowledged 1 entry", "2-0 left alone: is not pending any more", "3-0 left alone: is now held by w9", "4-0 failed: OOM", "5-0 is not known of")
	s.check()
}

// What is gone for good is named, so that it can be written down.
func TestWhatIsGoneIsNamed(t *testing.T) {
	s := acting(t, 80, 24, nil)
	s.lab.plan.Run = func(context.Context) redisq.Outcome {
		return redisq.Outcome{Text: "acknowledged 2 ghosts", Done: 2, Notes: []string{"acknowledged without a body: 7-0, 14-0\x1b[2J"}}
	}
	s.press("2")
	s.menu("acknowledge the ghosts")
	s.press("enter")
	s.wants("╭ Do it ", "acknowledged 2 ghosts", "acknowledged without a body: 7-0, 14-0␛[2J")
	s.check()
	// Many that were left alone for one reason are told together.
	s = acting(t, 80, 24, nil)
	s.lab.plan.Run = func(context.Context) redisq.Outcome {
		o := redisq.Outcome{Text: "replayed 0, left alone 600", Done: 0}
		for i := range 600 {
			o.Skipped = append(o.Skipped, redisq.Skipped{ID: fmt.Sprintf("%d-0", i), Reason: "came back"})
		}
		return o
	}
	s.press("4", "R", "enter")
	s.wants("What was not done", "600 left alone: came back: 0-0, 1-0, 2-0", "79-0 and 520")
	s.check()
}

// A marked entry that left meanwhile is told in the plan, and nothing is planned for another.
func TestMarkedOnesThatLeftAreSaid(t *testing.T) {
	s := acting(t, 120, 36, nil)
	s.press("2", "v", "v")
	s.wants("2 marked", " *"+entryID(1))
	u := watchUpdate(sampleNow.Add(time.Second))
	u.Snapshot.Pending.Rows = u.Snapshot.Pending.Rows[1:]
	s.send(watchMsg{u})
	s.menu("acknowledge 1 marked")
	s.lab.expect("Plan ack " + entryID(2) + "/worker-1/1")
	s.wants("1 marked entry left meanwhile")
}

func TestTheEntryUnderTheCursorThatLeftIsNotMistakenForItsNeighbour(t *testing.T) {
	s := acting(t, 120, 36, nil)
	s.press("2", "down")
	u := watchUpdate(sampleNow.Add(time.Second))
	u.Snapshot.Pending.Rows = append(u.Snapshot.Pending.Rows[:1:1], u.Snapshot.Pending.Rows[2:]...)
	s.send(watchMsg{u})
	s.press(".")
	s.wants(entryID(2) + " left meanwhile: nothing was done")
	s.lab.expect()
}

func TestWhatMayNotBeDoneSaysWhy(t *testing.T) {
	replica := acting(t, 80, 24, func(s *redisq.Snapshot) { s.Server.Role = "replica" })
	for _, k := range []string{".", "r", "R", "u"} {
		replica.press(k)
		replica.wants("the server is a replica: it takes no changes")
		replica.check()
	}
	replica.lab.expect()

	s := watchStageWith(t, 80, 24, mailers, true)
	s.lab.rights = desk.Rights{desk.Ack: "no permission: XACK on orders (user ro)"}
	s.send(watchMsg{watchUpdate(sampleNow)})
	s.wants("[WRITE]")
	s.press("2")
	s.menu("acknowledge " + entryID(1))
	s.wants("off: no permission: XACK on orders (user ro)", "is off")
	s.lab.expect()
	s.check()
}

func TestDiscardSaysHowItIsUndone(t *testing.T) {
	s := acting(t, 120, 36, nil)
	s.lab.plan.Run = func(context.Context) redisq.Outcome { return redisq.Outcome{Text: "discarded 1 letter", Done: 1} }
	s.press("4")
	s.menu("discard")
	s.press("enter")
	s.wants("discarded 1 letter; u brings it back, until you quit")
}

func TestADryRunCannotBeRun(t *testing.T) {
	s := acting(t, 80, 24, nil)
	s.lab.plan.Title, s.lab.plan.Run = "Replay 1 dead letter", nil
	s.lab.skipped = []redisq.Skipped{{ID: "9-9", Reason: "was replayed 3 times and came back"}}
	s.press("4")
	s.menu("replay letter")
	s.press("space", "enter")
	s.wants("a dry run: nothing is changed", "9-9 left alone: was replayed 3 times")
	s.press("enter")
	s.lacks("dry run")
}

// A form that is wrong says so and asks nothing.
func TestTheReplayFormRefusesWhatMakesNoSense(t *testing.T) {
	s := acting(t, 80, 24, nil)
	s.press("4")
	s.menu("replay letter")
	s.press("tab")
	s.typed("often")
	s.press("enter")
	s.wants("letters a second: a number above 0")
	s.press("backspace", "backspace", "backspace", "backspace", "backspace", "tab", "tab", "tab", "tab")
	s.typed("orders:dlq")
	s.press("enter")
	s.wants("are in orders:dlq already")
	s.check()
	s.lab.expect()
}

func TestWhereAGroupBeginsIsCheckedInTheForm(t *testing.T) {
	s := acting(t, 80, 24, nil)
	s.menu("rewind")
	s.typed("now")
	s.press("enter")
	s.wants("0, $ or an id like 1764365984740-0 is needed", "> to  now")
	s.press("esc")
	s.menu("create a group")
	s.typed("audit")
	s.press("tab", "backspace", "enter")
	s.wants("0, $ or an id like", "> begins at")
	s.lab.expect()
	s.check()
}

// The newest letter is on top; what goes back to work keeps its order.
func TestMarkedLettersGoBackOldestFirst(t *testing.T) {
	s := acting(t, 80, 24, func(s *redisq.Snapshot) {
		s.Dead.Rows = []redisq.DeadLetter{{ID: "9-0", Reason: "a"}, {ID: "10-0", Reason: "b"}, {ID: "10-1", Reason: "a"}}
	})
	s.press("4", "V", "r")
	s.lab.expect("Plan replay 9-0 10-0 10-1")
	s.press("esc", "esc", "z", "r") // two of the same reason are one row
	s.lab.expect("Plan replay 9-0 10-1")
}

func TestActScreens(t *testing.T) {
	for name, press := range map[string]func(s *stage){
		"menu": func(s *stage) { s.press("2", ".") },
		"pick": func(s *stage) { s.press("2"); s.menu("claim " + entryID(1)) },
		"form": func(s *stage) { s.press("4"); s.menu("replay letter"); s.press("tab") },
	} {
		t.Run(name, func(t *testing.T) {
			s := acting(t, 80, 24, nil)
			press(s)
			s.check()
			s.golden("act_" + name + "_80x24")
		})
	}
	t.Run("reasons", func(t *testing.T) {
		s := acting(t, 120, 36, func(s *redisq.Snapshot) {
			s.Dead = pendingSnapshot().Dead
			s.Dead.Rows = append(s.Dead.Rows, s.Dead.Rows[2])
			s.Dead.Rows[3].ID, s.Dead.Rows[3].Reason, s.Dead.Rows[3].Deliveries = "1772359198000-0", "timed out", 3
		})
		s.press("4", "z", "v")
		s.check()
		s.golden("act_reasons_120x36")
	})
}

// A right that comes or goes while the program runs shows on the screen, and nobody asks while nothing is off.
func TestRightsAreFollowed(t *testing.T) {
	s := watchStageWith(t, 80, 24, mailers, true)
	at := func(seconds int) {
		t.Helper()
		s.send(watchMsg{watchUpdate(sampleNow.Add(time.Duration(seconds) * time.Second))})
	}
	asked := func(want int) {
		t.Helper()
		if s.lab.looks != want {
			t.Errorf("the rights were asked for %d times, want %d", s.lab.looks, want)
		}
	}
	s.lab.rights = desk.Rights{desk.Release: "the server has no XNACK"}
	at(0)
	at(1)
	asked(1)
	at(100) // nothing is off but what the server does not have
	asked(1)

	// A right is lost: that shows when it is used, and the keys are off then.
	s.lab.fail = &redisq.Error{Op: "claim", On: "orders", Code: "NOPERM", Err: errors.New("this user has no permissions to run the 'xclaim' command")}
	s.lab.rights = desk.Rights{desk.Ack: "no permission: XACK on orders (user op)"}
	s.press("2")
	s.menu("claim all past")
	s.press("enter")
	s.wants("this user has no permissions to run the 'xclaim' command")
	at(101)
	s.press(".")
	s.wants("no permission: XACK on orders (user op)")
	s.press("esc")
	looks := s.lab.looks

	// It is given back: a look from time to time finds that, and the menu looks at once.
	s.lab.rights = desk.Rights{}
	at(110)
	asked(looks)
	at(140)
	asked(looks + 1)
	s.press(".")
	s.lacks("no permission")
	s.press("esc")
	at(145)
	asked(looks + 1)
	s.press(".")
	asked(looks + 2)
	s.check()
}
