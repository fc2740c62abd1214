package ui

import (
	"math"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/lab"
)

func openedDetail(t *testing.T, d *data, kind, id string) (*detail, *paneLab) {
	t.Helper()
	l := &paneLab{t: t}
	v := newDetail(kind, id, l).(*detail)
	cmd := v.Opened(d)
	if len(l.calls) > 0 {
		t.Fatalf("opening called the lab itself: %v", l.calls)
	}
	if cmd != nil {
		l.run(cmd)
	}
	return v, l
}

func TestDetailOfAPendingEntry(t *testing.T) {
	d := paneData(pendingSnapshot())
	d.good.Pending.Rows[1].Fields = append(mails("30"), redisq.Field{Name: "order", Value: "30 again"})
	v, l := openedDetail(t, d, detailPending, idAt(8.2))
	if want := "watch " + idAt(8.2); len(l.calls) != 1 || l.calls[0] != want {
		t.Errorf("opening asked %v, want %q", l.calls, want)
	}
	d.last.Watched = idAt(8.2)
	d.last.Story = []lab.StoryLine{
		{At: readAt.Add(-8200 * time.Millisecond), Text: "added"},
		{At: readAt.Add(-4100 * time.Millisecond), Text: "claimed by w2 (delivery 2)"},
	}
	v.Data(d)
	wantPane(t, v, d, 78, 24, `
 Now         pending
 Owner       w2 dead
 Idle        4.6s
 Lease       ▰▰▰▰▱ 400ms
 Deliveries  2 of 5 ▮▮▯▯▯
 Age         8.7s, added `+time.UnixMilli(readAt.UnixMilli()-8200).Format("15:04:05.000")+`

 Fields 3, 45 B, as text
   order = 30
   to = customer30@shop.example
   order = 30 again

 Story as the workers told it
   10:00:00.000    +0.000s  added
   10:00:04.100    +4.100s  claimed by w2 (delivery 2)

 To see it in redis-cli
   XPENDING emails mailers 1772359200000-0 1772359200000-0 1
   XRANGE emails 1772359200000-0 1772359200000-0
`)
	// Where there is room the fields stand beside the facts, so that the story is seen.
	wantPane(t, v, d, 110, 15, `
 Now         pending
 Owner       w2 dead                         Fields 3, 45 B, as text
 Idle        4.6s                              order = 30
 Lease       ▰▰▰▰▱ 400ms                       to = customer30@shop.example
 Deliveries  2 of 5 ▮▮▯▯▯                      order = 30 again
 Age         8.7s, added `+time.UnixMilli(readAt.UnixMilli()-8200).Format("15:04:05.000")+`

 Story as the workers told it
   10:00:00.000    +0.000s  added
   10:00:04.100    +4.100s  claimed by w2 (delivery 2)

 To see it in redis-cli
   XPENDING emails mailers 1772359200000-0 1772359200000-0 1
   XRANGE emails 1772359200000-0 1772359200000-0
`)
	if msg := l.run(v.Closed(d)); msg != nil || l.calls[len(l.calls)-1] != "watch " {
		t.Errorf("closing asked %v", l.calls)
	}
}

// next is a reading 400 ms later.
func next(d *data, change func(*redisq.Snapshot)) {
	s := pendingSnapshot()
	s.At = d.good.At.Add(400 * time.Millisecond)
	change(s)
	d.good, d.now = s, s.At.Add(400*time.Millisecond)
	d.last.Snapshot = s
}

func without(id string) func(*redisq.Snapshot) {
	return func(s *redisq.Snapshot) {
		var rows []redisq.PendingEntry
		for _, e := range s.Pending.Rows {
			if e.ID != id {
				rows = append(rows, e)
			}
		}
		s.Pending.Rows = rows
	}
}

func TestDetailSaysWhenTheEntryLeft(t *testing.T) {
	id := idAt(8.2)
	first := func(v *detail, d *data) string { return strings.Join(strings.Fields(paneScreen(v, d, 100, 2)), " ") }
	t.Run("acked", func(t *testing.T) {
		d := paneData(pendingSnapshot())
		v, _ := openedDetail(t, d, detailPending, id)
		next(d, without(id))
		v.Data(d)
		if got, want := first(v, d), "Now acked or dead-lettered 400 ms ago: last seen at 10:00:08.200 with w2, delivery 2"; !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if got := paneScreen(v, d, 100, 30); !strings.Contains(got, "customer30@shop.example") || strings.Contains(got, "claimable") {
			t.Errorf("the last body is not there, or the lease goes on:\n%s", got)
		}
		next(d, func(*redisq.Snapshot) {})
		v.Data(d)
		if got := first(v, d); !strings.HasPrefix(got, "Now pending") {
			t.Errorf("it is back, but the screen says %q", got)
		}
	})
	t.Run("dead-lettered", func(t *testing.T) {
		d := paneData(pendingSnapshot())
		v, _ := openedDetail(t, d, detailPending, id)
		next(d, func(s *redisq.Snapshot) {
			without(id)(s)
			s.Dead.Rows = append(s.Dead.Rows, redisq.DeadLetter{ID: idAt(0), Original: id, Reason: "550 no such user"})
		})
		v.Data(d)
		if got := first(v, d); !strings.HasPrefix(got, "Now dead-lettered (550 no such user) 400 ms ago") {
			t.Errorf("%q", got)
		}
	})
	for name, c := range map[string]struct {
		change func(*redisq.Snapshot)
		want   string
	}{
		"hidden by the form": {func(s *redisq.Snapshot) { s.Pending.Filter.Consumer = "w1" }, "not among the rows that the XPENDING form asks for"},
		"past the page": {func(s *redisq.Snapshot) {
			s.Pending.More = true
			s.Pending.Rows = s.Pending.Rows[:1]
		}, "past the rows that were read: 3 are pending"},
		"not read": {func(s *redisq.Snapshot) {
			s.Problems = []redisq.Problem{{Panel: "pending", Text: "no permission: XPENDING"}}
		}, "could not be read: no permission: XPENDING"},
	} {
		t.Run(name, func(t *testing.T) {
			d := paneData(pendingSnapshot())
			v, _ := openedDetail(t, d, detailPending, id)
			next(d, func(s *redisq.Snapshot) { without(id)(s); c.change(s) })
			v.Data(d)
			if got := first(v, d); !strings.Contains(got, c.want) || strings.Contains(got, "acked") {
				t.Errorf("%q, want %q and no word of an ack", got, c.want)
			}
		})
	}
	t.Run("before the end of a page", func(t *testing.T) {
		d := paneData(pendingSnapshot())
		v, _ := openedDetail(t, d, detailPending, id)
		next(d, func(s *redisq.Snapshot) { without(id)(s); s.Pending.More = true })
		v.Data(d)
		if got := first(v, d); !strings.HasPrefix(got, "Now acked or dead-lettered") {
			t.Errorf("%q: all ids up to that of w1 were read", got)
		}
	})
}

func TestDetailOfAGhostKeepsTheBody(t *testing.T) {
	d := paneData(pendingSnapshot())
	v, _ := openedDetail(t, d, detailPending, idAt(8.2))
	next(d, func(s *redisq.Snapshot) { s.Pending.Rows[1].Gone, s.Pending.Rows[1].Fields = true, nil })
	v.Data(d)
	got := paneScreen(v, d, 100, 30)
	for _, want := range []string{"body", "gone (deleted or trimmed): a ghost; the fields are those that were read before", "customer30@shop.example"} {
		if !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	// Opened as a ghost, there is nothing to show.
	v, _ = openedDetail(t, d, detailPending, idAt(8.2))
	if got := paneScreen(v, d, 100, 30); !strings.Contains(got, "nothing is left to work on") || strings.Contains(got, "Fields") {
		t.Errorf("a ghost that was never read:\n%s", got)
	}
}

func TestDetailOfAReleasedFatalEntry(t *testing.T) {
	d := paneData(pendingSnapshot())
	e := &d.good.Pending.Rows[1]
	e.Consumer, e.Idle, e.Deliveries = "", -1, math.MaxInt64
	v, _ := openedDetail(t, d, detailPending, e.ID)
	got := paneScreen(v, d, 100, 30)
	for _, want := range []string{"(released)", "ready now", "max (marked fatal)"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
}

func TestDetailOfADeadLetter(t *testing.T) {
	d := paneData(pendingSnapshot())
	v, l := openedDetail(t, d, detailDead, idAt(12))
	if want := "watch " + idAt(50); len(l.calls) != 1 || l.calls[0] != want {
		t.Errorf("opening asked %v, want the story of the original: %q", l.calls, want)
	}
	got := paneScreen(v, d, 100, 40)
	for _, want := range []string{
		"Reason      550 5.1.1 no such user", "Original    " + idAt(50) + ", which has 2 dead letters", "From        emails, group mailers", "Deliveries  5",
		"Last had by w3", "Replays     replayed 2×", "dead-lettered 12s ago", "to = bad@nowhere.invalid",
		"XRANGE {emails}:dead " + idAt(12) + " " + idAt(12), "XRANGE emails " + idAt(50) + " " + idAt(50),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	next(d, func(s *redisq.Snapshot) { s.Dead.Rows = nil })
	v.Data(d)
	if got := paneScreen(v, d, 100, 40); !strings.Contains(got, "replayed or deleted 400 ms ago") || !strings.Contains(got, "bad@nowhere.invalid") {
		t.Errorf("after the letter left:\n%s", got)
	}
	_, l = openedDetail(t, d, detailDead, idAt(40))
	if len(l.calls) != 0 {
		t.Errorf("a foreign letter has no story to ask for: %v", l.calls)
	}
}

// A letter that comes back after a replay was another entry the last time.
func TestDetailOfAReplayedDeadLetter(t *testing.T) {
	d := paneData(pendingSnapshot())
	d.good.Dead.Rows[2].Entry = idAt(20)
	v, l := openedDetail(t, d, detailDead, idAt(12))
	if want := "watch " + idAt(20); len(l.calls) != 1 || l.calls[0] != want {
		t.Errorf("opening asked %v, want the story of the replay: %q", l.calls, want)
	}
	got := paneScreen(v, d, 100, 40)
	for _, want := range []string{"Original    " + idAt(50), "Entry       " + idAt(20) + ", the last replay", "XRANGE emails " + idAt(20)} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	// The replayed entry's own detail learns what became of it from the letter.
	p, _ := openedDetail(t, d, detailPending, idAt(20))
	if got := paneScreen(p, d, 100, 3); !strings.Contains(got, "dead-lettered (550 5.1.1 no such user)") {
		t.Errorf("the entry of the replay: %s", got)
	}
}

func TestDetailFormats(t *testing.T) {
	d := paneData(pendingSnapshot())
	d.good.Pending.Rows[1].Fields = []redisq.Field{
		{Name: "doc", Value: `{"b":1,"a":[true]}`}, {Name: "two", Value: "first\nsecond"}, {Name: "bin", Value: "\x00\x01\xff\xfe"},
	}
	v, _ := openedDetail(t, d, detailPending, idAt(8.2))
	text := paneScreen(v, d, 100, 60)
	for _, want := range []string{`doc = {"b":1,"a":[true]}`, "\n     first\n     second\n", "bin =", "binary, 4 B", "00 01 ff fe"} {
		if !strings.Contains(text, want) {
			t.Errorf("text lacks %q:\n%s", want, text)
		}
	}
	press(t, v, d, "t")
	json := paneScreen(v, d, 100, 60)
	for _, want := range []string{"as JSON", `"b": 1,`, `"a": [`, "(no JSON)"} {
		if !strings.Contains(json, want) {
			t.Errorf("JSON lacks %q:\n%s", want, json)
		}
	}
	press(t, v, d, "t")
	if hex := paneScreen(v, d, 100, 60); !strings.Contains(hex, "66 69 72 73 74 0a") {
		t.Errorf("hex has no dump of first and its line end:\n%s", hex)
	}
	press(t, v, d, "t")
	if got := paneScreen(v, d, 100, 60); got != text {
		t.Error("the formats do not come round")
	}
}

func TestDetailOfALargeValueIsCut(t *testing.T) {
	d := paneData(pendingSnapshot())
	d.good.Pending.Rows[1].Fields = []redisq.Field{{Name: "body", Value: strings.Repeat("é", 500_000) + "END"}}
	v, _ := openedDetail(t, d, detailPending, idAt(8.2))
	for range formats {
		got := paneScreen(v, d, 100, 30)
		if !strings.Contains(got, "1.0 MB, showing 64 kB") {
			t.Errorf("as %s it does not say what is shown:\n%.600s", v.format, got)
		}
		if strings.Contains(paneScreen(v, d, 100, 5000), `\xc3`) && v.format != formatHex {
			t.Error("a character was cut in two")
		}
		press(t, v, d, "t")
	}
}

func TestDetailScrolls(t *testing.T) {
	d := paneData(pendingSnapshot())
	v, _ := openedDetail(t, d, detailPending, idAt(8.2))
	top := paneScreen(v, d, 80, 8)
	if !strings.Contains(top, "more lines") {
		t.Errorf("it does not say that there is more:\n%s", top)
	}
	press(t, v, d, "end")
	if got := paneScreen(v, d, 80, 8); !strings.Contains(got, "XRANGE emails") || strings.Contains(got, "more line") {
		t.Errorf("the end is not in sight:\n%s", got)
	}
	press(t, v, d, "down", "pgdown")
	if got := paneScreen(v, d, 80, 8); !strings.Contains(got, "XRANGE emails") {
		t.Errorf("scrolled past the end:\n%s", got)
	}
	press(t, v, d, "home")
	if got := paneScreen(v, d, 80, 8); got != top {
		t.Errorf("home is not the top:\n%s", got)
	}
}
