package plain

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/redistest"
)

// every calls f with 0, 1, … at that pace, on a client of its own, until the test ends or stop is called.
func (b *bed) every(pace time.Duration, f func(c *redisq.Client, i int)) (stop func()) {
	b.t.Helper()
	c := dial(b.t, b.url)
	ctx, cancel := context.WithCancel(b.t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for i := 0; ; i++ {
			f(c, i)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	stop = func() { cancel(); wg.Wait() }
	b.t.Cleanup(stop)
	return stop
}

// shortly has thresholds that a test can wait for.
func shortly(lease time.Duration) doctor.Thresholds {
	t := doctor.Defaults()
	t.Lease = lease
	return t
}

// A worker that another program wrote takes entries and never acknowledges them; beside it one that does all right.
func TestAttachedToAWorkerThatNeverAcks(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		b := newBed(t, s)
		b.cli("XGROUP CREATE Q g 0 MKSTREAM")
		ctx := t.Context()
		b.every(5*time.Millisecond, func(c *redisq.Client, i int) { _, _ = c.Do(ctx, "XADD", b.key, "*", "n", i) })
		b.every(20*time.Millisecond, func(c *redisq.Client, _ int) {
			_, _ = c.Do(ctx, "XREADGROUP", "GROUP", "g", "leaky", "COUNT", 2, "STREAMS", b.key, ">")
		})
		b.every(5*time.Millisecond, func(c *redisq.Client, _ int) {
			reply, _ := c.Do(ctx, "XREADGROUP", "GROUP", "g", "good", "COUNT", 5, "STREAMS", b.key, ">")
			streams, _ := reply.([]any)
			if len(streams) == 0 {
				return
			}
			for _, e := range streams[0].([]any)[1].([]any) {
				_, _ = c.Do(ctx, "XACK", b.key, "g", e.([]any)[0])
			}
		})
		report, status := b.doctor(DoctorOptions{Thresholds: shortly(time.Minute), For: 3 * time.Second})
		same(t, "status", status, DoctorFindings)
		c := codes(report)
		if !strings.Contains(c, "critical not-acking leaky") || strings.Contains(c, "good") {
			t.Errorf("findings: %s", c)
		}
		if watched := text(at(report, "watched_ms")); len(watched) != 4 || watched[0] < '2' || watched[0] > '4' {
			t.Errorf("watched for %s ms", watched)
		}
	})
}

func TestAttachedToAGroupThatFallsBehind(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		b := newBed(t, s)
		b.cli("XGROUP CREATE Q g 0 MKSTREAM")
		ctx := t.Context()
		b.every(5*time.Millisecond, func(c *redisq.Client, i int) { _, _ = c.Do(ctx, "XADD", b.key, "*", "n", i) })
		b.every(50*time.Millisecond, func(c *redisq.Client, _ int) {
			reply, _ := c.Do(ctx, "XREADGROUP", "GROUP", "g", "slow", "COUNT", 1, "STREAMS", b.key, ">")
			if streams, _ := reply.([]any); len(streams) > 0 {
				_, _ = c.Do(ctx, "XACK", b.key, "g", streams[0].([]any)[1].([]any)[0].([]any)[0])
			}
		})
		report, _ := b.doctor(DoctorOptions{Thresholds: shortly(time.Minute), For: 3 * time.Second})
		same(t, "findings", codes(report), "warning falling-behind")
		grew := text(at(report, "findings 0 evidence grew_per_s"))
		var perSecond float64
		if _, err := fmt.Sscan(grew, &perSecond); err != nil || perSecond < 20 || perSecond > 250 {
			t.Errorf("the backlog grew by %s/s; 200/s come in and 20/s are done at most", grew)
		}
		if !s.Embedded {
			same(t, "in is known", at(report, "findings 0 evidence in_per_s") != nil, true)
		}
	})
}

// A worker died holding an entry; on another the reply to its read was lost, and it goes on with what comes next.
func TestAttachedToDeadAndForgetfulWorkers(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		b := newBed(t, s)
		stored(2, "XREADGROUP GROUP g dead COUNT 1 STREAMS Q >")(b)
		p := s.NewProxy(t)
		p.CutReply(1, func(words []string) bool { return words[0] == "XREADGROUP" })
		forgetful := dial(t, p.URL())
		_, err := forgetful.Do(t.Context(), "XREADGROUP", "GROUP", "g", "forgetful", "COUNT", 1, "STREAMS", b.key, ">")
		same(t, "its reply was lost", redisq.CodeOf(err), redisq.CodeLostReply)
		ctx := t.Context()
		b.every(10*time.Millisecond, func(c *redisq.Client, i int) {
			_, _ = c.Do(ctx, "XADD", b.key, "*", "n", i)
			reply, _ := c.Do(ctx, "XREADGROUP", "GROUP", "g", "forgetful", "COUNT", 1, "STREAMS", b.key, ">")
			if streams, _ := reply.([]any); len(streams) > 0 {
				_, _ = c.Do(ctx, "XACK", b.key, "g", streams[0].([]any)[1].([]any)[0].([]any)[0])
			}
		})
		const lease = 2 * time.Second // longer than a busy machine keeps the forgetful one waiting
		within(t, "both are late", func() bool {
			rows := b.cli("XPENDING Q g - + 2").([]any)
			return len(rows) == 2 && rows[1].([]any)[2].(int64) > lease.Milliseconds()
		})
		report, _ := b.doctor(DoctorOptions{Thresholds: shortly(lease), For: time.Second})
		c := codes(report)
		if !strings.Contains(c, "critical stuck-consumer dead") {
			t.Errorf("findings: %s", c)
		}
		// The embedded server does not tell when a consumer did something: only what it holds shows that.
		if want := "not-acking forgetful"; !s.Embedded && !strings.Contains(c, want) {
			t.Errorf("findings: %s, want %s", c, want)
		}
		given := b.remedies(report)
		if !s.Embedded && !strings.Contains(given, "XCLAIM Q g rescue 2000 1-0") {
			t.Errorf("remedies:\n%s", given)
		}
	})
}

// lineWriter hands every write on.
type lineWriter struct{ lines chan string }

func (w lineWriter) Write(p []byte) (int, error) {
	w.lines <- string(p)
	return len(p), nil
}

func TestWatchWritesALineAReading(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		stored(9, "XGROUP CREATE Q other 0\nXREADGROUP GROUP g w1 COUNT 4 STREAMS Q >\nXACK Q g 1-0")(b)
		for _, asJSON := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			w := lineWriter{make(chan string)}
			ended := make(chan error, 1)
			go func() {
				ended <- Snapshot(ctx, target(t, s.URL), w, SnapshotOptions{
					Streams: []string{b.key}, Group: "g", JSON: asJSON, Watch: true, Interval: 20 * time.Millisecond,
				})
			}()
			for i := range 3 {
				line := <-w.lines
				if n := strings.Count(line, "\n"); n != 1 {
					t.Errorf("reading %d has %d lines:\n%s", i, n, line)
				}
				if asJSON {
					same(t, "pending", figuresOf(decode(t, []byte(line)))[:8], "9: 5 3 8")
					continue
				}
				for _, want := range []string{
					"at=20", " stream=" + b.key + " stored=9 dead=0 group=g undelivered=5 pending=3 backlog=8 oldest_idle_ms=", " deliveries=1 consumers=1 ",
				} {
					if !strings.Contains(line, want) {
						t.Errorf("no %q in %s", want, line)
					}
				}
			}
			cancel()
			for done := false; !done; {
				select {
				case <-w.lines:
				case err := <-ended:
					if err != nil {
						t.Errorf("the end of a watch is no error: %v", err)
					}
					done = true
				}
			}
		}
	})
}

// A server that goes away makes a line; the watch goes on when it is back.
func TestWatchOutlivesTheServer(t *testing.T) {
	private := redistest.Private(t)
	b := &bed{t: t, url: private.URL(), c: dial(t, private.URL()), key: "q"}
	stored(2, "")(b)
	w := lineWriter{make(chan string, 1000)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Snapshot(ctx, target(t, private.URL()), w, SnapshotOptions{Streams: []string{"q"}, Watch: true, Interval: 20 * time.Millisecond})
	}()
	next := func(want string) {
		t.Helper()
		var line string
		within(t, want, func() bool {
			for {
				select {
				case line = <-w.lines:
					if strings.Contains(line, want) {
						return true
					}
				default:
					return false
				}
			}
		})
	}
	next("undelivered=2")
	if err := private.Kill(); err != nil {
		t.Fatal(err)
	}
	next(" error=")
	if err := private.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	next(`error="the stream q does not exist"`) // it came back empty
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestSnapshotAsText(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		stored(3, "XREADGROUP GROUP g w1 COUNT 2 STREAMS Q >\nXCLAIM Q g w1 0 1-0 IDLE 252000 RETRYCOUNT 3 JUSTID\nXADD {Q}:dead * error boom")(b)
		var out bytes.Buffer
		if err := Snapshot(t.Context(), target(t, s.URL), &out, SnapshotOptions{
			Streams: []string{b.key, b.key + "nowhere"}, Pending: 1, Width: 160,
		}); err == nil || err.Error() != "the stream "+b.key+"nowhere does not exist" {
			t.Fatal(err)
		}
		narrow(t, out.String(), SnapshotOptions{Width: 160})
		lines := strings.Split(strings.ReplaceAll(out.String(), b.key, "Q"), "\n")
		product, _, _ := strings.Cut(s.Name, "-")
		if !strings.HasPrefix(lines[0], product) || !strings.Contains(lines[0], "master") {
			t.Errorf("header: %s", lines[0])
		}
		var got []string
		for _, line := range lines[1 : len(lines)-1] {
			got = append(got, strings.Join(strings.Fields(line), " "))
		}
		want := []string{
			"STREAM / GROUP STORED UNDELIV. PENDING BACKLOG OLDEST DELIV. CONS.",
			"Q 3", "g 1 2 3 4m12s 3 1", "1-0 4m12s 3 w1 order=1", "… 1 more", "1 dead letter in {Q}:dead",
			"Qnowhere ?", "the stream Qnowhere does not exist",
		}
		same(t, "table", strings.Join(got, "\n"), strings.Join(want, "\n"))
	})
}

// redis-cli itself makes the group, and works on it, where it is installed; these are its words over its own connection.
func TestGroupMadeByRedisCLI(t *testing.T) {
	path, err := exec.LookPath("redis-cli")
	if err != nil {
		return // the other tests send what it sends
	}
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		if s.Embedded {
			return // redis-cli 7.0 ends at its reply to COMMAND
		}
		b := newBed(t, s)
		var in strings.Builder
		fmt.Fprintf(&in, "XGROUP CREATE %s mailers $ MKSTREAM\n", b.key)
		for range 40 {
			fmt.Fprintf(&in, "XADD %s * order 31\n", b.key)
		}
		fmt.Fprintf(&in, "XREADGROUP GROUP mailers cli COUNT 10 STREAMS %s >\n", b.key)
		cmd := exec.CommandContext(t.Context(), path, "-u", s.URL)
		cmd.Stdin = strings.NewReader(in.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		got := b.snapshot(SnapshotOptions{Pending: 100})
		same(t, "figures", figuresOf(got), "40: 30 10 40 0 1")
		same(t, "entries", strings.Count(entriesOf(got), " cli 1 false"), 10)
		report, status := b.doctor(DoctorOptions{})
		same(t, "findings", codes(report), "")
		same(t, "status", status, DoctorHealthy)
	})
}

// On a server where the same is wrong with many streams the text stays readable; the JSON has all.
func TestTheSameOnManyStreams(t *testing.T) {
	private := redistest.Private(t)
	b := &bed{t: t, url: private.URL(), c: dial(t, private.URL())}
	for i := range 70 {
		b.key = fmt.Sprintf("q%02d", i)
		stored(1, "XGROUP CREATE Q other 0")(b)
	}
	b.cli("XADD q69:dead * error boom")
	var out bytes.Buffer
	status, err := Doctor(t.Context(), target(t, b.url), &out, DoctorOptions{Thresholds: doctor.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "status", status, DoctorFindings)
	same(t, "spelled out", strings.Count(out.String(), "CRITICAL no-consumers"), 20)
	for _, want := range []string{
		"… and 120 more of no-consumers", "140 critical, 1 warning; looked at 71 streams with 140 groups", "1 dead letter waits in q69:dead",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	if _, err := Doctor(t.Context(), target(t, b.url), &out, DoctorOptions{Thresholds: doctor.Defaults(), JSON: true, Least: doctor.Critical}); err != nil {
		t.Fatal(err)
	}
	same(t, "in JSON, the critical ones", len(at(decode(t, out.Bytes()), "findings").([]any)), 140)
	out.Reset()
	if err := Snapshot(t.Context(), target(t, b.url), &out, SnapshotOptions{Group: "g"}); err != nil {
		t.Fatal(err)
	}
	same(t, "streams that have the group", strings.Count(out.String(), "\n  g "), 70)
	same(t, "the others are left out", strings.Contains(out.String(), "q69:dead\n  "), false)
}

// A server without a stream is no healthy one: there was nothing to look at, and the server is named all the same.
func TestDoctorOfAnEmptyServer(t *testing.T) {
	private := redistest.Private(t)
	var out bytes.Buffer
	status, err := Doctor(t.Context(), target(t, private.URL()), &out, DoctorOptions{})
	if err != nil || status != DoctorHealthy {
		t.Fatalf("status %d, %v", status, err)
	}
	same(t, "said", strings.HasPrefix(out.String(), "There is no stream to look at on "), true)
	same(t, "where", strings.Contains(strings.Join(strings.Fields(out.String()), ""), private.Addr()), true)
}
