package redisq

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"example.com/unacked/redisq/redistest"
)

// commandTimes is how long, in µs, a server says that it worked on each command, and how often it was called.
func commandTimes(b *testing.B, c *Client) map[string][2]int64 {
	b.Helper()
	reply, err := c.Do(b.Context(), "INFO", "commandstats")
	if err != nil {
		b.Fatal(err)
	}
	all := map[string][2]int64{}
	for line := range strings.Lines(asString(reply)) {
		name, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "cmdstat_"), ":")
		if !ok {
			continue
		}
		var one [2]int64
		for part := range strings.SplitSeq(rest, ",") {
			key, value, _ := strings.Cut(part, "=")
			n, _ := strconv.ParseInt(value, 10, 64)
			switch key {
			case "calls":
				one[0] = n
			case "usec":
				one[1] = n
			}
		}
		all[name] = one
	}
	return all
}

// fill makes a stream of n entries, all pending, held by 1,000 consumers.
func fill(b *testing.B, c *Client, stream string, n int) {
	b.Helper()
	const script = `for i = tonumber(ARGV[1]), tonumber(ARGV[2]) do redis.call('XADD', KEYS[1], i .. '-0', 'order', i) end
	for k = 0, 9 do redis.call('XREADGROUP', 'GROUP', 'g', 'worker-' .. (tonumber(ARGV[1]) / 100 + k) % 1000, 'COUNT', 100, 'STREAMS', KEYS[1], '>') end`
	if _, err := c.Do(b.Context(), "XGROUP", "CREATE", stream, "g", "0", "MKSTREAM"); err != nil {
		b.Fatal(err)
	}
	for at := 0; at < n; at += 1000 {
		if _, err := c.Do(b.Context(), "EVAL", script, 1, stream, at+1, at+1000); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkServerTime reports what one reading of a group costs the server, by the server's own clock, and each of the
// commands in it: the cost is not to grow with the number of pending entries. At a million of them, measured once by
// hand, each reading cost the same as at 200,000.
func BenchmarkServerTime(b *testing.B) {
	for _, s := range redistest.Servers(b) {
		if s.Embedded {
			continue // it does not count
		}
		for _, n := range []int{2_000, 200_000} {
			c := connect(b, s.URL, Options{})
			stream := s.Key(b, "q")
			fill(b, c, stream, n)
			q := NewQueue(stream, "g")
			observer := NewObserver(c, q, ObserverOptions{})
			list := NewSurveyor(c, SurveyOptions{})
			whole := NewSurveyor(c, SurveyOptions{PendingRows: 1000, Consumers: true, Held: 20, Ghosts: 100, CountAtMost: 1000, DeadRows: 20, BodiesOver: 5})
			for _, one := range []struct {
				name string
				read func() error
			}{
				{"observer", func() error { return observer.Read(b.Context()).Err }},
				{"list", func() error { return list.Read(b.Context(), []string{stream}).Err }},
				{"doctor", func() error { return whole.Read(b.Context(), []string{stream}).Err }},
			} {
				b.Run(fmt.Sprintf("%s/pending=%d/%s", s.Name, n, one.name), func(b *testing.B) {
					before := commandTimes(b, c)
					for b.Loop() {
						if err := one.read(); err != nil {
							b.Fatal(err)
						}
					}
					after, total := commandTimes(b, c), int64(0)
					for name, now := range after {
						calls, usec := now[0]-before[name][0], now[1]-before[name][1]
						if calls == 0 || name == "info" {
							continue
						}
						total += usec
						if name == "xpending" || name == "xinfo|consumers" {
							b.ReportMetric(float64(usec)/float64(calls), name+"-µs/call")
						}
					}
					b.ReportMetric(float64(total)/float64(b.N), "server-µs/op")
				})
			}
			_ = c.Close()
		}
	}
}
