package producer_test

import (
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/producer"
)

// A burst tells what became of its own orders, whatever happens to others.
func TestALoadTellsWhatBecameOfIt(t *testing.T) {
	lost := &redisq.Error{Op: "XADD", Code: redisq.CodeLostReply, Err: io.EOF}
	away := &redisq.Error{Op: "XADD", Code: redisq.CodeRefused, Err: io.EOF}
	for _, c := range []struct {
		name     string
		settings producer.Settings
		err      error
		orders   int
		want     producer.LoadCount
	}{
		{"all are in", producer.Settings{}, nil, 20, producer.LoadCount{Sent: 20, Accepted: 20}},
		{"none was asked for", producer.Settings{}, nil, -5, producer.LoadCount{}},
		{"the queue refuses", producer.Settings{Limit: 5}, nil, 20, producer.LoadCount{Sent: 20, Accepted: 5, Refused: 15}},
		{"the queue lets them wait", producer.Settings{Limit: 5, Wait: true}, nil, 20, producer.LoadCount{Sent: 20, Accepted: 5, Waiting: 15}},
		{"more than may be under way", producer.Settings{Limit: 5, Wait: true}, nil, 200, producer.LoadCount{Sent: 200, Accepted: 5, Waiting: 195}},
		{"the replies are lost", producer.Settings{}, lost, 20, producer.LoadCount{Sent: 20, Unknown: 20, Err: lost}},
		{"the server is away", producer.Settings{}, away, 20, producer.LoadCount{Sent: 20, Failed: 20, Err: away}},
		{"the shop is closed", producer.Settings{Closed: true}, nil, 20, producer.LoadCount{Sent: 20, Waiting: 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := &queue{err: c.err, takes: 3 * time.Millisecond}
				p := producer.Start(producer.Options{Queue: q, Settings: c.settings})
				defer closeNow(p)
				load := p.AddLoad(c.orders, false)
				before := load.Count()
				if want := (producer.LoadCount{Sent: c.want.Sent, Waiting: c.want.Sent}); before != want {
					t.Errorf("at first %+v, want %+v", before, want)
				}
				<-time.After(time.Second)
				synctest.Wait()
				if got := load.Count(); got != c.want {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
				done := false
				select {
				case <-load.Done():
					done = true
				default:
				}
				if done != (c.want.Waiting == 0) {
					t.Errorf("done %v with %d waiting", done, c.want.Waiting)
				}
			})
		})
	}
}

func TestLoadsAreCountedApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		p := producer.Start(producer.Options{Queue: q, Settings: producer.Settings{Limit: 5, Rate: 1}})
		defer closeNow(p)
		synctest.Wait() // the first order of the rate
		first := p.AddLoad(3, false)
		<-first.Done()
		second := p.AddLoad(4, true)
		<-second.Done()
		got := fmt.Sprintf("%+v %+v", first.Count(), second.Count())
		want := fmt.Sprintf("%+v %+v", producer.LoadCount{Sent: 3, Accepted: 3}, producer.LoadCount{Sent: 4, Accepted: 1, Refused: 3})
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
