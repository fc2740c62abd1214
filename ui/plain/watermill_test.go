package plain

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/redisq/watch"
)

// A consumer of watermill-redisstream 1.4.5 holds up to this many messages: one is with the handler, one waits in a
// channel, and one waits for room in it.
const watermillHolds = 3

// watermillIdle is the idle time after which the tests call a message late.
const watermillIdle = 500 * time.Millisecond

// Groups of programs that use watermill, watched while they run, on the embedded server too.
func TestWatermill(t *testing.T) {
	binary := buildWatermill(t)
	for _, c := range []struct {
		name string
		f    func(t *testing.T, b *bed, binary string)
	}{
		{"works, then is stopped", watermillWorks},
		{"hangs, is killed, and others take over", watermillIsKilled},
	} {
		t.Run(c.name, func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, s redistest.Server) {
				t.Parallel()
				c.f(t, newBed(t, s), binary)
			})
		})
	}
}

// readings are the lines of a snapshot that watches.
type readings struct {
	mu  sync.Mutex
	all [][]byte
}

func (r *readings) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, bytes.Clone(line))
	return len(line), nil
}

// watch takes readings of the stream, not in step with those who use it, until stop is called, which returns them.
func (b *bed) watch() (stop func() []object) {
	ctx, cancel := context.WithCancel(b.t.Context())
	var r readings
	var err error
	var wg sync.WaitGroup
	wg.Go(func() {
		err = Snapshot(ctx, target(b.t, b.url), &r, SnapshotOptions{Streams: []string{b.key}, JSON: true, Watch: true, Interval: 23 * time.Millisecond})
	})
	b.t.Cleanup(func() { cancel(); wg.Wait() })
	return func() []object {
		b.t.Helper()
		cancel()
		wg.Wait()
		if err != nil {
			b.t.Errorf("watching: %v", err)
		}
		var all []object
		for _, line := range r.all {
			all = append(all, decode(b.t, line))
		}
		return all
	}
}

// A subscriber does 200 messages, refuses each seventh once, and is stopped; five more come in.
func watermillWorks(t *testing.T, b *bed, binary string) {
	stop := b.watch() // before there is anything
	sub := b.subscribe(binary, "mailer-1", "-work", "5ms", "-nack-every", "7")
	pub := b.watermill(binary, "-publish", "200", "-pace", "20ms") // a third of what the subscriber can do
	within(t, "it works", func() bool { return len(sub.said("done")) > 0 })

	report, status := b.doctor(DoctorOptions{For: 1200 * time.Millisecond})
	same(t, "findings while it works", codes(report), "")
	same(t, "status", status, DoctorHealthy)

	pub.finish()
	within(t, "all are done", func() bool {
		rows, _ := b.held()
		return len(rows) == 0 && len(sub.said("done")) == 200
	})
	trimmed := "0"
	if b.s.Embedded {
		trimmed = "?" // it does not tell
	}
	got := b.snapshot(SnapshotOptions{Pending: 100})
	same(t, "figures after all", figuresOf(got), "200: 0 0 0 "+trimmed+" 0")
	same(t, "the group is at", text(at(got, "streams 0 groups 0 last_delivered_id")), b.ids()[199])
	same(t, "consumers", consumersOf(got), "mailer-1 0")
	same(t, "entries", entriesOf(got), "")

	// It got each message once, in order, as it would without anyone watching; what it refused came again by itself.
	var want []string
	for i := range 200 {
		want = append(want, fmt.Sprintf("order-%d", i+1))
	}
	same(t, "done", strings.Join(sub.said("done"), " "), strings.Join(want, " "))
	same(t, "got", strings.Join(slices.Compact(sub.said("got")), " "), strings.Join(want, " "))
	same(t, "refused: of 233 calls of the handler", len(sub.said("refused")), 33)

	sub.stop()
	b.publish(binary, "5", "-uuid", "late-")
	same(t, "figures after it was stopped", figuresOf(b.snapshot(SnapshotOptions{})), "205: 5 0 5 "+trimmed+" 0")
	report, status = b.doctor(DoctorOptions{Thresholds: shortly(watermillIdle), For: 1200 * time.Millisecond})
	if b.s.Embedded {
		same(t, "findings where the server does not tell when a consumer asked for something", codes(report), "")
	} else {
		same(t, "status", status, DoctorFindings)
		same(t, "findings", codes(report), "critical no-consumers")
		same(t, "waiting", text(at(report, "findings 0 evidence undelivered")), "5")
		same(t, "consumers that read nothing", text(at(report, "findings 0 evidence consumers")), "1")
	}

	working := 0
	all := stop()
	for _, r := range all {
		if at(r, "streams 0 length") == nil || at(r, "streams 0 groups 0") == nil {
			continue // before the group was there, or while it was made
		}
		var n [6]int // stored, undelivered, pending, backlog, trimmed unread, deliveries
		for i, word := range strings.Fields(strings.Replace(figuresOf(r), ":", "", 1)) {
			var err error
			if n[i], err = strconv.Atoi(word); err != nil && (i != 4 || word != trimmed) {
				t.Fatalf("not known at work: %s", figuresOf(r))
			}
		}
		if n[0] > 205 || n[1]+n[2] != n[3] || n[2] > watermillHolds || n[4] != 0 || n[5] > 1 {
			t.Fatalf("at work: %s", figuresOf(r))
		}
		if n[2] > 0 && n[0] < 200 {
			working++
		}
	}
	if working < 5 {
		t.Errorf("%d of %d readings show it at work", working, len(all))
	}
	same(t, "the last reading", figuresOf(all[len(all)-1]), "205: 5 0 5 "+trimmed+" 0")
}

// A subscriber hangs with what it holds and is killed, another takes it over and hangs as well, a third one does all.
func watermillIsKilled(t *testing.T, b *bed, binary string) {
	const payload = "\x00\xff\xfe\n\x1b[31m"
	b.publish(binary, "2", "-uuid", "pdf-", "-metadata", "tenant=north", "-payload", `\x00\xff\xfe\n\x1b[31m`)
	ids := b.publish(binary, "8", "-payload", `{\"order\":31}`)
	same(t, "published", len(ids), 10)
	w := b.attach()

	first := b.subscribe(binary, "mailer-1", "-hang")
	holds := func(consumer string, deliveries int) {
		t.Helper()
		var want []string
		for _, id := range ids[:watermillHolds] {
			want = append(want, fmt.Sprintf("%s %s %d", id, consumer, deliveries))
		}
		within(t, consumer+" holds three", func() bool {
			rows, _ := b.held()
			return slices.Equal(rows, want)
		})
		w.until("three with "+consumer, func(u watch.Update) bool {
			var rows []string
			for _, r := range u.Snapshot.Pending.Rows {
				rows = append(rows, fmt.Sprintf("%s %s %d", r.ID, r.Consumer, r.Deliveries))
			}
			return slices.Equal(rows, want) && u.Snapshot.Group.Undelivered.Value == 7
		})
		got := b.snapshot(SnapshotOptions{Pending: 100})
		same(t, "length, undelivered, pending, backlog", strings.Join(strings.Fields(figuresOf(got))[:4], " "), "10: 7 3 10")
		same(t, "deliveries", text(at(got, "streams 0 groups 0 max_deliveries")), fmt.Sprint(deliveries))
		same(t, "entries", entriesOf(got), strings.Join(want, " false, ")+" false")
	}
	late := func() {
		t.Helper()
		within(t, "they are late", func() bool {
			_, idle := b.held()
			return idle > watermillIdle
		})
	}
	w.Watch.Watch(ids[0])
	holds("mailer-1", 1)
	same(t, "the handler has", strings.Join(first.said("got"), " "), "pdf-1")
	b.checkWatermillFields(payload)
	report, status := b.doctor(DoctorOptions{})
	same(t, "findings before the lease has run out", codes(report), "")
	same(t, "status", status, DoctorHealthy)

	before := b.whole()
	late()
	b.checkStuck("mailer-1", ids[:watermillHolds])
	look(t, b.url, b.key)
	same(t, "the stream, which it looked at while the subscriber hung", b.whole(), before)

	first.kill()
	b.checkStuck("mailer-1", ids[:watermillHolds])
	holds("mailer-1", 1)
	same(t, "the stream after the kill", b.whole(), before)

	second := b.subscribe(binary, "mailer-2", "-hang", "-max-idle", watermillIdle.String())
	holds("mailer-2", 2)
	same(t, "consumers", consumersOf(b.snapshot(SnapshotOptions{})), "mailer-1 0, mailer-2 3")
	late()
	b.checkStuck("mailer-2", ids[:watermillHolds])
	second.stop() // it hangs, and ends all the same
	holds("mailer-2", 2)

	third := b.subscribe(binary, "mailer-3", "-max-idle", watermillIdle.String())
	within(t, "all are done", func() bool {
		rows, _ := b.held()
		return len(rows) == 0 && len(third.said("done")) == 10
	})
	got := b.snapshot(SnapshotOptions{Pending: 100})
	same(t, "length, undelivered, pending, backlog", strings.Join(strings.Fields(figuresOf(got))[:4], " "), "10: 0 0 0")
	same(t, "consumers", consumersOf(got), "mailer-1 0, mailer-2 0, mailer-3 0")
	report, status = b.doctor(DoctorOptions{})
	same(t, "findings at the end", codes(report), "")
	same(t, "status", status, DoctorHealthy)

	u := w.until("the end of the story", func(u watch.Update) bool {
		return u.Snapshot.Group.Backlog.Value == 0 && len(u.Story) > 0 && strings.Contains(u.Story[len(u.Story)-1].Text, "vanished")
	})
	var story []string
	for _, line := range u.Story {
		story = append(story, line.Text)
	}
	// The third one may be done with it between two readings.
	if all := strings.Join(story, "\n"); !strings.Contains(all, "delivered to mailer-1") ||
		!strings.Contains(all, "claimed by mailer-2 from mailer-1 (delivery 2)") {
		t.Errorf("the story of a message:\n%s", all)
	}
}

// checkStuck wants the doctor to say that the consumer is stuck with these messages and that nobody reads the rest.
func (b *bed) checkStuck(consumer string, ids []string) {
	b.t.Helper()
	report, status := b.doctor(DoctorOptions{Thresholds: shortly(watermillIdle), For: 1200 * time.Millisecond})
	same(b.t, "status", status, DoctorFindings)
	found, stuck := codes(report), "findings 0 "
	if !b.s.Embedded { // that does not tell when a consumer asked for something
		rest, ok := strings.CutPrefix(found, "critical no-consumers, ")
		same(b.t, "it says that nobody reads", ok, true)
		same(b.t, "waiting", text(at(report, "findings 0 evidence undelivered")), "7")
		found, stuck = rest, "findings 1 "
	}
	same(b.t, "findings", found, "critical stuck-consumer "+consumer)
	same(b.t, "ids", text(at(report, stuck+"ids")), fmt.Sprint(ids))
	same(b.t, "pending", text(at(report, stuck+"evidence pending")), "3")
	same(b.t, "late", text(at(report, stuck+"evidence late")), "3")
	if command, all := "XCLAIM Q g rescue 500 "+strings.Join(ids, " "), b.remedies(report); !strings.Contains(all, command) {
		b.t.Errorf("no remedy %s among\n%s", command, all)
	}
}

// checkWatermillFields looks at the first and third message: how watermill stores them, byte for byte, in the order in
// which the server has the fields, which is another one each time.
func (b *bed) checkWatermillFields(payload string) {
	b.t.Helper()
	got := b.snapshot(SnapshotOptions{Pending: 100})
	stored := b.cli("XRANGE Q - + COUNT 3").([]any)
	for i, want := range map[int]map[string]string{
		// MessagePack: a map of one, a string of 6 bytes, a string of 5.
		0: {"_watermill_message_uuid": "pdf-1", "metadata": "\x81\xa6tenant\xa5north", "payload": payload},
		2: {"_watermill_message_uuid": "order-1", "metadata": "", "payload": `{"order":31}`},
	} {
		entry := at(got, fmt.Sprintf("streams 0 groups 0 entries %d", i))
		shown, fields := []string{}, map[string]string{}
		if i == 0 { // one that is binary stands as base64, beside what can be read
			for _, f := range at(entry, "fields_base64").([]any) {
				name, err := base64.StdEncoding.DecodeString(text(at(f, "0")))
				value, err2 := base64.StdEncoding.DecodeString(text(at(f, "1")))
				if err != nil || err2 != nil {
					b.t.Fatal(err, err2)
				}
				shown = append(shown, string(name), string(value))
			}
		}
		for _, f := range at(entry, "fields").([]any) {
			name, value := text(at(f, "0")), text(at(f, "1"))
			if i == 2 {
				shown = append(shown, name, value)
			}
			if name == "_watermill_message_uuid" {
				same(b.t, "the id of the message", value, want[name])
			}
		}
		for pair := range slices.Chunk(shown, 2) {
			fields[pair[0]] = pair[1]
		}
		if !maps.Equal(fields, want) || len(shown) != 6 {
			b.t.Errorf("entry %d has the fields %q, want %q", i, shown, want)
		}
		same(b.t, "their order", fmt.Sprintf("%q", shown), fmt.Sprintf("%q", stored[i].([]any)[1]))
		same(b.t, "it has base64", at(entry, "fields_base64") != nil, i == 0)
	}
}

// whole is all that the server knows of the stream and its group, but for idle times.
func (b *bed) whole() string {
	b.t.Helper()
	rows, _ := b.held()
	all := []string{fmt.Sprint(rows), fmt.Sprint(b.cli("XRANGE Q - +"), b.cli("XINFO GROUPS Q"))}
	if !b.s.Embedded {
		all = append(all, fmt.Sprintf("%x", b.cli("DUMP Q"))) // with the times of deliveries and of the consumers' calls
	}
	return strings.Join(all, "\n")
}

// consumersOf are a group's consumers with what they hold.
func consumersOf(snapshot object) string {
	var all []string
	list, _ := at(snapshot, "streams 0 groups 0 consumers").([]any)
	for _, c := range list {
		all = append(all, text(at(c, "name"))+" "+text(at(c, "pending")))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// attached is the watching that the screen does.
type attached struct {
	*watch.Watch
	t *testing.T
}

func (b *bed) attach() attached {
	b.t.Helper()
	w, err := watch.New(watch.Options{
		Target: target(b.t, b.url), Embedded: b.s.Embedded, Stream: b.key, Group: "g", Interval: 50 * time.Millisecond,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	w.Start()
	b.t.Cleanup(func() {
		if err := w.Close(); err != nil {
			b.t.Error(err)
		}
	})
	return attached{w, b.t}
}

// until waits for a good reading that is as it should be.
func (a attached) until(what string, ok func(watch.Update) bool) watch.Update {
	a.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	var last *redisq.Snapshot
	for {
		select {
		case u := <-a.Updates():
			if last = u.Snapshot; last != nil && last.Err == nil && ok(u) {
				return u
			}
		case <-deadline.C:
			a.t.Fatalf("not seen: %s; the last snapshot is %+v", what, last)
		}
	}
}
