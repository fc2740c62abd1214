package ui

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// hostile are strings that want to be more than text on the screen.
var hostile = []string{
	"\x1b[2J", "\x1b]0;own\x07", "\x1b]52;c;aGk=\x07", "\x1b]8;;http://x\x07y", "\x9b31m", "\u009b31m", "\u202eevil",
	"a\r\nb\tc\bd\x00", "\u2028\u2029", "日本語日本語", "👩‍👩‍👧‍👦🇫🇮☁️", "e\u0301ﾟ", "\xff\xfe\x00\x01", "", " ", strings.Repeat("長", 300),
	strings.Repeat("x", 5000), `{"a":[1,2,{"b":"` + "\u009b" + `"}]}`,
}

// hostileData has each of the hostile strings wherever a server may put one.
func hostileData() *data {
	s := pendingSnapshot()
	s.Queue = redisq.NewQueue("s\x1b[2J", "g\u202e")
	s.Pending.Rows, s.Pending.ByConsumer, s.Dead.Rows, s.Group.Consumers = nil, nil, nil, nil
	s.Pending.Command = []string{"XPENDING", "s\x1b[2J", "g\u202e", "-", "+", "50"}
	s.Problems = []redisq.Problem{{Panel: "pending", Text: "\x1b[31mno"}, {Panel: "dead", Text: "\u009bno"}}
	d := paneData(s)
	for i, h := range hostile {
		fields := []redisq.Field{{Name: h, Value: h}, {Name: "order", Value: h}, {Name: "to", Value: h}}
		e := redisq.Entry{ID: idAt(float64(i)), Fields: fields}
		s.Pending.Rows = append(s.Pending.Rows, redisq.PendingEntry{Entry: e, Consumer: h, Idle: time.Duration(i) * time.Second, Deliveries: int64(i)})
		s.Pending.ByConsumer = append(s.Pending.ByConsumer, redisq.Consumer{Name: h, Pending: int64(i)})
		s.Group.Consumers = append(s.Group.Consumers, redisq.Consumer{Name: h})
		s.Dead.Rows = append(s.Dead.Rows, redisq.DeadLetter{
			ID: idAt(float64(100 - i)), Stream: h, Group: h, Original: h, Consumer: h, Reason: h, Fields: fields, Foreign: i%5 == 0,
		})
		d.last.State.Workers = append(d.last.State.Workers, workers.State{Name: "w" + h, Order: h, Reason: h, Phase: workers.Phase(h)})
		d.last.Commands = append(d.last.Commands, redisq.Command{At: readAt, Client: h, Args: []string{"XADD", h, "*", h}, Err: h})
		d.last.Story = append(d.last.Story, lab.StoryLine{At: readAt, Text: h})
	}
	d.last.Watched = s.Pending.Rows[4].ID
	return d
}

// somePanes are all panes of these files, filled.
func somePanes(d *data) []pane {
	panes := []pane{
		newPendingPane(true, nil), newPendingPane(false, nil), newDeadPane(true), newDeadPane(false), newConsumersPane(), newCommandsPane(),
	}
	open := newPendingPane(false, nil)
	open.Key(d, keyMsg("f"))
	panes = append(panes, open)
	for _, p := range []pane{newPendingPane(true, nil), newDeadPane(false), newCommandsPane()} {
		p.Data(d)
		p.Key(d, keyMsg("/"))
		p.Key(d, keyMsg("x"))
		panes = append(panes, p)
	}
	if d.good != nil {
		for i := range d.good.Pending.Rows {
			v := newDetail(detailPending, d.good.Pending.Rows[i].ID, nil).(*detail)
			v.format = format(i % int(formats))
			panes = append(panes, v)
		}
		for i := range d.good.Dead.Rows {
			v := newDetail(detailDead, d.good.Dead.Rows[i].ID, nil).(*detail)
			v.format = format(i % int(formats))
			panes = append(panes, v)
		}
	}
	for _, p := range panes {
		p.Data(d)
	}
	return panes
}

func TestLinesAreExact(t *testing.T) {
	failing := paneData(nil)
	failing.last.Snapshot = &redisq.Snapshot{Err: errors.New("connecting to \x1b[2J: refused")}
	stale := coloured(paneData(pendingSnapshot()))
	stale.stale = true
	listed := paneData(pendingSnapshot())
	listed.last.State.Decisions.Worker.Kind = redisq.List
	ascii := paneData(pendingSnapshot())
	ascii.look.glyphs = cell.ASCII()
	watch := paneData(pendingSnapshot())
	watch.last.State = nil
	for name, d := range map[string]*data{
		"usual": paneData(pendingSnapshot()), "coloured": coloured(paneData(pendingSnapshot())), "hostile": hostileData(),
		"nothing": paneData(nil), "failing": failing, "empty": paneData(&redisq.Snapshot{At: readAt}), "stale": stale, "list": listed,
		"ascii": ascii, "watch": watch,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// All sizes of the usual screen; every other width, at some heights, of the rest.
			heights, usualStep := []int{0, 1, 3, 12, 40}, 2
			if name == "usual" {
				heights, usualStep = nil, 1
				for h := range 41 {
					heights = append(heights, h)
				}
			}
			for i, p := range somePanes(d) {
				step := usualStep
				if _, many := p.(*detail); many && name == "hostile" {
					step = 7 // there are dozens of them
				}
				for w := i % step; w <= 130; w += step {
					for _, h := range heights {
						paneIsExact(t, p, d, w, h)
					}
				}
			}
		})
	}
}

func paneIsExact(t *testing.T, p pane, d *data, w, h int) {
	t.Helper()
	lines := p.Lines(d, w, h, w%2 == 0)
	if len(lines) != h {
		t.Fatalf("%s at %dx%d has %d lines", p.Name(), w, h, len(lines))
	}
	for i, l := range lines {
		if got := cell.Width(l); got != w {
			t.Fatalf("%s at %dx%d: line %d is %d wide: %q", p.Name(), w, h, i, got, l)
		}
	}
}

func TestNegativeSizes(t *testing.T) {
	d := paneData(pendingSnapshot())
	for _, p := range somePanes(d) {
		if lines := p.Lines(d, -3, -3, true); len(lines) != 0 {
			t.Errorf("%s has %d lines at a height of -3", p.Name(), len(lines))
		}
		for _, l := range p.Lines(d, -3, 5, true) {
			if l != "" {
				t.Errorf("%s has %q at a width of -3", p.Name(), l)
			}
		}
	}
}

func TestNothingHostileIsDrawn(t *testing.T) {
	d := hostileData() // on a plain terminal: whatever escape is in there is not ours
	check := func(where, text string) {
		t.Helper()
		for _, r := range text {
			// The word joiner is cell's own: it keeps a cluster's characters in cells of their own.
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u2060' || r == '\u2028' || r == '\u2029' || r == '\ufffd' {
				t.Errorf("%s draws %U: %q", where, r, text)
				return
			}
		}
	}
	for _, p := range somePanes(d) {
		check(p.Name()+" title", p.Title(d))
		for _, h := range []int{3, 40, 400} {
			for _, l := range p.Lines(d, 120, h, true) {
				check(p.Name(), l)
			}
		}
	}
	for what := range explanations {
		for _, l := range explain(d, what) {
			check("explain "+what, l)
		}
	}
}

func TestKeysOnNothing(t *testing.T) {
	empty := &redisq.Snapshot{At: readAt}
	for _, d := range []*data{paneData(nil), paneData(empty), {look: &look{theme: &cell.Theme{}, glyphs: cell.Unicode()}, keys: paneKeys()}} {
		panes := append(somePanes(d), newDetail(detailPending, "1-0", nil), newDetail(detailDead, "1-0", nil))
		for _, p := range panes {
			p.Data(d)
			for _, k := range []string{"up", "down", "pgup", "pgdown", "home", "end", "left", "right", "o", "y", "t", "enter", "esc"} {
				p.Key(d, keyMsg(k))
				p.Lines(d, 60, 10, true)
			}
			p.Help(d)
			p.Title(d)
		}
		for what := range explanations {
			explain(d, what)
		}
	}
}

// With ASCII glyphs nothing of ours needs more than ASCII, but the mark of what was cut.
func TestASCII(t *testing.T) {
	d := paneData(pendingSnapshot())
	d.look.glyphs = cell.ASCII()
	for _, p := range somePanes(d) {
		for _, l := range append(p.Lines(d, 120, 40, true), p.Title(d)) {
			for _, r := range l {
				if r > 0x7e && r != '…' {
					t.Errorf("%s draws %q: %q", p.Name(), r, l)
					break
				}
			}
		}
	}
}
