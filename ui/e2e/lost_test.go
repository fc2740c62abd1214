package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq/redistest"
)

// runs says that a command runs a script in which the word stands. A server that does not know a script yet is sent its
// text, so the first run of each is one of these; what follows is asked for by its digest.
func runs(word string) func([]string) bool {
	first := true
	return func(c []string) bool {
		if c[0] == "EVAL" && strings.Contains(c[1], word) {
			first = false
			return true
		}
		return c[0] == "EVALSHA" && !first
	}
}

// acting is a dashboard that may change things, on a server behind a proxy.
func acting(t *testing.T) (*program, *redistest.Proxy, *redis.Client, []string) {
	t.Helper()
	s, client := given(t)
	ids := trouble(t, client)
	proxy := redistest.Server{Name: "given", URL: s.URL()}.NewProxy(t)
	p := start(t, 120, 36, nil, "watch", proxy.URL(), "--stream", "orders", "--group", "mailers", "--interval", "100ms", "--lease", "1s", "--write")
	p.waitLine("WRITE", "orders ▸ mailers")
	p.waitLine(ids[0], "worker-1")
	return p, proxy, client, ids
}

// said waits until the screen has said something, also if it says something else by now.
func (p *program) said(text string) {
	p.t.Helper()
	p.Wait(text, func() bool { return strings.Contains(p.Raw(), text) })
}

const checking = "outcome unknown, checking"

// The replies to a replay are lost: the screen says that it does not know, and then the truth. Each letter goes back once.
func TestALostReplyToAReplay(t *testing.T) {
	t.Parallel()
	p, proxy, client, _ := acting(t)
	proxy.CutReply(2, runs("replayed"))
	p.Type("4R")
	p.WaitText("Replay 2 dead letters?")
	p.Type("\r")
	p.said(checking)
	p.waitLine("replayed 2")
	if n := length(t, client, "orders"); n != 4 {
		t.Errorf("the stream has %d entries, want the two that were there and each letter once", n)
	}
	if n := length(t, client, "{orders}:dead"); n != 0 {
		t.Errorf("%d letters are left", n)
	}
	if n := proxy.Cuts(); n != 2 {
		t.Errorf("%d replies were cut, want 2", n)
	}
	p.leave()
}

// The reply to a replay is lost, and the server comes back without its data: nobody can tell, and the screen says so.
func TestALostReplyThatNobodyCanTell(t *testing.T) {
	t.Parallel()
	p, proxy, client, _ := acting(t)
	replays := runs("replayed")
	proxy.CutReply(1, func(c []string) bool {
		if !replays(c) {
			return false
		}
		if err := client.FlushAll(context.Background()).Err(); err != nil {
			t.Error(err)
		}
		return true
	})
	p.Type("4R")
	p.WaitText("Replay 2 dead letters?")
	p.Type("\r")
	p.said(checking)
	p.WaitText("not known of 1")
	p.leave()
}

// The server becomes a replica with the reply lost, as in a failover, and a master again: the screen finds out.
func TestALostReplyInAFailover(t *testing.T) {
	t.Parallel()
	p, proxy, client, _ := acting(t)
	if err := client.Do(t.Context(), "REPLICAOF", "NO", "ONE").Err(); err != nil {
		p.leave() // the embedded server has no replicas; where servers are required this is a real one
		return
	}
	replays := runs("replayed")
	proxy.CutReply(1, func(c []string) bool {
		if !replays(c) {
			return false
		}
		if err := client.Do(context.Background(), "REPLICAOF", "127.0.0.1", "1").Err(); err != nil {
			t.Error(err)
		}
		return true
	})
	p.Type("4R")
	p.WaitText("Replay 2 dead letters?")
	p.Type("\r")
	p.said(checking)
	if err := client.Do(t.Context(), "REPLICAOF", "NO", "ONE").Err(); err != nil {
		t.Fatal(err)
	}
	p.waitLine("replayed 2")
	if n, left := length(t, client, "orders"), length(t, client, "{orders}:dead"); n != 4 || left != 0 {
		t.Errorf("%d entries and %d letters, want 4 and none", n, left)
	}
	p.leave()
}

// The reply to a claim is lost: it is counted as a delivery once.
func TestALostReplyToAClaim(t *testing.T) {
	t.Parallel()
	p, proxy, client, ids := acting(t)
	proxy.CutReply(2, runs("RETRYCOUNT"))
	p.claim(ids[0])
	p.said(checking)
	p.WaitText("claimed 1 entry for worker-2")
	once(t, client, ids[0])
	p.leave()
}

// The server gets the claim after the client has given it up and sent another: it is done once.
func TestAClaimThatComesLate(t *testing.T) {
	t.Parallel()
	p, proxy, client, ids := acting(t)
	const late = 3500 * time.Millisecond // more than the client waits for a reply
	proxy.DelayCommand(1, late, runs("RETRYCOUNT"))
	p.claim(ids[0])
	p.said(checking)
	p.WaitText("claimed 1 entry for worker-2")
	p.Wait("the one that comes late", func() bool { return proxy.Late() == 1 })
	once(t, client, ids[0])
	p.leave()
}

// claim hands an entry to worker-2, counted as a delivery.
func (p *program) claim(id string) {
	p.t.Helper()
	p.Type("2.")
	p.WaitText("claim " + id)
	p.Type("\r")
	p.waitLine("worker-2", "holds 0")
	p.Type("worker-2\t\r")
	p.WaitText("Claim 1 pending entry for worker-2?")
	p.Type("\r")
}

// once wants an entry to be worker-2's as its second delivery.
func once(t *testing.T, client *redis.Client, id string) {
	t.Helper()
	rows, err := client.XPendingExt(t.Context(), &redis.XPendingExtArgs{Stream: "orders", Group: "mailers", Start: id, End: id, Count: 1}).Result()
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	if rows[0].Consumer != "worker-2" || rows[0].RetryCount != 2 {
		t.Errorf("%s has it as delivery %d, want worker-2 and its second", rows[0].Consumer, rows[0].RetryCount)
	}
}
