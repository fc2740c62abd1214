package redisq

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"example.com/unacked/redisq/redistest"
)

// rows are the pending entries as a person sees them.
func (b *bed) rows() []PendingEntry {
	b.t.Helper()
	var rows []PendingEntry
	_ = ok[bool](b.t)(b.g.pendingPages(b.t.Context(), pendingScan{}, func(page []PendingEntry) bool {
		rows = append(rows, page...)
		return true
	}))
	return rows
}

func (b *bed) run(p Plan, err error) Outcome {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	return p.Run(b.t.Context())
}

func reasons(o Outcome) string {
	var list []string
	for _, s := range o.Skipped {
		list = append(list, s.ID+" "+s.Reason)
	}
	return strings.Join(list, "; ")
}

func TestPlanClaim(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 4)
		b.read("w1", 4)
		b.age("1-0", "w1", 1, time.Minute)
		b.age("2-0", "w1", 3, time.Minute)
		b.age("4-0", "w3", 2, 2*time.Minute)

		plan := ok[Plan](t)(b.g.PlanClaim(t.Context(), TakeOptions{To: "w2", PendingChoice: PendingChoice{Idle: 30 * time.Second}}))
		same(t, "count: 3-0 is not past the lease", plan.Count, 3)
		sameText(t, "command", plan.Commands, [][]string{{"XCLAIM", b.q.Stream, "g", "w2", "30000", "1-0", "2-0", "4-0", "JUSTID"}})
		same(t, "nothing was sent", b.pending()[0], "1-0 w1 1")
		same(t, "outcome", plan.Run(t.Context()).Text, "claimed 3 entries for w2")
		sameText(t, "deliveries kept", b.pending(), []string{"1-0 w2 1", "2-0 w2 3", "3-0 w1 1", "4-0 w2 2"})
		same(t, "run again", plan.Run(t.Context()).Done, 0)

		seen := b.rows()
		out := b.run(b.g.PlanClaim(t.Context(), TakeOptions{To: "w4", PendingChoice: PendingChoice{Rows: seen[:2]}, Count: true}))
		same(t, "counted", fmt.Sprint(out.Done, b.pending()[:2]), "2 [1-0 w4 2 2-0 w4 4]")
		b.do("XACK", b.q.Stream, b.q.Group, "3-0")
		out = b.run(b.g.PlanClaim(t.Context(), TakeOptions{To: "w5", PendingChoice: PendingChoice{Rows: seen}}))
		same(t, "what changed since is left alone", reasons(out),
			"1-0 is now held by w4, deliveries 2; 2-0 is now held by w4, deliveries 4; 3-0 is not pending any more")
		same(t, "the last is as it was seen", b.pending()[2], "4-0 w5 2")

		b.age("4-0", "w5", 2, 0)
		out = b.run(b.g.PlanClaim(t.Context(), TakeOptions{To: "w6", PendingChoice: PendingChoice{Rows: b.rows()[2:], Idle: time.Minute}}))
		if !strings.HasPrefix(reasons(out), "4-0 is idle for ") {
			t.Errorf("an entry that is not idle long enough: %+v", out)
		}
	})
}

func TestGhostsAreNotClaimedAndCanBeAcknowledged(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 4)
		b.read("w1", 4)
		b.do("XDEL", b.q.Stream, "1-0", "3-0")
		out := b.run(b.g.PlanClaim(t.Context(), TakeOptions{To: "w2"}))
		same(t, "claimed", out.Done, 2)
		same(t, "ghosts", reasons(out), "1-0 has no body any more: a claim would drop it; 3-0 has no body any more: a claim would drop it")
		out = b.run(b.g.PlanAckGhosts(t.Context(), PendingChoice{Rows: b.rows()[:2]}))
		same(t, "one ghost of two", fmt.Sprint(out.Done, " ", reasons(out)), "1 2-0 has a body: it is no ghost")
		plan := ok[Plan](t)(b.g.PlanAckGhosts(t.Context(), PendingChoice{}))
		same(t, "planned", plan.Title, "Acknowledge 1 ghost")
		out = plan.Run(t.Context())
		same(t, "all", out.Text, "acknowledged 1 ghost")
		sameText(t, "what was lost is named", out.Notes, "[acknowledged without a body: 3-0]")
		sameText(t, "left", b.pending(), []string{"2-0 w2 1", "4-0 w2 1"})
	})
}

func TestPlanAckLeavesTheNewOwnersEntry(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 3)
		b.read("w1", 3)
		seen := b.rows()
		plan := ok[Plan](t)(b.g.PlanAck(t.Context(), PendingChoice{Rows: seen}))
		same(t, "confirmed with", fmt.Sprint(plan.Destructive, plan.Count), "true 3")
		b.do("XCLAIM", b.q.Stream, b.q.Group, "w2", 0, "1-0")                  // another owner
		b.do("XCLAIM", b.q.Stream, b.q.Group, "w1", 0, "2-0", "RETRYCOUNT", 2) // delivered again to the same
		p := s.NewProxy(t)
		b.do("SCRIPT", "LOAD", ackRowsScript.text)
		p.CutReply(1, isEval)
		out := b.run(b.behind(p).PlanAck(t.Context(), PendingChoice{Rows: seen}))
		same(t, "done", out.Done, 1)
		same(t, "left", fmt.Sprint(b.pending()), "[1-0 w2 2 2-0 w1 2]")

		// And the worker that lost its message cannot ack or dead-letter it.
		r := ok[[]HeldResult](t)(b.g.Ack(t.Context(), "w1", Held{"1-0", 1}))
		same(t, "late ack", fmt.Sprint(r[0].OK, r[0].Owner), "falsew2")
		late := ok[HeldResult](t)(b.g.DeadLetter(t.Context(), "w1", Held{"1-0", 1}, "why"))
		same(t, "late dead letter", fmt.Sprint(late.OK, late.Owner), "falsew2")
		same(t, "still pending", len(b.pending()), 2)
	})
}

func TestReleaseWhereTheServerHasIt(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		if ok[bool](t)(b.c.HasCommand(t.Context(), "XNACK")) {
			b.add(1, 1)
			b.read("w1", 1)
			same(t, "released", b.run(b.g.PlanRelease(t.Context(), PendingChoice{Rows: b.rows()}, ReleaseFail)).Done, 1)
			sameText(t, "pending", b.pending(), []string{"1-0  1"})
			return
		}
		_, err := b.g.PlanRelease(t.Context(), PendingChoice{}, ReleaseFail)
		same(t, "code", CodeOf(err), CodeNoCommand)
		if err == nil || !strings.Contains(err.Error(), "the server has no XNACK, which came with Redis 8.8; claim the entries") {
			t.Errorf("not clear: %v", err)
		}
	})
}

// A server with an XNACK, as Redis 8.8 documents it: XNACK key group mode IDS n id…, answering how many were released.
func TestReleaseCommand(t *testing.T) {
	m := miniredis.RunT(t)
	var got []string
	if err := m.Server().Register("XNACK", func(c *server.Peer, _ string, args []string) {
		got = args
		c.WriteInt(1)
	}); err != nil {
		t.Fatal(err)
	}
	m.Server().SetPreHook(func(c *server.Peer, cmd string, args ...string) bool {
		if cmd != "COMMAND" {
			return false
		}
		c.WriteLen(1)
		c.WriteLen(2)
		c.WriteBulk(strings.ToLower(args[1]))
		c.WriteInt(-7)
		return true
	})
	b := privateBed(t, "redis://"+m.Addr(), Options{})
	same(t, "found", ok[bool](t)(b.c.HasCommand(t.Context(), "XNACK")), true)
	b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "0", "MKSTREAM")
	b.add(1, 2)
	b.read("w1", 2)
	plan := ok[Plan](t)(b.g.PlanRelease(t.Context(), PendingChoice{Rows: b.rows()}, ReleaseFatal))
	sameText(t, "commands", plan.Commands, [][]string{{"XNACK", "q", "g", "FATAL", "IDS", "2", "1-0", "2-0"}})
	b.do("XCLAIM", b.q.Stream, b.q.Group, "w2", 0, "1-0", "RETRYCOUNT", 2)
	out := plan.Run(t.Context())
	same(t, "one of two", fmt.Sprint(out.Done, " ", reasons(out)), "1 1-0 is now held by w2, deliveries 2")
	sameText(t, "sent", got, []string{"q", "g", "FATAL", "IDS", "1", "2-0"})
}

func TestRemoveConsumerHandsOver(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		const n = handOverPage + 20
		b.add(1, n)
		b.read("w1", n)
		b.age("5-0", "w1", 4, time.Hour)
		b.do("XDEL", b.q.Stream, "117-0")
		_, err := b.g.PlanRemoveConsumer(t.Context(), "w1", "")
		if err == nil || !strings.Contains(err.Error(), "it holds 120 pending entries, which would be lost with it") {
			t.Errorf("removed without handing over: %v", err)
		}
		_, err = b.g.PlanRemoveConsumer(t.Context(), "nobody", "w2")
		same(t, "no such consumer", err != nil, true)

		p := s.NewProxy(t)
		b.do("SCRIPT", "LOAD", removeConsumerScript.text)
		plan := ok[Plan](t)(b.behind(p).PlanRemoveConsumer(t.Context(), "w1", "w2"))
		same(t, "count", plan.Count, n)
		p.CutReply(1, isEval)
		out := plan.Run(t.Context())
		if out.Err != nil || !strings.HasPrefix(out.Text, "removed w1, handed over at least 19 entries, acknowledged 1 ghost") {
			t.Errorf("outcome %+v", out)
		}
		sameText(t, "what was lost is named", out.Notes, "[acknowledged without a body: 117-0 a reply was lost: what was acknowledged without a body in that step is not named]")
		rows := b.rows()
		same(t, "still pending, but the ghost", len(rows), n-1)
		for _, row := range rows {
			if row.Consumer != "w2" || row.ID != "5-0" && row.Deliveries != 1 {
				t.Fatalf("row %+v", row)
			}
			if row.ID == "5-0" && (row.Deliveries != 4 || row.Idle < time.Hour) {
				t.Errorf("deliveries and idle time are not kept: %+v", row)
			}
		}
		_, found, _, err := b.g.holds(t.Context(), "w1", "")
		same(t, "w1 is listed", found, false)
		if err != nil {
			t.Error(err)
		}
	})
}

func TestRemoveConsumerThatGotSomethingMeanwhile(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 2)
		b.read("w1", 1)
		b.do("XACK", b.q.Stream, b.q.Group, "1-0")
		plan := ok[Plan](t)(b.g.PlanRemoveConsumer(t.Context(), "w1", ""))
		b.read("w1", 1)
		out := plan.Run(t.Context())
		same(t, "refused", out.Text, "handed over 0 entries, did not remove w1, left alone 1 (was given something meanwhile: name a consumer that gets it)")
		sameText(t, "still its own", b.pending(), []string{"2-0 w1 1"})
		b.do("XACK", b.q.Stream, b.q.Group, "2-0")
		same(t, "holding nothing", b.run(b.g.PlanRemoveConsumer(t.Context(), "w1", "")).Text, "removed w1, handed over 0 entries")
	})
}

func TestGroupPlans(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		b.add(1, 5)
		for start, want := range map[string]string{
			"$": "skips 5 stored messages: the group is never given them, only what comes",
			"0": "the group is given all 5 stored messages",
			"2": "skips 2 stored messages up to 2-0, the group is given those after it",
		} {
			plan := ok[Plan](t)(b.g.PlanCreateGroup(t.Context(), start))
			same(t, "at "+start, plan.Effects[0], want)
		}
		_, err := b.g.PlanCreateGroup(t.Context(), "yesterday")
		same(t, "no place", err != nil, true)
		plan := ok[Plan](t)(b.g.PlanCreateGroup(t.Context(), "2"))
		same(t, "created", plan.Run(t.Context()).Done, 1)
		b.read("w1", 10)
		same(t, "given", len(b.pending()), 3)
		same(t, "again", plan.Run(t.Context()).Text, "created nothing, left alone 1 (exists already)")

		destroy := ok[Plan](t)(b.g.PlanDestroyGroup(t.Context()))
		same(t, "drops", destroy.Effects[0], "drops 3 pending entries: nobody is given them again")
		b.add(6, 1)
		b.read("w1", 1)
		same(t, "more by now", destroy.Run(t.Context()).Text,
			"destroyed nothing, left alone 1 (has 4 pending by now, more than the plan said)")
		p := s.NewProxy(t)
		b.do("SCRIPT", "LOAD", destroyGroupScript.text)
		destroy = ok[Plan](t)(b.behind(p).PlanDestroyGroup(t.Context()))
		p.CutReply(1, isEval)
		same(t, "destroyed", destroy.Run(t.Context()).Text, "destroyed the group g")
		same(t, "again", destroy.Run(t.Context()).Skipped[0].Reason, "does not exist any more")
		_, err = b.g.PlanDestroyGroup(t.Context())
		same(t, "gone", CodeOf(err), "NOGROUP")
	})
}

func TestSetGroup(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 6)
		b.read("w1", 4)
		plan := ok[Plan](t)(b.g.PlanSetID(t.Context(), "1"))
		same(t, "rewind", plan.Effects[0], "3 entries that the group was given before are delivered again: their work is done twice")
		same(t, "pending", strings.HasPrefix(plan.Effects[1], "4 pending entries stay pending"), true)
		same(t, "skip", ok[Plan](t)(b.g.PlanSetID(t.Context(), "$")).Effects[0], "skips 2 entries: the group is never given them")
		out := plan.Run(t.Context())
		if s.Embedded { // which has no XGROUP SETID
			same(t, "said", out.Err != nil && out.Done == 0, true)
			return
		}
		same(t, "set", out.Text, "set the group g; its last delivered id is 1-0")
		group := b.snapshot().Group
		same(t, "lag stays known", group.Lag.String(), "5")
		same(t, "read", group.Read.String(), "1")
		b.read("w2", 9)
		same(t, "all read", b.snapshot().Group.Lag.String(), "0")

		p := s.NewProxy(t)
		b.do("SCRIPT", "LOAD", setIDScript.text)
		plan = ok[Plan](t)(b.behind(p).PlanSetID(t.Context(), "0"))
		p.CutReply(1, isEval)
		same(t, "reply lost", plan.Run(t.Context()).Text, "set the group g; its last delivered id is 0-0")
		same(t, "lag from the beginning", b.snapshot().Group.Lag.String(), "6")
		same(t, "to the end", b.run(b.g.PlanSetID(t.Context(), "$")).Text, "set the group g; its last delivered id is 6-0")
		same(t, "lag at the end", b.snapshot().Group.Lag.String(), "0")
	})
}

func TestTrimToWhatIsFinished(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		b.add(1, 9)
		_, err := b.g.PlanTrim(t.Context())
		same(t, "without a group", CodeOf(err), "NOGROUP")
		b.do("XGROUP", "CREATE", b.q.Stream, "g", "0")
		b.do("XGROUP", "CREATE", b.q.Stream, "slow", "0")
		nothing := ok[Plan](t)(b.g.PlanTrim(t.Context()))
		same(t, "nothing read", fmt.Sprint(nothing.Count, len(nothing.Commands), strings.Contains(nothing.Title, ": what is kept begins at 0")), "0 0 true")
		b.read("w1", 8)
		b.do("XREADGROUP", "GROUP", "slow", "s1", "COUNT", 6, "STREAMS", b.q.Stream, ">")
		for _, id := range []string{"1-0", "2-0", "3-0", "5-0"} {
			b.do("XACK", b.q.Stream, "slow", id)
		}
		for i := 1; i <= 8; i++ {
			b.do("XACK", b.q.Stream, "g", fmt.Sprintf("%d-0", i))
		}
		plan := ok[Plan](t)(b.g.PlanTrim(t.Context()))
		sameText(t, "the slow group's oldest pending entry", plan.Commands, [][]string{{"XTRIM", b.q.Stream, "MINID", "=", "4-0"}})
		same(t, "count", plan.Count, 3)
		same(t, "held back by", plan.Effects[1], "what is kept begins at 4-0: it is pending in the group slow")
		same(t, "trimmed", plan.Run(t.Context()).Text, "trimmed 3 entries before 4-0")
		for _, id := range []string{"4-0", "6-0"} {
			b.do("XACK", b.q.Stream, "slow", id)
		}
		plan = ok[Plan](t)(b.g.PlanTrim(t.Context()))
		sameText(t, "the slow group's last delivered", plan.Commands[0][4], "6-0")
		// An entry becomes pending again between plan and run.
		b.do("XCLAIM", b.q.Stream, "g", "w1", 0, "5-0", "FORCE", "JUSTID")
		same(t, "looked at again", plan.Run(t.Context()).Text, "trimmed 1 entry before 5-0")
		same(t, "the pending one has its body", len(b.entries(b.q.Stream)), 5)
	})
}

// A long stream is trimmed in steps, so that the server has time for others.
func TestALongStreamIsTrimmedInSteps(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		const n = 2*trimPage + 777
		if s.Embedded { // which takes all in one step
			b.add(1, 50)
		} else {
			b.do("EVAL", "for i = 1, tonumber(ARGV[1]) do redis.call('XADD', KEYS[1], i .. '-0', 'n', i) end", 1, b.q.Stream, n)
		}
		stored, _ := asInt(b.do("XLEN", b.q.Stream))
		b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "$")
		b.do("XADD", b.q.Stream, "*", "n", "new")
		plan := ok[Plan](t)(b.g.PlanTrim(t.Context()))
		steps := 0
		out := plan.Run(WithProgress(t.Context(), func(Progress) { steps++ }))
		last := fmt.Sprintf("%d-0", stored) // the group was given nothing after it, and it stays
		same(t, "outcome", out.Text, fmt.Sprintf("trimmed %d entries before %s", stored-1, last))
		same(t, "left", len(b.entries(b.q.Stream)), 2)
		if !s.Embedded && steps < 3 {
			t.Errorf("%d steps, want one for each %d entries", steps, trimPage)
		}
	})
}

func TestPlansOfAReadOnlyClientSendNothing(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(1)
		b.add(2, 1)
		b.read("w1", 1)
		g := NewGroup(connect(t, s.URL, Options{ReadOnly: true}), b.q)
		plans := map[string]func() (Plan, error){
			"replay": func() (Plan, error) {
				p, err := g.PlanReplayOf(t.Context(), ReplayOptions{})
				return p.Plan, err
			},
			"discard": func() (Plan, error) { return g.PlanDiscard(t.Context(), LetterChoice{}, &Trash{}) },
			"move":    func() (Plan, error) { return g.PlanMoveLetters(t.Context(), LetterChoice{}, s.Key(t, "p")) },
			"claim":   func() (Plan, error) { return g.PlanClaim(t.Context(), TakeOptions{To: "w2"}) },
			"ack":     func() (Plan, error) { return g.PlanAck(t.Context(), PendingChoice{}) },
			"remove":  func() (Plan, error) { return g.PlanRemoveConsumer(t.Context(), "w1", "w2") },
			"destroy": func() (Plan, error) { return g.PlanDestroyGroup(t.Context()) },
			"set":     func() (Plan, error) { return g.PlanSetID(t.Context(), "0") },
			"trim":    func() (Plan, error) { return g.PlanTrim(t.Context()) },
			"create":  func() (Plan, error) { return g.PlanCreateGroup(t.Context(), "0") },
			"bury":    func() (Plan, error) { return g.PlanBury(t.Context(), PendingChoice{}, "why") },
			"ghosts":  func() (Plan, error) { return g.PlanAckGhosts(t.Context(), PendingChoice{Rows: b.rows()}) },
		}
		for name, make := range plans {
			plan, err := make()
			if err != nil {
				t.Errorf("%s: planning only reads, and failed: %v", name, err)
				continue
			}
			if plan.Title == "" || len(plan.Effects) == 0 || len(plan.Commands) == 0 {
				t.Errorf("%s: the plan says too little: %+v", name, plan)
			}
			if out := plan.Run(t.Context()); CodeOf(out.Err) != CodeReadOnly || out.Done > 0 {
				t.Errorf("%s: %+v", name, out)
			}
		}
		same(t, "letters", len(b.letters()), 1)
		sameText(t, "pending", b.pending(), []string{"2-0 w1 1"})
	})
}
