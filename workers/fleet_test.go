package workers

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// rig is a queue on one server, a client of the test's own that looks at it from outside, and the events told so far.
type rig struct {
	t     *testing.T
	url   string
	queue redisq.Queue
	rdb   *redis.Client

	mu     sync.Mutex
	events []Event
}

func newRig(t *testing.T, url, stream string) *rig {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, url: url, queue: redisq.NewQueue(stream, testGroup), rdb: redis.NewClient(o)}
	t.Cleanup(func() { _ = r.rdb.Close() })
	t.Cleanup(func() {
		if t.Failed() {
			for _, e := range r.told() {
				t.Logf("%s %s %s order=%s id=%s n=%d via=%s from=%s %s %s", e.At.Format("05.000"), e.Worker, e.Kind, e.Order, e.ID,
					e.Deliveries, e.Via, e.From, e.Point, e.Reason)
			}
		}
	})
	return r
}

func rigOn(t *testing.T, s redistest.Server) *rig { return newRig(t, s.URL, s.Key(t, "emails")) }

func (r *rig) on(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *rig) told() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Event(nil), r.events...)
}

// count counts the events of a kind for which all conditions hold.
func (r *rig) count(kind EventKind, holds ...func(Event) bool) int {
	n := 0
next:
	for _, e := range r.told() {
		if e.Kind != kind {
			continue
		}
		for _, h := range holds {
			if !h(e) {
				continue next
			}
		}
		n++
	}
	return n
}

func order(o string) func(Event) bool   { return func(e Event) bool { return e.Order == o } }
func by(w string) func(Event) bool      { return func(e Event) bool { return e.Worker == w } }
func via(v string) func(Event) bool     { return func(e Event) bool { return e.Via == v } }
func reason(re string) func(Event) bool { return func(e Event) bool { return e.Reason == re } }
func (r *rig) orders(from, to int)      { r.add(from, to, "customer%d@shop.example") }
func (r *rig) badOrders(from, to int)   { r.add(from, to, "customer%d@nowhere.invalid") }
func (r *rig) await(what string, holds func() bool) {
	r.t.Helper()
	eventually(r.t, what, holds)
}

// add adds orders in one step: a read finds none of them, or all.
func (r *rig) add(from, to int, address string) {
	r.t.Helper()
	_, err := r.rdb.TxPipelined(r.t.Context(), func(p redis.Pipeliner) error {
		for n := from; n <= to; n++ {
			fields := []string{"order", strconv.Itoa(n), "to", fmt.Sprintf(address, n), "at", strconv.FormatInt(time.Now().UnixMilli(), 10)}
			p.XAdd(r.t.Context(), &redis.XAddArgs{Stream: r.queue.Stream, Values: fields})
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) xadd(fields ...string) string {
	r.t.Helper()
	return must[string](r.t)(r.rdb.XAdd(r.t.Context(), &redis.XAddArgs{Stream: r.queue.Stream, Values: fields}).Result())
}

func (r *rig) push(order string) {
	r.t.Helper()
	item := fmt.Sprintf(`[["order",%q],["to","customer%s@shop.example"]]`, order, order)
	must[int64](r.t)(r.rdb.LPush(r.t.Context(), r.queue.List, item).Result())
}

// handled says that the group was given every entry and none is pending.
func (r *rig) handled() bool {
	groups, err := r.rdb.XInfoGroups(r.t.Context(), r.queue.Stream).Result()
	if err != nil || len(groups) != 1 || groups[0].Pending != 0 {
		return false
	}
	last, err := r.rdb.XRevRangeN(r.t.Context(), r.queue.Stream, "+", "-", 1).Result()
	return err == nil && len(last) == 1 && groups[0].LastDeliveredID == last[0].ID
}

// finished waits until everything is handled and n ends of a message were told.
func (r *rig) finished(n int) {
	r.t.Helper()
	r.await("all handled", func() bool { return r.handled() && r.count(EventAcked)+r.count(EventDeadLettered) >= n })
}

func (r *rig) pending() int64 {
	r.t.Helper()
	return must[*redis.XPending](r.t)(r.rdb.XPending(r.t.Context(), r.queue.Stream, testGroup).Result()).Count
}

// dead returns the dead letters, each as its fields.
func (r *rig) dead() []map[string]any {
	r.t.Helper()
	var out []map[string]any
	for _, m := range must[[]redis.XMessage](r.t)(r.rdb.XRange(r.t.Context(), r.queue.DeadLetter, "-", "+").Result()) {
		out = append(out, m.Values)
	}
	return out
}

// quick are settings with a short lease, though longer than a busy machine keeps a process waiting.
func quick() Settings {
	s := DefaultSettings()
	s.Lease = time.Second
	return s
}

// supervise starts worker processes with the handler that handlers names for them, "" for all others.
func (r *rig) supervise(s Settings, handlers map[string]string, names ...string) *Supervisor {
	r.t.Helper()
	sup := NewSupervisor(SupervisorOptions{
		Argv: func(name string) []string {
			h, ok := handlers[name]
			if !ok {
				h = handlers[""]
			}
			return testArgv(h)(name)
		},
		// The race detector would keep an ending process for a second.
		Env:      []string{"GORACE=atexit_sleep_ms=0", roleEnv + "=worker", urlEnv + "=" + r.url, streamEnv + "=" + r.queue.Stream},
		OnEvent:  r.on,
		Settings: s,
	})
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := sup.Close(ctx); err != nil {
			r.t.Error(err)
		}
	})
	for _, name := range names {
		if err := sup.Start(name); err != nil {
			r.t.Fatal(err)
		}
	}
	for _, name := range names {
		r.await(name+" waits for work", func() bool { return r.count(EventWaiting, by(name)) > 0 })
	}
	return sup
}

func state(sup *Supervisor, name string) State {
	for _, s := range sup.States() {
		if s.Name == name {
			return s
		}
	}
	return State{}
}

// local is a worker in this process.
type local struct {
	in   *io.PipeWriter
	done chan error
}

// run starts a worker in this process; it ends with the test.
func (r *rig) run(name string, s Settings, h Handler) *local {
	r.t.Helper()
	target := must[redisq.Target](r.t)(redisq.ParseTarget(r.url))
	in, w := io.Pipe()
	l := &local{in: w, done: make(chan error, 1)}
	out, events := io.Pipe()
	go func() {
		l.done <- Run(context.Background(), Config{
			Target: target, Queue: r.queue, Consumer: name, Settings: s, Handler: h, In: in, Out: events,
		})
		_ = events.Close()
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := newLines(out)
		for lines.next() {
			r.on(must[Event](r.t)(decode(lines.line)))
		}
	}()
	r.t.Cleanup(func() {
		_ = w.Close()
		<-read
	})
	l.tell(r.t, Control{Settings: &s})
	return l
}
