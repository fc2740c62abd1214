package plain

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/redistest"
)

// busy is a queue with something of everything.
func busy(b *bed) {
	b.t.Helper()
	stored(9, `XGROUP CREATE Q other $
		XREADGROUP GROUP g w1 COUNT 3 STREAMS Q >
		XREADGROUP GROUP g w2 COUNT 1 STREAMS Q >
		XCLAIM Q g w1 0 1-0 IDLE 600000 RETRYCOUNT 9 JUSTID
		XDEL Q 2-0 7-0
		XADD {Q}:dead * error boom
		RPUSH Q:list a b`)(b)
}

// look does all that watching does: it finds, surveys, examines, sweeps and observes.
func look(t *testing.T, url string, key string) {
	t.Helper()
	for _, streams := range [][]string{nil, {key}, {key + ":list"}, {key + "nowhere"}} {
		for _, asJSON := range []bool{true, false} {
			// What is not there, or no stream, is looked for all the same.
			err := Snapshot(t.Context(), target(t, url), io.Discard, SnapshotOptions{Streams: streams, Pending: 50, JSON: asJSON})
			if (err != nil) != (len(streams) == 1 && streams[0] != key) {
				t.Fatal(err)
			}
		}
		if _, err := Doctor(t.Context(), target(t, url), io.Discard, DoctorOptions{
			Streams: streams, Thresholds: doctor.Defaults(), For: 50 * time.Millisecond,
		}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := redisq.Connect(target(t, url), redisq.Options{Name: "observer", ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	o := redisq.NewObserver(c, redisq.NewQueue(key, "g"), redisq.ObserverOptions{})
	for range 3 {
		if s := o.Read(t.Context()); s.Err != nil {
			t.Fatal(s.Err)
		}
		o.SetFilter(redisq.PendingFilter{MinIdle: time.Second})
	}
	if _, err := redisq.SweepPending(t.Context(), c, key, "g", redisq.SweepOptions{Pause: -1}); err != nil {
		t.Fatal(err)
	}
}

// DUMP has every byte of a stream: its entries, and of each group the pending entries with their times and counts, and
// the consumers with the times of their calls.
func TestWatchingChangesNothing(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		busy(b)
		picture := func() string {
			var all []string
			for _, line := range []string{"XRANGE Q - +", "XRANGE {Q}:dead - +", "XINFO STREAM Q", "LRANGE Q:list 0 -1"} {
				all = append(all, fmt.Sprint(b.cli(line)))
			}
			for _, row := range b.cli("XINFO GROUPS Q").([]any) {
				all = append(all, fmt.Sprint(row))
			}
			slices.Sort(all) // the embedded server lists groups in any order
			for _, row := range b.cli("XPENDING Q g - + 100").([]any) {
				r := row.([]any)
				all = append(all, fmt.Sprint(r[0], r[1], r[3])) // the idle time goes on by itself
			}
			if !s.Embedded {
				all = append(all, fmt.Sprintf("%x %x", b.cli("DUMP Q"), b.cli("DUMP {Q}:dead")))
			}
			return strings.Join(all, "\n")
		}
		idle := func() []int64 {
			var all []int64
			for _, row := range b.cli("XPENDING Q g - + 100").([]any) {
				all = append(all, row.([]any)[2].(int64))
			}
			return all
		}
		before, idleBefore := picture(), idle()
		look(t, s.URL, b.key)
		same(t, "the stream", picture(), before)
		for i, ms := range idle() {
			if ms < idleBefore[i] {
				t.Errorf("the idle time of row %d went from %d to %d ms", i, idleBefore[i], ms)
			}
		}
		same(t, "no new key", fmt.Sprint(b.cli("EXISTS Qnowhere Q:dead Q:dlq")), "0")
	})
}

// The server's own count of calls: no command that it calls a write was called.
func TestCommandStatistics(t *testing.T) {
	private := redistest.Private(t)
	if private.Embedded() {
		return // it does not count
	}
	b := &bed{t: t, url: private.URL(), c: dial(t, private.URL()), key: "q"}
	busy(b)
	var writes []string
	for _, row := range b.do("COMMAND").([]any) {
		parts := row.([]any)
		if slices.Contains(parts[2].([]any), any("write")) {
			writes = append(writes, parts[0].(string))
		}
	}
	calls := func() map[string]string {
		all := map[string]string{}
		for line := range strings.Lines(b.do("INFO", "commandstats").(string)) {
			name, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "cmdstat_"), ":calls=")
			count, _, _ := strings.Cut(rest, ",")
			if ok {
				all[name] = count
			}
		}
		return all
	}
	before := calls()
	look(t, private.URL(), "q")
	after := calls()
	reads := 0
	for name, count := range after {
		command, _, _ := strings.Cut(name, "|")
		if count == before[name] {
			continue
		}
		reads++
		if slices.Contains(writes, command) {
			t.Errorf("%s was called: %s times, before %s", name, count, before[name])
		}
	}
	if reads < 8 || len(writes) < 90 {
		t.Errorf("%d commands were called, of %d writes that there are", reads, len(writes))
	}
	same(t, "xpending was", after["xpending"] != before["xpending"], true)
}

// A user with +@read +ping has all the figures; what lacks a right says which one.
func TestUserWhoMayOnlyRead(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		if s.Embedded {
			return // it has no ACL
		}
		b := newBed(t, s)
		busy(b)
		want := figuresOf(b.snapshot(SnapshotOptions{Group: "g"}))
		as := func(user string, rules ...any) redisq.Target {
			user += b.key
			b.do(append([]any{"ACL", "SETUSER", user, "on", ">secret-word"}, rules...)...)
			t.Cleanup(func() {
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				defer cancel()
				_, _ = b.c.Do(ctx, "ACL", "DELUSER", user)
			})
			return target(t, s.URL).WithPassword(user, "secret-word")
		}
		run := func(who redisq.Target, o SnapshotOptions) object {
			t.Helper()
			return snapshotJSONOf(t, who, o)
		}
		examine := func(who redisq.Target) (object, int) {
			t.Helper()
			var out bytes.Buffer
			status, err := Doctor(t.Context(), who, &out, DoctorOptions{Streams: []string{b.key}, Group: "g", Thresholds: doctor.Defaults(), JSON: true})
			if err != nil {
				t.Fatal(err)
			}
			return decode(t, out.Bytes()), status
		}
		product, version, _ := strings.Cut(s.Name, "-")

		reader := as("reader", "~*", "+@read", "+ping")
		got := run(reader, SnapshotOptions{Streams: []string{b.key}, Group: "g"})
		same(t, "figures", figuresOf(got), want)
		same(t, "problems of the stream", fmt.Sprint(at(got, "streams 0 problems")), "[]")
		same(t, "problems of the group", fmt.Sprint(at(got, "streams 0 groups 0 problems")), "[]")
		same(t, "product", at(got, "server product"), any(product))
		same(t, "version", strings.HasPrefix(text(at(got, "server version")), version), true)
		report, status := examine(reader)
		same(t, "status", status, DoctorFindings)
		if c := codes(report); strings.Contains(c, "no-permission") || !strings.Contains(c, "poison") {
			t.Errorf("findings: %s", c)
		}
		got = run(reader, SnapshotOptions{})
		same(t, "all streams were searched", len(at(got, "streams").([]any)) > 0, true)

		some := as("some", "~*", "+@read", "-xinfo|consumers", "-xpending")
		got = run(some, SnapshotOptions{Streams: []string{b.key}, Group: "g"})
		group := at(got, "streams 0 groups 0")
		same(t, "undelivered is known", text(at(group, "undelivered")), "4")
		same(t, "pending too, from XINFO GROUPS", text(at(group, "pending")), "4")
		same(t, "the oldest is not", text(at(group, "oldest_idle_ms")), "?")
		same(t, "because", strings.HasPrefix(text(at(group, "oldest_idle_ms reason")), "no permission: XPENDING (user some"), true)
		same(t, "consumers", at(group, "consumers"), nil)
		report, _ = examine(some)
		for _, want := range []string{"+xinfo|consumers", "+xpending"} {
			if given := b.remedies(report); !strings.Contains(given, want) {
				t.Errorf("no remedy grants %s:\n%s", want, given)
			}
		}
		same(t, "permissions", strings.Count(codes(report), "warning no-permission"), 2)

		elsewhere := as("elsewhere", "~foo:*", "+@read")
		got = run(elsewhere, SnapshotOptions{Streams: []string{b.key}, Group: "g"})
		same(t, "figures without the right to the key", figuresOf(got), "null: ? null ? ? ?")
		same(t, "said", strings.HasPrefix(text(at(got, "streams 0 error")), "no permission: XINFO STREAM on the key "+b.key), true)
		report, _ = examine(elsewhere)
		if given := b.remedies(report); !strings.Contains(given, "%R~Q") {
			t.Errorf("no remedy grants the key:\n%s", given)
		}
		nobody := as("nobody", "~*", "-@all", "+ping", "+xinfo")
		var out bytes.Buffer
		err := Snapshot(t.Context(), nobody, &out, SnapshotOptions{})
		if redisq.CodeOf(err) != "NOPERM" || !strings.Contains(err.Error(), "name a stream") || out.Len() > 0 {
			t.Errorf("without the right to search: %v, wrote %q", err, out.String())
		}
	})
}
