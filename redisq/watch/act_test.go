package watch

import (
	"context"
	"slices"
	"strings"
	"testing"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/redistest"
)

// stuck is a group in which worker-1 holds two entries and worker-2 none, with one dead letter by another tool.
func stuck(t *testing.T, s redistest.Server) (others, redisq.Queue) {
	t.Helper()
	o := connect(t, s.URL)
	q := redisq.NewQueue(s.Key(t, "{orders}"), "mailers")
	o.do("XGROUP CREATE " + q.Stream + " mailers 0 MKSTREAM")
	for _, id := range []string{"1-0", "2-0"} {
		o.do("XADD " + q.Stream + " " + id + " order " + id)
	}
	o.do("XREADGROUP GROUP mailers worker-1 STREAMS " + q.Stream + " >")
	o.do("XGROUP CREATECONSUMER " + q.Stream + " mailers worker-2")
	o.do("XADD " + q.DeadLetter + " 1-0 a 1 a 2")
	return o, q
}

// held lists the pending entries as "id owner" by the server's word.
func (o others) held(q redisq.Queue) string {
	o.t.Helper()
	var all []string
	rows, _ := o.do("XPENDING " + q.Stream + " mailers - + 10").([]any)
	for _, row := range rows {
		columns := row.([]any)
		all = append(all, columns[0].(string)+" "+columns[1].(string))
	}
	return strings.Join(all, ", ")
}

func TestWithoutWriteNothingCanBeChanged(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		o, q := stuck(t, s)
		w := begin(t, s.URL, s.Embedded, Options{Stream: q.Stream, Group: "mailers"})
		before := o.held(q)
		for _, deed := range desk.Deeds() {
			plan, err := w.Plan(t.Context(), q, desk.Wish{Deed: deed})
			if redisq.CodeOf(err) != redisq.CodeReadOnly || plan.Run != nil {
				t.Errorf("%s: plan %+v, error %v, want that it is read-only", deed, plan, err)
			}
		}
		if _, err := w.Rights(t.Context(), q); redisq.CodeOf(err) != redisq.CodeReadOnly {
			t.Errorf("rights: %v, want that it is read-only", err)
		}
		if after := o.held(q); after != before {
			t.Errorf("pending %q, was %q", after, before)
		}
	})
}

// What is at its limit can be moved to the dead letters from the screen too: its body was read, so the remedy spells it out.
func TestTheDoctorOfTheScreenMovesPoisonToTheDeadLetters(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		o, q := stuck(t, s)
		for range doctor.Defaults().MaxDeliveries - 1 {
			o.do("XCLAIM " + q.Stream + " mailers worker-1 0 1-0")
		}
		w := begin(t, s.URL, s.Embedded, Options{Stream: q.Stream, Group: "mailers"})
		u := until(t, w, "an entry that was delivered too often", func(u Update) bool {
			return u.Doctor != nil && slices.ContainsFunc(u.Doctor.Findings, func(f doctor.Finding) bool { return f.Code == doctor.Poison })
		})
		for _, f := range u.Doctor.Findings {
			if f.Code != doctor.Poison {
				continue
			}
			at := slices.IndexFunc(f.Remedies, func(r doctor.Remedy) bool { return r.Wish.Deed == desk.Bury })
			if at < 0 {
				t.Fatalf("the remedies are %+v, want one that moves it to the dead letters", f.Remedies)
			}
			first := strings.Join(f.Remedies[at].Commands[0], " ")
			if !strings.HasPrefix(first, "XADD "+q.DeadLetter+" * ") || !strings.HasSuffix(first, " order 1-0") {
				t.Errorf("the first command is %q, want XADD to %s with the fields of 1-0", first, q.DeadLetter)
			}
		}
	})
}

func TestPlansAreCarriedOutAndReadAgain(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		o, q := stuck(t, s)
		w := begin(t, s.URL, s.Embedded, Options{Stream: q.Stream, Group: "mailers", Write: true, Interval: redisq.MaxInterval})
		u := until(t, w, "the entries", func(u Update) bool { return good(u) && len(u.Snapshot.Pending.Rows) == 2 })
		run := func(wish desk.Wish) redisq.Outcome {
			t.Helper()
			plan, err := w.Plan(t.Context(), q, wish)
			if err != nil {
				t.Fatal(err)
			}
			return plan.Run(t.Context())
		}
		first := u.Snapshot.Pending.Rows[:1]
		plan, err := w.Plan(t.Context(), q, desk.Wish{Deed: desk.Claim, To: "worker-2", Pending: redisq.PendingChoice{Rows: first}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := o.held(q), "1-0 worker-1, 2-0 worker-1"; got != want {
			t.Errorf("a plan that was not run left %q, want %q", got, want)
		}
		if got := plan.Run(t.Context()); got.Done != 1 || got.Err != nil {
			t.Errorf("claim: %+v", got)
		}
		if got, want := o.held(q), "1-0 worker-2, 2-0 worker-1"; got != want {
			t.Errorf("pending %q, want %q", got, want)
		}
		// The next reading would come in a minute: an action has it come at once, with the command and its mark.
		until(t, w, "the new owner", func(u Update) bool {
			acted := false
			for _, c := range u.Commands {
				acted = acted || c.Client == actionClient && c.Args[0] == "XCLAIM"
			}
			marked := len(u.Events) > 0 && strings.HasPrefix(u.Events[0].Text, "by hand: claimed 1 entry for worker-2")
			return acted && marked && good(u) && u.Snapshot.Pending.Rows[0].Consumer == "worker-2"
		})
		// The rows that the person saw are not so any more: nothing is done.
		if got := run(desk.Wish{Deed: desk.Ack, Pending: redisq.PendingChoice{Rows: first}}); got.Done != 0 || len(got.Skipped) != 1 {
			t.Errorf("ack of an entry that another holds: %+v", got)
		}
		if got := run(desk.Wish{Deed: desk.RemoveConsumer, Consumer: "worker-1", To: "worker-2"}); got.Done != 1 {
			t.Errorf("remove: %+v", got)
		}
		if got, want := o.held(q), "1-0 worker-2, 2-0 worker-2"; got != want {
			t.Errorf("pending %q, want %q", got, want)
		}

		if got := run(desk.Wish{Deed: desk.Discard, Letters: redisq.LetterChoice{IDs: []string{"1-0"}}}); got.Done != 1 {
			t.Errorf("discard: %+v", got)
		}
		if n := o.do("XLEN " + q.DeadLetter); n != int64(0) {
			t.Errorf("%v letters after the discard", n)
		}
		if got := run(desk.Wish{Deed: desk.BringBack}); got.Done != 1 {
			t.Errorf("bring back: %+v", got)
		}
		if _, err := w.Plan(t.Context(), q, desk.Wish{Deed: desk.BringBack}); err == nil {
			t.Error("there is something to bring back twice")
		}
		dry, err := w.Plan(t.Context(), q, desk.Wish{Deed: desk.Replay, DryRun: true})
		if err != nil || !dry.DryRun || dry.Run != nil || dry.Count != 1 {
			t.Errorf("dry run: %+v, %v", dry, err)
		}
		if got := run(desk.Wish{Deed: desk.Replay}); got.Done != 1 {
			t.Errorf("replay: %+v", got)
		}
		last := o.do("XREVRANGE " + q.Stream + " + - COUNT 1").([]any)[0].([]any)[1].([]any)
		if got := strings.Join([]string{last[0].(string), last[1].(string), last[2].(string), last[3].(string)}, " "); got != "a 1 a 2" {
			t.Errorf("the entry has %q, want a 1 a 2", got)
		}
	})
}

// What a user may not do is known before it is tried, and finding that out changes nothing.
func TestRights(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		o, q := stuck(t, s)
		before := o.held(q)
		w := begin(t, s.URL, s.Embedded, Options{Stream: q.Stream, Group: "mailers", Write: true})
		rights, err := w.Rights(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for deed, why := range rights {
			if deed != desk.Release {
				t.Errorf("%s is off: %s", deed, why)
			}
		}
		if s.Embedded {
			return // it knows no users
		}
		o.do("ACL SETUSER unacked-reader on >pw ~* +@read +ping +hello +eval +evalsha +command|info +xack")
		t.Cleanup(func() { _, _ = o.c.Do(context.Background(), "ACL", "DELUSER", "unacked-reader") })
		target, err := redisq.ParseTarget(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		reader, err := New(Options{Target: target.WithPassword("unacked-reader", "pw"), Write: true})
		if err != nil {
			t.Fatal(err)
		}
		reader.Start()
		t.Cleanup(func() { _ = reader.Close() })
		rights, err = reader.Rights(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if rights[desk.Ack] != "" {
			t.Errorf("ack is off though the user may: %s", rights[desk.Ack])
		}
		for _, deed := range []desk.Deed{desk.Claim, desk.Replay, desk.Discard, desk.DestroyGroup, desk.Trim, desk.CreateGroup} {
			if why := rights[deed]; !strings.Contains(why, "no permission") || !strings.Contains(why, "unacked-reader") {
				t.Errorf("%s: %q, want that the user has no permission", deed, why)
			}
		}
		if after := o.held(q); after != before {
			t.Errorf("pending %q, was %q", after, before)
		}
		if n := o.do("XLEN " + q.Stream); n != int64(2) {
			t.Errorf("the stream has %v entries, want 2", n)
		}
	})
}
