package redisq

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// crowd is more than a page of pending entries: i-0 is held by w0 … w4 in turn, every tenth delivered 4 times, every
// seventh idle for an hour, and its field n is i.
func crowd(t *testing.T, s redistest.Server) (*bed, int) {
	t.Helper()
	const n = pendingPage + 100
	b := grouped(t, s)
	var commands [][]any
	for i := 1; i <= n; i++ {
		commands = append(commands, []any{"XADD", b.q.Stream, fmt.Sprintf("%d-0", i), "n", i})
	}
	commands = append(commands, []any{"XREADGROUP", "GROUP", b.q.Group, "first", "COUNT", n, "STREAMS", b.q.Stream, ">"})
	for i := 1; i <= n; i++ {
		row := crowded(i)
		commands = append(commands, []any{
			"XCLAIM", b.q.Stream, b.q.Group, row.Consumer, 0, row.ID, "IDLE", row.Idle.Milliseconds(), "RETRYCOUNT", row.Deliveries, "JUSTID",
		})
	}
	for _, r := range ok[[]result](t)(b.c.pipeline(t.Context(), commands)) {
		if r.err != nil {
			t.Fatal(r.err)
		}
	}
	return b, n
}

func crowded(i int) PendingEntry {
	row := PendingEntry{Entry: Entry{ID: fmt.Sprintf("%d-0", i)}, Consumer: "w" + strconv.Itoa(i%5), Deliveries: 1, Idle: time.Minute}
	if i%10 == 0 {
		row.Deliveries = 4
	}
	if i%7 == 0 {
		row.Idle = time.Hour
	}
	return row
}

// heldBy lists the numbers of the entries that a consumer holds.
func (b *bed) heldBy(consumer string) (held []int) {
	b.t.Helper()
	for _, row := range b.rows() {
		if row.Consumer == consumer {
			n, _ := strconv.Atoi(strings.TrimSuffix(row.ID, "-0"))
			held = append(held, n)
		}
	}
	return held
}

func TestAllThatMatchAreActedOnAndNoOther(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b, n := crowd(t, s)
		body := func(i int) func(PendingEntry) bool {
			return func(e PendingEntry) bool {
				v, _ := e.Get("n")
				return strings.Contains(v, strconv.Itoa(i))
			}
		}
		numbers := func(is func(i int) bool) (list []int) {
			for i := 1; i <= n; i++ {
				if is(i) {
					list = append(list, i)
				}
			}
			return list
		}
		for name, test := range map[string]struct {
			choice PendingChoice
			is     func(i int) bool
		}{
			"idle":       {PendingChoice{Idle: 30 * time.Minute}, func(i int) bool { return i%7 == 0 }},
			"deliveries": {PendingChoice{Deliveries: 4}, func(i int) bool { return i%10 == 0 }},
			"consumer":   {PendingChoice{Consumers: []string{"w3"}}, func(i int) bool { return i%5 == 3 }},
			"consumers":  {PendingChoice{Consumers: []string{"w1", "w2"}}, func(i int) bool { return i%5 == 1 || i%5 == 2 }},
			"range":      {PendingChoice{Start: "501", End: "1050-7"}, func(i int) bool { return i >= 501 && i <= 1050 }},
			"open range": {PendingChoice{Start: "(501", End: "(1050"}, func(i int) bool { return i >= 502 && i <= 1049 }},
			"whole":      {PendingChoice{Start: "-", End: "+"}, func(int) bool { return true }},
			"from on":    {PendingChoice{Start: "1090-0"}, func(i int) bool { return i >= 1090 }},
			"no range":   {PendingChoice{Start: "500", End: "400"}, func(int) bool { return false }},
			"turned":     {PendingChoice{Start: "+", End: "-"}, func(int) bool { return false }},
			"body":       {PendingChoice{Only: body(77)}, func(i int) bool { return strings.Contains(strconv.Itoa(i), "77") }},
			"everything": {
				PendingChoice{Idle: time.Hour, Consumers: []string{"w0"}, Deliveries: 2, Start: "500", Only: body(0)},
				func(i int) bool { return i%7 == 0 && i%10 == 0 && i >= 500 },
			},
			"nothing": {PendingChoice{}, func(int) bool { return true }},
		} {
			ch := ok[*chosen](t)(b.g.choose(t.Context(), test.choice, anyEntry))
			want := numbers(test.is)
			same(t, name+": count", fmt.Sprint(ch.count, ch.all), fmt.Sprint(len(want), " true"))
			var o Outcome
			var got []int
			ch.run(t.Context(), &o, func(rows []PendingEntry) bool {
				for _, row := range rows {
					i, _ := strconv.Atoi(strings.TrimSuffix(row.ID, "-0"))
					got = append(got, i)
				}
				return true
			})
			if !slices.Equal(got, want) || o.Err != nil {
				t.Errorf("%s: acted on %v, %v; want %v", name, got, o.Err, want)
			}
		}

		want := numbers(func(i int) bool { return i%7 == 0 })
		plan := ok[Plan](t)(b.g.PlanClaim(t.Context(), TakeOptions{To: "new", PendingChoice: PendingChoice{Idle: time.Hour}}))
		same(t, "planned", plan.Title, fmt.Sprintf("Claim %d pending entries for new", len(want)))
		var last Progress
		out := plan.Run(WithProgress(t.Context(), func(p Progress) { last = p }))
		same(t, "done", fmt.Sprint(out.Done, len(out.Skipped), out.Err), fmt.Sprint(len(want), " 0 <nil>"))
		if got := b.heldBy("new"); !slices.Equal(got, want) {
			t.Errorf("new holds %v, want %v", got, want)
		}
		same(t, "told", fmt.Sprint(last.Done, last.Total, last.Looked, last.Of), fmt.Sprint(len(want), len(want), n, n))
	})
}

// What comes in or is touched after the plan was made is not what the person saw.
func TestAChoiceIsOfWhatWasThere(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 5)
		b.read("w1", 4)
		for i := 1; i <= 4; i++ {
			b.age(fmt.Sprintf("%d-0", i), "w1", 1, time.Hour)
		}
		ch := ok[*chosen](t)(b.g.choose(t.Context(), PendingChoice{}, anyEntry))
		same(t, "counted", ch.count, 4)
		ch.at = ch.at.Add(-time.Minute)
		b.read("w1", 1)          // 5-0 comes
		b.age("2-0", "w1", 1, 0) // a heartbeat
		b.age("3-0", "w2", 2, 0) // delivered to another
		b.do("XACK", b.q.Stream, b.q.Group, "4-0")
		var o Outcome
		var got []string
		ch.run(t.Context(), &o, func(rows []PendingEntry) bool {
			for _, row := range rows {
				got = append(got, row.ID)
			}
			return true
		})
		sameText(t, "acted on", got, []string{"1-0"})
		same(t, "no error", o.Err, nil)
	})
}

func TestALookingThatIsCutShortSaysAtLeast(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b, n := crowd(t, s)
		var told []Looked
		ctx := WithLooking(t.Context(), func(l Looked) bool {
			told = append(told, l)
			return false
		})
		plan := ok[Plan](t)(b.g.PlanAck(ctx, PendingChoice{Consumers: []string{"w0", "w1"}}))
		same(t, "told", fmt.Sprint(told), fmt.Sprintf("[{%d %d %d}]", pendingPage, n, 2*pendingPage/5))
		same(t, "title", plan.Title, fmt.Sprintf("Acknowledge at least %d pending entries", 2*pendingPage/5))
		if want := fmt.Sprintf("only the first %d of %d pending entries were looked at", pendingPage, n); !strings.Contains(strings.Join(plan.Effects, "\n"), want) {
			t.Errorf("the plan does not say %q: %q", want, plan.Effects)
		}
		// It is done to all of them, unless it is stopped.
		running, cancel := context.WithCancel(t.Context())
		defer cancel()
		out := plan.Run(WithProgress(running, func(p Progress) {
			if p.Done >= 200 {
				cancel()
			}
		}))
		same(t, "stopped", fmt.Sprint(out.Stopped, out.Done, out.Err), "true 200 <nil>")
		same(t, "the rest", plan.Run(t.Context()).Done, 2*n/5-200)
		same(t, "left", len(b.rows()), 3*n/5)
	})
}

func TestBury(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		for range 6 {
			b.addFields(awkward)
		}
		b.read("w1", 6)
		ids := b.rows()
		for i, row := range ids {
			b.age(row.ID, "w1", i+1, time.Minute)
		}
		b.do("XDEL", b.q.Stream, ids[5].ID)
		p := s.NewProxy(t)
		b.do("SCRIPT", "LOAD", deadLetterScript.text)
		plan := ok[Plan](t)(b.behind(p).PlanBury(t.Context(), PendingChoice{Deliveries: 3}, "by hand"))
		same(t, "planned, but the one without a body", plan.Title, "Dead-letter 3 pending entries")
		p.CutReply(2, isEval)
		told := ""
		out := plan.Run(WithNotice(t.Context(), func(text string) { told = text }))
		same(t, "notice", told, "the reply was lost: outcome unknown, checking")
		same(t, "outcome", out.Text, "dead-lettered 3 entries")
		same(t, "again", plan.Run(t.Context()).Done, 0)
		letters := b.letters()
		same(t, "letters", len(letters), 3)
		same(t, "the first", fmt.Sprint(letters[0].Entry, letters[0].Deliveries, letters[0].Consumer, letters[0].Reason), fmt.Sprint(ids[2].ID, 3, "w1", "by hand"))
		same(t, "still pending", len(b.rows()), 3)

		out = b.run(b.g.PlanBury(t.Context(), PendingChoice{Rows: ids[1:]}, "again"))
		same(t, "rows that are not so any more", fmt.Sprint(out.Done, len(out.Skipped)), "0 5")
		out = b.run(b.g.PlanBury(t.Context(), PendingChoice{Rows: b.rows()[:1]}, "why"))
		same(t, "one", out.Done, 1)
		sameFields(t, "bytes", b.letters()[3].Fields, awkward)

		b.do("DEL", b.q.DeadLetter)
		b.do("SET", b.q.DeadLetter, "a string")
		_, err := b.g.PlanBury(t.Context(), PendingChoice{}, "why")
		same(t, "a key of another type", CodeOf(err), "WRONGTYPE")
	})
}

func TestRemoveIdleConsumers(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 2)
		b.read("holds", 1)
		var names []string
		for i := range rowBatch + 20 {
			names = append(names, "pod-"+strconv.Itoa(i))
			b.do("XGROUP", "CREATECONSUMER", b.q.Stream, b.q.Group, names[i])
		}
		p := s.NewProxy(t)
		b.do("SCRIPT", "LOAD", removeIdleScript.text)
		plan := ok[Plan](t)(b.behind(p).PlanRemoveIdle(t.Context(), append(names, "holds", "nobody")))
		same(t, "planned", plan.Title, fmt.Sprintf("Remove %d consumers that hold nothing", len(names)))
		b.read("pod-3", 1)
		p.CutReply(1, isEval)
		out := plan.Run(t.Context())
		same(t, "outcome", out.Text, fmt.Sprintf("removed %d consumers, left alone 1 (was given something meanwhile: it stays)", len(names)-1))
		sameText(t, "pending", b.pending(), []string{"1-0 holds 1", "2-0 pod-3 1"})
		same(t, "left", len(asList(b.do("XINFO", "CONSUMERS", b.q.Stream, b.q.Group))), 2)
	})
}

func TestSetCounter(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		b.add(1, 6)
		b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "2-0") // inside the stream: the server does not know the lag
		plan, err := b.g.PlanSetCounter(t.Context())
		if s.Embedded { // which counts nothing
			same(t, "said", strings.Contains(err.Error(), "does not count what was added"), true)
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, "lag before", b.snapshot().Group.Lag.Known, false)
		b.read("w1", 1) // the workers go on meanwhile
		same(t, "outcome", plan.Run(t.Context()).Text, "set the counter of g to 3; 3 are undelivered after 3-0")
		group := b.snapshot().Group
		same(t, "lag", group.Lag.String(), "3")
		same(t, "it stays where it is", group.LastDelivered, "3-0")
		same(t, "pending", len(b.pending()), 1)
	})
}

// Of two persons who do the same the slower one is told that another was faster.
func TestWhoIsLateIsToldSo(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(3)
		plans := map[string]Plan{
			"replayed 0, 3 left the dead letters meanwhile":          ok[ReplayPlan](t)(b.g.PlanReplayOf(t.Context(), ReplayOptions{})).Plan,
			"discarded 0 letters, 3 left the dead letters meanwhile": ok[Plan](t)(b.g.PlanDiscard(t.Context(), LetterChoice{}, &Trash{})),
		}
		same(t, "the faster one", b.replay(ReplayOptions{}).Text, "replayed 3")
		b.read("w1", 3)
		for _, row := range b.rows() {
			b.age(row.ID, "w1", 1, time.Hour)
		}
		plans["claimed 1 entry for w2, 2 were acknowledged or delivered meanwhile"] = ok[Plan](t)(b.g.PlanClaim(t.Context(), TakeOptions{To: "w2", PendingChoice: PendingChoice{Idle: minute}}))
		rows := b.rows()
		b.do("XACK", b.q.Stream, b.q.Group, rows[0].ID)
		b.do("XCLAIM", b.q.Stream, b.q.Group, "w3", 0, rows[1].ID)
		for want, plan := range plans {
			same(t, "the slower one", plan.Run(t.Context()).Text, want)
		}
	})
}

func TestLettersAreChosenFromAll(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		const n = 2*replayPage + 50
		bury := func() {
			var commands [][]any
			for i := range n {
				commands = append(commands, []any{"XADD", b.q.DeadLetter, "*", "n", i, "why", []string{"550", "timed out"}[i%2]})
			}
			_ = ok[[]result](t)(b.c.pipeline(t.Context(), commands))
		}
		late := func(e Entry) bool {
			why, _ := e.Get("why")
			return why == "timed out"
		}
		bury()
		var trash Trash
		plan := ok[Plan](t)(b.g.PlanDiscard(t.Context(), LetterChoice{Only: late}, &trash))
		same(t, "discard", plan.Title, "Discard 125 dead letters")
		sameText(t, "looked", plan.Effects[2], "all 250 letters were looked at")
		b.do("XADD", b.q.DeadLetter, "*", "n", "later", "why", "timed out")
		var last Progress
		same(t, "outcome", plan.Run(WithProgress(t.Context(), func(p Progress) { last = p })).Text, "discarded 125 letters")
		same(t, "progress", fmt.Sprint(last.Done, last.Total), "125 125")
		same(t, "left, with the one that came later", len(b.letters()), 126)
		same(t, "brought back", b.g.PlanBringBack(&trash).Run(t.Context()).Done, 125)

		to := s.Key(t, "parked")
		cut := WithLooking(t.Context(), func(Looked) bool { return false })
		plan = ok[Plan](t)(b.g.PlanMoveLetters(cut, LetterChoice{Only: late}, to))
		same(t, "move", plan.Title, "Move at least 0 dead letters to "+to) // the first 100 are the others
		same(t, "moved", plan.Run(t.Context()).Done, 126)
		replay := ok[ReplayPlan](t)(b.g.PlanReplayOf(cut, ReplayOptions{Only: func(e Entry) bool { return !late(e) }}))
		same(t, "replay", fmt.Sprint(replay.Title, replay.AtLeast), "Replay at least 100 dead letterstrue")
		same(t, "replayed", replay.Run(t.Context()).Text, "replayed 125")
		same(t, "no letter is left", len(b.letters()), 0)
	})
}

func TestWhatTheUndoCannotHoldIsNotDiscarded(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(2)
		trash := Trash{bytes: trashBytes - 3*letterBytes} // for one of them
		out := b.run(b.g.PlanDiscard(t.Context(), LetterChoice{}, &trash))
		same(t, "outcome", out.Text, "discarded 1 letter, left alone 1 ("+trashFull+")")
		same(t, "letters", len(b.letters()), 1)
		same(t, "undo", b.g.PlanBringBack(&trash).Run(t.Context()).Done, 1)
		same(t, "there is room again", b.run(b.g.PlanDiscard(t.Context(), LetterChoice{IDs: []string{b.letters()[0].ID}}, &trash)).Done, 1)
	})
}
