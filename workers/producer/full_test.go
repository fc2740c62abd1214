package producer_test

import (
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/producer"
)

// drain takes one entry out of the queue each period, as a worker does that needs so long for a mail.
func drain(q *queue, period time.Duration, stop <-chan struct{}) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			q.set(func() { q.backlog = max(q.backlog-1, 0) })
		case <-stop:
			return
		}
	}
}

func TestRefuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		p := producer.Start(producer.Options{Queue: q, Settings: producer.Settings{Rate: 50, Limit: 100}})
		defer closeNow(p)
		<-time.After(10*time.Second - time.Millisecond)
		synctest.Wait()
		got := p.Count()
		if got.Offered != 500 || got.Accepted != 100 || got.Refused != 400 || got.Waiting {
			t.Errorf("got %+v, want 100 accepted and 400 refused of 500, none waiting", got)
		}
		if got.Err != nil {
			t.Errorf("error %v: a full queue is none", got.Err)
		}
	})
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, log := &queue{}, &orders{}
		p := producer.Start(producer.Options{
			Queue: q, OnOrder: log.add, Settings: producer.Settings{Kind: redisq.Stream, Rate: 50, Limit: 10, Wait: true},
		})
		defer closeNow(p)
		stop := make(chan struct{})
		defer close(stop)
		go drain(q, 300*time.Millisecond, stop)
		<-time.After(time.Minute - time.Millisecond)
		synctest.Wait()

		got := p.Count()
		if highest := q.get(func() int64 { return q.highest }); highest > 10 {
			t.Errorf("backlog was %d, want at most the limit of 10", highest)
		}
		// 199 times a worker made room in a minute; 10 went in before.
		if got.Accepted < 208 || got.Accepted > 209 {
			t.Errorf("%d accepted, want the 10 that had room and the 199 for which it was made", got.Accepted)
		}
		if got.Offered != got.Accepted+64 || got.Refused+got.Failed+got.Unknown != 0 || !got.Waiting {
			t.Errorf("got %+v, want 64 waiting, the others before the door, and none lost", got)
		}
		// Those that waited did so at least as long as a mail takes, and came in as they had begun.
		all := log.all()
		for i, order := range all {
			if want := strconv.Itoa(i + 1); order.Name != want {
				t.Fatalf("order %s came in as number %s", order.Name, want)
			}
		}
		waited := all[12:]
		slices.SortFunc(waited, func(a, b producer.Order) int { return int(a.Took - b.Took) })
		if median := waited[len(waited)/2].Took; median < 290*time.Millisecond {
			t.Errorf("the median of those that waited is %v, want at least the 300 ms of a mail", median)
		}
		if calls := q.get(func() int64 { return int64(q.calls) }); calls > 60*110 {
			t.Errorf("%d calls in a minute: only the first in line may ask, 100 times a second", calls)
		}
	})
}

func TestSwitchingThePolicyFreesThoseThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		p := producer.Start(producer.Options{Queue: q, Settings: producer.Settings{Limit: 5, Wait: true}})
		defer closeNow(p)
		p.AddLoad(20, false)
		<-time.After(time.Second)
		synctest.Wait()
		if got := p.Count(); got.Accepted != 5 || !got.Waiting {
			t.Fatalf("got %+v, want 5 accepted and the others waiting", got)
		}
		p.Configure(producer.Settings{Limit: 8}) // refuse
		synctest.Wait()
		if got := p.Count(); got.Accepted != 8 || got.Refused != 12 || got.Waiting {
			t.Errorf("got %+v, want 8 accepted, 12 refused and none waiting", got)
		}
		p.Configure(producer.Settings{Limit: 8, Wait: true})
		p.AddLoad(20, false)
		<-time.After(time.Second)
		p.Configure(producer.Settings{}) // grow
		synctest.Wait()
		if got := p.Count(); got.Accepted != 28 || got.Refused != 12 || got.Waiting {
			t.Errorf("got %+v, want all of the last 20 accepted", got)
		}
	})
}

func TestCloseWhileOrdersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		p := producer.Start(producer.Options{Queue: q, Settings: producer.Settings{Rate: 100, Limit: 1, Wait: true}})
		p.AddLoad(1000, false)
		<-time.After(time.Second)
		p.Close(t.Context()) // the bubble's test fails when a goroutine is left
		if got := p.Count(); got.Accepted != 1 || got.Refused+got.Failed+got.Unknown != 0 {
			t.Errorf("got %+v, want one accepted and nothing invented for those that gave up", got)
		}
	})
}

func TestClosedAndOpenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		open := producer.Settings{Rate: 10, Limit: 5, Wait: true}
		shut := open
		shut.Closed = true
		p := producer.Start(producer.Options{Queue: q, Settings: open})
		defer closeNow(p)
		<-time.After(time.Second - time.Millisecond) // five are in, and others wait for room
		synctest.Wait()
		p.Configure(shut)
		p.AddLoad(7, false)
		synctest.Wait()
		before := p.Count()
		calls := q.get(func() int64 { return int64(q.calls) })
		q.set(func() { q.backlog = 0 })
		<-time.After(time.Minute)
		synctest.Wait()
		if got := p.Count(); got != before || got.Offered != 10 || got.Accepted != 5 || got.Queued != 7 {
			t.Errorf("closed for a minute: %+v, want the %+v of before", got, before)
		}
		if now := q.get(func() int64 { return int64(q.calls) }); now != calls {
			t.Errorf("%d calls while it was closed", now-calls)
		}
		p.Configure(open)
		<-time.After(50 * time.Millisecond)
		synctest.Wait()
		if got := p.Count(); got.Accepted != 10 || got.Offered != 18 {
			t.Errorf("open again: %+v, want the 5 accepted for which there is room, and the burst of 7 and one of the rate begun", got)
		}
	})
}

// Who stood before the door when the shop was closed comes in when it is open again, and not before.
func TestNobodyBeginsWhileClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{takes: 1500 * time.Millisecond}
		p := producer.Start(producer.Options{Queue: q, Settings: producer.Settings{Rate: 100}})
		defer closeNow(p)
		p.AddLoad(100, false)
		<-time.After(time.Second) // as many as may be are under way
		closed := producer.Settings{Rate: 100, Closed: true}
		p.Configure(closed)
		before := p.Count()
		<-time.After(time.Minute)
		if got := p.Count(); before.Offered != 64 || got.Offered != 64 || got.Accepted != 64 || got.Queued != before.Queued {
			t.Errorf("got %+v, before %+v; want the 64 that were under way done, and no more begun", got, before)
		}
		p.Configure(producer.Settings{})
		<-time.After(time.Minute)
		if got, want := p.Count(), 64+before.Queued; got.Accepted != want || got.Queued != 0 {
			t.Errorf("got %+v, want %d accepted, all of the burst among them", got, want)
		}
	})
}
