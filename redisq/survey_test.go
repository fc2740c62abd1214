package redisq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

func (b *bed) survey(o SurveyOptions, streams ...string) *Survey {
	b.t.Helper()
	s := NewSurveyor(b.c, o).Read(b.t.Context(), streams)
	if s.Err != nil {
		b.t.Fatal(s.Err)
	}
	return s
}

func TestDiscoverFindsStreamsOnly(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		prefix := strings.TrimSuffix(b.q.Stream, "q")
		var want []string
		for i := range 300 {
			key := fmt.Sprintf("%s%03d\x1b\xff", prefix, i)
			if i%3 == 0 {
				b.do("SET", key, "x")
				continue
			}
			b.do("XADD", key, "*", "f", "v")
			want = append(want, key)
		}
		var pages []string
		got := ok[Discovery](t)(Discover(t.Context(), b.c, DiscoverOptions{
			Match: prefix + "*", Page: 10, Found: func(names []string) { pages = append(pages, names...) },
		}))
		sameText(t, "streams, as bytes", fmt.Sprintf("%q", got.Streams), fmt.Sprintf("%q", want))
		same(t, "all", got.More, false)
		slices.Sort(pages)
		same(t, "shown page by page, each once", slices.Equal(pages, want), true)

		got = ok[Discovery](t)(Discover(t.Context(), b.c, DiscoverOptions{Match: prefix + "*", Limit: 7}))
		same(t, "no more than the limit", len(got.Streams), 7)
		same(t, "and it says so", got.More, true)

		if s.Embedded {
			return // it shows all keys on one page
		}
		ctx, cancel := context.WithCancel(t.Context())
		looked := 0
		_, err := Discover(ctx, b.c, DiscoverOptions{Page: 1, Found: func([]string) { looked++; cancel() }})
		if err == nil || looked > 2 {
			t.Errorf("cancelled after the first page: %v after %d pages", err, looked)
		}
	})
}

func TestDiscoverOnACluster(t *testing.T) {
	addr := redistest.Node(t)
	if addr == "" {
		return
	}
	b := privateBed(t, "redis://"+addr, Options{})
	for i := range 20 {
		b.do("XADD", fmt.Sprintf("s%02d", i), "*", "f", "v") // all over the slots
		b.do("XGROUP", "CREATE", fmt.Sprintf("s%02d", i), "g", "0")
	}
	c := connect(t, addr, Options{ReadOnly: true})
	found := ok[Discovery](t)(Discover(t.Context(), c, DiscoverOptions{}))
	same(t, "streams", len(found.Streams), 20)
	same(t, "it is a Cluster client", c.clustered(), true)
	got := NewSurveyor(c, SurveyOptions{}).Read(t.Context(), found.Streams)
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	for _, r := range got.Streams {
		if r.Err != nil || len(r.Groups) != 1 || r.Groups[0].Undelivered.String() != "1" {
			t.Errorf("%s: %+v", r.Name, r)
		}
	}
	err := c.eachMaster(t.Context(), func(ctx context.Context, do doer) error {
		_, err := do(ctx, "DEL", "s00")
		return err
	})
	same(t, "a read-only client does not write to a node either", CodeOf(err), CodeReadOnly)
	same(t, "it is still there", b.do("EXISTS", "s00"), any(int64(1)))
}

func TestSurveyOfManyStreams(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := newBed(t, s)
		var names []string
		for i := range 120 {
			key := fmt.Sprintf("%s%d", b.q.Stream, i)
			names = append(names, key)
			for g := range 2 {
				b.do("XGROUP", "CREATE", key, fmt.Sprintf("g%d", g), "0", "MKSTREAM")
			}
			for n := range 3 {
				b.do("XADD", key, fmt.Sprintf("%d-0", n+1), "f", "v")
			}
			if i == 77 {
				b.do("XREADGROUP", "GROUP", "g1", "w", "COUNT", 2, "STREAMS", key, ">")
			}
		}
		list := b.q.Stream + "list"
		b.do("RPUSH", list, "x")
		names = append(names, list, b.q.Stream+"nowhere")

		var shown int
		got := b.survey(SurveyOptions{Page: func(done []StreamReading) { shown += len(done) }}, names...)
		same(t, "streams", len(got.Streams), 122)
		same(t, "shown page by page", shown, 122)
		for i, r := range got.Streams[:120] {
			same(t, "name", r.Name, names[i])
			for _, g := range r.Groups {
				want := "3 0 3 0"
				if i == 77 && g.Name == "g1" {
					want = "1 2 3 1"
				}
				have := fmt.Sprint(g.Undelivered, " ", g.Pending, " ", g.Backlog, " ", g.MaxDeliveries)
				same(t, fmt.Sprint(r.Name, " ", g.Name), have, want)
			}
			same(t, "groups", len(r.Groups), 2)
		}
		same(t, "the list", got.Streams[120].Stream.WrongType, "list")
		same(t, "what is not there", got.Streams[121].Stream.Missing, true)
		same(t, "its length is not known", got.Streams[121].Stream.Length.Known, false)
		if got.Streams[120].Err != nil || got.Streams[121].Err != nil {
			t.Error("these are answers, not errors")
		}
	})
}

func TestSurveySaysWhichGroupIsMissing(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 2)
		got := b.survey(SurveyOptions{Group: "other"}, b.q.Stream).Streams[0]
		same(t, "groups", len(got.Groups), 2)
		other := got.Group("other")
		same(t, "missing", other.Missing, true)
		same(t, "backlog", other.Backlog.Reason, "the group other does not exist on "+b.q.Stream)
		same(t, "the other one is there", got.Group("g").Undelivered.String(), "2")
	})
}

func TestSurveyFindsDeadLetters(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		q := b.q.Stream
		length := func(o SurveyOptions) string {
			r := b.survey(o, q).Streams[0]
			return strings.ReplaceAll(r.DeadLetter, q, "Q") + " " + r.Dead.Length.String()
		}
		same(t, "none", length(SurveyOptions{}), "{Q}:dead 0")
		for _, key := range []string{"Q.dlq", "Q-dlq", "Q:failed", "Q:dlq", "{Q}:dlq", "Q:dead", "{Q}:dead"} { // the better name wins
			b.do("XADD", strings.ReplaceAll(key, "Q", q), "*", "error", "boom")
			same(t, "with "+key, length(SurveyOptions{}), key+" 1")
		}
		b.do("XADD", q+":other", "*", "f", "1")
		b.do("XADD", q+":other", "*", "f", "2")
		same(t, "named", length(SurveyOptions{DeadLetter: q + ":other"}), "Q:other 2")

		v := NewSurveyor(b.c, SurveyOptions{DeadRows: 1})
		v.Know([]string{q, q + "-dlq"})
		all := v.Read(t.Context(), []string{q, q + "-dlq"}).Streams
		same(t, "among the known ones", all[0].DeadLetter, q+"-dlq")
		same(t, "newest row", len(all[0].Dead.Rows), 1)
		same(t, "whose dead letters", all[1].DeadLetterOf, q)
		same(t, "a stream has none of its own", all[1].DeadLetter, "")

		b.do("DEL", "{"+q+"}:dead")
		b.do("SET", "{"+q+"}:dead", "x")
		r := b.survey(SurveyOptions{DeadLetter: "{" + q + "}:dead"}, q).Streams[0]
		same(t, "wrong type", r.Dead.Length.Known, false)
		same(t, "said", len(r.Problems) == 1 && r.Problems[0].Code == ProblemWrongType, true)
		same(t, "what it is", r.Dead.WrongType, "string")
	})
}

func TestSurveyTellsGhosts(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		if s.Embedded {
			return // there a deleted entry is not pending any more
		}
		b := grouped(t, s)
		b.add(1, 20)
		b.read("w", 20)
		look := func(o SurveyOptions) *GroupReading {
			o.Group = "g"
			return b.survey(o, b.q.Stream).Streams[0].Group("g")
		}
		same(t, "nothing was removed: no body was asked for", look(SurveyOptions{}).Ghosts, Exact(0, Derived))
		b.do("XTRIM", b.q.Stream, "MINID", "6-0")
		got := look(SurveyOptions{})
		same(t, "the ids tell", got.Ghosts.String(), "5+")
		same(t, "those", got.Rows[4].Gone && !got.Rows[5].Gone, true)
		b.do("XDEL", b.q.Stream, "10-0")
		got = look(SurveyOptions{Ghosts: 100})
		same(t, "all bodies asked for", got.Ghosts, Exact(6, Derived))
		same(t, "the one in the middle", got.Rows[9].Gone, true)
		got = look(SurveyOptions{Ghosts: 3, Bodies: 10})
		same(t, "some asked for", got.Ghosts.String(), "6+")
		sameFields(t, "a body", got.Rows[5].Fields, []Field{{"n", "6"}})
		bodies := 0
		for _, row := range got.Rows {
			if len(row.Fields) > 0 {
				bodies++
			}
		}
		if bodies > 4+3 { // of the first ten rows six are ghosts
			t.Errorf("%d bodies were asked for", bodies)
		}
	})
}

// Of many entries the oldest of each consumer are looked at.
func TestSurveyOfALargePEL(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.addMany(1, 1500)
		b.do("XREADGROUP", "GROUP", "g", "w1", "COUNT", 1400, "STREAMS", b.q.Stream, ">")
		b.do("XREADGROUP", "GROUP", "g", "w2", "COUNT", 100, "STREAMS", b.q.Stream, ">")
		b.age("1450-0", "w2", 7, time.Hour)
		got := b.survey(SurveyOptions{PendingRows: 1000, Consumers: true, Held: 5}, b.q.Stream).Streams[0].Group("g")
		same(t, "pending", got.Pending.String(), "1500")
		same(t, "rows", len(got.Rows), 1000)
		same(t, "not all", got.All, false)
		rows, all := got.ByConsumer()("w2")
		same(t, "rows of w2", len(rows), 100)
		same(t, "a full page may not be all", all, false)
		same(t, "most deliveries", got.MaxDeliveries.String(), "7+")
		if got.OldestIdle.Value < 3_600_000 || !got.OldestIdle.AtLeast {
			t.Errorf("oldest idle %v", got.OldestIdle)
		}
	})
}

func TestSurveyRemembers(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.add(1, 10)
		v := NewSurveyor(b.c, SurveyOptions{})
		look := func() *GroupReading { return v.Read(t.Context(), []string{b.q.Stream}).Streams[0].Group("g") }
		look()
		b.do("XTRIM", b.q.Stream, "MAXLEN", 6)
		if want := "4"; !s.Embedded {
			same(t, "trimmed unread", look().TrimmedUnread.String(), want)
			b.read("w", 3)
			same(t, "and not forgotten", look().TrimmedUnread.Value, 4)
		}
		b.do("DEL", b.q.Stream)
		b.do("XGROUP", "CREATE", b.q.Stream, "g", "0", "MKSTREAM")
		got := look()
		same(t, "replaced", len(got.Problems) == 1 && got.Problems[0].Code == ProblemReplaced, true)
		same(t, "backlog", got.Backlog.String(), "0")
	})
}

func TestSurveyWithoutServer(t *testing.T) {
	private := redistest.Private(t)
	b := privateBed(t, private.URL(), Options{})
	b.add(1, 1)
	v := NewSurveyor(b.c, SurveyOptions{})
	if got := v.Read(t.Context(), []string{"q"}); got.Err != nil || len(got.Streams) != 1 {
		t.Fatal(got.Err)
	}
	if err := private.Kill(); err != nil {
		t.Fatal(err)
	}
	got := v.Read(t.Context(), []string{"q"})
	var e *Error
	if !errors.As(got.Err, &e) || len(got.Streams) != 0 {
		t.Errorf("a server that is gone: %v, %d streams", got.Err, len(got.Streams))
	}
}

func TestSweepOfAWholePEL(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		b.addMany(1, 2500)
		for _, c := range []string{"w1", "w2"} {
			b.do("XREADGROUP", "GROUP", "g", c, "COUNT", 1250, "STREAMS", b.q.Stream, ">")
		}
		b.age("2400-0", "w2", 3, 2*time.Hour)
		b.age("10-0", "w1", 99, time.Minute)
		if !s.Embedded {
			b.do("XTRIM", b.q.Stream, "MINID", "2300-0") // of the first three pages nearly all are ghosts
		}
		log := NewCommandLog(100)
		c := connect(t, s.URL, Options{Log: log, ReadOnly: true})
		seen := map[string]int{}
		last := Sweep{}
		got := ok[Sweep](t)(SweepPending(t.Context(), c, b.q.Stream, "g", SweepOptions{
			Pause: -1, Row: func(e PendingEntry) { seen[e.ID]++ }, Progress: func(s Sweep) { last = s },
		}))
		if s.Embedded {
			same(t, "looked", got.Looked, 2500)
		}
		same(t, "each once", int64(len(seen)), got.Looked)
		same(t, "total", got.Total.String(), "2500")
		same(t, "done", got.Done && last.Done, true)
		sameText(t, "histogram", got.Histogram, []int64{2498, 0, 1, 0, 0, 0, 0, 0, 0, 1})
		same(t, "oldest", got.OldestID, "2400-0")
		same(t, "most", fmt.Sprint(got.MaxDeliveries, " ", got.MaxID), "99 10-0")
		same(t, "consumers", len(got.Consumers), 2)
		same(t, "w1", got.Consumers[0].Pending, 1250)
		if asked := got.BodyAsked; asked != 15 {
			t.Errorf("asked for %d bodies, want 5 a page", asked)
		}
		if !s.Embedded && got.BodyGone < 11 {
			t.Errorf("%d of %d bodies gone, want those before 2300-0", got.BodyGone, got.BodyAsked)
		}
		pages := 0
		for _, command := range log.Last(100) {
			if command.Args[0] == "XPENDING" {
				pages++
				if n := len(command.Args); n != 6 || command.Args[5] != "1000" || strings.HasPrefix(command.Args[3], "(") {
					t.Errorf("sent %v", command.Args)
				}
			}
		}
		same(t, "pages", pages, 3)

		ctx, cancel := context.WithCancel(t.Context())
		got, err := SweepPending(ctx, c, b.q.Stream, "g", SweepOptions{Page: 100, Row: func(PendingEntry) { cancel() }})
		if err == nil || got.Done || got.Looked == 0 || got.Looked > 200 {
			t.Errorf("cancelled: %v, done %v, looked at %d", err, got.Done, got.Looked)
		}
		_, err = SweepPending(t.Context(), c, b.q.Stream, "nobody", SweepOptions{})
		same(t, "no such group", CodeOf(err), "NOGROUP")
	})
}

func TestWorstFirst(t *testing.T) {
	figures := func(backlog, oldest, members int64) GroupFigures {
		g := GroupFigures{
			Undelivered: Exact(backlog, Derived), Pending: Exact(1, FromServer), Backlog: Exact(backlog, Derived),
			OldestIdle: Exact(oldest, Derived), Members: Exact(members, FromServer), TrimmedUnread: Exact(0, Derived),
		}
		return g
	}
	lost := figures(1, 0, 1)
	lost.TrimmedUnread = Exact(7, Derived)
	unknown := figures(1, 0, 1)
	unknown.Backlog = Unknown("no permission")
	streams := []StreamReading{
		{Name: "a", Groups: []GroupReading{{Name: "well", GroupFigures: figures(0, 0, 3)}, {Name: "late", GroupFigures: figures(5, 61_000, 3)}}},
		{Name: "b", Groups: []GroupReading{{Name: "nobody", GroupFigures: figures(2, 0, 0)}, {Name: "lost", GroupFigures: lost}}},
		{Name: "c", Groups: []GroupReading{{Name: "busy", GroupFigures: figures(900, 100, 3)}, {Name: "less", GroupFigures: figures(20, 100, 3)}}},
		{Name: "d", Stream: StreamFigures{Missing: true}},
		{Name: "e", Groups: []GroupReading{{Name: "unknown", GroupFigures: unknown}}},
		{Name: "f", Stream: StreamFigures{Length: Exact(3, FromServer)}},
		{Name: "h", Partial: true, Stream: StreamFigures{Length: Exact(3, FromServer)}},       // its groups may not be read
		{Name: "g", Groups: []GroupReading{{Name: "nobody", GroupFigures: figures(6, 0, 0)}}}, // of the stuck the largest backlog
	}
	var got []string
	for _, row := range WorstFirst(streams, time.Minute) {
		got = append(got, row.Stream.Name+" "+row.name())
	}
	same(t, "order", strings.Join(got, ", "), "d , b lost, g nobody, a late, b nobody, e unknown, h , c busy, c less, a well, f ")
}
