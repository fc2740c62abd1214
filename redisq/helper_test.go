package redisq

import (
	"context"
	"fmt"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

func TestMain(m *testing.M) {
	SilenceLibrary(nil)
	redistest.Main(m)
}

// bed is a queue of its own on a server, with a group at 0.
type bed struct {
	t *testing.T
	s redistest.Server
	c *Client
	g *Group
	q Queue
}

func connect(t testing.TB, url string, o Options) *Client {
	t.Helper()
	target, err := ParseTarget(url)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Connect(target, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func newBed(t *testing.T, s redistest.Server) *bed {
	t.Helper()
	c := connect(t, s.URL, Options{Name: "test", Embedded: s.Embedded})
	q := NewQueue(s.Key(t, "q"), "g")
	return &bed{t: t, s: s, c: c, g: NewGroup(c, q), q: q}
}

// privateBed is a bed on a server of the test's own, through a client with these options.
func privateBed(t *testing.T, url string, o Options) *bed {
	t.Helper()
	c := connect(t, url, o)
	q := NewQueue("q", "g")
	return &bed{t: t, c: c, g: NewGroup(c, q), q: q}
}

// grouped is a bed with its group at 0.
func grouped(t *testing.T, s redistest.Server) *bed {
	t.Helper()
	b := newBed(t, s)
	b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "0", "MKSTREAM")
	return b
}

func (b *bed) do(args ...any) any {
	b.t.Helper()
	reply, err := b.c.Do(b.t.Context(), args...)
	if err != nil {
		b.t.Fatal(err)
	}
	return reply
}

// add adds n entries with the ids from-0, …; each has the field n with its number.
func (b *bed) add(from, n int) {
	b.t.Helper()
	for i := from; i < from+n; i++ {
		b.do("XADD", b.q.Stream, fmt.Sprintf("%d-0", i), "n", i)
	}
}

// read has a consumer read n new entries.
func (b *bed) read(consumer string, n int) {
	b.t.Helper()
	b.do("XREADGROUP", "GROUP", b.q.Group, consumer, "COUNT", n, "STREAMS", b.q.Stream, ">")
}

// pending returns "id owner deliveries" of each pending entry.
func (b *bed) pending() []string {
	b.t.Helper()
	var rows []string
	for _, item := range asList(b.do("XPENDING", b.q.Stream, b.q.Group, "-", "+", 1000)) {
		row := asList(item)
		rows = append(rows, fmt.Sprint(row[0], " ", row[1], " ", row[3]))
	}
	return rows
}

// entries returns a stream as "id name=value …" of each entry.
func (b *bed) entries(stream string) []Entry {
	b.t.Helper()
	return asEntries(b.do("XRANGE", stream, "-", "+"))
}

func (b *bed) observer(o ObserverOptions) *Observer {
	return NewObserver(b.c, b.q, o)
}

// snapshot reads once with a fresh observer.
func (b *bed) snapshot() *Snapshot {
	b.t.Helper()
	s := b.observer(ObserverOptions{}).Read(b.t.Context())
	if s.Err != nil {
		b.t.Fatal(s.Err)
	}
	return s
}

// age makes a pending entry idle for d, with its owner and delivery count as they are.
func (b *bed) age(id, owner string, deliveries int, d time.Duration) {
	b.t.Helper()
	b.do("XCLAIM", b.q.Stream, b.q.Group, owner, 0, id, "IDLE", d.Milliseconds(), "RETRYCOUNT", deliveries, "JUSTID")
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func sameText(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// sameFields compares byte for byte.
func sameFields(t *testing.T, what string, got, want []Field) {
	t.Helper()
	if g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

func ok[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// within waits for a condition, for as long as a machine with much else to do may take.
func within(t *testing.T, what string, condition func() bool) {
	t.Helper()
	const patience = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			t.Fatalf("not within %v: %s", patience, what)
		case <-tick.C:
		}
	}
}
