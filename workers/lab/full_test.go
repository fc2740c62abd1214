package lab_test

import (
	"slices"
	"strconv"
	"testing"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/workers/lab"
)

// Forty orders come to a queue that is full with ten, and nobody works at first.

func TestCapCutsTheOldestUnread(t *testing.T) {
	t.Parallel()
	for _, kind := range []redisq.Kind{redisq.Stream, redisq.List} {
		t.Run(string(kind), func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, s redistest.Server) {
				t.Parallel()
				d := quick()
				d.Worker.Kind, d.Full, d.Limit, d.Workers = kind, lab.Cap, 10, 0
				l := start(t, on(t, s, d))
				customers(t, l, 40)
				cut := await(t, l, "30 orders cut and named", func(u lab.Update) bool { return u.State.Books.Never == 30 })
				if b := cut.State.Books; b.Orders != 40 || b.NotYet != 10 || len(b.NeverIDs) != 30 {
					t.Errorf("got %+v, want 10 of 40 left and 30 named", b)
				}
				if _, err := l.AddWorker(); err != nil {
					t.Fatal(err)
				}
				after := await(t, l, "the other 10 mailed", func(u lab.Update) bool { return u.State.Books.NotYet == 0 }).State
				if after.Sink.Mails != 10 || after.Books.Once != 10 || after.Books.Never != 30 || after.Producer.Refused != 0 {
					t.Errorf("got %+v and %+v, want 10 mails, 30 lost and none refused", after.Sink, after.Books)
				}
				if !slices.IsSortedFunc(after.Books.NeverIDs, func(a, b string) int { return number(t, a) - number(t, b) }) {
					t.Errorf("the lost ones are not in order: %q", after.Books.NeverIDs)
				}
			})
		})
	}
}

func number(t *testing.T, order string) int {
	t.Helper()
	n, err := strconv.Atoi(order)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWaitLosesNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []redisq.Kind{redisq.Stream, redisq.List} {
		t.Run(string(kind), func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, s redistest.Server) {
				t.Parallel()
				d := quick()
				d.Worker.Kind, d.Full, d.Limit, d.Workers = kind, lab.Wait, 10, 0
				l := start(t, on(t, s, d))
				l.Place(40, false)
				full := await(t, l, "the queue full and customers waiting", func(u lab.Update) bool {
					p := u.State.Producer
					return p.Offered == 40 && p.Accepted == 10 && p.Waiting && u.State.Books.Orders == 10
				})
				if p := full.State.Producer; p.Refused != 0 || p.Failed != 0 {
					t.Errorf("got %+v, want 30 waiting", p)
				}
				if _, err := l.AddWorker(); err != nil {
					t.Fatal(err)
				}
				// A reply that comes too late on a machine with much else to do leaves an order unknown.
				after := await(t, l, "40 customers answered, and a mail for each", func(u lab.Update) bool {
					withinLimit(t, u)
					p := u.State.Producer
					return p.Accepted+p.Unknown == 40 && u.State.Books.Once == p.Accepted
				}).State
				if b, p := after.Books, after.Producer; b.Never != 0 || b.Twice != 0 || p.Accepted <= 10 || p.Refused+p.Failed != 0 || p.Waiting {
					t.Errorf("got %+v and %+v, want those who waited accepted, and each mailed once", b, p)
				}
			})
		})
	}
}

func TestRefuseLosesNoneThatWasAccepted(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		d := quick()
		d.Full, d.Limit, d.Workers = lab.Refuse, 10, 0
		l := start(t, on(t, s, d))
		customers(t, l, 40)
		if c := l.Checkouts(); c.Accepted != 10 || c.Refused != 30 {
			t.Errorf("got %+v, want 10 accepted and 30 refused", c)
		}
		await(t, l, "the accepted orders in the books", func(u lab.Update) bool { return u.State.Books.Orders == 10 })
		if _, err := l.AddWorker(); err != nil {
			t.Fatal(err)
		}
		after := await(t, l, "10 mails", func(u lab.Update) bool { return u.State.Books.NotYet == 0 }).State
		if b := after.Books; b.Once != 10 || b.Never != 0 || b.Twice != 0 || after.Sink.Mails != 10 {
			t.Errorf("got %+v and %+v, want none lost", after.Sink, b)
		}
		customers(t, l, 1)
		if c := l.Checkouts(); c.Accepted != 11 {
			t.Errorf("got %+v, want one more accepted: there is room again", c)
		}
	})
}

// customers has n of them order, each when the one before has an answer.
func customers(t *testing.T, l *lab.Lab, n int) {
	t.Helper()
	answered := func() int64 {
		c := l.Checkouts()
		return c.Accepted + c.Refused + c.Failed + c.Unknown
	}
	for range n {
		before := answered()
		l.Place(1, false)
		until(t, "a customer's answer", func() bool { return answered() > before })
	}
}

// withinLimit checks the limit of ten on what cannot be more than the backlog was: the mails are counted after the
// accepted orders, and an order is mailed before it is acked. What a list handed out is not in it any more.
func withinLimit(t *testing.T, u lab.Update) {
	t.Helper()
	most := int64(10)
	if d := u.State.Decisions; d.Worker.Kind == redisq.List {
		most += int64(d.Workers)
	}
	if left := u.State.Producer.Accepted - u.State.Sink.Mails; left > most {
		t.Fatalf("%d accepted and not mailed, want at most %d", left, most)
	}
}

func TestSwitchingTheKindLeavesOrdersWhereTheyAre(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		d := quick()
		d.Workers = 0
		l := start(t, on(t, s, d))
		l.AddLoad(5, false)
		await(t, l, "5 orders in the stream", func(u lab.Update) bool { return u.State.Books.Orders == 5 })
		d.Worker.Kind, d.Workers = redisq.List, 1
		l.Decide(d)
		l.AddLoad(3, false)
		listed := await(t, l, "3 orders mailed by way of the list", func(u lab.Update) bool { return u.State.Books.Once == 3 })
		if b := listed.State.Books; b.Orders != 8 || b.NotYet != 5 || b.Never != 0 {
			t.Errorf("got %+v, want the 5 in the stream not yet mailed, and not lost", b)
		}
		d.Worker.Kind = redisq.Stream
		l.Decide(d)
		await(t, l, "all 8 mailed", func(u lab.Update) bool { return u.State.Books.Once == 8 && u.State.Sink.Mails == 8 })
	})
}
