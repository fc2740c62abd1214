package lab

import (
	"slices"
	"sync"
	"testing"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// All keys with a known name go with one command: a server that is far away, or busy, has the time for that.
func TestKnownKeysGoTogether(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		_, db, queue := looking(t, s)
		prefix := keyPrefix + t.Name() + ":"
		queue = redisq.NewQueue(prefix+queue.Stream, groupName)
		known := []string{queue.Stream, queue.DeadLetter, queue.List}
		other := prefix + "seen:1-0"
		for _, key := range append([]string{other}, known...) {
			if err := db.Set(t.Context(), key, "1", 0).Err(); err != nil {
				t.Fatal(err)
			}
		}
		var mu sync.Mutex
		var sent [][]string // guarded by mu
		watched := s.NewProxy(t)
		watched.CutReply(1, func(command []string) bool {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, command)
			return false
		})
		target, err := redisq.ParseTarget(watched.URL())
		if err != nil {
			t.Fatal(err)
		}
		client, err := redisq.Connect(target, redisq.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if err := remove(t.Context(), client, queue, prefix); err != nil {
			t.Error(err)
		}
		if n, err := db.Exists(t.Context(), append(known, other)...).Result(); err != nil || n != 0 {
			t.Errorf("%d of the keys are left, %v", n, err)
		}
		mu.Lock()
		defer mu.Unlock()
		first := slices.IndexFunc(sent, func(command []string) bool { return command[0] == "UNLINK" })
		if first < 0 || !slices.Equal(sent[first][1:], known) {
			t.Errorf("sent %q, want one UNLINK of %q first", sent, known)
		}
	})
}
