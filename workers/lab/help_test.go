package lab_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/redisq/server"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// quick is a lab without load whose times are short.
func quick() lab.Decisions {
	d := lab.Defaults()
	d.Rate, d.BadShare, d.Workers, d.Service = 0, 0, 1, 10*time.Millisecond
	d.Worker.Lease = 300 * time.Millisecond
	return d
}

// start starts a lab and ends it with the test.
func start(t *testing.T, o lab.Options) *lab.Lab {
	t.Helper()
	if o.Self == nil {
		o.Self = []string{os.Args[0], "worker"}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l, err := lab.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, l) })
	return l
}

func end(t *testing.T, l *lab.Lab) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := l.Close(ctx); err != nil {
		t.Error(err)
	}
}

// on says where a lab runs: on the given server, or embedded as its own.
func on(t *testing.T, s redistest.Server, d lab.Decisions) lab.Options {
	t.Helper()
	if s.Embedded {
		return lab.Options{Server: server.Embedded, Decisions: d}
	}
	target, err := redisq.ParseTarget(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return lab.Options{Target: &target, Decisions: d}
}

// patience is how long a test waits before it has failed. It bounds nothing but that.
const patience = time.Minute

// await reads updates until one is as wanted. The books of each one that it sees must balance.
func await(t *testing.T, l *lab.Lab, what string, wanted func(lab.Update) bool) lab.Update {
	t.Helper()
	late := time.After(patience)
	var last lab.Update
	for {
		select {
		case u, ok := <-l.Updates():
			if !ok {
				t.Fatalf("the lab ended before: %s", what)
			}
			last = u
			balanced(t, u)
			if wanted(u) {
				return u
			}
		case <-late:
			if last.State == nil {
				t.Fatalf("no update, and never: %s", what)
			}
			t.Fatalf("never within %v: %s\nworkers %+v\nproducer %+v\nsink %+v\nbooks %+v\nsnapshot %v %+v\nnotices %v\nlog %q",
				patience, what, last.State.Workers, last.State.Producer, last.State.Sink, last.State.Books, last.Snapshot.Err,
				last.Snapshot.Group, last.State.Notices, last.Log)
		}
	}
}

// balanced is the promise of the screen: orders = once + twice + not yet + never.
func balanced(t *testing.T, u lab.Update) {
	t.Helper()
	b := u.State.Books
	if !b.Known {
		return
	}
	if sum := b.Once + b.Twice + b.NotYet + b.Never; sum != b.Orders || !b.Balanced || b.Off != "" {
		t.Fatalf("the books are off: %+v", b)
	}
}

// arm lets w1 be killed at a point. It has begun by then: one that does not answer in time is an error.
func arm(t *testing.T, l *lab.Lab, at workers.CrashPoint) {
	t.Helper()
	await(t, l, "w1 waiting for work", func(u lab.Update) bool { return first(u).Phase == workers.PhaseWaiting })
	if err := l.Kill("w1", at); err != nil {
		t.Fatal(err)
	}
}

// client is a connection that has nothing to do with the lab.
func client(t *testing.T, url string) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// until waits for a condition outside the lab.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

// first is the worker w1; before it has begun, one that is in no phase.
func first(u lab.Update) workers.State {
	for _, w := range u.State.Workers {
		if w.Name == "w1" {
			return w
		}
	}
	return workers.State{}
}

func find(t *testing.T, u lab.Update, name string) (order string, alive bool) {
	t.Helper()
	for _, w := range u.State.Workers {
		if w.Name == name {
			return w.Order, w.Alive()
		}
	}
	t.Fatalf("no worker %s among %+v", name, u.State.Workers)
	return "", false
}
