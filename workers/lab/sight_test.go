package lab

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// looking reads a queue of a test's own, which the test fills by a client that shares nothing with it.
func looking(t *testing.T, s redistest.Server) (*sight, *redis.Client, redisq.Queue) {
	t.Helper()
	target, err := redisq.ParseTarget(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	client, err := redisq.Connect(target, redisq.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	o, err := redis.ParseURL(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	db := redis.NewClient(o)
	t.Cleanup(func() { _ = db.Close() })
	queue := redisq.NewQueue(s.Key(t, "emails"), "mailers")
	return newSight(client, queue), db, queue
}

func TestWhereOrdersAre(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		sight, db, queue := looking(t, s)
		ctx := t.Context()
		met := map[string]string{}
		look := func() seenNow {
			t.Helper()
			now, err := sight.look(ctx, true, true, func(order, id string) { met[order] = id })
			if err != nil {
				t.Fatal(err)
			}
			return now
		}
		want := func(now seenNow, p place, orders ...string) {
			t.Helper()
			for _, order := range orders {
				if got := now.where(order, &openOrder{id: met[order]}); got != p {
					t.Errorf("order %s with id %q is at %v, want %v", order, met[order], got, p)
				}
			}
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		want(look(), nowhere, "1") // no keys at all

		must(db.XGroupCreateMkStream(ctx, queue.Stream, queue.Group, "0").Err())
		for i := 1; i <= 2500; i++ { // three pages
			must(db.XAdd(ctx, &redis.XAddArgs{Stream: queue.Stream, ID: fmt.Sprintf("%d-0", i), Values: []any{"order", i, "x", "y"}}).Err())
		}
		now := look()
		if len(met) != 2500 {
			t.Fatalf("%d orders met, want 2,500", len(met))
		}
		want(now, somewhere, "1", "1000", "2500")

		read := func(n int64) {
			t.Helper()
			must(db.XReadGroup(ctx, &redis.XReadGroupArgs{Group: queue.Group, Consumer: "w1", Streams: []string{queue.Stream, ">"}, Count: n}).Err())
		}
		read(1500)
		for i := 1; i <= 1500; i++ {
			if i%2 == 0 {
				must(db.XAck(ctx, queue.Stream, queue.Group, fmt.Sprintf("%d-0", i)).Err())
			}
		}
		now = look()
		want(now, somewhere, "1", "999", "1499", "1501", "2500")
		want(now, nowhere, "2", "1000", "1500")

		// Order 3 becomes a dead letter, and then goes back to work under another id.
		must(db.XAck(ctx, queue.Stream, queue.Group, "3-0").Err())
		must(db.XAdd(ctx, &redis.XAddArgs{Stream: queue.DeadLetter, ID: "9-0", Values: []any{"unacked:reason", "no", "order", 3}}).Err())
		want(look(), deadLetters, "3")
		must(db.XDel(ctx, queue.DeadLetter, "9-0").Err())
		must(db.XAdd(ctx, &redis.XAddArgs{Stream: queue.Stream, ID: "3000-0", Values: []any{"order", 3}}).Err())
		now = look()
		want(now, somewhere, "3")
		if met["3"] != "3000-0" {
			t.Errorf("order 3 met as %s, want its new id", met["3"])
		}

		// Cutting the stream takes what was not delivered.
		must(db.XTrimMaxLen(ctx, queue.Stream, 2).Err())
		now = look()
		want(now, nowhere, "1501", "2499")
		want(now, somewhere, "2500", "3")

		for i := 1; i <= 1200; i++ {
			must(db.LPush(ctx, queue.List, fmt.Sprintf(`[["order","L%d"],["to","a"]]`, i)).Err())
		}
		must(db.LPush(ctx, queue.List, "not ours").Err())
		now = look()
		want(now, somewhere, "L1", "L1200")
		want(now, nowhere, "L1201")

		must(db.Del(ctx, queue.Stream, queue.DeadLetter, queue.List).Err())
		want(look(), nowhere, "1", "3", "2500", "L1")
	})
}

func TestTheIDAfter(t *testing.T) {
	for id, want := range map[string]string{
		"": "-", "5-3": "5-4", "0-0": "0-1", "7-18446744073709551615": "8-0", "5": "-", "5-x": "-",
	} {
		if got := after(id); got != want {
			t.Errorf("after %q: %q, want %q", id, got, want)
		}
	}
}

func TestACountIsBounded(t *testing.T) {
	// A stream without end: every page is full.
	endless := endlessStream{}
	sight := newSight(&endless, redisq.NewQueue("s", "g"))
	now, err := sight.look(context.Background(), true, false, func(string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	if now.complete || now.where("1", &openOrder{}) != notLooked {
		t.Errorf("got %+v, want no verdict on what was not looked at", now.complete)
	}
	if endless.calls > 1000 {
		t.Errorf("%d commands for one count", endless.calls)
	}
	if _, pages := sight.take(); pages < 200 {
		t.Errorf("%d full pages told, want all that were read", pages)
	}
}

// endlessStream answers every XRANGE with a full page.
type endlessStream struct {
	calls int
	next  int
}

func (e *endlessStream) Do(_ context.Context, args ...any) (any, error) {
	e.calls++
	switch args[0] {
	case "XRANGE":
		rows := make([]any, args[5].(int))
		for i := range rows {
			e.next++
			rows[i] = []any{fmt.Sprintf("%d-0", e.next), []any{"order", fmt.Sprint(e.next)}}
		}
		return rows, nil
	case "XREVRANGE":
		return []any{[]any{"9999999999999-0", []any{"order", "1"}}}, nil
	case "XLEN":
		return int64(time.Hour), nil
	}
	return []any{}, nil
}
