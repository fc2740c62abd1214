package workers

import (
	"context"
	"io"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// BenchmarkWorker compares the worker's loop with a bare one of the same library: COUNT 100, the acks of a batch in one
// pipeline with the next read. Both handle b.N messages that are there already.
func BenchmarkWorker(b *testing.B) {
	for _, server := range redistest.Servers(b) {
		if server.Embedded {
			continue
		}
		o, err := redis.ParseURL(server.URL)
		if err != nil {
			b.Fatal(err)
		}
		rdb := redis.NewClient(o)
		b.Cleanup(func() { _ = rdb.Close() })
		b.Run(server.Name+"/bare", func(b *testing.B) {
			stream := server.Key(b, "bench")
			fill(b, rdb, stream)
			bare(b, rdb, stream)
		})
		for _, how := range []struct {
			name  string
			batch int
			out   io.Writer
		}{{"worker", 100, nil}, {"worker-with-events", 100, io.Discard}, {"worker-one-by-one", 1, nil}} {
			b.Run(server.Name+"/"+how.name, func(b *testing.B) {
				stream := server.Key(b, "bench")
				fill(b, rdb, stream)
				target, err := redisq.ParseTarget(server.URL)
				if err != nil {
					b.Fatal(err)
				}
				s := DefaultSettings()
				s.Batch = how.batch
				ctx, cancel := context.WithCancel(context.Background())
				done, n := make(chan error, 1), 0
				b.ResetTimer()
				go func() {
					done <- Run(ctx, Config{
						Target: target, Queue: redisq.NewQueue(stream, testGroup), Consumer: "w1", Settings: s, Out: how.out,
						Handler: handlerFunc(func(context.Context, Message) error { n++; return nil }),
					})
				}()
				eventually(b, "all handled", func() bool { return unacked(b, rdb, stream) == 0 })
				b.StopTimer()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
				cancel()
				if err := <-done; err != nil || n != b.N {
					b.Fatalf("%d of %d handled, error %v", n, b.N, err)
				}
			})
		}
	}
}

// unacked says how many messages are not acked yet.
func unacked(b *testing.B, rdb *redis.Client, stream string) int64 {
	b.Helper()
	res, err := rdb.XInfoGroups(context.Background(), stream).Result()
	if err != nil || len(res) != 1 {
		b.Fatal(err)
	}
	if res[0].EntriesRead < int64(b.N) {
		return int64(b.N) - res[0].EntriesRead
	}
	return res[0].Pending
}

func fill(b *testing.B, rdb *redis.Client, stream string) {
	b.Helper()
	ctx := context.Background()
	for n := 0; n < b.N; {
		p := rdb.Pipeline()
		for range min(1000, b.N-n) {
			n++
			p.XAdd(ctx, &redis.XAddArgs{Stream: stream, Values: []string{
				"order", strconv.Itoa(n), "to", "customer@shop.example", "at", "1764365984740",
			}})
		}
		if _, err := p.Exec(ctx); err != nil {
			b.Fatal(err)
		}
	}
	if err := rdb.XGroupCreateMkStream(ctx, stream, testGroup, "0").Err(); err != nil {
		b.Fatal(err)
	}
}

func bare(b *testing.B, rdb *redis.Client, stream string) {
	b.Helper()
	ctx := context.Background()
	args := &redis.XReadGroupArgs{Group: testGroup, Consumer: "w1", Streams: []string{stream, ">"}, Count: 100, Block: -1}
	var batch []redis.XMessage
	b.ResetTimer()
	for done := 0; done < b.N; {
		p := rdb.Pipeline()
		for _, m := range batch {
			p.XAck(ctx, stream, testGroup, m.ID)
		}
		next := p.XReadGroup(ctx, args)
		if _, err := p.Exec(ctx); err != nil && err != redis.Nil {
			b.Fatal(err)
		}
		done += len(batch)
		batch = nil
		if streams := next.Val(); len(streams) == 1 {
			batch = streams[0].Messages
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
