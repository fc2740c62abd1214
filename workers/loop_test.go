package workers

import (
	"context"
	"errors"
	"testing"

	"example.com/unacked/redisq"
)

var (
	okHandler  = handlerFunc(func(context.Context, Message) error { return nil })
	badHandler = handlerFunc(func(context.Context, Message) error { return errors.New("550 no") })
	nothing    = redisq.Claim{Found: redisq.ClaimNone}
	okAck      = []redisq.HeldResult{{ID: "7-0", OK: true}}
)

func read(entries ...redisq.Entry) step { return step{call: "read 1 at once", answer: entries} }

// A reply that was lost may have been the message: the worker looks through its own history again, and repeats only
// what is safe to repeat.
func TestLostReplies(t *testing.T) {
	lost := failing(redisq.CodeLostReply)
	own := step{call: `claim own from ""`, answer: nothing}
	found := step{call: `claim own from ""`, answer: redisq.Claim{Found: redisq.ClaimTaken, Entry: entry("7-0"), Deliveries: 2, From: "w1"}}
	s := DefaultSettings()
	after, before := s, s
	after.Idempotent, before.Idempotent = RecordAfter, RecordBefore

	t.Run("of a read", func(t *testing.T) {
		r := play(t, s, okHandler, opening(step{call: "read 1 at once", err: lost}, found, step{call: "ack 7-0 2", answer: okAck})...)
		if r.count(EventBackingOff) != 1 || r.count(EventDelivered, via(ViaOwn)) != 1 || r.count(EventAcked) != 1 {
			t.Error("want it to back off, find its own message and ack it")
		}
	})
	t.Run("of an ack that was done", func(t *testing.T) {
		r := play(t, s, okHandler, opening(read(entry("7-0")),
			step{call: "ack 7-0 1", err: lost}, step{call: "ack 7-0 1", answer: []redisq.HeldResult{{ID: "7-0"}}})...)
		if r.count(EventAcked) != 1 || r.count(EventNotOurs) != 0 || r.count(EventWorking) != 1 {
			t.Error("want one ack and one run of the handler")
		}
	})
	t.Run("of an ack while the message went to another", func(t *testing.T) {
		r := play(t, s, okHandler, opening(read(entry("7-0")), step{call: "ack 7-0 1", err: lost},
			step{call: "ack 7-0 1", answer: []redisq.HeldResult{{ID: "7-0", Owner: "w2", Deliveries: 2}}})...)
		if r.count(EventAcked) != 0 || r.count(EventNotOurs, reason(reasonAckRefused)) != 1 {
			t.Error("want the ack refused")
		}
	})
	t.Run("of no ack at all", func(t *testing.T) {
		r := play(t, s, okHandler, opening(read(entry("7-0")), step{call: "ack 7-0 1", answer: []redisq.HeldResult{{ID: "7-0"}}})...)
		if r.count(EventAcked) != 0 || r.count(EventNotOurs) != 1 {
			t.Error("an ack of what is not pending is no success")
		}
	})
	t.Run("of a record before the work", func(t *testing.T) {
		r := play(t, before, okHandler, opening(read(entry("7-0")), step{call: "record 7-0", err: lost},
			step{call: "record 7-0", answer: false}, step{call: "ack 7-0 1", answer: okAck})...)
		if r.count(EventDuplicate) != 0 || r.count(EventWorking) != 1 {
			t.Error("its own record made it skip the work")
		}
	})
	t.Run("of a record after the work", func(t *testing.T) {
		r := play(t, after, okHandler, opening(read(entry("7-0")), step{call: "recorded 7-0", answer: false},
			step{call: "record 7-0", err: lost}, step{call: "record 7-0", answer: false}, step{call: "ack 7-0 1", answer: okAck})...)
		if r.count(EventWorking) != 1 || r.count(EventRecorded) != 1 {
			t.Error("want one run of the handler and one record")
		}
	})
	t.Run("of the move to the dead letters", func(t *testing.T) {
		one := s
		one.MaxDeliveries = 1
		r := play(t, one, badHandler, opening(read(entry("7-0")), step{call: "bury 7-0 1 of w1: 550 no", err: lost},
			step{call: "bury 7-0 1 of w1: 550 no", answer: redisq.HeldResult{ID: "7-0", OK: true, Already: true}}, own)...)
		if r.count(EventDeadLettered) != 1 {
			t.Error("want one dead letter told")
		}
	})
}

// An empty page of a claim is not the end: the next look goes on from its cursor, soon, and new entries come between.
func TestClaimKeepsItsCursor(t *testing.T) {
	page := func(what, from, to string) step {
		return step{call: what + ` from "` + from + `"`, answer: redisq.Claim{Found: redisq.ClaimNone, Cursor: to}}
	}
	play(t, DefaultSettings(), okHandler,
		step{call: "check"}, step{call: "ensure", answer: true},
		page("claim own", "", "3-0"), page("claim own", "3-0", ""),
		read(), waiting,
		page("look", "", "5-0"), page("look", "5-0", "9-0"),
		step{call: `look from "9-0"`, answer: redisq.Claim{Found: redisq.ClaimDue, Cursor: "9-0"}},
		page("claim own", "", ""),
		step{call: `claim expired from "9-0"`, answer: redisq.Claim{
			Found: redisq.ClaimTaken, Cursor: "11-0", Entry: entry("10-0"), Deliveries: 2, From: "w9",
		}},
		step{call: "ack 10-0 2", answer: okAck},
		// New entries have their turn between two claims.
		read(), page("claim expired", "11-0", ""), read(), waiting,
	)
}

// The delivery count is looked at before the handler sees a message; a claim can find one over the limit, or gone.
func TestClaimWithoutHandOver(t *testing.T) {
	s := DefaultSettings()
	never := handlerFunc(func(context.Context, Message) error { t.Error("handed over"); return nil })
	limit := redisq.Claim{Found: redisq.ClaimAtLimit, Cursor: "8-0", Entry: entry("7-0"), Deliveries: 5, From: "w9"}
	const why = "delivered 5 times and never finished, last by w9"
	r := play(t, s, never,
		step{call: "check"}, step{call: "ensure"},
		step{call: `claim own from ""`, answer: limit},
		step{call: "bury 7-0 5 of w9: " + why, answer: redisq.HeldResult{ID: "7-0", OK: true}},
		step{call: `claim own from "8-0"`, answer: redisq.Claim{Found: redisq.ClaimVanished, Cursor: "9-0", Entry: redisq.Entry{ID: "8-0", Gone: true}}},
		step{call: `claim own from "9-0"`, answer: limit},
		// Another worker was first.
		step{call: "bury 7-0 5 of w9: " + why, answer: redisq.HeldResult{ID: "7-0", OK: true, Already: true}},
	)
	if r.count(EventDeadLettered, order("7"), reason(why)) != 1 || r.count(EventNotOurs) != 1 {
		t.Error("want one dead letter, and one that is not ours")
	}
	if r.count(EventVanished) != 1 {
		t.Error("want one vanished")
	}
}

// Where the dead letter cannot be written the message stays pending, the reason is told, and the worker goes on.
func TestDeadLetterRefused(t *testing.T) {
	s := DefaultSettings()
	s.MaxDeliveries = 1
	for _, code := range []string{"WRONGTYPE", "OOM", "NOPERM"} {
		r := play(t, s, badHandler, opening(read(entry("7-0")), step{call: "bury 7-0 1 of w1: 550 no", err: failing(code)},
			read(entry("8-0")), step{call: "bury 8-0 1 of w1: 550 no", answer: redisq.HeldResult{ID: "8-0", OK: true}})...)
		why := "the move to the dead letters failed: test: " + code + "; it is still pending"
		if r.count(EventFailed, reason(why)) != 1 || r.count(EventDeadLettered) != 1 {
			t.Errorf("%s: want one refusal told and the next message buried", code)
		}
	}
}

func TestGroupIsMadeAgain(t *testing.T) {
	r := play(t, DefaultSettings(), okHandler, opening(
		step{call: "read 1 at once", err: failing("NOGROUP")}, step{call: "ensure", answer: true},
		step{call: `claim own from ""`, answer: nothing}, read(entry("7-0")),
		step{call: "ack 7-0 1", err: failing("NOGROUP")}, step{call: "ensure", answer: true},
	)...)
	if r.count(EventGroupCreated) != 2 || r.count(EventBackingOff) != 2 {
		t.Error("want the group made twice, after a pause each")
	}
}

// What cannot be acked for lack of a right stays pending until its lease is over: it is not done again at once.
func TestAckWithoutTheRight(t *testing.T) {
	r := play(t, DefaultSettings(), okHandler, opening(
		read(entry("7-0")), step{call: "ack 7-0 1", err: failing("NOPERM")}, read(entry("8-0")), step{call: "ack 8-0 1", answer: okAck},
	)...)
	if r.count(EventBackingOff) != 1 || r.count(EventWorking) != 2 {
		t.Error("want one pause, and each message worked on once")
	}
}

// A record that was written before work that failed is taken back, or the next delivery would skip the work.
func TestFailedWorkIsNotRecorded(t *testing.T) {
	s := DefaultSettings()
	s.Idempotent = RecordBefore
	play(t, s, badHandler, opening(read(entry("7-0")), step{call: "record 7-0", answer: true}, step{call: "forget 7-0"})...)
}

func TestKeysThatCannotBeWorkedWith(t *testing.T) {
	f := &fake{t: t, end: func() {}, steps: []step{
		{call: "check", err: failing(redisq.CodeRefused)}, {call: "check", err: failing("WRONGTYPE")},
	}}
	err := run(t.Context(), Config{Consumer: "w1", Settings: DefaultSettings(), Handler: okHandler}, f, func() {})
	if redisq.CodeOf(err) != "WRONGTYPE" || f.done != 2 {
		t.Errorf("error %v after %d calls, want it to wait for the server and then refuse", err, f.done)
	}
}

// One delivery is all there is: what waits in a batch would be over the limit after a crash without having begun.
func TestNoBatchWithALimitOfOne(t *testing.T) {
	s := DefaultSettings()
	s.Batch, s.MaxDeliveries = 10, 1
	play(t, s, okHandler, opening(step{call: "read 1 at once"})...)
	s.MaxDeliveries = 2
	play(t, s, okHandler, opening(step{call: "read 10 at once"})...)
}

func TestListIsPoppedOnly(t *testing.T) {
	s := DefaultSettings()
	s.Kind, s.Idempotent = redisq.List, RecordAfter
	e := redisq.Entry{Fields: []redisq.Field{{Name: "order", Value: "7"}}}
	r := play(t, s, okHandler, step{call: "check"}, step{call: "pop"}, step{call: "pop", answer: e},
		step{call: "pop", err: failing(redisq.CodeRefused)}, step{call: "pop", answer: e})
	if r.count(EventDone, order("7")) != 2 || r.count(EventDelivered, via(ViaPopped)) != 2 || r.count(EventBackingOff) < 1 {
		t.Error("want two messages done and one pause")
	}
}

func TestAWorkerWithoutTheRightsEnds(t *testing.T) {
	f := &fake{t: t, end: func() {}, steps: []step{{call: "check"}, {call: "ensure", err: failing("NOPERM")}}}
	err := run(t.Context(), Config{Consumer: "w1", Settings: DefaultSettings(), Handler: okHandler}, f, func() {})
	if redisq.CodeOf(err) != "NOPERM" || f.done != 2 {
		t.Errorf("error %v after %d calls, want it to end with what is missing", err, f.done)
	}
}
