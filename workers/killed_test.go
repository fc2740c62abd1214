package workers

import (
	"strconv"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// Ten orders, three workers; the one that holds order 4 is killed with SIGKILL at an exact point. The mail server is
// the witness of what the choices mean.
func TestKilledHoldingTheFourthOfTenOrders(t *testing.T) {
	tests := []struct {
		name       string
		at         CrashPoint
		idempotent Idempotence
		ackBefore  bool
		list       bool

		mails, fourth         int
		delivered, duplicates int // of order 4
	}{
		{name: "before the work", at: CrashBeforeWork, idempotent: RecordNever, mails: 10, fourth: 1, delivered: 2},
		{name: "after the work", at: CrashAfterWork, idempotent: RecordNever, mails: 11, fourth: 2, delivered: 2},
		{
			name: "after the work, recorded before", at: CrashAfterWork, idempotent: RecordBefore,
			mails: 10, fourth: 1, delivered: 2, duplicates: 1,
		},
		{
			name: "between record and work", at: CrashAfterRecord, idempotent: RecordBefore,
			mails: 9, fourth: 0, delivered: 2, duplicates: 1,
		},
		{name: "before the record", at: CrashBeforeWork, idempotent: RecordBefore, mails: 10, fourth: 1, delivered: 2},
		{name: "between work and record", at: CrashAfterWork, idempotent: RecordAfter, mails: 11, fourth: 2, delivered: 2},
		{
			name: "between record and ack", at: CrashAfterRecord, idempotent: RecordAfter,
			mails: 10, fourth: 1, delivered: 2, duplicates: 1,
		},
		{name: "acked before the work", at: CrashBeforeWork, idempotent: RecordNever, ackBefore: true, mails: 9, fourth: 0, delivered: 1},
		{name: "list", at: CrashBeforeWork, idempotent: RecordNever, list: true, mails: 9, fourth: 0, delivered: 1},
	}
	redistest.Each(t, func(t *testing.T, server redistest.Server) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				r := rigOn(t, server)
				mails := newSink(t, 15*time.Millisecond)
				s := quick()
				s.Idempotent, s.AckBefore = tt.idempotent, tt.ackBefore
				if tt.list {
					s.Kind = redisq.List
				}
				sup := r.supervise(s, map[string]string{"": "smtp " + mails.addr}, "w1", "w2", "w3")
				if err := sup.Kill("", tt.at, "4"); err != nil {
					t.Fatal(err)
				}
				for n := 1; n <= 10 && tt.list; n++ {
					r.push(strconv.Itoa(n))
				}
				if !tt.list {
					r.orders(1, 10)
				}
				r.await("one killed", func() bool { return r.count(EventExited, order("4"), reason("killed")) == 1 })
				if tt.list || tt.ackBefore {
					r.await("the other nine done", func() bool { return r.count(EventDone) == 9 })
				} else {
					r.finished(10)
				}

				total, by := mails.counts()
				if total != tt.mails || by["4"] != tt.fourth {
					t.Errorf("%d mails, %d of order 4; want %d and %d", total, by["4"], tt.mails, tt.fourth)
				}
				for n := 1; n <= 10; n++ {
					if o := strconv.Itoa(n); o != "4" && by[o] != 1 {
						t.Errorf("%d mails of order %s, want 1", by[o], o)
					}
				}
				if n := r.count(EventDelivered, order("4")); n != tt.delivered {
					t.Errorf("order 4 delivered %d times, want %d", n, tt.delivered)
				}
				if n := r.count(EventDuplicate); n != tt.duplicates {
					t.Errorf("%d skipped as duplicates, want %d", n, tt.duplicates)
				}
				killed := 0
				for _, st := range sup.States() {
					if st.Phase == PhaseKilled {
						killed++
						if st.Order != "4" {
							t.Errorf("the killed worker holds order %q, want 4", st.Order)
						}
					} else if !st.Alive() || st.Armed != CrashNone {
						t.Errorf("%s is %s, armed %q; want it alive and disarmed", st.Name, st.Phase, st.Armed)
					}
				}
				if killed != 1 {
					t.Errorf("%d killed, want 1", killed)
				}
			})
		}
	})
}

// A worker that reads in batches acks while it goes on. Killed after the work of the fourth message of its batch, those
// before are acked and not done again, and those behind, which had not begun, are done once.
func TestKilledInABatch(t *testing.T) {
	redistest.Each(t, func(t *testing.T, server redistest.Server) {
		r := rigOn(t, server)
		mails := newSink(t, 0)
		s := quick()
		s.Batch, s.MaxDeliveries = 10, 2
		sup := r.supervise(s, map[string]string{"": "smtp " + mails.addr}, "w1")
		if err := sup.Kill("w1", CrashAfterWork, "4"); err != nil {
			t.Fatal(err)
		}
		r.orders(1, 10)
		r.await("w1 killed", func() bool { return r.count(EventExited, order("4"), reason("killed")) == 1 })
		if n := r.pending(); n != 7 {
			t.Errorf("%d pending after the kill, want orders 4 to 10", n)
		}
		if err := sup.Start("w2"); err != nil {
			t.Fatal(err)
		}
		r.finished(10)
		total, by := mails.counts()
		for n := 1; n <= 10; n++ {
			want := 1
			if n == 4 {
				want = 2
			}
			if got := by[strconv.Itoa(n)]; got != want {
				t.Errorf("%d mails of order %d, want %d", got, n, want)
			}
		}
		if total != 11 || len(r.dead()) != 0 {
			t.Errorf("%d mails and %d dead letters, want 11 and none", total, len(r.dead()))
		}
	})
}
