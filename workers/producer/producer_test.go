package producer_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/producer"
)

// In a synctest bubble time passes only when everything waits, so that these figures are exact.

func TestTheRateIsKept(t *testing.T) {
	for _, rate := range []float64{0.5, 2, 50, 1000} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := &queue{}
				p := producer.Start(producer.Options{Queue: q, Settings: producer.Settings{Rate: rate}})
				defer closeNow(p)
				<-time.After(20*time.Second - time.Millisecond/2)
				synctest.Wait()
				// The first order comes at once: 20 s hold 20 × rate periods.
				if got, want := p.Count(), int64(20*rate); got.Offered != want || got.Accepted != want {
					t.Errorf("%d offered and %d accepted in 20 s, want %d", got.Offered, got.Accepted, want)
				}
			})
		})
	}
}

func TestASlowServerDoesNotSlowTheCustomers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{takes: time.Second}
		p := producer.Start(producer.Options{Queue: q, Settings: producer.Settings{Rate: 50}})
		defer closeNow(p)
		<-time.After(10*time.Second - time.Millisecond)
		synctest.Wait()
		got := p.Count()
		if got.Offered != 500 {
			t.Errorf("%d offered, want 500: 50 a second for 10 s, whatever the server does", got.Offered)
		}
		if got.Accepted != 450 {
			t.Errorf("%d accepted, want the 450 that are a second old", got.Accepted)
		}
		if !got.Waiting {
			t.Error("nobody waits, though each order takes the server a second")
		}
		for name, latency := range map[string]time.Duration{"p50": got.P50, "p99": got.P99, "max": got.Max} {
			if latency < 999*time.Millisecond || latency > 1001*time.Millisecond {
				t.Errorf("%s %v, want 1 s", name, latency)
			}
		}
	})
}

func TestCheckoutsUnderWayAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{takes: time.Second}
		p := producer.Start(producer.Options{Queue: q, Settings: producer.Settings{Rate: 1000}})
		defer closeNow(p)
		p.AddLoad(10_000, false)
		<-time.After(9500 * time.Millisecond)
		synctest.Wait()
		if busiest := q.get(func() int64 { return int64(q.busiest) }); busiest != 64 {
			t.Errorf("%d at once, want at most 64", busiest)
		}
		if got := p.Count(); got.Offered != 640 || got.Accepted != 576 {
			t.Errorf("%d offered and %d accepted, want 640 begun and all but the last 64 done", got.Offered, got.Accepted)
		}
	})
}

func TestASwitchedRateTakesEffectAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		p := producer.Start(producer.Options{Queue: q, Settings: producer.Settings{Rate: 0}})
		defer closeNow(p)
		accepted := func(after time.Duration, want int64) {
			t.Helper()
			<-time.After(after)
			synctest.Wait()
			if got := p.Count().Accepted; got != want {
				t.Errorf("%d orders, want %d", got, want)
			}
		}
		accepted(time.Hour, 0)
		p.Configure(producer.Settings{Rate: 0.01}) // the first at once, the next in 100 s
		accepted(time.Second, 1)
		p.Configure(producer.Settings{Rate: 10}) // one is due; those that this rate would have made are not made up for
		accepted(50*time.Millisecond, 2)
		accepted(time.Second, 12)
		p.Configure(producer.Settings{Rate: 0})
		accepted(time.Minute, 12)
	})
}

func TestBadAddressesGoByTheNumber(t *testing.T) {
	var bad []uint64
	for n := range uint64(101) {
		if producer.Bad(n, 0.05) {
			bad = append(bad, n)
		}
	}
	if want := []uint64{5, 25, 45, 65, 85}; !slices.Equal(bad, want) {
		t.Errorf("bad orders %v, want %v", bad, want)
	}
	for share, want := range map[float64]int{0: 0, 0.01: 10, 0.1: 100, 0.25: 250, 1.0 / 3: 333, 0.5: 500, 1: 1000} {
		got := 0
		for n := range uint64(1000) {
			if producer.Bad(n+1, share) {
				got++
			}
		}
		if got < want-1 || got > want+1 {
			t.Errorf("share %v: %d bad of 1000, want %d", share, got, want)
		}
	}
}

func TestAnOrderInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, log := &queue{takes: 3 * time.Millisecond}, &orders{}
		began := time.Now()
		p := producer.Start(producer.Options{
			Queue: q, OnOrder: log.add, Settings: producer.Settings{Kind: redisq.Stream, BadShare: 0.05, MaxLen: 100},
		})
		defer closeNow(p)
		<-time.After(time.Second)
		p.AddLoad(6, false)
		p.AddLoad(2, true)
		<-time.After(time.Second)
		synctest.Wait()
		want := []string{
			"customer1@shop.example", "customer2@shop.example", "customer3@shop.example", "customer4@shop.example",
			"customer5@nowhere.invalid", "customer6@shop.example", "customer7@nowhere.invalid", "customer8@nowhere.invalid",
		}
		slices.Sort(q.to)
		if !slices.Equal(q.to, want) {
			t.Errorf("addresses %q, want %q", q.to, want)
		}
		if q.caps[0] != 100 || q.pushed != 0 {
			t.Errorf("cap %d and %d pushed to a list, want 100 and none", q.caps[0], q.pushed)
		}
		got := log.all()
		if len(got) != 8 {
			t.Fatalf("%d orders told, want 8", len(got))
		}
		slices.SortFunc(got, func(a, b producer.Order) int { return int(a.Number) - int(b.Number) })
		first := got[0]
		if first.Name != "1" || first.ID == "" || first.Bad || first.Unknown || !first.At.Equal(began.Add(time.Second)) ||
			first.Took != 3*time.Millisecond || !got[4].Bad || !got[6].Bad {
			t.Errorf("got %+v, want order 1 at 1 s, in 3 ms, and the orders 5, 7 and 8 bad", got)
		}
	})
}

func TestAListIsPushedTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, log := &queue{}, &orders{}
		p := producer.Start(producer.Options{Queue: q, OnOrder: log.add, Settings: producer.Settings{Kind: redisq.List, Rate: 1}})
		defer closeNow(p)
		<-time.After(1500 * time.Millisecond)
		p.Configure(producer.Settings{Kind: redisq.Stream, Rate: 1})
		<-time.After(time.Second)
		synctest.Wait()
		var kinds []redisq.Kind
		for _, order := range log.all() {
			kinds = append(kinds, order.Kind)
		}
		if want := []redisq.Kind{redisq.List, redisq.List, redisq.Stream}; !slices.Equal(kinds, want) || q.pushed != 2 {
			t.Errorf("kinds %q and %d pushed, want %q", kinds, q.pushed, want)
		}
	})
}

func TestAFailureIsCountedAndNotTriedAgain(t *testing.T) {
	for _, c := range []struct {
		name            string
		err             error
		unknown, failed int64
	}{
		{"lost reply", &redisq.Error{Op: "XADD", Code: redisq.CodeLostReply, Err: io.EOF}, 1, 0},
		{"no server", &redisq.Error{Op: "XADD", Code: redisq.CodeRefused, Err: io.EOF}, 0, 1},
		{"wrong type", &redisq.Error{Op: "XADD", Code: "WRONGTYPE", Err: io.EOF}, 0, 1},
		{"out of memory", &redisq.Error{Op: "XADD", Code: "OOM", Err: io.EOF}, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, log := &queue{err: c.err}, &orders{}
				p := producer.Start(producer.Options{Queue: q, OnOrder: log.add, Settings: producer.Settings{Limit: 10, Wait: true}})
				defer closeNow(p)
				p.AddLoad(1, false)
				synctest.Wait()
				got := p.Count()
				if got.Unknown != c.unknown || got.Failed != c.failed || got.Accepted != 0 || got.Offered != 1 || q.calls != 1 {
					t.Errorf("got %+v after %d calls, want %d unknown and %d failed after one", got, q.calls, c.unknown, c.failed)
				}
				if got.Err == nil || !strings.Contains(got.Err.Error(), "XADD") {
					t.Errorf("error %v, want one that says what was tried", got.Err)
				}
				if told := log.all(); int64(len(told)) != c.unknown {
					t.Errorf("told %+v, want the unknown ones only", told)
				}
				q.set(func() { q.err = nil })
				p.AddLoad(1, false)
				synctest.Wait()
				if got := p.Count(); got.Accepted != 1 || got.Err != nil {
					t.Errorf("got %+v, want the next order accepted and the error gone", got)
				}
				if c.unknown == 1 {
					p.Found()
					if got := p.Count(); got.Unknown != 0 || got.Accepted != 2 {
						t.Errorf("got %+v, want the lost order accepted once it was found", got)
					}
				}
			})
		})
	}
}

func TestFiguresOutsideTheirRange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		zero := 0.0
		p := producer.Start(producer.Options{Queue: q, Settings: producer.Settings{Rate: zero / zero, BadShare: -1, Limit: -5, MaxLen: -1}})
		defer closeNow(p)
		p.AddLoad(-5, false)
		p.AddLoad(0, true)
		<-time.After(time.Minute)
		synctest.Wait()
		if got := p.Count(); got.Offered != 0 {
			t.Errorf("%d offered, want none", got.Offered)
		}
		p.Configure(producer.Settings{Rate: 1e12})
		<-time.After(10*time.Second - time.Millisecond/2)
		synctest.Wait()
		if got := p.Count().Accepted; got != 10_000 {
			t.Errorf("%d accepted in 10 s, want 1000 a second at most", got)
		}
	})
}

func TestCloseGivesCallsTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, log := &queue{takes: 100 * time.Millisecond}, &orders{}
		p := producer.Start(producer.Options{Queue: q, OnOrder: log.add, Settings: producer.Settings{Rate: 1}})
		synctest.Wait()
		p.Close(t.Context())
		if got := log.all(); len(got) != 1 || got[0].Unknown {
			t.Errorf("got %+v, want the order under way accepted", got)
		}
		q.set(func() { q.takes = time.Hour })
		p = producer.Start(producer.Options{Queue: q, OnOrder: log.add, Settings: producer.Settings{Rate: 1}})
		synctest.Wait()
		closeNow(p)
		if got := log.all(); len(got) != 2 || !got[1].Unknown {
			t.Errorf("got %+v, want the order whose call was hung up unknown", got)
		}
	})
}

func TestErrorsOfOthersAreUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{err: errors.New("something else")}
		p := producer.Start(producer.Options{Queue: q})
		defer closeNow(p)
		p.AddLoad(1, false)
		synctest.Wait()
		if got := p.Count(); got.Unknown != 1 {
			t.Errorf("got %+v, want unknown: nobody said that it was not added", got)
		}
	})
}
