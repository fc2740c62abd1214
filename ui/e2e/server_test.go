package e2e

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq/server"
)

// given starts a server for the lab to be sent to, as a person's own one.
func given(t *testing.T) (*server.Server, *redis.Client) {
	t.Helper()
	modes := modes(t)
	s, err := server.Start(t.Context(), server.Mode(modes[len(modes)-1]))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	client := redis.NewClient(&redis.Options{Addr: s.Addr()})
	t.Cleanup(func() { _ = client.Close() })
	return s, client
}

// On a given server the lab uses keys of its own, says which, and takes them away; it leaves all others alone.
func TestGivenServer(t *testing.T) {
	t.Parallel()
	s, client := given(t)
	ctx := t.Context()
	for _, err := range []error{
		client.Set(ctx, "unacked:lab:of another", "1", 0).Err(),
		client.XAdd(ctx, &redis.XAddArgs{Stream: "emails", Values: []string{"order", "1"}}).Err(),
		client.XGroupCreate(ctx, "emails", "mailers", "0").Err(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := keys(t, client)
	p := start(t, 120, 36, nil, append([]string{"lab", "--redis", s.URL()}, slow...)...)
	p.waitWorker("w1", "sending")
	p.WaitText("unacked:lab:")
	p.Type("b") // dead letters are to go as well
	p.Wait("keys of the lab", func() bool { return len(keys(t, client)) > len(before) })
	p.quit()
	if after := keys(t, client); !slices.Equal(after, before) {
		t.Errorf("keys after the lab: %q, before: %q", after, before)
	}
	if n, err := client.XPending(ctx, "emails", "mailers").Result(); err != nil || n.Count != 0 {
		t.Errorf("the other group has %v pending (%v)", n, err)
	}
}

// Who closes the window right after q still finds the keys removed: that takes a fifth of a second. Where the program is
// quicker than this test the signal comes too late to do harm.
func TestASignalWhileTheLabEndsLeavesNoKeys(t *testing.T) {
	t.Parallel()
	s, client := given(t)
	p := start(t, 120, 36, nil, append([]string{"lab", "--redis", s.URL()}, slow...)...)
	p.waitWorker("w1", "sending")
	p.Type("q")
	p.Wait("the end of the screen", func() bool { return !p.AltScreen() })
	p.Signal(syscall.SIGHUP)
	if code := p.Exit(); code != 0 && code != 129 {
		t.Errorf("exit code %d", code)
	}
	if after := keys(t, client); len(after) > 0 {
		t.Errorf("keys after the lab: %q", after)
	}
}

func keys(t *testing.T, client *redis.Client) []string {
	t.Helper()
	all, err := client.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// A password is on no screen and in no list of processes.
func TestPassword(t *testing.T) {
	t.Parallel()
	s, client := given(t)
	url := "redis://:hunter2@" + s.Addr()
	if s.Embedded() { // has no password to ask for, and takes none: what is shown is to be tested all the same
		url = s.URL()
	} else if err := client.ConfigSet(t.Context(), "requirepass", "hunter2").Err(); err != nil {
		t.Fatal(err)
	}
	p := start(t, 120, 36, nil, append([]string{"lab", "--redis", url}, slow...)...)
	p.waitWorker("w1", "sending")
	p.Type("5") // the commands, HELLO and AUTH among them
	p.WaitText("XPENDING", "XINFO")
	for _, q := range descendants(t, p.PID) {
		if strings.Contains(q.command, "hunter2") {
			t.Errorf("the password is in the arguments of %d", q.pid)
		}
	}
	p.quit()
	if strings.Contains(p.Raw(), "hunter2") {
		t.Error("the password was drawn")
	}
}

// A server that goes away is said so, keys go on working, and when it is back all goes on.
func TestServerAway(t *testing.T) {
	t.Parallel()
	s, _ := given(t)
	p := start(t, 120, 36, nil, append([]string{"lab", "--redis", s.URL()}, slow...)...)
	p.waitWorker("w1", "sending")
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	p.WaitText("NO ANSWER")
	p.Type("2")
	p.WaitText("IDLE") // the XPENDING form
	p.Type("1")
	p.WaitText("Mail sink")
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.Wait("the screen to be live", func() bool { return p.has("live") && !p.has("NO ANSWER") })
	orders := p.books()["orders"]
	p.Wait("orders to come in and go out", func() bool {
		b := p.books()
		return b["orders"] > orders+2 && b["sent once"] > 0 && b.balance()
	})
	if n := p.books()["sent twice"]; n > 1 { // the one that w1 was sending may have lost its ack
		t.Errorf("%d orders were sent twice", n)
	}
	p.quit()
}

// The private server that was killed is started again.
func TestPrivateServerKilled(t *testing.T) {
	t.Parallel()
	modes := modes(t)
	p := lab(t, modes[len(modes)-1], slow...)
	p.waitWorker("w1", "sending")
	if modes[len(modes)-1] == "embedded" {
		p.quit() // it lives in the dashboard's own process
		return
	}
	killed := 0
	for _, q := range descendants(t, p.PID) {
		if strings.Contains(q.command, "-server 127.0.0.1:") {
			_ = syscall.Kill(q.pid, syscall.SIGKILL)
			killed++
		}
	}
	if killed != 1 {
		t.Fatalf("killed %d servers", killed)
	}
	p.Wait("NO ANSWER or QUEUE GONE", func() bool { return p.has("NO ANSWER") || p.has("QUEUE GONE") })
	orders := p.books()["orders"]
	p.Wait("orders to come in and go out again", func() bool {
		b := p.books()
		return b["orders"] > orders+2 && b["sent once"] > 1 && b.balance()
	})
	p.quit()
}
