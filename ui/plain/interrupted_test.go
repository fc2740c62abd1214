package plain

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/redistest"
)

// interrupting is a writer that has the next reading interrupted when something was written.
type interrupting struct {
	bytes.Buffer
	arm func()
}

func (w *interrupting) Write(line []byte) (int, error) {
	w.arm()
	return w.Buffer.Write(line)
}

// A reading that a person interrupts half way is not taken for a whole one.
func TestInterruptedReading(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		stored(3, "XREADGROUP GROUP g w COUNT 1 STREAMS Q >")(b)
		p := s.NewProxy(t)
		// A reading asks for the stream first, and then for what else it needs.
		interrupted := func() (ctx context.Context, arm func()) {
			ctx, cancel := context.WithCancel(t.Context())
			t.Cleanup(cancel)
			return ctx, func() {
				p.CutReply(1, func(words []string) bool {
					if len(words) > 1 && words[0] == "XINFO" && strings.EqualFold(words[1], "STREAM") {
						cancel()
					}
					return false
				})
			}
		}
		var out bytes.Buffer
		ctx, arm := interrupted()
		arm()
		err := Snapshot(ctx, target(t, p.URL()), &out, SnapshotOptions{Streams: []string{b.key}})
		if !errors.Is(err, context.Canceled) || out.Len() > 0 {
			t.Errorf("the snapshot says %v and wrote %q", err, out.String())
		}
		ctx, arm = interrupted()
		arm()
		status, err := Doctor(ctx, target(t, p.URL()), &out, DoctorOptions{Streams: []string{b.key}, Thresholds: doctor.Defaults()})
		if status != DoctorNoLook || !errors.Is(err, context.Canceled) || out.Len() > 0 {
			t.Errorf("the doctor has the status %d, says %v and wrote %q", status, err, out.String())
		}
		ctx, arm = interrupted()
		arm()
		watching := SnapshotOptions{Streams: []string{b.key}, Watch: true, Interval: time.Millisecond}
		if err := Snapshot(ctx, target(t, p.URL()), &out, watching); err != nil || out.Len() > 0 {
			t.Errorf("a watch that ended with the first reading says %v and wrote %q", err, out.String())
		}
		ctx, arm = interrupted()
		w := &interrupting{arm: arm}
		if err := Snapshot(ctx, target(t, p.URL()), w, watching); err != nil {
			t.Errorf("the end of a watch is no error: %v", err)
		}
		if n := strings.Count(w.String(), "\n"); n != 1 || !strings.Contains(w.String(), " undelivered=2 pending=1 backlog=3 ") {
			t.Errorf("a watch that ended with the second reading wrote %d lines:\n%s", n, w.String())
		}
	})
}
