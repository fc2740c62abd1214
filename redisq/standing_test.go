package redisq

import (
	"fmt"
	"testing"

	"example.com/unacked/redisq/redistest"
)

// ids joins the ids of entries.
func ids(entries []Entry) string {
	text := ""
	for _, e := range entries {
		text += e.ID + " "
	}
	return text
}

func TestStanding(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 5)
		b.do("XREADGROUP", "GROUP", b.q.Group, "w1", "COUNT", 3, "STREAMS", b.q.Stream, ">")
		b.do("XACK", b.q.Stream, b.q.Group, "1-0")
		if _, err := b.g.DeadLetter(t.Context(), "w1", Held{ID: "3-0", Deliveries: 1}, "550 no"); err != nil {
			t.Fatal(err)
		}
		if err := b.g.Push(t.Context(), []Field{{Name: "order", Value: "7"}}, AddOptions{}); err != nil {
			t.Fatal(err)
		}

		got, err := b.g.Standing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if ids(got.Undelivered) != "4-0 5-0 " || got.Backlog() != 3 {
			t.Errorf("undelivered %s backlog %d, want 4-0 5-0 and 3", ids(got.Undelivered), got.Backlog())
		}
		if len(got.Pending) != 1 || got.Pending[0].ID != "2-0" || got.Pending[0].Consumer != "w1" || got.Pending[0].Deliveries != 1 ||
			fmt.Sprint(got.Pending[0].Fields) != "[{n 2}]" || got.Pending[0].Gone || got.Pending[0].Idle < 0 {
			t.Errorf("pending %+v", got.Pending)
		}
		if len(got.Dead) != 1 || got.Dead[0].Original != "3-0" || got.Dead[0].Reason != "550 no" || fmt.Sprint(got.Dead[0].Fields) != "[{n 3}]" {
			t.Errorf("dead letters %+v", got.Dead)
		}
		if len(got.List) != 1 || fmt.Sprint(got.List[0].Fields) != "[{order 7}]" {
			t.Errorf("list %+v", got.List)
		}
		if u, p, err := b.g.Backlog(t.Context()); u != 2 || p != 1 || err != nil {
			t.Errorf("backlog %d and %d, %v; want 2 undelivered and 1 pending", u, p, err)
		}
	})
}

// An entry whose body was deleted stays pending, and is told as gone.
func TestStandingOfAGhost(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 1)
		b.do("XREADGROUP", "GROUP", b.q.Group, "w1", "COUNT", 1, "STREAMS", b.q.Stream, ">")
		b.do("XDEL", b.q.Stream, "1-0")
		got, err := b.g.Standing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Pending) != 1 || !got.Pending[0].Gone || got.Pending[0].Fields != nil {
			t.Errorf("pending %+v, want 1-0 with its body gone", got.Pending)
		}
	})
}

// Before there is a group, or even a stream, nothing was delivered.
func TestStandingWithoutAGroup(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		if got, err := b.g.Standing(t.Context()); err != nil || got.Backlog() != 0 || len(got.Dead)+len(got.List) != 0 {
			t.Errorf("%+v, %v; want nothing", got, err)
		}
		b.add(1, 2)
		if got, err := b.g.Standing(t.Context()); err != nil || ids(got.Undelivered) != "1-0 2-0 " || got.Backlog() != 2 {
			t.Errorf("%+v, %v; want 1-0 and 2-0 undelivered", got, err)
		}
		if u, p, err := b.g.Backlog(t.Context()); u != 2 || p != 0 || err != nil {
			t.Errorf("backlog %d and %d, %v; want 2 and 0", u, p, err)
		}
	})
}

func TestStandingOfAWrongKey(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.do("SET", b.q.DeadLetter, "oops")
		if _, err := b.g.Standing(t.Context()); CodeOf(err) != "WRONGTYPE" {
			t.Errorf("dead letters that are a string: %v, want WRONGTYPE", err)
		}
		if _, _, err := NewGroup(b.c, NewQueue(b.q.DeadLetter, "g")).Backlog(t.Context()); CodeOf(err) != "WRONGTYPE" {
			t.Errorf("a stream that is a string: %v, want WRONGTYPE", err)
		}
	})
}
