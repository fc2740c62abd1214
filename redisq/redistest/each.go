package redistest

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq/server"
)

// Each runs f as a subtest for every server. A server that is required and missing fails the test.
func Each(t *testing.T, f func(t *testing.T, s Server)) {
	t.Helper()
	for _, s := range Servers(t) {
		t.Run(s.Name, func(t *testing.T) { f(t, s) })
	}
}

// Servers returns the servers for a test or benchmark that makes its own subtests; the embedded one is always the
// first.
func Servers(t testing.TB) []Server {
	t.Helper()
	servers, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return servers
}

// Names returns the names of the servers that Each runs for. It panics when they cannot be had: Main reports that
// before.
func Names() []string {
	servers, err := open()
	if err != nil {
		panic(err)
	}
	return names(servers)
}

// Key returns a key that no other call and no other process uses: "unacked:test:RANDOM:" and name. At the end of the
// test it is removed, and with it each key that has this beginning anywhere in its name, as "{KEY}:dead" has.
func (s Server) Key(t testing.TB, name string) string {
	t.Helper()
	prefix := "unacked:test:" + rand.Text() + ":"
	t.Cleanup(func() {
		// The test's own context ends before its cleanup.
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := remove(ctx, s.client, prefix); err != nil {
			t.Errorf("remove the test's keys from %s: %v", s.Name, err)
		}
	})
	return prefix + name
}

// remove deletes the keys with part anywhere in their name; part has no character that SCAN's MATCH takes specially.
func remove(ctx context.Context, c *redis.Client, part string) error {
	keys := c.Scan(ctx, 0, "*"+part+"*", 1000).Iterator()
	for keys.Next(ctx) {
		if err := c.Unlink(ctx, keys.Val()).Err(); err != nil {
			return err
		}
	}
	return keys.Err()
}

// Private starts a server of the test's own, which it may kill; it is closed at the end of the test. It is a real one
// where one is on PATH, else the embedded one; where servers are required it has to be a real one.
func Private(t testing.TB) *server.Server {
	t.Helper()
	mode := server.Auto
	if len(required()) > 0 {
		mode = server.Redis
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	s, err := server.Start(ctx, mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
