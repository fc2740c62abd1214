package lab_test

import (
	"context"
	"io"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/lab"
	"example.com/unacked/workers/producer"
)

// moody answers each order with the next of its answers.
type moody struct {
	answers []error
	calls   atomic.Int64
}

func (m *moody) Add(context.Context, []redisq.Field, redisq.AddOptions) (string, error) {
	return "", m.answers[m.calls.Add(1)-1]
}

func (m *moody) Push(context.Context, []redisq.Field, redisq.AddOptions) error { return nil }

// Who adds load is told what became of it, and the time axis is marked with what came in.
func TestAddLoadTellsWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	lost := &redisq.Error{Op: "XADD", Code: redisq.CodeLostReply, Err: io.EOF}
	away := &redisq.Error{Op: "XADD", Code: redisq.CodeRefused, Err: io.EOF}
	queue := &moody{answers: []error{nil, nil, nil, nil, lost, redisq.ErrFull, away, away, away}}
	l := start(t, lab.Options{
		Decisions: quick(), Checkout: func(producer.Queue, string) producer.Queue { return queue },
	})
	for _, c := range []struct {
		orders int
		bad    bool
		want   lab.Load
	}{
		{3, false, lab.Load{Sent: 3, Accepted: 3}},
		{1, true, lab.Load{Sent: 1, Accepted: 1}},
		{3, false, lab.Load{Sent: 3, Refused: 1, Unknown: 1, Failed: 1}},
		{2, true, lab.Load{Sent: 2, Failed: 2}},
		{-5, false, lab.Load{}},
	} {
		got := l.AddLoad(c.orders, c.bad)
		if c.want.Unknown+c.want.Failed > 0 && got.Error == "" {
			t.Errorf("%d orders: no reason", c.orders)
		}
		got.Error = ""
		if got != c.want {
			t.Errorf("%d orders: got %+v, want %+v", c.orders, got, c.want)
		}
	}
	await(t, l, "the marks", func(u lab.Update) bool {
		return slices.Equal(marks(u), []string{"+3", "+1 bad", "+0 of 3", "+0 of 2 bad"})
	})
}

// narrow has room for some orders, and answers at once.
type narrow struct{ room atomic.Int64 }

func (n *narrow) Add(context.Context, []redisq.Field, redisq.AddOptions) (string, error) {
	if n.room.Add(-1) < 0 {
		return "", redisq.ErrFull
	}
	return "", nil
}

func (n *narrow) Push(context.Context, []redisq.Field, redisq.AddOptions) error { return nil }

func TestAddLoadDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	d := quick()
	d.Full, d.Limit, d.Workers = lab.Wait, 5, 0
	queue := &narrow{}
	queue.room.Store(5)
	l := start(t, lab.Options{Decisions: d, Checkout: func(producer.Queue, string) producer.Queue { return queue }})
	if got, want := l.AddLoad(20, false), (lab.Load{Sent: 20, Accepted: 5, Waiting: 15}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	await(t, l, "the mark", marked("+5 of 20"))
}
