package ui

import (
	"math"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
)

func compactPending(d *data) pane {
	p := newPendingPane(true, nil)
	p.Data(d)
	return p
}

// The reading is half a second old: idle times and ages have grown by that much since.
func TestPendingCompact(t *testing.T) {
	d := paneData(pendingSnapshot())
	p := compactPending(d)
	if got, want := p.Title(d), "Pending 3 of 3 · XPENDING emails mailers - + 50"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
	wantPane(t, p, d, 63, 5, `
  ENTRY ID↑          AGE   IDLE DELIVERIES   CONSUMER BODY
> 1772359146200-0   1m2s  6.5s! 4 of 5 ▮▮▮▮▯ other ?  order=12…
  1772359200000-0   8.7s   4.6s 2 of 5 ▮▮▯▯▯ w2 dead  order=30…
  1772359207200-0   1.5s  600ms 1 of 5 ▮▯▯▯▯ w1 alive order=31…
`)
	wantPane(t, p, d, 40, 3, `
  ENTRY ID↑            IDLE DELIVERIES
> 1772359146200-0     6.5s! 4 of 5 ▮▮▮▮▯
  1772359200000-0      4.6s 2 of 5 ▮▮▯▯▯
`)
	wantPane(t, p, d, 10, 2, `
  ENTRY I…
> 1772…0-0
`)
}

func TestPendingIdleIsAlive(t *testing.T) {
	d := paneData(pendingSnapshot())
	p := compactPending(d)
	d.now = readAt.Add(900 * time.Millisecond) // w2's has been idle for 4.1 s + 0.9 s: the lease of 5 s is over
	wantPane(t, p, d, 78, 5, `
  ENTRY ID↑          AGE   IDLE LEASE LEFT  DELIVERIES   CONSUMER BODY
> 1772359146200-0   1m2s  6.9s! claimable   4 of 5 ▮▮▮▮▯ other ?  order=12 to…
  1772359200000-0   9.1s  5.0s! claimable   2 of 5 ▮▮▯▯▯ w2 dead  order=30 to…
  1772359207200-0   1.9s   1.0s ▰▱▱▱▱ 4.0s  1 of 5 ▮▯▯▯▯ w1 alive order=31 to…
`)
	d.now = readAt.Add(899 * time.Millisecond)
	if got := paneScreen(p, d, 78, 5); strings.Count(got, "claimable") != 1 {
		t.Errorf("a millisecond before the lease ends:\n%s", got)
	}
}

func TestPendingGhostsAndReleased(t *testing.T) {
	s := pendingSnapshot()
	s.Pending.Rows[0].Gone, s.Pending.Rows[0].Fields = true, nil
	s.Pending.Rows[1].Consumer, s.Pending.Rows[1].Idle = "", -1
	s.Pending.Rows[1].Deliveries = math.MaxInt64
	s.Pending.Rows[2].Age = redisq.Unknown("the id is no time")
	d := paneData(s)
	d.last.State.Decisions.Worker.MaxDeliveries = 0
	p := newPendingPane(false, nil)
	p.Data(d)
	got := p.(*pendingPane).list.lines(d, 130, 4, true, p.(*pendingPane).paint(d))
	for i, want := range [][]string{
		1: {"6.5s!", "claimable", "other ?", "body gone (deleted or trimmed)"},
		2: {"ready now", "claimable", "max (marked fatal)", "(released)", "order=30"},
		3: {" ? ", " 600ms", " 1 ", "w1 alive"},
	} {
		for _, w := range want {
			if !strings.Contains(got[i], w) {
				t.Errorf("line %d lacks %q: %q", i, w, got[i])
			}
		}
	}
}

func TestPendingWithoutALabKnowsNoLeaseAndNoProcess(t *testing.T) {
	d := paneData(pendingSnapshot())
	d.last.State = nil
	p := compactPending(d)
	wantPane(t, p, d, 78, 2, `
  ENTRY ID↑          AGE   IDLE LEASE LEFT  DELIVERIES CONSUMER BODY
> 1772359146200-0   1m2s   6.5s ?           4          other ?  order=12 to=c…
`)
}

func TestPendingSorts(t *testing.T) {
	s := pendingSnapshot()
	s.Pending.Rows[2].Deliveries = 9
	s.Pending.Rows = append(s.Pending.Rows, redisq.PendingEntry{Entry: redisq.Entry{ID: idAt(0.5)}, Idle: -1, Deliveries: 1})
	d := paneData(s)
	p := newPendingPane(false, nil)
	p.Data(d)
	first := func() string { return p.(*pendingPane).list.ids[0] }
	press(t, p, d, "o")
	if first() != idAt(0.5) {
		t.Errorf("by idle: %s is first, want the released one: it is ready now", first())
	}
	if head := p.Lines(d, 90, 20, true)[2]; !strings.Contains(head, "IDLE↓") {
		t.Errorf("no sort mark in %q", head)
	}
	press(t, p, d, "o")
	if first() != idAt(1) {
		t.Errorf("by deliveries: %s is first, want %s", first(), idAt(1))
	}
	press(t, p, d, "o")
	if first() != idAt(62) {
		t.Errorf("by id: %s is first, want %s", first(), idAt(62))
	}
}

func TestPendingSortKeepsTheSelection(t *testing.T) {
	d := paneData(pendingSnapshot())
	p := newPendingPane(false, nil)
	p.Data(d)
	press(t, p, d, "down", "down")
	for range 3 {
		press(t, p, d, "o")
		if got := p.(selectable).Selected(); got != idAt(1) {
			t.Fatalf("selected %s, want %s", got, idAt(1))
		}
	}
}

func TestPendingExplorer(t *testing.T) {
	d := paneData(pendingSnapshot())
	p := newPendingPane(false, nil)
	p.Data(d)
	p.Lines(d, 78, 14, true)
	press(t, p, d, "right", "right", "right", "right")
	wantPane(t, p, d, 78, 14, `
IDLE any   start -          end +          count 50    consumer any
XPENDING emails mailers - + 50
  ENTRY ID↑          AGE   IDLE LEASE LEFT  ▸DELIVERIES  CONSUMER  BODY
> 1772359146200-0   1m2s  6.5s! claimable   4 of 5 ▮▮▮▮▯ other ?   order=12 t…
  1772359200000-0   8.7s   4.6s ▰▰▰▰▱ 400ms 2 of 5 ▮▮▯▯▯ w2 dead   order=30 t…
  1772359207200-0   1.5s  600ms ▱▱▱▱▱ 4.4s  1 of 5 ▮▯▯▯▯ w1 alive  order=31 t…




held by  other 1  w1 1  w2 1
deliveries  1x █ 1  2x █ 1  3x 0  4x █ 1  5x+ 0
DELIVERIES: how often it was handed to a consumer, which is no failure yet; at
the limit it is dead-lettered · XPENDING, field 4
`)
	// A column that the width has no room for is passed over.
	p.Lines(d, 40, 14, true)
	press(t, p, d, "left", "left")
	if got := p.(*pendingPane).list.pointed; got != colID {
		t.Errorf("the column cursor is on column %d, want the id's: LEASE and AGE are not drawn", got)
	}
}

func TestPendingSums(t *testing.T) {
	s := pendingSnapshot()
	s.Pending.Histogram = []int64{40, 4, 0, 0, 0, 0, 2, 0, 0, 0}
	s.Pending.ByConsumer = append(s.Pending.ByConsumer, redisq.Consumer{Pending: 7})
	d := paneData(s)
	p := newPendingPane(false, nil)
	p.Data(d)
	var side []string
	for _, l := range p.Lines(d, 120, 20, true)[2:16] {
		side = append(side, strings.TrimRight(string([]rune(l)[90:]), " "))
	}
	want := `
HELD BY (XPENDING key group)
other                     1
w1                        1
w2                        1
(released)                7

DELIVERIES (entries by count)
  1x ██████████████ 40
  2x █ 4
  3x 0
  4x 0
  5x 0
  6x 0
  7x █ 2`
	if got := "\n" + strings.Join(side, "\n"); got != want {
		t.Errorf("the sums are%s\nwant%s", got, want)
	}
}

// Where there is little room the seconds go, never the mark that says that it is past the lease.
func TestIdleTimePastTheLeaseKeepsItsMark(t *testing.T) {
	for idle, want := range map[time.Duration]string{
		6500 * time.Millisecond:         "6.5s!",
		9*time.Minute + 59*time.Second:  "9m59s!",
		11*time.Minute + 38*time.Second: "11m!",
		12*time.Hour + 5*time.Minute:    "12h5m!",
		12*time.Hour + 15*time.Minute:   "12h!",
		13*24*time.Hour + 10*time.Hour:  "13d!",
	} {
		if got := pastText(idle, true); got != want {
			t.Errorf("%v is %q in a narrow column, want %q", idle, got, want)
		}
	}
	if got := pastText(11*time.Minute+38*time.Second, false); got != "11m38s!" {
		t.Errorf("with room: %q", got)
	}
}

func TestPendingSaysWhyItIsEmpty(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*redisq.Snapshot)
		want   string
	}{
		{"nothing", func(*redisq.Snapshot) {}, "Nothing is pending"},
		{"nothing with a form", func(s *redisq.Snapshot) {
			s.Pending.Filter.Consumer, s.Group.Pending = "nobody", known(0)
		}, "Nothing is pending"},
		{"a form that fits none", func(s *redisq.Snapshot) {
			s.Pending.Filter.Consumer, s.Group.Pending = "nobody", known(3)
		}, "None of the 3 pending entries fits the form; f changes it."},
		{"no stream", func(s *redisq.Snapshot) { s.Stream.Missing = true }, "There is no stream emails"},
		{"no group", func(s *redisq.Snapshot) { s.Group.Missing = true }, "has no group mailers"},
		{"other type", func(s *redisq.Snapshot) { s.Stream.WrongType = "string" }, "is no stream: it is a string"},
		{"no rights", func(s *redisq.Snapshot) {
			s.Problems = []redisq.Problem{{Panel: "pending", Code: "no-permission", Text: "no permission: XPENDING (user ro)"}}
		}, "no permission: XPENDING (user ro)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := pendingSnapshot()
			s.Pending.Rows = nil
			c.change(s)
			d := paneData(s)
			if got := paneScreen(compactPending(d), d, 60, 4); !strings.Contains(got, c.want) {
				t.Errorf("%q lacks %q", got, c.want)
			}
		})
	}
	d := paneData(pendingSnapshot())
	d.last.State.Decisions.Worker.Kind = redisq.List
	if got := paneScreen(compactPending(d), d, 60, 4); !strings.Contains(got, "A list has no pending entries") {
		t.Errorf("list: %q", got)
	}
}

func TestPendingOpensTheSelected(t *testing.T) {
	d := paneData(pendingSnapshot())
	p := compactPending(d)
	cmd := press(t, p, d, "down", "enter")
	if msg := cmd(); msg != (openMsg{detailPending, idAt(8.2)}) {
		t.Errorf("enter sends %+v", msg)
	}
	none := paneData(&redisq.Snapshot{At: readAt})
	q := compactPending(none)
	if msg, ok := press(t, q, none, "enter")().(notice); !ok || !msg.bad {
		t.Errorf("enter on nothing sends %+v, want a notice", msg)
	}
}

func TestPendingStaleIsDimmed(t *testing.T) {
	d := coloured(paneData(pendingSnapshot()))
	d.stale = true
	p := compactPending(d)
	for i, l := range p.Lines(d, 63, 4, false) {
		if i > 0 && strings.Count(l, "\x1b[") != 2 {
			t.Errorf("a stale row has colours of its own: %q", l)
		}
	}
	if cell.Width(p.Lines(d, 63, 4, false)[1]) != 63 {
		t.Error("a stale row is not exactly as wide")
	}
}
