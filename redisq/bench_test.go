package redisq

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq/redistest"
)

const benchBatch = 100

// fillStream makes a stream of n small entries with a group at 0, anew.
func fillStream(b *testing.B, c *Client, q Queue, n int) {
	b.Helper()
	ctx := b.Context()
	if _, err := c.Do(ctx, "DEL", q.Stream); err != nil {
		b.Fatal(err)
	}
	if _, err := c.Do(ctx, "XGROUP", "CREATE", q.Stream, q.Group, "0", "MKSTREAM"); err != nil {
		b.Fatal(err)
	}
	for left := n; left > 0; left -= 1000 {
		var commands [][]any
		for range min(left, 1000) {
			commands = append(commands, []any{"XADD", q.Stream, "*", "order", "31", "to", "customer31@shop.example"})
		}
		if _, err := c.pipeline(ctx, commands); err != nil {
			b.Fatal(err)
		}
	}
}

// bareLoop is what a program without any checks does: one read, and the acks sent with the next read.
func bareLoop(ctx context.Context, rdb *redis.Client, q Queue, n int) error {
	var ids []string
	for done := 0; done < n; {
		pipe := rdb.Pipeline()
		if len(ids) > 0 {
			pipe.XAck(ctx, q.Stream, q.Group, ids...)
		}
		read := pipe.XReadGroup(ctx, &redis.XReadGroupArgs{
			Group: q.Group, Consumer: "w1", Streams: []string{q.Stream, ">"}, Count: benchBatch, Block: -1,
		})
		if _, err := pipe.Exec(ctx); err != nil && err != redis.Nil {
			return err
		}
		ids = ids[:0]
		for _, s := range read.Val() {
			for _, m := range s.Messages {
				ids = append(ids, m.ID)
			}
		}
		if len(ids) == 0 {
			return fmt.Errorf("nothing to read after %d", done)
		}
		done += len(ids)
	}
	return rdb.XAck(ctx, q.Stream, q.Group, ids...).Err()
}

// checkedLoop is the same with the owner of each entry checked before its ack.
func checkedLoop(ctx context.Context, g *Group, n int) error {
	held := make([]Held, 0, benchBatch)
	for done := 0; done < n; {
		results, entries, err := g.AckRead(ctx, "w1", held, benchBatch)
		if err != nil {
			return err
		}
		for _, r := range results {
			if !r.OK {
				return fmt.Errorf("%s was not ours", r.ID)
			}
		}
		if len(entries) == 0 {
			return fmt.Errorf("nothing to read after %d", done)
		}
		held = held[:0]
		for _, e := range entries {
			held = append(held, Held{e.ID, 1})
		}
		done += len(entries)
	}
	_, err := g.Ack(ctx, "w1", held...)
	return err
}

// BenchmarkWorkerLoop compares the two on each server, in turns within one run; "of-bare" is the ratio of their speeds.
func BenchmarkWorkerLoop(b *testing.B) {
	for _, s := range redistest.Servers(b) {
		b.Run(s.Name, func(b *testing.B) {
			const entries = 20_000
			c := connect(b, s.URL, Options{})
			q := NewQueue(s.Key(b, "bench"), "g")
			g := NewGroup(c, q)
			o, err := redis.ParseURL(s.URL)
			if err != nil {
				b.Fatal(err)
			}
			o.MaxRetries = -1
			rdb := redis.NewClient(o)
			defer rdb.Close()
			var bare, checked time.Duration
			for b.Loop() {
				b.StopTimer()
				fillStream(b, c, q, entries)
				at := time.Now()
				if err := bareLoop(b.Context(), rdb, q, entries); err != nil {
					b.Fatal(err)
				}
				bare += time.Since(at)
				fillStream(b, c, q, entries)
				b.StartTimer()
				at = time.Now()
				if err := checkedLoop(b.Context(), g, entries); err != nil {
					b.Fatal(err)
				}
				checked += time.Since(at)
			}
			b.ReportMetric(float64(entries)*float64(b.N)/checked.Seconds(), "msg/s")
			b.ReportMetric(float64(entries)*float64(b.N)/bare.Seconds(), "bare-msg/s")
			b.ReportMetric(bare.Seconds()/checked.Seconds(), "of-bare")
		})
	}
}

// BenchmarkObserver shows what one reading costs the server, by its own account (INFO commandstats), with few and with
// many pending entries: the two are to be near to each other.
func BenchmarkObserver(b *testing.B) {
	for _, s := range redistest.Servers(b) {
		if s.Embedded {
			continue // it keeps no account
		}
		for _, pending := range []int{0, 1_000, 100_000} {
			b.Run(fmt.Sprintf("%s/pending-%d", s.Name, pending), func(b *testing.B) {
				c := connect(b, s.URL, Options{})
				q := NewQueue(s.Key(b, "bench"), "g")
				fillStream(b, c, q, pending)
				if pending > 0 {
					if _, err := c.Do(b.Context(), "XREADGROUP", "GROUP", q.Group, "w1", "COUNT", pending, "STREAMS", q.Stream, ">"); err != nil {
						b.Fatal(err)
					}
				}
				o := NewObserver(c, q, ObserverOptions{})
				if got := o.Read(b.Context()); got.Err != nil {
					b.Fatal(got.Err)
				}
				if _, err := c.Do(b.Context(), "CONFIG", "RESETSTAT"); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					o.Read(b.Context())
				}
				info, err := c.Do(b.Context(), "INFO", "commandstats")
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(spent(asString(info)))/float64(b.N), "server-µs/op")
			})
		}
	}
}

// spent adds up the microseconds of INFO commandstats.
func spent(info string) (us int64) {
	for line := range strings.Lines(info) {
		_, rest, ok := strings.Cut(line, ",usec=")
		if !ok || strings.HasPrefix(line, "cmdstat_config") || strings.HasPrefix(line, "cmdstat_info") {
			continue
		}
		text, _, _ := strings.Cut(rest, ",")
		n, _ := asInt(text)
		us += n
	}
	return us
}
