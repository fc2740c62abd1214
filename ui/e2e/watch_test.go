package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// feed adds an order every 50 ms until the test ends.
func feed(t *testing.T, client *redis.Client, stream string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = client.XAdd(ctx, &redis.XAddArgs{Stream: stream, Values: []string{"order", "more"}}).Err()
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { stop(); <-done })
}

// leave presses q where there are no children.
func (p *program) leave() {
	p.t.Helper()
	p.Type("q")
	if code := p.Exit(); code != 0 {
		p.t.Errorf("exit code %d\n%s", code, p.Text())
	}
	p.WaitRestored()
}

// A server that others use is watched while they use it: its streams are listed, one is opened, what happens to a
// message is told, and nothing is changed.
func TestWatch(t *testing.T) {
	t.Parallel()
	s, client := given(t)
	ctx := t.Context()
	for _, stream := range []string{"calm", "orders"} {
		if err := client.XGroupCreateMkStream(ctx, stream, "mailers", "0").Err(); err != nil {
			t.Fatal(err)
		}
	}
	id, err := client.XAdd(ctx, &redis.XAddArgs{Stream: "orders", Values: []string{"order", "31"}}).Result()
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, 120, 36, nil, "watch", s.URL(), "--interval", "100ms", "--lease", "2s")
	p.waitLine("orders", "mailers", "NO CONSUMERS")
	p.waitLine("calm", "nothing waits")
	p.WaitText("READ-ONLY", "2 streams")
	if q := p.Queries(); len(q) > 0 {
		t.Errorf("asked the terminal: %q", q)
	}
	p.Type("\r")
	p.waitLine("READ-ONLY", "orders ▸ mailers")
	if err := client.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: "mailers", Consumer: "worker-1", Streams: []string{"orders", ">"}, Count: 1,
	}).Err(); err != nil {
		t.Fatal(err)
	}
	p.waitLine(id, "worker-1", "order=31")
	feed(t, client, "orders")
	p.waitLine("in ", "/s", "added ever")
	p.waitLine(id, "s!", "worker-1") // past the lease
	p.WaitText("worker-1", "holds")  // what the doctor says
	p.Type("\t\r")                   // the entry
	p.waitLine("Story", "from successive readings")
	p.Type("G")
	if err := client.XClaim(ctx, &redis.XClaimArgs{
		Stream: "orders", Group: "mailers", Consumer: "worker-2", Messages: []string{id},
	}).Err(); err != nil {
		t.Fatal(err)
	}
	p.WaitText("claimed by worker-2 from worker-1 (delivery 2)")
	if err := client.XAck(ctx, "orders", "mailers", id).Err(); err != nil {
		t.Fatal(err)
	}
	p.WaitText("vanished from the pending list, last with worker-2")
	p.Type("x")
	p.WaitText("is for the lab")
	p.Type("6")
	p.waitLine("Doctor")
	p.Type("c")
	p.WaitText("2 streams")
	p.leave()

	pending, err := client.XPending(ctx, "orders", "mailers").Result()
	if err != nil || pending.Count != 0 {
		t.Errorf("%+v pending (%v): nothing was delivered to anybody", pending, err)
	}
	if all := keys(t, client); strings.Join(all, " ") != "calm orders" {
		t.Errorf("the keys are %q", all)
	}
}

// What cannot be watched is said; what goes away is waited for.
func TestWatchRefusedAndLost(t *testing.T) {
	t.Parallel()
	s, client := given(t)
	if err := client.XGroupCreateMkStream(t.Context(), "orders", "mailers", "0").Err(); err != nil {
		t.Fatal(err)
	}
	p := start(t, 80, 24, []string{"REDIS_URL=" + s.URL()}, "watch", "--stream", "orders", "--group", "nobody", "--interval", "100ms")
	p.WaitText("NOT THERE", "no group nobody")
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	p.WaitText("NO ANSWER")
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.WaitText("NOT THERE", "no stream orders") // it came back empty
	p.leave()
}

// A server that is down at the start is waited for, with its address and what was said on the screen.
func TestWatchWaits(t *testing.T) {
	t.Parallel()
	s, _ := given(t)
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	p := start(t, 80, 24, nil, "watch", s.URL())
	p.WaitText("NO ANSWER", "still trying after", s.Addr(), "connection refused")
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.WaitText("EMPTY", "There is no stream on this server")
	p.leave()
}
