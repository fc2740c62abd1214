package e2e

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq/redistest"
)

// On a Cluster the same is done: the keys of a queue are in one slot.
func TestActOnACluster(t *testing.T) {
	t.Parallel()
	addr := redistest.Node(t)
	if addr == "" {
		return
	}
	client := redis.NewClient(&redis.Options{Addr: addr})
	t.Cleanup(func() { _ = client.Close() })
	ids := trouble(t, client)
	p := start(t, 120, 36, nil, "watch", "redis://"+addr, "--stream", "orders", "--group", "mailers", "--interval", "100ms", "--lease", "1s", "--write")
	p.waitLine("WRITE", "orders ▸ mailers", "cluster")
	p.waitLine(ids[0], "worker-1")
	p.claim(ids[0])
	p.WaitText("claimed 1 entry for worker-2")
	once(t, client, ids[0])

	// By the doctor: what worker-1 still holds.
	p.Type("6")
	p.waitLine("stuck-consumer", "worker-1")
	p.Type(".")
	p.WaitText("claim them for a consumer")
	p.Type("\r")
	p.WaitText("Which consumer gets them?")
	p.Type("worker-2\r")
	p.WaitText("Claim 1 pending entry for worker-2?", "XCLAIM orders mailers worker-2 1000 "+ids[1])
	p.Type("\r")
	until(t, "worker-2 to have it", func() bool { return held(t, client, ids[1]) == "worker-2" })
	p.WaitText("claimed 1 entry for worker-2")

	p.Type("4R")
	p.WaitText("Replay 2 dead letters?")
	p.Type("\r")
	p.waitLine("replayed 2")
	if n, left := length(t, client, "orders"), length(t, client, "{orders}:dead"); n != 4 || left != 0 {
		t.Errorf("%d entries and %d letters, want 4 and none", n, left)
	}
	p.leave()
}

// until waits for a condition outside of the screen.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			t.Fatal("not within a minute: " + what)
		case <-tick.C:
		}
	}
}

// bury makes n dead letters, of the orders 1 to n.
func bury(t *testing.T, client *redis.Client, n int) {
	t.Helper()
	pipe := client.Pipeline()
	for order := 1; order <= n; order++ {
		id := fmt.Sprintf("1-%d", order)
		pipe.XAdd(t.Context(), &redis.XAddArgs{Stream: "{orders}:dead", Values: []string{
			"unacked:stream", "orders", "unacked:group", "mailers", "unacked:entry", id, "unacked:original", id, "unacked:deliveries", "5",
			"unacked:consumer", "worker-1", "unacked:reason", "550", "unacked:time", "1764365984740", "unacked:replays", "0",
			"order", strconv.Itoa(order),
		}})
	}
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The master dies while letters are put back, and its replica takes over: the replay goes on there. Each letter waits or
// has gone back, never both or neither, whatever the new master had been told of.
func TestReplayThroughASentinel(t *testing.T) {
	t.Parallel()
	w := redistest.StartWatched(t)
	if w == nil {
		return
	}
	master := redis.NewClient(&redis.Options{Addr: w.Master.Addr})
	t.Cleanup(func() { _ = master.Close() })
	replica := redis.NewClient(&redis.Options{Addr: w.Replica.Addr})
	t.Cleanup(func() { _ = replica.Close() })
	if err := master.XGroupCreateMkStream(t.Context(), "orders", "mailers", "0").Err(); err != nil {
		t.Fatal(err)
	}
	const letters = 300
	bury(t, master, letters)
	until(t, "the replica to have them", func() bool { return length(t, replica, "{orders}:dead") == letters })

	cmd := command(t, nil, "replay", w.URL, "orders", "--rate", "100")
	var out, told strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &told
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "some to be replayed", func() bool { return length(t, replica, "orders") > 20 })
	w.Master.Kill()
	failed := cmd.Wait()
	until(t, "the replica to be the master", func() bool { return w.TookOver(t.Context()) })

	if text := told.String(); !strings.Contains(text, checking) && !strings.Contains(text, "waiting for it, nothing is in hand") {
		t.Errorf("it said nothing of the failover: %q", text)
	}
	if text := told.String(); !strings.Contains(text, "the server answers again") && !strings.Contains(text, checking) {
		t.Errorf("it did not say that the server is back: %q", text)
	}
	places := map[string]int{}
	for _, key := range []string{"orders", "{orders}:dead"} {
		entries, err := replica.XRange(t.Context(), key, "-", "+").Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			places[fmt.Sprint(e.Values["order"])]++
		}
	}
	for order := 1; order <= letters; order++ {
		if n := places[strconv.Itoa(order)]; n != 1 {
			t.Errorf("order %d is in %d places, want one", order, n)
		}
	}
	left := length(t, replica, "{orders}:dead")
	if (failed == nil) != (left == 0) {
		t.Errorf("it ended with %v, and %d letters are left:\n%s", failed, left, out.String())
	}
	if told := strings.Count(out.String(), " failed: "); int64(told) < left {
		t.Errorf("%d letters are left, and %d of them are told:\n%s", left, told, out.String())
	}
}
