package redisq

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// anyFields makes fields of a message: any bytes, none at all, duplicates, and names that this program uses itself.
func anyFields(r *rand.Rand) []Field {
	names := []string{"", "a", "a", "error", "\x00", "\xff\xfe", "naïve", metaOriginal, metaReplays, metaKept, metaStream, "7-0"}
	text := func() string {
		if r.IntN(2) == 0 {
			return names[r.IntN(len(names))]
		}
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = byte(r.UintN(256))
		}
		return string(b)
	}
	fields := make([]Field, 1+r.IntN(12))
	for i := range fields {
		fields[i] = Field{text(), text()}
	}
	return fields
}

// buryFields makes a dead letter of an entry with these fields.
func (b *bed) buryFields(fields []Field) DeadLetter {
	b.t.Helper()
	id := b.addFields(fields)
	b.read("w1", 1)
	if r := ok[HeldResult](b.t)(b.g.DeadLetter(b.t.Context(), "w1", Held{id, 1}, "why")); !r.OK {
		b.t.Fatal(r)
	}
	letters := b.letters()
	return letters[len(letters)-1]
}

func (b *bed) foreign(fields []Field) string {
	b.t.Helper()
	return asString(b.do(append([]any{"XADD", b.q.DeadLetter, "*"}, anys(flatten(fields))...)...))
}

func (b *bed) replay(o ReplayOptions) Outcome {
	b.t.Helper()
	return ok[ReplayPlan](b.t)(b.g.PlanReplayOf(b.t.Context(), o)).Run(b.t.Context())
}

func (b *bed) newest(stream string) Entry {
	b.t.Helper()
	all := b.entries(stream)
	if len(all) == 0 {
		b.t.Fatal("the stream is empty")
	}
	return all[len(all)-1]
}

func TestEveryByteGoesBack(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 1))
		b := grouped(t, s)
		var trash Trash
		parked := s.Key(t, "parked")
		for i := range 25 {
			sent := anyFields(r)
			letter := b.buryFields(sent)
			o := ReplayOptions{IDs: []string{letter.ID}, Keep: i%3 == 1}
			want := sent
			if i%3 == 2 {
				want = anyFields(r)
				o.Edited = map[string][]Field{letter.ID: want}
			}
			switch i % 4 { // what else may be done to a letter before
			case 1:
				_ = ok[Plan](t)(b.g.PlanDiscard(t.Context(), LetterChoice{IDs: o.IDs}, &trash)).Run(t.Context())
				same(t, "discarded", len(b.letters()), 0)
				_ = b.g.PlanBringBack(&trash).Run(t.Context())
				same(t, "left in the trash", trash.Len(), 0)
			case 2:
				_ = ok[Plan](t)(b.g.PlanMoveLetters(t.Context(), LetterChoice{IDs: o.IDs}, parked)).Run(t.Context())
				same(t, "moved away", len(b.letters()), 0)
				there := NewGroup(b.c, Queue{Stream: b.q.Stream, DeadLetter: parked})
				_ = ok[Plan](t)(there.PlanMoveLetters(t.Context(), LetterChoice{}, b.q.DeadLetter)).Run(t.Context())
			}
			if i%4 == 1 || i%4 == 2 {
				now := b.letters()
				o.IDs = []string{now[len(now)-1].ID}
				if o.Edited != nil {
					o.Edited = map[string][]Field{o.IDs[0]: want}
				}
			}
			out := b.replay(o)
			same(t, "outcome", out.Text, "replayed 1")
			original, replays, got := Original(b.newest(b.q.Stream))
			sameFields(t, "own fields", got, want)
			same(t, "original", original, letter.Original)
			same(t, "replays", replays, 1)
			if o.Keep {
				kept := b.letters()
				same(t, "kept", len(kept), 1)
				sameFields(t, "kept fields", kept[0].Fields, sent)
				same(t, "names the entry", kept[0].Kept, b.newest(b.q.Stream).ID)
				same(t, "counts", kept[0].Replays, 1)
				same(t, "reason", kept[0].Reason, "why")
				b.do("XDEL", b.q.DeadLetter, kept[0].ID)
			}

			other := append([]Field{{"error", "no"}}, anyFields(r)...)
			id := b.foreign(other)
			_ = b.replay(ReplayOptions{IDs: []string{id}})
			sameFields(t, "letter by another tool", b.newest(b.q.Stream).Fields, other)
			b.read("w1", 9)
		}
		same(t, "letters left", len(b.letters()), 0)
	})
}

func TestKeptLettersAreNotReplayedAgain(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(2)
		keep := ReplayOptions{Keep: true}
		plan := ok[ReplayPlan](t)(b.g.PlanReplayOf(t.Context(), keep))
		same(t, "first", plan.Run(t.Context()).Text, "replayed 2")
		same(t, "the same plan again", plan.Run(t.Context()).Done, 0)
		out := b.replay(keep)
		same(t, "a new plan", out.Done, 0)
		same(t, "left alone", len(out.Skipped), 2)
		same(t, "entries", len(b.entries(b.q.Stream)), 4)
		out = b.replay(ReplayOptions{Keep: true, Force: true, Limit: 1})
		same(t, "forced", out.Done, 1)
		letters := b.letters()
		same(t, "letters", len(letters), 2)
		same(t, "counted", letters[1].Replays, 2)
		_, replays, _ := Original(b.newest(b.q.Stream))
		same(t, "the entry counts too", replays, 2)
		out = b.replay(ReplayOptions{Force: true})
		same(t, "removed at last", len(b.letters()), 0)
		same(t, "as two", out.Done, 2)
	})
}

func TestWhatCameBackTooOftenIsLeftAlone(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(1)
		again := func() {
			e := b.newest(b.q.Stream)
			b.read("w1", 1)
			_ = ok[HeldResult](t)(b.g.DeadLetter(t.Context(), "w1", Held{e.ID, 1}, "550"))
		}
		for range 3 {
			same(t, "replayed", b.replay(ReplayOptions{}).Done, 1)
			again()
		}
		plan := ok[ReplayPlan](t)(b.g.PlanReplayOf(t.Context(), ReplayOptions{}))
		same(t, "planned", fmt.Sprint(plan.Count, plan.Matched, len(plan.Skipped)), "0 1 1")
		out := plan.Run(t.Context())
		same(t, "outcome", out.Text,
			"replayed 0, left alone 1 (was replayed 3 times and came back; it is replayed again only when forced)")
		same(t, "forced", b.replay(ReplayOptions{Force: true}).Done, 1)
		again()
		same(t, "another limit", b.replay(ReplayOptions{MaxReplays: 5}).Done, 1)
	})
}

func TestReplayOfSome(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		var want []string
		for i := range 6 {
			letter := b.buryFields([]Field{{"to", fmt.Sprintf("u%d@a.example", i)}, {"to", fmt.Sprintf("u%d@b.example", i)}})
			if i == 1 || i == 3 {
				want = append(want, letter.Original)
			}
		}
		o := ReplayOptions{Match: []FieldMatch{{"to", "u[1-35]@b.*"}, {"unacked:reason", "w?y"}, {"to", "*a.example"}}, Limit: 2}
		o.Match[0].Pattern = "u[135]@b.*"
		plan := ok[ReplayPlan](t)(b.g.PlanReplayOf(t.Context(), o))
		same(t, "planned", plan.Title, "Replay 2 dead letters")
		same(t, "nothing done yet", len(b.letters()), 6)
		_ = b.buryFields([]Field{{"to", "u1@b.late"}})
		out := plan.Run(t.Context())
		same(t, "done", out.Done, 2)
		same(t, "matched", out.Matched, 2)
		var got []string
		for _, e := range b.entries(b.q.Stream) {
			if id, replays, _ := Original(e); replays > 0 {
				got = append(got, id)
			}
		}
		sameText(t, "replayed", got, want)
		same(t, "letters left", len(b.letters()), 5)
	})
}

func TestReplayElsewhere(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		letter := b.buryFields(awkward)
		to := s.Key(t, "elsewhere")
		out := b.replay(ReplayOptions{To: to})
		same(t, "done", out.Done, 1)
		original, _, fields := Original(b.newest(to))
		sameFields(t, "fields", fields, awkward)
		same(t, "original", original, letter.Original)
		same(t, "entries of the queue", len(b.entries(b.q.Stream)), 1)
	})
}

func TestLettersOfOtherTools(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		fields := []Field{{"error", "x"}, {"msg-id", "5-3"}, {"a", "1"}, {"error", "mine"}, {"a", "1"}, {"try", "9"}}
		own := []Field{{"a", "1"}, {"error", "mine"}, {"a", "1"}}
		replay := func(f ForeignLetters) Entry {
			id := b.foreign(fields)
			same(t, "done", b.replay(ReplayOptions{IDs: []string{id}, Foreign: f}).Done, 1)
			return b.newest(b.q.Stream)
		}
		e := replay(ForeignLetters{Leading: 2, Names: []string{"try"}})
		sameFields(t, "leading and named", e.Fields, own)
		e = replay(ForeignLetters{Names: []string{"error"}})
		sameFields(t, "named", e.Fields, []Field{{"msg-id", "5-3"}, {"a", "1"}, {"a", "1"}, {"try", "9"}})
		e = replay(ForeignLetters{Leading: 2, Names: []string{"try"}, Original: "msg-id"})
		original, replays, rest := Original(e)
		sameText(t, "with the original id", fmt.Sprint(original, " ", replays, fmt.Sprintf("%q", rest)), fmt.Sprint("5-3 ", 1, fmt.Sprintf("%q", own)))

		// The other tool took up an entry that was replayed once: the count goes on, the two fields stay last.
		id := b.foreign(append([]Field{{"error", "x"}}, e.Fields...))
		same(t, "done", b.replay(ReplayOptions{IDs: []string{id}, Foreign: ForeignLetters{Leading: 1}}).Done, 1)
		original, replays, rest = Original(b.newest(b.q.Stream))
		sameText(t, "again", fmt.Sprint(original, " ", replays, fmt.Sprintf("%q", rest)), fmt.Sprint("5-3 ", 2, fmt.Sprintf("%q", own)))

		// All fields named as metadata: nothing would go back.
		id = b.foreign([]Field{{"error", "x"}})
		out := b.replay(ReplayOptions{IDs: []string{id}, Foreign: ForeignLetters{Leading: 7}})
		same(t, "nothing of its own", out.Text, "replayed 0, left alone 1 (has no field of its own)")
	})
}

func TestReplayToOneGroup(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.do("XGROUP", "CREATE", b.q.Stream, "other", "0")
		letters := b.bury(4)
		one := func(i int) ReplayOptions { return ReplayOptions{IDs: []string{letters[i].ID}, Group: b.q.Group} }

		plan := ok[ReplayPlan](t)(b.g.PlanReplayOf(t.Context(), one(0)))
		sameText(t, "commands", plan.Commands, [][]string{
			{"XCLAIM", b.q.Stream, "g", "w1", "0", "1-0", "RETRYCOUNT", "0", "FORCE", "JUSTID"}, {"XDEL", b.q.DeadLetter, letters[0].ID},
		})
		same(t, "outcome", plan.Run(t.Context()).Text, "replayed 1")
		sameText(t, "pending, as never delivered", b.pending(), []string{"1-0 w1 0"})
		same(t, "entries", len(b.entries(b.q.Stream)), 4)
		claim := ok[Claim](t)(b.g.Claim(t.Context(), "w2", ClaimOptions{MaxDeliveries: 1}))
		same(t, "a worker takes it as a first delivery", fmt.Sprint(claim.Found, claim.Entry.ID, claim.Deliveries), "claimed1-01")
		same(t, "the other group has nothing pending", len(asList(b.do("XPENDING", b.q.Stream, "other", "-", "+", 9))), 0)

		b.do("XCLAIM", b.q.Stream, b.q.Group, "w9", 0, "2-0", "RETRYCOUNT", 1, "FORCE", "JUSTID")
		same(t, "pending already", b.replay(one(1)).Text,
			"replayed 0, left alone 1 (the entry 2-0 is pending for the group already, held by w9)")
		b.do("XDEL", b.q.Stream, "3-0")
		same(t, "gone", b.replay(one(2)).Text,
			"replayed 0, left alone 1 (the original entry is not in the stream any more: as a new entry it would reach every group)")
		ahead := one(3)
		ahead.Group = "other"
		same(t, "not given yet", b.replay(ahead).Text,
			"replayed 0, left alone 1 (the group has yet to come to the original entry, and will be given it without this)")
		same(t, "letters left", len(b.letters()), 3)

		_, err := b.g.PlanReplayOf(t.Context(), ReplayOptions{Group: "none"})
		same(t, "no such group", CodeOf(err), "NOGROUP")
		both := ok[ReplayPlan](t)(b.g.PlanReplayOf(t.Context(), ReplayOptions{IDs: []string{letters[3].ID}}))
		if text := strings.Join(both.Effects, "\n"); !strings.Contains(text, "all 2 groups of the stream are given them") {
			t.Errorf("it does not say how many groups will see them:\n%s", text)
		}
	})
}

func TestAnotherMessageUnderTheSameIDIsNotMadePending(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		letter := b.bury(1)[0]
		b.do("DEL", b.q.Stream)
		b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "0", "MKSTREAM")
		b.do("XADD", b.q.Stream, "1-0", "n", "another")
		b.read("w1", 1)
		b.do("XACK", b.q.Stream, b.q.Group, "1-0")
		out := b.replay(ReplayOptions{IDs: []string{letter.ID}, Group: b.q.Group})
		same(t, "outcome", out.Text, "replayed 0, left alone 1 (the stream has another message under that id)")
		same(t, "pending", len(b.pending()), 0)
	})
}

func TestReplayStopsAfterTheLetterInHand(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(6)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var told []Progress
		plan := ok[ReplayPlan](t)(b.g.PlanReplayOf(ctx, ReplayOptions{Rate: 1000}))
		out := plan.Run(WithProgress(ctx, func(p Progress) {
			if told = append(told, p); p.Done == 2 {
				cancel()
			}
		}))
		same(t, "outcome", out.Text, "stopped: replayed 2 of 6")
		same(t, "stopped", out.Stopped, true)
		same(t, "letters left", len(b.letters()), 4)
		same(t, "told", len(told), 2)
		same(t, "total", told[0].Total, 6)
		same(t, "the rest", plan.Run(t.Context()).Done, 4)
	})
}

func TestReplayKeepsToItsRate(t *testing.T) {
	s := redistest.Servers(t)[0]
	b := grouped(t, s)
	b.bury(5)
	began := time.Now()
	same(t, "done", b.replay(ReplayOptions{Rate: 20}).Done, 5)
	// The first goes at once, four more at 50 ms each.
	if took := time.Since(began); took < 195*time.Millisecond {
		t.Errorf("5 letters at 20 a second took %v, want 200 ms at least", took)
	}
}

func TestReplayOptionsAreRefused(t *testing.T) {
	q := NewQueue("q", "g")
	for want, o := range map[string]ReplayOptions{
		"is not the id of a letter": {IDs: []string{"x\x1b[2J"}},
		"are in {q}:dead already":   {To: "{q}:dead"},
		"in its own stream only":    {Group: "g", To: "p"},
		"cannot be edited":          {Group: "g", Edited: map[string][]Field{"1-0": {{"a", "b"}}}},
		"edited to nothing":         {Edited: map[string][]Field{"1-0": {}}},
		"not negative":              {Limit: -1},
	} {
		if err := o.Check(q); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "a/b\x00\xff", true},
		{"a*c", "abbc", true},
		{"a*c", "abcd", false},
		{"?", "", false},
		{"?", "\xff", true},
		{"a?c", "abc", true},
		{"[ab]x", "bx", true},
		{"[^ab]x", "bx", false},
		{"[^ab]x", "cx", true},
		{"[a-c]", "b", true},
		{"[c-a]", "b", true},
		{"[a-c]", "d", false},
		{`\*`, "*", true},
		{`\*`, "a", false},
		{`[\]]`, "]", true},
		{"*a*b*", "xxaxxbxx", true},
		{"*ab", "abab", true},
		{"[", "[", false},
		{"[a", "a", true},
		{`\`, `\`, true},
		{strings.Repeat("*a", 30) + "b", strings.Repeat("a", 5000), false},
	} {
		if got := glob(c.pattern, c.s); got != c.want {
			t.Errorf("glob(%q, %.20q) = %v, want %v", c.pattern, c.s, got, c.want)
		}
	}
}
