package desk_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/redistest"
)

func TestMain(m *testing.M) {
	redisq.SilenceLibrary(io.Discard)
	redistest.Main(m)
}

// patient is a stream of somebody else's, in which Q stands for its key.
type patient struct {
	t *testing.T
	c *redisq.Client
	q redisq.Queue
}

func newPatient(t *testing.T, s redistest.Server) *patient {
	t.Helper()
	target, err := redisq.ParseTarget(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c, err := redisq.Connect(target, redisq.Options{Name: "test", Embedded: s.Embedded})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &patient{t, c, redisq.NewQueue(s.Key(t, "q"), "g")}
}

// do sends commands, one a line, and returns the last reply as text.
func (p *patient) do(lines string) string {
	p.t.Helper()
	text := ""
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		var args []any
		for _, word := range strings.Fields(line) {
			args = append(args, strings.ReplaceAll(word, "Q", p.q.Stream))
		}
		reply, err := p.c.Do(context.Background(), args...)
		if err != nil {
			p.t.Fatalf("%s: %v", line, err)
		}
		text = strings.ReplaceAll(fmt.Sprint(reply), p.q.Stream, "Q")
	}
	return text
}

// finding looks, and returns the finding of that code.
func (p *patient) finding(code doctor.Code, t doctor.Thresholds) (doctor.Finding, bool) {
	p.t.Helper()
	readings, err := doctor.Examine(context.Background(), p.c, doctor.Options{Streams: []string{p.q.Stream}, Group: p.q.Group, Thresholds: t})
	if err != nil {
		p.t.Fatal(err)
	}
	findings := doctor.Diagnose(readings, t)
	i := slices.IndexFunc(findings, func(f doctor.Finding) bool { return f.Code == code })
	if i < 0 {
		return doctor.Finding{}, false
	}
	return findings[i], true
}

// What a remedy wishes, planned and run, makes the finding go away, and does just that.
func TestWhatARemedyWishesMends(t *testing.T) {
	stored := func(n int, more string) string {
		text := "XGROUP CREATE Q g 0 MKSTREAM\n"
		for i := 1; i <= n; i++ {
			text += fmt.Sprintf("XADD Q %d-0 order %d\n", i, i)
		}
		return text + more
	}
	crowd := stored(1, "XREADGROUP GROUP g busy COUNT 1 STREAMS Q >\n")
	for i := range 12 {
		crowd += fmt.Sprintf("XGROUP CREATECONSUMER Q g pod-%d\n", i)
	}
	long := stored(30, "XREADGROUP GROUP g w COUNT 28 STREAMS Q >\n")
	for i := 1; i <= 25; i++ {
		long += fmt.Sprintf("XACK Q g %d-0\n", i)
	}
	for _, c := range []struct {
		code    doctor.Code
		deed    desk.Deed
		build   string
		choose  func(*desk.Wish)
		change  func(*doctor.Thresholds)
		text    string // what became of it
		then    string // a command afterwards, with what is in its reply: "XLEN Q = 3"
		real    bool   // the embedded server does not get there
		without string // servers that do not get there
	}{
		{code: doctor.StreamMissing, deed: desk.CreateGroup, text: "created the group g; its last delivered id is 0-0", then: "XLEN Q = 0"},
		{code: doctor.GroupMissing, deed: desk.CreateGroup, build: "XADD Q 1-0 a b", text: "created the group g; its last delivered id is 0-0", then: "XREADGROUP GROUP g w STREAMS Q > = 1-0"},
		{
			code: doctor.StuckConsumer, deed: desk.Claim, real: true, choose: func(w *desk.Wish) { w.To = "alive" },
			build: stored(3, "XREADGROUP GROUP g w COUNT 2 STREAMS Q >\nXREADGROUP GROUP g other COUNT 1 STREAMS Q >\n"+
				"XCLAIM Q g w 0 1-0 2-0 IDLE 600000 RETRYCOUNT 1 JUSTID\nXCLAIM Q g other 0 3-0 IDLE 600000 RETRYCOUNT 1 JUSTID"),
			change: func(t *doctor.Thresholds) { t.Lease = 20 * time.Millisecond },
			text:   "claimed 1 entry for alive", // of one consumer with the most; the other's is another finding
			then:   "XPENDING Q g - + 10 alive = alive",
		},
		{
			code: doctor.GhostEntries, deed: desk.AckGhosts, real: true, text: "acknowledged 1 ghost",
			build: stored(3, "XREADGROUP GROUP g w COUNT 2 STREAMS Q >\nXDEL Q 1-0"), then: "XPENDING Q g = [1 2-0 2-0 [[w 1]]]",
		},
		{
			code: doctor.Poison, deed: desk.Bury, text: "dead-lettered 1 entry",
			build: stored(2, "XREADGROUP GROUP g w COUNT 2 STREAMS Q >\nXCLAIM Q g w 0 1-0 2-0 IDLE 600000 RETRYCOUNT 9 JUSTID\nXCLAIM Q g w 0 2-0 RETRYCOUNT 9 JUSTID"),
			then:  "XRANGE {Q}:dead - + = delivered too often",
		},
		{
			code: doctor.IdleConsumers, deed: desk.RemoveIdle, build: crowd, real: true, without: "redis-7.0",
			change: func(t *doctor.Thresholds) { t.Inactive, t.IdleConsumers = time.Microsecond, 12 }, text: "removed 12 consumers", then: "XPENDING Q g - + 10 busy = 1-0",
		},
		{code: doctor.SkippedStart, deed: desk.SetID, build: "XADD Q 1-0 a b\nXADD Q 2-0 a b\nXGROUP CREATE Q g $", real: true, text: "set the group g; its last delivered id is 0-0"},
		{code: doctor.LagUnknown, deed: desk.SetCounter, build: "XADD Q 1-0 a b\nXADD Q 2-0 a b\nXADD Q 3-0 a b\nXGROUP CREATE Q g 2-0", real: true, text: "set the counter of g to 2; 1 are undelivered after 2-0"},
		{code: doctor.LagUnknown, deed: desk.SetID, build: "XADD Q 1-0 a b\nXGROUP CREATE Q g 99-0", real: true, text: "set the group g; its last delivered id is 1-0"},
		{
			code: doctor.LagWrong, deed: desk.SetCounter, real: true, without: "redis-8",
			build: stored(5, "XREADGROUP GROUP g w COUNT 1 STREAMS Q >\nXACK Q g 1-0\nXTRIM Q MAXLEN 1"), text: "set the counter of g to 4; 1 are undelivered after 1-0",
		},
		{code: doctor.Unbounded, deed: desk.Trim, build: long, real: true, change: func(t *doctor.Thresholds) { t.Stored = 20 }, text: "trimmed 25 entries before 26-0", then: "XLEN Q = 5"},
		{
			code: doctor.DeadLetters, deed: desk.Replay, build: stored(1, "XADD {Q}:dead 1-0 order 1\nXADD {Q}:dead 2-0 order 2"),
			text: "replayed 2", then: "XLEN Q = 3",
		},
	} {
		t.Run(string(c.code)+" "+string(c.deed), func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, s redistest.Server) {
				if c.real && s.Embedded || c.without != "" && strings.HasPrefix(s.Name, c.without) {
					return
				}
				p := newPatient(t, s)
				if c.build != "" {
					p.do(c.build)
				}
				thresholds := doctor.Defaults()
				if c.change != nil {
					c.change(&thresholds)
				}
				f := p.until(c.code, thresholds)
				at := slices.IndexFunc(f.Remedies, func(r doctor.Remedy) bool { return r.Wish.Deed != "" })
				if at < 0 || f.Remedies[at].Wish.Deed != c.deed {
					t.Fatalf("the remedies %+v wish for no %s", f.Remedies, c.deed)
				}
				w := f.Remedies[at].Wish
				if c.choose != nil {
					c.choose(&w)
				}
				if c.code == doctor.StuckConsumer {
					w.Pending.Consumers = []string{"other"}
				}
				plan, err := desk.NewDesk(p.c).Plan(t.Context(), p.q, w)
				if err != nil {
					t.Fatal(err)
				}
				if len(plan.Commands) == 0 || len(plan.Effects) == 0 {
					t.Errorf("the plan says too little: %+v", plan.Plan)
				}
				if got := plan.Run(t.Context()).Text; got != c.text {
					t.Errorf("outcome %q, want %q", got, c.text)
				}
				if now, there := p.finding(c.code, thresholds); there && c.code != doctor.StuckConsumer && c.code != doctor.Poison {
					t.Errorf("it is there still: %s", now.Text)
				}
				if command, want, ok := strings.Cut(c.then, " = "); ok && !strings.Contains(p.do(command), want) {
					t.Errorf("%s: %s, want %s in it", command, p.do(command), want)
				}
			})
		})
	}
}

// until waits for a finding: a consumer is stuck once it has not called for the lease.
func (p *patient) until(code doctor.Code, thresholds doctor.Thresholds) doctor.Finding {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 10*time.Second)
	defer cancel()
	for {
		if f, ok := p.finding(code, thresholds); ok {
			return f
		}
		if ctx.Err() != nil {
			p.t.Fatalf("there is no finding %s", code)
		}
	}
}
