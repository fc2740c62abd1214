package redisq

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// problems returns "panel code: text" of each.
func problems(s *Snapshot) string {
	var all []string
	for _, p := range s.Problems {
		all = append(all, p.Panel+" "+p.Code+": "+p.Text)
	}
	return strings.Join(all, "\n")
}

func TestSnapshotOfAnOrdinaryQueue(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		id := b.addFields([]Field{{"order", "1"}, {"order", "2"}})
		b.read("w1", 1)
		b.add(1<<50, 1)
		b.read("w2", 1)
		b.do("LPUSH", b.q.List, "a", "b", "c")
		clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		got := b.observer(ObserverOptions{Clock: func() time.Time { return clock }}).Read(t.Context())
		if got.Err != nil {
			t.Fatal(got.Err)
		}
		same(t, "at", got.At, clock)
		same(t, "generation", got.Generation, 1)
		same(t, "problems", problems(got), "")
		same(t, "embedded", got.Server.Embedded, s.Embedded)
		same(t, "role", got.Server.Role, "master")
		if product, _, _ := strings.Cut(s.Name, "-"); got.Server.Product != product {
			t.Errorf("product %q of %s", got.Server.Product, s.Name)
		}
		if _, version, _ := strings.Cut(s.Name, "-"); !strings.HasPrefix(got.Server.Version, version) {
			t.Errorf("version %q of %s", got.Server.Version, s.Name)
		}
		same(t, "last id", got.Stream.LastID, "1125899906842624-0")
		same(t, "top id", got.Stream.TopID, "1125899906842624-0")
		same(t, "first id", got.Stream.FirstID, id)
		same(t, "last delivered", got.Group.LastDelivered, "1125899906842624-0")
		same(t, "list", got.ListLen.String(), "3")
		same(t, "dead letters", got.Dead.Length.String(), "0")
		same(t, "no dead-letter stream", got.Dead.Missing, true)
		same(t, "added", got.Stream.Added.Known, !s.Embedded)

		same(t, "rows", len(got.Pending.Rows), 2)
		row := got.Pending.Rows[0]
		same(t, "id", row.ID, id)
		same(t, "owner", row.Consumer, "w1")
		same(t, "deliveries", row.Deliveries, 1)
		sameFields(t, "body", row.Fields, []Field{{"order", "1"}, {"order", "2"}})
		if row.Idle < 0 || row.Idle > 10*time.Second || !row.Age.Known || row.Age.Value > 10_000 {
			t.Errorf("idle %v, age %v: want less than a moment, by the server's clock", row.Idle, row.Age)
		}
		same(t, "age of an id that is no time", got.Pending.Rows[1].Age.Known, false)
		sameText(t, "command", got.Pending.Command, []string{"XPENDING", b.q.Stream, "g", "-", "+", "50"})
		sameText(t, "histogram", got.Pending.Histogram, []int64{2, 0, 0, 0, 0, 0, 0, 0, 0, 0})
		same(t, "consumers", len(got.Group.Consumers), 2)
		same(t, "summary", len(got.Pending.ByConsumer), 2)
		same(t, "one each", got.Pending.ByConsumer[0].Pending, 1)
	})
}

func TestOldestIdleAndMostDeliveries(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		got := b.snapshot().Group
		same(t, "nothing pending: oldest", got.OldestIdle.String(), "0")
		same(t, "nothing pending: most", got.MaxDeliveries.String(), "0")
		b.addMany(1, 70)
		b.read("w1", 70)
		b.age("60-0", "w1", 14, time.Hour)
		snap := b.snapshot()
		if idle := snap.Group.OldestIdle; !idle.Known || idle.AtLeast || idle.Value < 3_600_000 || idle.Value > 3_700_000 {
			t.Errorf("oldest %v, want an hour, exactly: all 70 were looked at", idle)
		}
		same(t, "most", snap.Group.MaxDeliveries.String(), "14")
		sameText(t, "histogram", snap.Pending.Histogram, []int64{69, 0, 0, 0, 0, 0, 0, 0, 0, 1})
		same(t, "rows", len(snap.Pending.Rows), 50)
		same(t, "more", snap.Pending.More, true)
	})
}

// Of a large PEL only the beginning is looked at, and the figures say so.
func TestLargePEL(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.addMany(1, 1200)
		b.do("XREADGROUP", "GROUP", b.q.Group, "w1", "COUNT", 1200, "STREAMS", b.q.Stream, ">")
		b.age("1100-0", "w1", 9, time.Hour)
		o := b.observer(ObserverOptions{})
		for range 2 {
			got := o.Read(t.Context())
			same(t, "pending", got.Group.Pending.String(), "1200")
			same(t, "oldest is a bound", got.Group.OldestIdle.AtLeast, true)
			same(t, "most deliveries", got.Group.MaxDeliveries.String(), "1+")
			same(t, "more", got.Pending.More, true)
		}
		o.SetFilter(PendingFilter{MinIdle: time.Minute})
		got := o.Read(t.Context())
		same(t, "found on the second page", len(got.Pending.Rows), 1)
		same(t, "it", got.Pending.Rows[0].ID, "1100-0")
		sameFields(t, "its body", got.Pending.Rows[0].Fields, []Field{{"n", "1100"}})
		same(t, "no more", got.Pending.More, false)
	})
}

func TestPendingFilter(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		log := NewCommandLog(1000)
		b := grouped(t, s)
		b.c = connect(t, s.URL, Options{Name: "observer", Log: log, ReadOnly: true})
		g := b.c
		b.c = connect(t, s.URL, Options{})
		b.add(1, 9)
		b.read("w1", 5)
		b.read("w2", 4)
		for _, id := range []string{"2-0", "4-0", "7-0"} {
			owner := "w1"
			if id == "7-0" {
				owner = "w2"
			}
			b.age(id, owner, 2, time.Minute)
		}
		o := NewObserver(g, b.q, ObserverOptions{})
		for _, c := range []struct {
			filter  PendingFilter
			ids     string
			more    bool
			command string
		}{
			{PendingFilter{}, "1-0 2-0 3-0 4-0 5-0 6-0 7-0 8-0 9-0", false, "- + 50"},
			{PendingFilter{Count: 2}, "1-0 2-0", true, "- + 2"},
			{PendingFilter{Consumer: "w2"}, "6-0 7-0 8-0 9-0", false, "- + 50 w2"},
			{PendingFilter{Start: "4-0", End: "6-0"}, "4-0 5-0 6-0", false, "4-0 6-0 50"},
			{PendingFilter{MinIdle: 30 * time.Second}, "2-0 4-0 7-0", false, "IDLE 30000 - + 50"},
			{PendingFilter{MinIdle: 30 * time.Second, Count: 2}, "2-0 4-0", true, "IDLE 30000 - + 2"},
			{PendingFilter{MinIdle: 30 * time.Second, Consumer: "w2", Start: "3-0"}, "7-0", false, "IDLE 30000 3-0 + 50 w2"},
			{PendingFilter{Consumer: "nobody"}, "", false, "- + 50 nobody"},
		} {
			o.SetFilter(c.filter)
			got := o.Read(t.Context())
			var ids []string
			for _, row := range got.Pending.Rows {
				ids = append(ids, row.ID)
				if len(row.Fields) != 1 {
					t.Errorf("%+v: body of %s: %v", c.filter, row.ID, row.Fields)
				}
			}
			what := fmt.Sprintf("%+v", c.filter)
			same(t, what+": rows", strings.Join(ids, " "), c.ids)
			same(t, what+": more", got.Pending.More, c.more)
			same(t, what+": command", strings.Join(got.Pending.Command, " "), "XPENDING "+b.q.Stream+" g "+c.command)
			same(t, what+": filter", got.Pending.Filter, c.filter)
			same(t, what+": the figures are of all", got.Group.MaxDeliveries.String(), "2")
			same(t, what+": problems", problems(got), "")
		}
		o.SetFilter(PendingFilter{Start: "no id"})
		got := o.Read(t.Context())
		if got.Err != nil || len(got.Problems) != 1 || got.Problems[0].Panel != "pending" || got.Group.Pending.String() != "9" {
			t.Errorf("a start that is no id: %v, %s, pending %v; want a problem of that panel alone", got.Err, problems(got), got.Group.Pending)
		}
		for _, c := range log.Last(1000) {
			if line := strings.Join(c.Args, " "); strings.Contains(line, "IDLE") {
				t.Errorf("sent %s: its cost is not bounded", line)
			}
		}
	})
}

func TestGhostsStandInTheirRows(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 3)
		b.read("w1", 3)
		o := b.observer(ObserverOptions{})
		if got := o.Read(t.Context()); got.Pending.Rows[1].Gone {
			t.Error("gone before it was deleted")
		}
		b.do("XDEL", b.q.Stream, "2-0")
		var got *Snapshot
		// A server without counters is asked for a body again after a second.
		within(t, "the ghost is seen", func() bool {
			got = o.Read(t.Context())
			return got.Pending.Rows[1].Gone
		})
		row := got.Pending.Rows[1]
		same(t, "id", row.ID, "2-0")
		same(t, "owner", row.Consumer, "w1")
		same(t, "deliveries", row.Deliveries, 1)
		same(t, "no fields", len(row.Fields), 0)
		same(t, "the others are there", got.Pending.Rows[0].Gone || got.Pending.Rows[2].Gone, false)
		if !s.Embedded { // which leaves such entries out of its count
			same(t, "still pending", got.Group.Pending.String(), "3")
		}
	})
}

// XNACK (Redis 8.8) leaves rows with no owner, idle -1 and the largest count there is.
func TestReleasedEntries(t *testing.T) {
	o := NewObserver(nil, NewQueue("q", "g"), ObserverOptions{})
	r := &reading{Observer: o, snap: &Snapshot{}, now: time.Now()}
	r.snap.Group.Pending = Exact(4, FromServer)
	r.snap.Group.Consumers = []Consumer{{Name: "w1", Pending: 1}, {Name: "w2"}}
	r.readPending(result{reply: []any{
		[]any{"1-0", "", int64(-1), int64(9223372036854775807)},
		[]any{"2-0", "w1", int64(2000), int64(3)},
	}}, nil)
	rows := r.snap.Pending.Rows
	same(t, "idle", rows[0].Idle, -1)
	same(t, "owner", rows[0].Consumer, "")
	same(t, "deliveries", rows[0].Deliveries, 9223372036854775807)
	same(t, "oldest idle is of those that have one", r.snap.Group.OldestIdle.Value, 2000)
	sameText(t, "histogram", r.snap.Pending.Histogram, []int64{0, 0, 1, 0, 0, 0, 0, 0, 0, 1})
	same(t, "summary lines", len(r.snap.Pending.ByConsumer), 2)
	same(t, "the unowned line", r.snap.Pending.ByConsumer[1].Pending, 3)
	same(t, "its name", r.snap.Pending.ByConsumer[1].Name, "")
}

func TestMissingAndWrongType(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		got := b.snapshot()
		same(t, "stream missing", got.Stream.Missing, true)
		same(t, "group missing", got.Group.Missing, true)
		same(t, "backlog is not known", got.Group.Backlog.String(), "?")
		same(t, "length is not known", got.Stream.Length.String(), "?")
		if !strings.Contains(problems(got), "stream missing: the stream "+b.q.Stream+" does not exist") {
			t.Errorf("problems:\n%s", problems(got))
		}

		b.add(1, 2)
		got = b.snapshot()
		same(t, "stream there", got.Stream.Missing, false)
		same(t, "length", got.Stream.Length.String(), "2")
		same(t, "group missing", got.Group.Missing, true)
		same(t, "undelivered is not known", got.Group.Undelivered.String(), "?")
		if !strings.Contains(problems(got), "group missing: the group g does not exist on "+b.q.Stream) {
			t.Errorf("problems:\n%s", problems(got))
		}

		b.do("DEL", b.q.Stream)
		b.do("RPUSH", b.q.Stream, "x")
		b.do("SET", b.q.DeadLetter, "x")
		b.do("SET", b.q.List, "x")
		got = b.snapshot()
		same(t, "type", got.Stream.WrongType, "list")
		same(t, "not missing", got.Stream.Missing, false)
		for _, want := range []string{"stream wrong-type:", "dead wrong-type:", "list wrong-type:"} {
			if !strings.Contains(problems(got), want) {
				t.Errorf("no %q among\n%s", want, problems(got))
			}
		}
		same(t, "dead letters are not known", got.Dead.Length.String(), "?")
		same(t, "list is not known", got.ListLen.String(), "?")
	})
}

func TestReplacedStreamIsSaid(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		now := time.Unix(1_700_000_000, 0)
		o := b.observer(ObserverOptions{Clock: func() time.Time { return now }})
		look := func() string {
			now = now.Add(time.Second)
			return problems(o.Read(t.Context()))
		}
		b.add(10, 5)
		b.read("w", 3)
		same(t, "at first", look(), "")
		b.do("DEL", b.q.Stream)
		b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "0", "MKSTREAM")
		b.add(1, 2)
		if p := look(); !strings.Contains(p, "stream replaced: the stream was replaced") {
			t.Errorf("problems: %q", p)
		}
		now = now.Add(replacedShown)
		same(t, "after a while", look(), "")
		b.read("w", 2)
		same(t, "it goes on", look(), "")
		b.do("XGROUP", "DESTROY", b.q.Stream, b.q.Group)
		b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "0")
		if p := look(); !strings.Contains(p, "stream replaced: the group went back") {
			t.Errorf("problems: %q", p)
		}
	})
}

func TestDeadLettersAreReadNewestLast(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.bury(5)
		o := b.observer(ObserverOptions{DeadRows: 3})
		got := o.Read(t.Context()).Dead
		same(t, "length", got.Length.String(), "5")
		same(t, "rows", len(got.Rows), 3)
		same(t, "more", got.More, true)
		same(t, "oldest shown", got.Rows[0].Original, "3-0")
		same(t, "newest last", got.Rows[2].Original, "5-0")
		same(t, "reason", got.Rows[2].Reason, "550 no such user")
		sameFields(t, "fields", got.Rows[2].Fields, []Field{{"n", "5"}})
		same(t, "not missing", got.Missing, false)

		b.do("XDEL", b.q.DeadLetter, got.Rows[0].ID)
		got = o.Read(t.Context()).Dead
		same(t, "one deleted from the middle", got.Length.String()+" "+got.Rows[0].Original, "4 2-0")
		foreign := asString(b.do("XADD", b.q.DeadLetter, "*", "error", "boom"))
		got = o.Read(t.Context()).Dead
		same(t, "a foreign one", got.Rows[2].Foreign, true)
		same(t, "its id", got.Rows[2].ID, foreign)
		sameFields(t, "all its fields", got.Rows[2].Fields, []Field{{"error", "boom"}})
		again := o.Read(t.Context()).Dead
		same(t, "unchanged", fmt.Sprint(again), fmt.Sprint(got))
	})
}

// Each panel fails alone, and says what is missing.
func TestPermissions(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		if s.Embedded {
			return // it has no ACL
		}
		b := grouped(t, s)
		b.add(1, 3)
		b.read("w1", 1)
		as := func(rules ...any) *Snapshot {
			t.Helper()
			user, pass := "u"+rand.Text(), rand.Text()
			b.do(append([]any{"ACL", "SETUSER", user, "on", ">" + pass}, rules...)...)
			defer b.do("ACL", "DELUSER", user)
			target := ok[Target](t)(ParseTarget(s.URL)).WithPassword(user, pass)
			c := ok[*Client](t)(Connect(target, Options{Name: "observer", ReadOnly: true}))
			defer c.Close()
			got := NewObserver(c, b.q, ObserverOptions{}).Read(t.Context())
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			if strings.Contains(problems(got), pass) {
				t.Error("the password is shown")
			}
			return got
		}

		got := as("~*", "+@read", "+ping", "+hello")
		same(t, "reading rights are enough", problems(got), "")
		same(t, "backlog", got.Group.Backlog.String(), "3")

		got = as("~*", "+@read", "+hello", "-xinfo|consumers", "-xlen")
		same(t, "without some", problemCodes(got), "consumers no-permission, dead no-permission")
		same(t, "backlog", got.Group.Backlog.String(), "3")
		same(t, "dead letters", got.Dead.Length.Known, false)

		got = as("~*", "+@read", "+hello", "-xinfo|stream")
		same(t, "without the stream", problemCodes(got), "stream no-permission")
		same(t, "pending", got.Group.Pending.String(), "1")
		same(t, "undelivered", got.Group.Undelivered.String(), "?")

		got = as("~"+b.q.Stream, "+@read", "+hello")
		same(t, "one key only", problemCodes(got), "dead no-permission, list no-permission")

		got = as("~*", "+ping")
		same(t, "HELLO needs no right", got.Server.Product+"-"+got.Server.Version[:3], s.Name)
		same(t, "nothing is known", got.Group.Backlog.String()+got.Stream.Length.String()+got.Dead.Length.String(), "???")
		if !strings.Contains(problems(got), "no permission: XINFO GROUPS (user u") {
			t.Errorf("problems:\n%s", problems(got))
		}
	})
}

func problemCodes(s *Snapshot) string {
	var all []string
	for _, p := range s.Problems {
		all = append(all, p.Panel+" "+p.Code)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestReplica(t *testing.T) {
	master, replica := redistest.Private(t), redistest.Private(t)
	if master.Embedded() || replica.Embedded() {
		return // there is no second kind of it
	}
	b := privateBed(t, master.URL(), Options{})
	b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "0", "MKSTREAM")
	b.add(1, 5)
	b.read("w1", 2)
	r := privateBed(t, replica.URL(), Options{})
	host, port, _ := strings.Cut(master.Addr(), ":")
	b.do("CONFIG", "SET", "repl-diskless-sync-delay", "0")
	r.do("CONFIG", "SET", "repl-diskless-load", "on-empty-db") // nothing is written to disk
	r.do("REPLICAOF", host, port)
	within(t, "the replica has the group", func() bool {
		got := r.observer(ObserverOptions{}).Read(t.Context())
		return got.Err == nil && got.Group.Pending == Exact(2, FromServer)
	})
	got := r.snapshot()
	same(t, "role", got.Server.Role, "replica")
	same(t, "undelivered, though lag is nil there", got.Group.Undelivered.String(), "3")
	same(t, "said", problemCodes(got), "server replica")

	// What was read since it copied the whole of its master is not told a replica: its lag and entries-read stay.
	b.read("w1", 1)
	within(t, "the replica has it too", func() bool {
		got = r.snapshot()
		return got.Group.LastDelivered == "3-0"
	})
	same(t, "undelivered, whatever its lag is", got.Group.Undelivered.String(), "2")
	b.do("XTRIM", b.q.Stream, "MAXLEN", 1)
	within(t, "it is trimmed there too", func() bool {
		got = r.snapshot()
		return got.Stream.Length == Exact(1, FromServer)
	})
	same(t, "trimmed unread by the master", b.snapshot().Group.TrimmedUnread.String(), "1")
	same(t, "by the replica", got.Group.TrimmedUnread, Unknown(ReplicaUntold))
	_, err := r.g.Ack(t.Context(), "w1", Held{"1-0", 1})
	same(t, "writing", CodeOf(err), "READONLY")
	_, err = r.g.ReadNew(t.Context(), "w1", 1, 0)
	same(t, "reading new ones", CodeOf(err), "READONLY")
}

func TestServerGoneAndBack(t *testing.T) {
	private := redistest.Private(t)
	b := privateBed(t, private.URL(), Options{})
	b.do("XGROUP", "CREATE", b.q.Stream, b.q.Group, "0", "MKSTREAM")
	b.add(1, 5)
	o := b.observer(ObserverOptions{})
	if got := o.Read(t.Context()); got.Err != nil {
		t.Fatal(got.Err)
	}
	if err := private.Kill(); err != nil {
		t.Fatal(err)
	}
	got := o.Read(t.Context())
	if got.Err == nil || got.Group.Backlog.Known || got.Generation != 2 {
		t.Fatalf("a reading of a dead server: %+v", got)
	}
	within(t, "refused", func() bool { return CodeOf(o.Read(t.Context()).Err) == CodeRefused })
	_, err := b.g.Add(t.Context(), []Field{{"a", "1"}}, AddOptions{})
	same(t, "an addition then was surely not made", CodeOf(err), CodeRefused)
	if err := private.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	within(t, "it is read again", func() bool { return o.Read(t.Context()).Err == nil })
	same(t, "empty now", o.Read(t.Context()).Stream.Missing, true)
}

func TestServerThatHangs(t *testing.T) {
	private := redistest.Private(t)
	if private.Embedded() {
		return // it cannot be stopped alone
	}
	b := privateBed(t, private.URL(), Options{})
	o := b.observer(ObserverOptions{})
	if got := o.Read(t.Context()); got.Err != nil {
		t.Fatal(got.Err)
	}
	if err := syscall.Kill(private.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(private.PID(), syscall.SIGCONT) }()
	began := time.Now()
	got := o.Read(t.Context())
	same(t, "code", CodeOf(got.Err), CodeTimeout)
	if took := time.Since(began); took >= replyTimeout { // a command's own limit
		t.Errorf("took %v, want 2 s", took)
	}
	if err := syscall.Kill(private.PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	within(t, "it is read again", func() bool { return o.Read(t.Context()).Err == nil })
}
