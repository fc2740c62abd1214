package lab

import (
	"slices"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
	"example.com/unacked/workers/producer"
)

var noon = time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC)

// accounts is a ledger with the orders 1 to n accepted into the stream.
func accounts(n int) *ledger {
	l := newLedger(func() {})
	for i := range n {
		name := string(rune('1' + i))
		l.checkedOut(producer.Order{Name: name, Kind: redisq.Stream, ID: name + "-0"})
	}
	return l
}

// all puts every order into the same place.
func all(p place) func(string, *openOrder) place { return func(string, *openOrder) place { return p } }

func TestAnOrderIsLostAfterTwoCountsThatAgree(t *testing.T) {
	l := accounts(2)
	counts := []struct {
		after  time.Duration
		second place // where order 2 is met; order 1 is in the queue
		never  int64
	}{
		{0, nowhere, 0},
		{299 * time.Millisecond, nowhere, 0},
		{300 * time.Millisecond, nowhere, 1},
		{400 * time.Millisecond, notLooked, 1}, // no news
		{500 * time.Millisecond, deadLetters, 0},
		{600 * time.Millisecond, nowhere, 0}, // counted from here again
		{700 * time.Millisecond, somewhere, 0},
		{800 * time.Millisecond, notLooked, 0},
		{1800 * time.Millisecond, notLooked, 0}, // not looking is not missing
		{1900 * time.Millisecond, nowhere, 0},
		{2200 * time.Millisecond, nowhere, 1},
	}
	for _, c := range counts {
		b := l.balance(noon.Add(c.after), func(name string, _ *openOrder) place {
			if name == "2" {
				return c.second
			}
			return somewhere
		})
		if b.Never != c.never || b.NotYet != 2-c.never || !b.Balanced || b.Orders != 2 {
			t.Errorf("at %v: %+v, want %d lost of 2", c.after, b, c.never)
		}
		if lost := slices.Equal(b.NeverIDs, []string{"2"}); lost != (c.never == 1) {
			t.Errorf("at %v: named %q", c.after, b.NeverIDs)
		}
	}
	// A mail that comes after all is believed.
	l.mailed("2", 1)
	if b := l.balance(noon.Add(3*time.Second), all(somewhere)); b.Once != 1 || b.Never != 0 || b.NotYet != 1 || !b.Balanced {
		t.Errorf("got %+v, want order 2 mailed", b)
	}
}

func TestMailsAndAnswersInAnyOrder(t *testing.T) {
	found := 0
	l := newLedger(func() { found++ })
	accept := func(name string) { l.checkedOut(producer.Order{Name: name, Kind: redisq.Stream, ID: "1-0"}) }
	lose := func(name string) { l.checkedOut(producer.Order{Name: name, Kind: redisq.Stream, Unknown: true}) }
	want := func(what string, orders, once, twice, notYet int64) {
		t.Helper()
		b := l.balance(noon, all(somewhere))
		if b.Orders != orders || b.Once != once || b.Twice != twice || b.NotYet != notYet || !b.Balanced {
			t.Errorf("%s: %+v, want %d orders, %d once, %d twice, %d not yet", what, b, orders, once, twice, notYet)
		}
	}
	l.mailed("1", 1)
	want("a mail before the checkout's answer", 0, 0, 0, 0)
	accept("1")
	want("the answer", 1, 1, 0, 0)
	l.mailed("2", 1)
	l.mailed("2", 2)
	accept("2")
	want("two mails before the answer", 2, 1, 1, 0)
	l.mailed("1", 2)
	l.mailed("1", 3)
	want("three mails of one order", 2, 0, 2, 0)
	lose("3")
	want("a lost reply is not an order", 2, 0, 2, 0)
	l.seen("3", "7-0")
	want("it was met in the queue", 3, 0, 2, 1)
	lose("4")
	l.mailed("4", 1)
	want("a mail of another one", 4, 1, 2, 1)
	l.mailed("5", 1)
	lose("5")
	want("a mail before its lost reply", 5, 2, 2, 1)
	l.mailed("stranger", 1)
	l.mailed("stranger", 2)
	want("a mail for nobody's order", 5, 2, 2, 1)
	if found != 3 {
		t.Errorf("%d lost replies resolved, want 3", found)
	}
}

func TestBooksThatAreOffSaySo(t *testing.T) {
	b := Books{Orders: 5, Once: 2, Twice: 1, NotYet: 1}
	if b.check(); b.Balanced || b.Off != "5 orders, but once 2 + twice 1 + not yet 1 + never 0 = 4" {
		t.Errorf("got %+v", b)
	}
	b = Books{Orders: 4, Once: 4}
	b.check()
	if b.against(4, 4, 6); !b.Balanced || b.Off != "" {
		t.Errorf("got %+v, want balanced: the checkout went on meanwhile", b)
	}
	if b.against(3, 4, 6); b.Balanced || b.Off == "" {
		t.Errorf("got %+v, want off: the checkout knew of four orders before", b)
	}
}

func TestHandsOfTheLiving(t *testing.T) {
	h := &hands{}
	say := func(worker string, kind workers.EventKind, order string) {
		h.take(workers.Event{Worker: worker, Kind: kind, Order: order})
	}
	alive := []workers.State{{Name: "w1", PID: 1, Phase: workers.PhaseWorking}, {Name: "w2", PID: 2, Phase: workers.PhaseKilled}}
	want := func(what string, orders ...string) {
		t.Helper()
		got := h.living(alive)
		if len(got) != len(orders) {
			t.Errorf("%s: %v, want %v", what, got, orders)
		}
		for _, o := range orders {
			if !got[o] {
				t.Errorf("%s: %v, want %v", what, got, orders)
			}
		}
	}
	say("w1", workers.EventDelivered, "1")
	say("w1", workers.EventDelivered, "2")
	say("w2", workers.EventDelivered, "3")
	want("a batch; w2 is dead", "1", "2")
	say("w1", workers.EventAcked, "1") // before the work
	want("acked before the work", "1", "2")
	say("w1", workers.EventDone, "1")
	say("w1", workers.EventFailed, "2")
	want("done and failed")
	say("w1", workers.EventDelivered, "4")
	say("w1", workers.EventStarted, "")
	want("a new process holds nothing")
}
