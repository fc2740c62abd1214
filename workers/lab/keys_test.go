package lab

import (
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// A server that takes its time for each command keeps none of the lab's keys.
func TestASlowServerIsCleanedUp(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		_, db, queue := looking(t, s)
		prefix := keyPrefix + t.Name() + ":"
		queue = redisq.NewQueue(prefix+queue.Stream, groupName)
		keys := []string{queue.Stream, queue.DeadLetter, queue.List}
		for _, key := range keys {
			if err := db.Set(t.Context(), key, "1", 0).Err(); err != nil {
				t.Fatal(err)
			}
		}
		slow := s.NewProxy(t)
		slow.DelayCommand(3, 300*time.Millisecond, func(command []string) bool { return command[0] == "UNLINK" })
		target, err := redisq.ParseTarget(slow.URL())
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
		if n, err := db.Exists(t.Context(), keys...).Result(); err != nil || n != 0 {
			t.Errorf("%d of the keys are left, %v", n, err)
		}
	})
}
