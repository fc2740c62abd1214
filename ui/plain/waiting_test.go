package plain

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// calling calls f with each line that is written.
type calling struct {
	bytes.Buffer
	f func(line string)
}

func (w *calling) Write(line []byte) (int, error) {
	n, err := w.Buffer.Write(line)
	w.f(string(line))
	return n, err
}

// A watch that begins while the server reads its data says so in a line for each reading, and goes on with the figures.
func TestSnapshotWatchWaitsForTheServer(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		stored(3, "XREADGROUP GROUP g w COUNT 1 STREAMS Q >")(b)
		for _, json := range []bool{false, true} {
			proxy := s.NewProxy(t)
			proxy.Answer("LOADING Redis is loading the dataset in memory", func(command []string) bool { return command[0] != "HELLO" })
			ctx, cancel := context.WithCancel(t.Context())
			w := &calling{f: func(line string) {
				if strings.Contains(line, "LOADING") {
					proxy.Answer("", nil)
				} else {
					cancel()
				}
			}}
			err := Snapshot(ctx, target(t, proxy.URL()), w, SnapshotOptions{
				Streams: []string{b.key}, JSON: json, Watch: true, Interval: time.Millisecond,
			})
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			first, last, _ := strings.Cut(strings.TrimSuffix(w.String(), "\n"), "\n")
			if !strings.Contains(first, "LOADING Redis is loading the dataset in memory; the server is reading its data from disk") {
				t.Errorf("the first line is %s", first)
			}
			want := []string{"undelivered=2", "pending=1"}
			if json {
				want = []string{`"undelivered":{"known":true,"value":2`, `"pending":1`}
			}
			for _, text := range want {
				if !strings.Contains(last, text) {
					t.Errorf("%s does not have %s", last, text)
				}
			}
		}
	})
}

// What will not pass ends a watch at its beginning.
func TestSnapshotWatchEndsWhereNothingWillCome(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		proxy := s.NewProxy(t)
		proxy.Answer("NOAUTH Authentication required.", func([]string) bool { return true })
		var out bytes.Buffer
		err := Snapshot(t.Context(), target(t, proxy.URL()), &out, SnapshotOptions{Watch: true})
		if redisq.CodeOf(err) != "NOAUTH" || out.Len() > 0 {
			t.Errorf("%v, and wrote %q", err, out.String())
		}
	})
}
