package redisq

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// awkward are fields that a map, a string type or a terminal would spoil.
var awkward = []Field{
	{"order", "31"},
	{"order", "31"},
	{"order", "32"},
	{"", "no name"},
	{"no value", ""},
	{"", ""},
	{"nul\x00name", "a\x00b"},
	{"\xff\xfe", "\xac\xed\x00\x05"},
	{"\x1b[2J", "\r\n\t"},
	{"日本語", "👩‍👩‍👧‍👦"},
	{"error", "mine"},
	{metaOriginal, "mine"},
	{metaReason, "mine"},
	{"big", strings.Repeat("\x9b0", 50_000)},
}

func (b *bed) addFields(fields []Field) string {
	b.t.Helper()
	return ok[string](b.t)(b.g.Add(b.t.Context(), fields, AddOptions{}))
}

// letters returns the dead letters as the server has them.
func (b *bed) letters() []DeadLetter {
	b.t.Helper()
	var letters []DeadLetter
	for _, e := range b.entries(b.q.DeadLetter) {
		letters = append(letters, ParseDeadLetter(e))
	}
	return letters
}

func TestDeadLetterKeepsEveryByte(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		id := b.addFields(awkward)
		b.read("w2", 1)
		b.age(id, "w2", 5, 0)
		before := time.Now().Add(-time.Minute)
		got := ok[HeldResult](t)(b.g.DeadLetter(t.Context(), "w2", Held{id, 5}, "550 no such \xffuser"))
		sameText(t, "result", got, HeldResult{ID: id, OK: true})
		same(t, "pending", len(b.pending()), 0)

		raw := b.entries(b.q.DeadLetter)
		same(t, "letters", len(raw), 1)
		same(t, "fields", len(raw[0].Fields), 9+len(awkward))
		sameFields(t, "original fields", raw[0].Fields[9:], awkward)

		letter := ParseDeadLetter(raw[0])
		same(t, "foreign", letter.Foreign, false)
		same(t, "stream", letter.Stream, b.q.Stream)
		same(t, "group", letter.Group, "g")
		same(t, "entry", letter.Entry, id)
		same(t, "original", letter.Original, id)
		same(t, "deliveries", letter.Deliveries, 5)
		same(t, "replays", letter.Replays, 0)
		same(t, "consumer", letter.Consumer, "w2")
		same(t, "reason", letter.Reason, "550 no such \xffuser")
		if letter.At.Before(before) || letter.At.After(time.Now().Add(time.Minute)) {
			t.Errorf("time %v", letter.At)
		}
		sameFields(t, "fields", letter.Fields, awkward)
	})
}

func TestDeadLetterTwiceIsOnce(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 1)
		b.read("w1", 1)
		for i := range 3 {
			got := ok[HeldResult](t)(b.g.DeadLetter(t.Context(), "w1", Held{"1-0", 1}, "why"))
			sameText(t, fmt.Sprint("call ", i), got, HeldResult{ID: "1-0", OK: true, Already: i > 0})
		}
		same(t, "letters", len(b.letters()), 1)
	})
}

func TestDeadLetterOfAnothersEntryIsRefused(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 2)
		b.read("w1", 2)
		b.age("1-0", "w2", 2, 0)
		b.do("XACK", b.q.Stream, b.q.Group, "2-0")
		got := ok[HeldResult](t)(b.g.DeadLetter(t.Context(), "w1", Held{"1-0", 1}, "late"))
		sameText(t, "claimed by w2", got, HeldResult{ID: "1-0", Owner: "w2", Deliveries: 2})
		got = ok[HeldResult](t)(b.g.DeadLetter(t.Context(), "w2", Held{"1-0", 1}, "old count"))
		sameText(t, "another delivery", got, HeldResult{ID: "1-0", Owner: "w2", Deliveries: 2})
		got = ok[HeldResult](t)(b.g.DeadLetter(t.Context(), "w1", Held{"2-0", 1}, "late"))
		sameText(t, "acknowledged", got, HeldResult{ID: "2-0"})
		same(t, "letters", len(b.letters()), 0)
		sameText(t, "pending", b.pending(), []string{"1-0 w2 2"})
	})
}

func TestDeadLetterOfGhostDropsIt(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 2)
		b.read("w1", 2)
		b.do("XDEL", b.q.Stream, "1-0")
		got := ok[HeldResult](t)(b.g.DeadLetter(t.Context(), "w1", Held{"1-0", 1}, "why"))
		sameText(t, "result", got, HeldResult{ID: "1-0", Gone: true})
		same(t, "letters", len(b.letters()), 0)
		sameText(t, "pending", b.pending(), []string{"2-0 w1 1"})
	})
}

func TestDeadLetterKeyOfAnotherTypeLeavesItPending(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 1)
		b.read("w1", 1)
		b.do("SET", b.q.DeadLetter, "oops")
		_, err := b.g.DeadLetter(t.Context(), "w1", Held{"1-0", 1}, "why")
		same(t, "code", CodeOf(err), "WRONGTYPE")
		if !strings.Contains(err.Error(), b.q.DeadLetter) {
			t.Errorf("the key is not named: %v", err)
		}
		sameText(t, "pending", b.pending(), []string{"1-0 w1 1"})
		if err := b.g.CheckKeys(t.Context()); CodeOf(err) != "WRONGTYPE" {
			t.Errorf("CheckKeys: %v", err)
		}
	})
}

func TestDeadLetterWithoutMemoryLeavesItPending(t *testing.T) {
	private := redistest.Private(t)
	if private.Embedded() {
		return // it has no maxmemory
	}
	b := privateBed(t, private.URL(), Options{})
	b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "0", "MKSTREAM")
	b.add(1, 1)
	b.read("w1", 1)
	b.do("CONFIG", "SET", "maxmemory", "1")
	_, err := b.g.DeadLetter(t.Context(), "w1", Held{"1-0", 1}, "why")
	same(t, "code", CodeOf(err), "OOM")
	sameText(t, "pending", b.pending(), []string{"1-0 w1 1"})
	b.do("CONFIG", "SET", "maxmemory", "0")
	got := ok[HeldResult](t)(b.g.DeadLetter(t.Context(), "w1", Held{"1-0", 1}, "why"))
	same(t, "with memory again", got.OK, true)
}

// Through dead letter, replay, failure, dead letter and replay: the bytes and the first id stay, the replays count.
func TestReplayRoundTrip(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		first := b.addFields(awkward)
		id := first
		for round := range int64(3) {
			_ = ok[[]Entry](t)(b.g.ReadNew(t.Context(), "w1", 1, 0))
			got := ok[HeldResult](t)(b.g.DeadLetter(t.Context(), "w1", Held{id, 1}, "again"))
			same(t, "dead-lettered", got.OK, true)
			letters := b.letters()
			same(t, "letters", len(letters), 1)
			same(t, "original", letters[0].Original, first)
			same(t, "entry", letters[0].Entry, id)
			same(t, "replays", letters[0].Replays, round)
			sameFields(t, "letter's fields", letters[0].Fields, awkward)

			out := b.g.PlanReplay(b.snapshot(), []string{letters[0].ID}).Run(t.Context())
			sameText(t, "outcome", out, Outcome{Text: "replayed 1", Done: 1, Matched: 1})
			same(t, "letters left", len(b.letters()), 0)
			entries := b.entries(b.q.Stream)
			e := entries[len(entries)-1]
			id = e.ID
			original, replays, fields := Original(e)
			same(t, "original id", original, first)
			same(t, "replays of the entry", replays, round+1)
			sameFields(t, "entry's own fields", fields, awkward)
			sameFields(t, "its first fields", e.Fields[:len(awkward)], awkward)
		}
		same(t, "entries added in all", len(b.entries(b.q.Stream)), 4)
	})
}

func TestOriginalOfAnOrdinaryEntry(t *testing.T) {
	for name, fields := range map[string][]Field{
		"plain":           {{"a", "1"}},
		"markers alone":   {{metaOriginal, "1-0"}, {metaReplays, "1"}},
		"not at the end":  {{metaOriginal, "1-0"}, {metaReplays, "1"}, {"a", "1"}},
		"no id":           {{"a", "1"}, {metaOriginal, "x"}, {metaReplays, "1"}},
		"no count":        {{"a", "1"}, {metaOriginal, "1-0"}, {metaReplays, "-1"}},
		"the other order": {{"a", "1"}, {metaReplays, "1"}, {metaOriginal, "1-0"}},
		"none":            nil,
	} {
		id, replays, own := Original(Entry{ID: "7-7", Fields: fields})
		same(t, name+": id", id, "7-7")
		same(t, name+": replays", replays, 0)
		sameFields(t, name, own, fields)
	}
}
