package lab_test

import (
	"slices"
	"testing"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// Ten orders, one worker that is killed at an exact point of one of them, and another worker that does the rest. What
// must come of it follows from what was asked of Redis when: the mail sink is the judge.
func TestTenOrdersAndOneKill(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		set   func(*lab.Decisions)
		at    workers.CrashPoint
		mails int64 // in all
		twice bool  // the order in hand gets two mails
		never bool  // … none
	}{
		{"stream, before the work", func(*lab.Decisions) {}, workers.CrashBeforeWork, 10, false, false},
		{"stream, after the work", func(*lab.Decisions) {}, workers.CrashAfterWork, 11, true, false},
		{"list, before the work", list, workers.CrashBeforeWork, 9, false, true},
		{"list, after the work", list, workers.CrashAfterWork, 10, false, false},
		{"ack before the work", func(d *lab.Decisions) { d.Worker.AckBefore = true }, workers.CrashBeforeWork, 9, false, true},
		{"record before, killed before both", record(workers.RecordBefore), workers.CrashBeforeWork, 10, false, false},
		{"record before, killed in the gap", record(workers.RecordBefore), workers.CrashAfterRecord, 9, false, true},
		{"record before, killed after the work", record(workers.RecordBefore), workers.CrashAfterWork, 10, false, false},
		{"record after, killed in the gap", record(workers.RecordAfter), workers.CrashAfterWork, 11, true, false},
		{"record after, killed after it", record(workers.RecordAfter), workers.CrashAfterRecord, 10, false, false},
	}
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				d := quick()
				c.set(&d)
				l := start(t, on(t, s, d))
				arm(t, l, c.at)
				l.AddLoad(10, false)
				killed := await(t, l, "w1 killed", func(u lab.Update) bool {
					_, alive := find(t, u, "w1")
					return !alive && u.State.Producer.Accepted == 10
				})
				victim, _ := find(t, killed, "w1")
				if victim == "" {
					t.Fatalf("the killed worker holds nothing: %+v", killed.State.Workers)
				}
				if _, err := l.AddWorker(); err != nil {
					t.Fatal(err)
				}
				wantNever, wantTwice := []string(nil), []string(nil)
				if c.never {
					wantNever = []string{victim}
				}
				if c.twice {
					wantTwice = []string{victim}
				}
				settled := await(t, l, "every order mailed or lost, and nothing left to do", func(u lab.Update) bool {
					b, g := u.State.Books, u.Snapshot.Group
					done := b.Orders == 10 && b.NotYet == 0 && b.Never == int64(len(wantNever))
					return done && g.Backlog.Known && g.Backlog.Value == 0 && u.Snapshot.ListLen.Value == 0
				})
				got := await(t, l, "a later count", func(u lab.Update) bool { return u.State.Books.At.After(settled.State.At) })
				sink, books := got.State.Sink, got.State.Books
				if sink.Mails != c.mails {
					t.Errorf("%d mails for ten orders, want %d", sink.Mails, c.mails)
				}
				if !slices.Equal(sink.TwiceIDs, wantTwice) || books.Twice != int64(len(wantTwice)) {
					t.Errorf("twice %q and %d in the books, want %q", sink.TwiceIDs, books.Twice, wantTwice)
				}
				if !slices.Equal(books.NeverIDs, wantNever) {
					t.Errorf("never %q, want %q", books.NeverIDs, wantNever)
				}
				if want := 10 - int64(len(wantNever)) - int64(len(wantTwice)); books.Once != want || sink.Once != want {
					t.Errorf("once %d and %d in the books, want %d", sink.Once, books.Once, want)
				}
			})
		}
	})
}

func list(d *lab.Decisions) { d.Worker.Kind = redisq.List }

func record(i workers.Idempotence) func(*lab.Decisions) {
	return func(d *lab.Decisions) { d.Worker.Idempotent = i }
}
