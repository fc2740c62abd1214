package redisq

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

func TestEnsure(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		b.add(1, 2)
		same(t, "created", ok[bool](t)(b.g.Ensure(t.Context())), true)
		same(t, "again", ok[bool](t)(b.g.Ensure(t.Context())), false)
		got := ok[[]Entry](t)(b.g.ReadNew(t.Context(), "w", 9, 0))
		same(t, "it begins with what was stored", len(got), 2)
		b.do("DEL", b.q.Stream)
		b.do("SET", b.q.Stream, "x")
		_, err := b.g.Ensure(t.Context())
		same(t, "on a string", CodeOf(err), "WRONGTYPE")
	})
}

func TestCheckKeys(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		check := func(what, want string) {
			t.Helper()
			same(t, what, CodeOf(b.g.CheckKeys(t.Context())), want)
		}
		check("nothing there", "")
		b.add(1, 1)
		b.do("XADD", b.q.DeadLetter, "*", "a", "1")
		b.do("LPUSH", b.q.List, "x")
		check("all as they should be", "")
		for _, key := range []string{b.q.List, b.q.DeadLetter, b.q.Stream} {
			b.do("DEL", key)
			b.do("SET", key, "x")
			check(key, "WRONGTYPE")
			b.do("DEL", key)
		}
	})
}

func TestAddCapCutsExactly(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		for i := range 10 {
			_ = ok[string](t)(b.g.Add(t.Context(), []Field{{"n", fmt.Sprint(i)}}, AddOptions{MaxLen: 3}))
		}
		entries := b.entries(b.q.Stream)
		same(t, "entries", len(entries), 3)
		sameFields(t, "the newest", entries[2].Fields, []Field{{"n", "9"}})
		_, err := b.g.Add(t.Context(), nil, AddOptions{})
		same(t, "no fields", CodeOf(err), "ERR")
	})
}

// The limit counts what is undelivered and what is pending; acknowledged entries make room.
func TestAddLimit(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		add := func() error {
			_, err := b.g.Add(t.Context(), []Field{{"a", "1"}}, AddOptions{Limit: 4})
			return err
		}
		for range 4 {
			if err := add(); err != nil {
				t.Fatal(err)
			}
		}
		if err := add(); !errors.Is(err, ErrFull) || CodeOf(err) != CodeFull {
			t.Errorf("the fifth: %v", err)
		}
		got := ok[[]Entry](t)(b.g.ReadNew(t.Context(), "w", 3, 0))
		same(t, "delivered ones still count", CodeOf(add()), CodeFull)
		_ = ok[[]HeldResult](t)(b.g.Ack(t.Context(), "w", Held{got[0].ID, 1}, Held{got[1].ID, 1}))
		same(t, "room for one", add(), nil)
		same(t, "room for two", add(), nil)
		same(t, "and no more", CodeOf(add()), CodeFull)
		same(t, "stored", len(b.entries(b.q.Stream)), 6)
	})
}

func TestAddLimitWithoutStreamOrGroup(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		for i := range 4 {
			_, err := b.g.Add(t.Context(), []Field{{"a", "1"}}, AddOptions{Limit: 3})
			same(t, fmt.Sprint("addition ", i), errors.Is(err, ErrFull), i == 3)
		}
		b.do("DEL", b.q.Stream)
		b.do("SET", b.q.Stream, "x")
		_, err := b.g.Add(t.Context(), []Field{{"a", "1"}}, AddOptions{Limit: 3})
		same(t, "on a string", CodeOf(err), "WRONGTYPE")
	})
}

func TestAddLimitHoldsForMany(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		var added, refused atomic.Int64
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				for range 5 {
					switch _, err := b.g.Add(t.Context(), []Field{{"a", "1"}}, AddOptions{Limit: 30}); {
					case err == nil:
						added.Add(1)
					case errors.Is(err, ErrFull):
						refused.Add(1)
					default:
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		same(t, "added", added.Load(), 30)
		same(t, "refused", refused.Load(), 70)
		same(t, "stored", len(b.entries(b.q.Stream)), 30)
	})
}

func TestList(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		small := []Field{{"order", "1"}, {"order", "1"}, {"", ""}, {"<&>", "日本語"}}
		for _, fields := range [][]Field{small, awkward} {
			if err := b.g.Push(t.Context(), fields, AddOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range [][]Field{small, awkward} {
			e, there, err := b.g.Pop(t.Context(), 50*time.Millisecond)
			if err != nil || !there {
				t.Fatal(there, err)
			}
			same(t, "id", e.ID, "")
			sameFields(t, "the oldest first", e.Fields, want)
		}
		began := time.Now()
		_, there, err := b.g.Pop(t.Context(), 50*time.Millisecond)
		if there || err != nil {
			t.Error(there, err)
		}
		if took := time.Since(began); took >= maxBlock {
			t.Errorf("waited %v", took)
		}
		b.do("LPUSH", b.q.List, `["not ours"]`)
		e, _, _ := b.g.Pop(t.Context(), 50*time.Millisecond)
		sameFields(t, "what somebody else pushed", e.Fields, []Field{{"value", `["not ours"]`}})
	})
}

func TestListLimitAndCap(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		push := func(i int, o AddOptions) error {
			return b.g.Push(t.Context(), []Field{{"n", fmt.Sprint(i)}}, o)
		}
		for i := range 4 {
			same(t, fmt.Sprint("push ", i), errors.Is(push(i, AddOptions{Limit: 3}), ErrFull), i == 3)
		}
		for i := 4; i < 8; i++ {
			if err := push(i, AddOptions{MaxLen: 3}); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []string{"5", "6", "7"} { // the oldest were cut
			e, _, err := b.g.Pop(t.Context(), 50*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			sameFields(t, "left", e.Fields, []Field{{"n", want}})
		}
		b.do("SET", b.q.List, "x")
		same(t, "a limit on a string", CodeOf(push(1, AddOptions{Limit: 3})), "WRONGTYPE")
		same(t, "a cap on a string", CodeOf(push(1, AddOptions{MaxLen: 3})), "WRONGTYPE")
	})
}

func TestRemoveKeys(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		keep := s.Key(t, "other")
		run := fmt.Sprintf("unacked:lab:%d:", time.Now().UnixNano())
		b.do("SET", keep, "x")
		b.do("SET", run+"{emails}", "x")
		b.do("SET", run+"{emails}:dead", "x")
		b.do("SET", "unacked:lab:?:x", "x")
		defer b.do("DEL", "unacked:lab:?:x")
		for _, prefix := range []string{"", "unacked:", "un*", "unacked:test:", keep} {
			if err := b.c.RemoveKeys(t.Context(), prefix); err == nil {
				t.Errorf("prefix %q was taken", prefix)
			}
		}
		if err := b.g.RemoveKeys(t.Context(), "unacked:lab:[0-9]"); err != nil {
			t.Fatal(err)
		}
		left := func(key string) any { return b.do("EXISTS", key) }
		same(t, "a pattern is no prefix", left(run+"{emails}"), any(int64(1)))
		if err := b.g.RemoveKeys(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		same(t, "removed", left(run+"{emails}"), any(int64(0)))
		same(t, "removed too", left(run+"{emails}:dead"), any(int64(0)))
		same(t, "another's", left(keep), any(int64(1)))
		same(t, "another lab's", left("unacked:lab:?:x"), any(int64(1)))
	})
}
