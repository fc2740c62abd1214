package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/redis/go-redis/v9"
)

// trouble is a stream in which worker-1 holds two entries that nobody works on, with two dead letters. It returns the
// ids of the entries.
func trouble(t *testing.T, client *redis.Client) (ids []string) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(client.XGroupCreateMkStream(ctx, "orders", "mailers", "0").Err())
	for _, order := range []string{"31", "32"} {
		id, err := client.XAdd(ctx, &redis.XAddArgs{Stream: "orders", Values: []string{"order", order}}).Result()
		must(err)
		ids = append(ids, id)
	}
	must(client.XReadGroup(ctx, &redis.XReadGroupArgs{Group: "mailers", Consumer: "worker-1", Streams: []string{"orders", ">"}}).Err())
	must(client.XGroupCreateConsumer(ctx, "orders", "mailers", "worker-2").Err())
	for _, order := range []string{"17", "18"} {
		must(client.XAdd(ctx, &redis.XAddArgs{Stream: "{orders}:dead", Values: []string{
			"unacked:stream", "orders", "unacked:group", "mailers", "unacked:entry", "1-" + order, "unacked:original", "1-" + order,
			"unacked:deliveries", "5", "unacked:consumer", "worker-1", "unacked:reason", "550 no such user",
			"unacked:time", "1764365984740", "unacked:replays", "0", "order", order, "to", "bad@nowhere.invalid",
		}}).Err())
	}
	return ids
}

// held is who holds an entry, by the server's word.
func held(t *testing.T, client *redis.Client, id string) string {
	t.Helper()
	rows, err := client.XPendingExt(context.Background(), &redis.XPendingExtArgs{Stream: "orders", Group: "mailers", Start: id, End: id, Count: 1}).Result()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 {
		return "nobody"
	}
	return rows[0].Consumer
}

func length(t *testing.T, client *redis.Client, key string) int64 {
	t.Helper()
	n, err := client.XLen(context.Background(), key).Result()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// With --write a stuck entry is handed to another consumer, a dead letter goes back to work, one is edited before that,
// and a discarded one comes back.
func TestWatchAndAct(t *testing.T) {
	t.Parallel()
	s, client := given(t)
	ids := trouble(t, client)
	editor := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nsed -i s/bad@nowhere.invalid/good@shop.example/ \"$1\"\nls -l \"$1\" >"+editor+".saw\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	p := start(t, 120, 36, []string{"VISUAL=", "EDITOR=" + editor, "TMPDIR=" + temp},
		"watch", s.URL(), "--stream", "orders", "--group", "mailers", "--interval", "100ms", "--lease", "1s", "--write")
	p.waitLine("WRITE", "orders ▸ mailers")
	p.waitLine(ids[0], "worker-1")

	p.Type("2.")
	p.WaitText("claim "+ids[0], "acknowledge "+ids[0])
	p.Type("\r")
	p.waitLine("worker-2", "holds 0")
	p.Type("worker-2\r")
	p.WaitText("Claim 1 pending entry for worker-2?", "XCLAIM orders mailers worker-2 0 "+ids[0]+" JUSTID")
	if owner := held(t, client, ids[0]); owner != "worker-1" {
		t.Errorf("%s has the entry before the plan was confirmed", owner)
	}
	p.Type("\r")
	p.WaitText("claimed 1 entry for worker-2")
	p.waitLine(ids[0], "worker-2")
	if owner := held(t, client, ids[0]); owner != "worker-2" {
		t.Errorf("%s has the entry, want worker-2", owner)
	}

	p.Type("4")
	p.waitLine(">", "550 no such user")
	p.Type(".")
	p.WaitText("edit it, then replay")
	p.Type("\x1b[B\r") // down: to the edit
	p.WaitText("Replay 1 dead letter?", "good@shop.example", "edited")
	p.Type("\r")
	p.WaitText("replayed 1")
	p.Wait("one letter", func() bool { return length(t, client, "{orders}:dead") == 1 })
	last, err := client.XRevRangeN(t.Context(), "orders", "+", "-", 1).Result()
	if err != nil {
		t.Fatal(err)
	}
	if got := last[0].Values["to"]; got != "good@shop.example" {
		t.Errorf("the entry goes to %v, want what was edited", got)
	}
	if saw, err := os.ReadFile(editor + ".saw"); err != nil || string(saw[:10]) != "-rw-------" {
		t.Errorf("the file to edit was %q (%v), want it to be this user's only", saw, err)
	}

	p.Wait("the other letter", func() bool { return p.has("> ", "order=17") })
	p.Type(".")
	p.WaitText("discard letter")
	p.Type("\x1b[B\x1b[B\r")
	p.WaitText("Discard 1 dead letter?")
	p.Type("\r")
	p.WaitText("u brings it back, until you quit")
	p.Wait("no letter", func() bool { return length(t, client, "{orders}:dead") == 0 })
	p.Type("u")
	p.WaitText("Bring back 1 dead letter?")
	p.Type("\r")
	p.Wait("the letter again", func() bool { return length(t, client, "{orders}:dead") == 1 })
	p.waitLine("> ", "order=17", "550 no such user")
	p.leave()
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("files of edits are left: %v %v", left, err)
	}
}

// Without --write every key of an action says why it is off, and nothing is changed.
func TestWatchRefusesToAct(t *testing.T) {
	t.Parallel()
	s, client := given(t)
	ids := trouble(t, client)
	p := start(t, 80, 24, nil, "watch", s.URL(), "--stream", "orders", "--group", "mailers", "--interval", "100ms", "--lease", "1s")
	p.waitLine("READ-ONLY", "orders ▸ mailers")
	p.Type("2")
	p.waitLine(ids[0], "worker-1")
	for _, k := range []string{".", "r", "R", "u", "v"} {
		p.Type(k)
		p.waitLine(k+" (", "is off: read-only: start with --write")
	}
	if owner := held(t, client, ids[0]); owner != "worker-1" || length(t, client, "{orders}:dead") != 2 {
		t.Errorf("%s has the entry, want worker-1; %d letters, want 2", owner, length(t, client, "{orders}:dead"))
	}
	p.leave()
}

// ctrl+c in the editor is the editor's: the dashboard goes on.
func TestInterruptedEditor(t *testing.T) {
	t.Parallel()
	s, client := given(t)
	trouble(t, client)
	editor := filepath.Join(t.TempDir(), "editor")
	script := "#!/bin/sh\ntrap 'echo interrupted; exit 1' INT\necho editing\nwhile :; do sleep 0.1; done\n"
	if err := os.WriteFile(editor, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	p := start(t, 80, 24, []string{"VISUAL=" + editor}, "watch", s.URL(), "--stream", "orders", "--group", "mailers", "--interval", "100ms", "--write")
	p.waitLine("WRITE", "orders ▸ mailers")
	p.Type("4")
	p.waitLine(">", "550 no such user")
	p.Type(".")
	p.WaitText("edit it, then replay")
	p.Type("\x1b[B\r")
	p.WaitText("editing")
	p.Type("\x03")
	p.WaitText("nothing was replayed: the editor ended with")
	if n := length(t, client, "{orders}:dead"); n != 2 {
		t.Errorf("%d letters, want 2", n)
	}
	p.leave()
}
