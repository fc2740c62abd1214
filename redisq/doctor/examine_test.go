package doctor

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

func TestMain(m *testing.M) {
	redisq.SilenceLibrary(nil)
	redistest.Main(m)
}

func client(t *testing.T, url string, o redisq.Options) *redisq.Client {
	t.Helper()
	target, err := redisq.ParseTarget(url)
	if err != nil {
		t.Fatal(err)
	}
	c, err := redisq.Connect(target, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func do(t *testing.T, c *redisq.Client, command ...any) {
	t.Helper()
	if _, err := c.Do(t.Context(), command...); err != nil {
		t.Fatal(err)
	}
}

func TestExamineReadsSeveralTimesAndOnlyReads(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		q := s.Key(t, "q")
		w := client(t, s.URL, redisq.Options{})
		do(t, w, "XGROUP", "CREATE", q, "g", "0", "MKSTREAM")
		for i := range 5 {
			do(t, w, "XADD", q, fmt.Sprintf("%d-0", i+1), "f", "v")
		}
		do(t, w, "XREADGROUP", "GROUP", "g", "w1", "COUNT", 2, "STREAMS", q, ">")
		c := client(t, s.URL, redisq.Options{ReadOnly: true})
		steps := ""
		got, err := Examine(t.Context(), c, Options{
			Streams: []string{q}, For: 300 * time.Millisecond, Thresholds: Defaults(),
			Progress: func(done, of int) { steps += fmt.Sprintf("%d/%d ", done, of) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 2 || steps != "1/2 2/2 " {
			t.Errorf("%d readings, progress %s", len(got), steps)
		}
		for _, r := range got {
			if g := r.Group("g"); g == nil || g.Backlog.String() != "5" || len(g.Rows) != 2 || len(g.Consumers) != 1 {
				t.Errorf("%+v", r)
			}
		}
		got, err = Examine(t.Context(), c, Options{Streams: []string{q}, Group: "nobody", Thresholds: Defaults()})
		if err != nil || len(got) != 1 {
			t.Fatal(len(got), err)
		}
		if found := codes(Diagnose(got, Defaults())); found != "critical group-missing" {
			t.Errorf("another group: %s", found)
		}
		got, err = Examine(t.Context(), c, Options{Group: "no-such-group-anywhere", Thresholds: Defaults()})
		if err != nil {
			t.Fatal(err)
		}
		f := has(t, Diagnose(got, Defaults()), GroupMissing)
		says(t, f, "No stream on this server has a group no-such-group-anywhere")
	})
}

func TestExamineWithoutAServer(t *testing.T) {
	c := client(t, "redis://127.0.0.1:1", redisq.Options{})
	_, err := Examine(t.Context(), c, Options{Streams: []string{"q"}, For: time.Minute})
	var e *redisq.Error
	if !errors.As(err, &e) || e.Code != redisq.CodeRefused {
		t.Errorf("%v", err)
	}
}

func TestFromSnapshot(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		q := s.Key(t, "q")
		w := client(t, s.URL, redisq.Options{Embedded: s.Embedded})
		do(t, w, "XGROUP", "CREATE", q, "g", "0", "MKSTREAM")
		do(t, w, "XADD", q, "1-0", "f", "v")
		do(t, w, "XREADGROUP", "GROUP", "g", "w1", "COUNT", 2, "STREAMS", q, ">")
		do(t, w, "XCLAIM", q, "g", "w1", 0, "1-0", "RETRYCOUNT", 9, "JUSTID")
		snap := redisq.NewObserver(w, redisq.NewQueue(q, "g"), redisq.ObserverOptions{}).Read(t.Context())
		got := Diagnose([]Reading{FromSnapshot(snap)}, Defaults())
		if codes(got) != "warning poison" {
			t.Errorf("%s", codes(got))
		}
		if !strings.Contains(commands(got[0]), "XACK "+q+" g 1-0") {
			t.Errorf("commands:\n%s", commands(got[0]))
		}
	})
}
