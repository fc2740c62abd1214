package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq/redistest"
	"example.com/unacked/redisq/server"
	"example.com/unacked/workers/lab"
	"example.com/unacked/workers/mail"
)

// leavesNothing plays an experiment that ends with the given error, and looks from outside for what is left: keys and
// processes. tune changes the options.
func leavesNothing(t *testing.T, s redistest.Server, e Experiment, want error, tune func(*Options, context.CancelFunc)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := on(t, s)
	var running *lab.Lab
	o.Running = func(l *lab.Lab) { running = l }
	tune(&o, cancel)
	var pids []int
	pace := o.Pace
	o.Pace = func(ctx context.Context, step Step) error {
		for _, w := range running.Workers() {
			pids = append(pids, w.PID)
		}
		return pace(ctx, step)
	}
	r, err := Run(ctx, e, o)
	if !errors.Is(err, want) || (want == nil) != (r.Err == nil) {
		t.Errorf("ended with %v and %v, want %v", err, r.Err, want)
	}
	if len(pids) == 0 {
		t.Fatal("no worker was seen")
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is still there: %v", pid, err)
		}
	}
	if s.Embedded {
		return // it ended with the experiment
	}
	prefix, _, _ := strings.Cut(running.Queue().Stream, "{")
	options, err := redis.ParseURL(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	for keys := client.Scan(t.Context(), 0, prefix+"*", 1000).Iterator(); keys.Next(t.Context()); {
		t.Errorf("the key %s is still there", keys.Val())
	}
}

func TestNothingIsLeft(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Run("after its end", func(t *testing.T) {
			t.Parallel()
			leavesNothing(t, s, find(t, "dead-letter"), nil, func(o *Options, _ context.CancelFunc) {
				o.Pace = func(context.Context, Step) error { return nil }
			})
		})
		t.Run("after Ctrl-C in a step", func(t *testing.T) {
			t.Parallel()
			long := find(t, "poison")
			long.Steps = append(long.Steps[:1:1], Step{Say: "An hour passes.", do: watch(10 * time.Hour)})
			leavesNothing(t, s, long, context.Canceled, func(o *Options, interrupt context.CancelFunc) {
				o.Pace = func(context.Context, Step) error { return nil }
				o.Narrate = func(s Step) {
					if s.N == 2 {
						time.AfterFunc(50*time.Millisecond, interrupt)
					}
				}
			})
		})
		t.Run("after Ctrl-C in a pause", func(t *testing.T) {
			t.Parallel()
			leavesNothing(t, s, find(t, "stream-crash-before"), context.Canceled, func(o *Options, interrupt context.CancelFunc) {
				o.Pace = func(ctx context.Context, s Step) error {
					if s.N < 2 {
						return nil
					}
					interrupt()
					<-ctx.Done()
					return ctx.Err()
				}
			})
		})
	})
}

// The presenter is told each step, may pause after each, sees the lab, and gets the verdict while the lab still runs.
func TestPresenter(t *testing.T) {
	var told []string
	o := Options{Self: on(t, redistest.Server{Embedded: true}).Self, Server: server.Embedded, Scale: 0.1}
	e := find(t, "stream-crash-after")
	var running *lab.Lab
	o.Running = func(l *lab.Lab) { running = l; told = append(told, "running") }
	o.Narrate = func(s Step) { told = append(told, fmt.Sprintf("say %d/%d", s.N, s.Of)) }
	o.Verdict = func(r Result) { told = append(told, fmt.Sprint("verdict ", r.Holds())) }
	o.Pace = func(_ context.Context, s Step) error {
		told = append(told, fmt.Sprintf("pause %d", s.N))
		if u, open := <-running.Updates(); !open || u.State == nil {
			t.Error("the lab does not run in the pause")
		}
		if s.Say == "" || s.N == 2 && !strings.Contains(s.Look, "pending") {
			t.Errorf("step %+v", s)
		}
		return nil
	}
	r := play(t, e, o)
	want := []string{
		"running", "say 1/4", "pause 1", "say 2/4", "pause 2", "say 3/4", "pause 3", "verdict true", "say 4/4", "pause 4",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q\nwant %q", told, want)
	}
	if verdict := r.Verdict(); !strings.Contains(verdict, "mails for ten orders 11") || !strings.Contains(verdict, "mailed twice order 4") {
		t.Errorf("verdict %q", verdict)
	}
}

// What arrives at another mail server is not ours to know: its figures are unknown, and what is certain is still judged.
func TestAnotherMailServer(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		sink, err := mail.Start(mail.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer sink.Close()
		o := on(t, s)
		o.SMTP = sink.Addr()
		r := play(t, find(t, "stream-crash-after"), o)
		if !r.Holds() {
			t.Errorf("off: %+v", r.Off())
		}
		for _, row := range r.Rows {
			rests := row.Name == "mails for ten orders" || row.Name == "mailed twice" || row.Name == "lost"
			if rests != (row.Holds == Unclaimed) || rests == row.Measured.Known || rests && !strings.Contains(row.Reason, sink.Addr()) {
				t.Errorf("%+v", row)
			}
		}
		if c := sink.Count(); c.Mails != 11 {
			t.Errorf("%d mails went to it, want 11", c.Mails)
		}
		o.Scale = 1
		r = play(t, find(t, "sync"), o)
		if row := r.Rows[0]; !r.Holds() || row.Holds != Unclaimed || !row.Measured.Known || row.Reason == "" {
			t.Errorf("a mail's time there is not ours to judge: %+v", row)
		}
	})
}

func TestScaleIsChecked(t *testing.T) {
	for _, scale := range []float64{-1, 0.01, 6} {
		if _, err := Run(t.Context(), find(t, "queued"), Options{Scale: scale}); err == nil || !strings.Contains(err.Error(), "scale") {
			t.Errorf("scale %v: %v", scale, err)
		}
	}
}
