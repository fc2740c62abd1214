package lab_test

import (
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// A message of a killed worker is handed to another by hand, and the books balance after everything that a person does.
func TestActing(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		d := quick()
		d.Worker.Lease, d.Workers = time.Minute, 1
		l := start(t, on(t, s, d))
		arm(t, l, workers.CrashBeforeWork)
		l.AddLoad(1, false)
		u := await(t, l, "a message of a dead worker", func(u lab.Update) bool {
			return len(u.Snapshot.Pending.Rows) == 1 && first(u).Phase == workers.PhaseKilled
		})
		row := u.Snapshot.Pending.Rows[0]
		plan, err := l.Plan(t.Context(), redisq.Queue{}, desk.Wish{
			Deed: desk.Claim, To: "w9", Count: true, Pending: redisq.PendingChoice{Rows: u.Snapshot.Pending.Rows},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Run(t.Context()); got.Done != 1 || got.Err != nil {
			t.Fatalf("claim: %+v", got)
		}
		await(t, l, "w9 to have it, as its second delivery, with a mark", func(u lab.Update) bool {
			rows := u.Snapshot.Pending.Rows
			return len(rows) == 1 && rows[0].ID == row.ID && rows[0].Consumer == "w9" && rows[0].Deliveries == 2 &&
				marked("claimed 1 entry for w9")(u)
		})
		// What was seen is not so any more: nothing is done to the new owner's.
		stale, err := l.Plan(t.Context(), redisq.Queue{}, desk.Wish{Deed: desk.Ack, Pending: redisq.PendingChoice{Rows: []redisq.PendingEntry{row}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := stale.Run(t.Context()); got.Done != 0 || len(got.Skipped) != 1 {
			t.Errorf("ack of what another holds by now: %+v", got)
		}
		remove, err := l.Plan(t.Context(), redisq.Queue{}, desk.Wish{Deed: desk.RemoveConsumer, Consumer: "w9", To: "w1"})
		if err != nil {
			t.Fatal(err)
		}
		if got := remove.Run(t.Context()); got.Done != 1 || got.Err != nil {
			t.Errorf("remove: %+v", got)
		}
		if err := l.StartWorker("w1"); err != nil {
			t.Fatal(err)
		}
		await(t, l, "one mail of one order, and nothing pending", func(u lab.Update) bool {
			b := u.State.Books
			return b.Orders == 1 && b.Once == 1 && b.Balanced && len(u.Snapshot.Pending.Rows) == 0
		})
	})
}

// The lab touches its own keys only, also where a person names another.
func TestActingStaysWithinTheLabsKeys(t *testing.T) {
	t.Parallel()
	l := start(t, embedded(quick()))
	for _, w := range []desk.Wish{
		{Deed: desk.Move, To: "mine"}, {Deed: desk.Replay, Replay: redisq.ReplayOptions{To: "mine"}},
	} {
		if plan, err := l.Plan(t.Context(), redisq.NewQueue("other", "g"), w); err == nil {
			t.Errorf("%s: planned %+v", w.Deed, plan)
		}
	}
	d := quick()
	d.Worker.Kind = redisq.List
	l.Decide(d)
	if _, err := l.Plan(t.Context(), redisq.Queue{}, desk.Wish{Deed: desk.Trim}); err == nil {
		t.Error("planned on a stream while a list carries the messages")
	}
}
