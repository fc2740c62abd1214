package workers

import (
	"context"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// A read that blocks ends with its context, at once and not with its block, and the next one is as good as ever.
func TestAReadIsBrokenOff(t *testing.T) {
	redistest.Each(t, func(t *testing.T, server redistest.Server) {
		r := rigOn(t, server)
		q := must[*redisQueue](t)(newRedisQueue(Config{
			Target: must[redisq.Target](t)(redisq.ParseTarget(r.url)), Queue: r.queue, Embedded: server.Embedded,
		}))
		defer q.close()
		must[bool](t)(q.Ensure(t.Context()))
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := q.ReadNew(ctx, "w1", 1, blockMost)
				done <- err
			}()
			eventually(t, "it has its connection", func() bool {
				q.mu.Lock()
				defer q.mu.Unlock()
				return q.reader != nil
			})
			cancel()
			select {
			case err := <-done:
				if err == nil {
					t.Error("no error")
				}
			case <-time.After(blockMost / 2):
				t.Fatal("it still blocks")
			}
		}
		ended, end := context.WithCancel(t.Context())
		end()
		for range 50 { // one that is over before it begins closes nothing under the next one
			if entries, err := q.ReadNew(t.Context(), "w1", 1, time.Millisecond); entries != nil || err != nil {
				t.Fatalf("the next read: %v, %v; want nothing there", entries, err)
			}
			if _, err := q.ReadNew(ended, "w1", 1, blockMost); err == nil {
				t.Error("no error from a read whose context has ended")
			}
		}
		q.close()
		_, err := q.ReadNew(t.Context(), "w1", 1, blockMost)
		if redisq.CodeOf(err) != redisq.CodeClosed {
			t.Errorf("after the end: %v, want that it is closed", err)
		}
	})
}
