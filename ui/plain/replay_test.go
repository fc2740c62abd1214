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

// bury puts n letters of another tool to the dead letters.
func (b *bed) bury(n int) redisq.Queue {
	b.t.Helper()
	q := redisq.NewQueue(b.key, "")
	for i := range n {
		b.do("XADD", q.DeadLetter, "*", "n", i)
	}
	return q
}

// when calls f once as soon as what was written holds text.
type when struct {
	bytes.Buffer
	text string
	f    func()
}

func (w *when) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if w.f != nil && strings.Contains(w.String(), w.text) {
		w.f()
		w.f = nil
	}
	return n, err
}

func TestReplayTellsHowFarItIs(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		q := b.bury(5)
		at := time.Unix(1_700_000_000, 0)
		o := ReplayOptions{
			Queue: q, Replay: redisq.ReplayOptions{Rate: 1000},
			Clock: func() time.Time { at = at.Add(redraw); return at },
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var out bytes.Buffer
		drawn := &when{text: "replayed 2 of 5", f: cancel}
		o.Out, o.Err, o.Width = &out, drawn, 80
		clean, err := Replay(ctx, target(t, b.url), o)
		if clean || err != nil {
			t.Errorf("stopped: %v, %v", clean, err)
		}
		if want := "stopped: replayed 2 of 5\n"; !strings.HasSuffix(out.String(), want) {
			t.Errorf("said %q, want it to end with %q", &out, want)
		}
		if want := "\rreplayed 1 of 5\x1b[K\rreplayed 2 of 5\x1b[K\r\x1b[K"; drawn.String() != want {
			t.Errorf("drew %q, want %q", drawn.String(), want)
		}

		// Without a terminal there is no line for each letter.
		out.Reset()
		var quiet bytes.Buffer
		o.Err, o.Width = &quiet, 0
		if clean, err = Replay(t.Context(), target(t, b.url), o); !clean || err != nil || quiet.Len() > 0 {
			t.Errorf("the rest: %v, %v, drew %q", clean, err, &quiet)
		}
		if want := "\nreplayed 3\n"; !strings.HasSuffix(out.String(), want) {
			t.Errorf("said %q, want it to end with %q", &out, want)
		}
	})
}

func TestReplaySaysThatItChecks(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		q := b.bury(2)
		p := s.NewProxy(t)
		p.CutReply(1, func(c []string) bool { return c[0] == "EVALSHA" || c[0] == "EVAL" })
		var out, said bytes.Buffer
		clean, err := Replay(t.Context(), target(t, p.URL()), ReplayOptions{Queue: q, Out: &out, Err: &said, JSON: true})
		if !clean || err != nil {
			t.Errorf("%v, %v\n%s", clean, err, &out)
		}
		if want := "the reply was lost: outcome unknown, checking\n"; said.String() != want {
			t.Errorf("said %q, want %q", &said, want)
		}
		if got := decode(t, out.Bytes()); got["replayed"] != decode(t, []byte("{\"n\":2}\n"))["n"] || got["stopped"] != false || got["error"] != nil {
			t.Errorf("JSON %v", got)
		}
	})
}

func TestReplayNamesWhatItLeavesAlone(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		q := b.bury(1)
		o := ReplayOptions{Queue: q, Replay: redisq.ReplayOptions{IDs: []string{"1-1"}, Group: ""}}
		var out, none bytes.Buffer
		o.Out, o.Err = &out, &none
		if clean, err := Replay(t.Context(), target(t, b.url), o); !clean || err != nil {
			t.Errorf("%v, %v", clean, err)
		}
		if want := "1-1 left alone: left the dead letters\n"; !strings.Contains(out.String(), want) {
			t.Errorf("said %q, want %q in it", &out, want)
		}
		// A name that is hostile, and no UTF-8.
		out.Reset()
		o = ReplayOptions{Queue: q, Replay: redisq.ReplayOptions{To: b.key + "\xff\x1b[2J"}, JSON: true, DryRun: true, Out: &out, Err: &none}
		if _, err := Replay(t.Context(), target(t, b.url), o); err != nil {
			t.Fatal(err)
		}
		got := decode(t, out.Bytes())
		if to, _ := got["to"].(string); !strings.HasSuffix(to, `\xff␛[2J`) || got["to_base64"] == nil || got["dry_run"] != true {
			t.Errorf("JSON %v", got)
		}
	})
}
