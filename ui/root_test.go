package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/lab"
)

func TestHoldKeepsTheScreenStill(t *testing.T) {
	s := filled(t, 120, 36)
	s.press("space")
	held := s.text()
	for i := 1; i <= 8; i++ {
		u := sampleUpdate(sampleNow.Add(time.Duration(i) * time.Second))
		u.Snapshot.Group.Pending = known(77)
		s.send(updateMsg{u})
		s.m.fresh = false
		s.m.clock(sampleNow.Add(time.Duration(i) * time.Second))
	}
	if s.text() != held {
		t.Errorf("the held screen moved:\n%s\nfrom:\n%s", s.text(), held)
	}
	s.press("x")
	s.lab.expect("Kill w1 ") // the work goes on, and so do the keys
	s.press("space")
	s.wants("pending             77", "live")
	s.lacks("HELD")
	// The readings in between are in the charts: no gap.
	if n := len(s.m.d.history.Points(redisq.FigPending)); n < 8 {
		t.Errorf("the history has %d points, the held readings are missing", n)
	}
}

func TestOnlyTheTickArmsTheTick(t *testing.T) {
	m := New(Options{Keys: testKeys(), Lab: &fakeLab{t: t}, Now: func() time.Time { return sampleNow }})
	defer m.Close()
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	for _, msg := range []tea.Msg{
		tea.WindowSizeMsg{Width: 90, Height: 30},
		updateMsg{sampleUpdate(sampleNow)},
		lab.Update{},
		closedMsg{},
		planMsg{},
		outcomeMsg{},
		killedMsg{},
		loadMsg{},
		notice{},
		keyNamed("j"), keyNamed("?"), nil,
	} {
		if _, cmd := m.Update(msg); cmd != nil {
			t.Errorf("%T asks for something: it could be a second clock", msg)
		}
	}
	if _, cmd := m.Update(tickMsg{sampleNow}); cmd == nil {
		t.Error("the tick does not arm the next")
	}
	still := New(Options{Keys: testKeys(), Lab: &fakeLab{t: t}, Still: true})
	defer still.Close()
	if cmd := still.Init(); cmd != nil {
		if batch, ok := cmd().(tea.BatchMsg); ok && len(batch) > 0 {
			t.Error("a still screen has a clock")
		}
	}
}

func TestTickFollowsTheWork(t *testing.T) {
	s := filled(t, 120, 36)
	if got := s.m.tickPeriod(); got != tickWorking {
		t.Errorf("a worker works: a tick each %v, should be %v", got, tickWorking)
	}
	s.press("space")
	if got := s.m.tickPeriod(); got != tickIdle {
		t.Errorf("held: a tick each %v, should be %v", got, tickIdle)
	}
}

func TestOpenStartsTheLabAfterTheFirstFrame(t *testing.T) {
	fake := &fakeLab{t: t}
	updates := make(chan lab.Update, 1)
	updates <- sampleUpdate(sampleNow)
	close(updates)
	m := New(Options{Keys: testKeys(), Still: true, Open: func(context.Context) (Lab, <-chan lab.Update, error) {
		return fake, updates, nil
	}})
	s := &stage{t: t, m: m, lab: fake}
	t.Cleanup(m.Close)
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	s.wants("starting …")
	s.press("a")
	s.wants("still starting")
	s.run(m.Init())
	s.wants("NOT ACKING")
	s.press("a")
	fake.expect("AddWorker")
}

func TestLabThatDoesNotStartEndsTheProgram(t *testing.T) {
	broken := errors.New("no server")
	m := New(Options{Keys: testKeys(), Still: true, Open: func(context.Context) (Lab, <-chan lab.Update, error) {
		return nil, nil, broken
	}})
	s := &stage{t: t, m: m, lab: &fakeLab{t: t}}
	t.Cleanup(m.Close)
	s.run(m.Init())
	if !s.quit || !errors.Is(m.Err(), broken) {
		t.Errorf("quit %v with %v, should quit with %v", s.quit, m.Err(), broken)
	}
}

func TestNotices(t *testing.T) {
	s := filled(t, 120, 36)
	s.press("a")
	s.wants("w4 starts")
	s.m.clock(sampleNow.Add(noticeFor + time.Second))
	s.send(nil)
	s.lacks("w4 starts") // a success goes by itself

	s.lab.fail = errors.New("too many processes")
	s.press("a")
	s.m.clock(sampleNow.Add(time.Hour))
	s.send(nil)
	s.wants("too many processes") // an error stays
	s.press("down")
	s.lacks("too many processes") // until a key

	long := "this server is not ours: the lab writes to the keys unacked:lab:abcd:* and to nothing else, and when it ends it " +
		"removes them again, whatever is in them by then"
	warned := newStageWith(t, 80, 24, Options{Warning: long})
	warned.check()
	warned.wants("this server is not ours", "removes them again, whatever is in them", "by then")
	warned.press("down")
	warned.lacks("this server is not ours")
}

func TestMarksAreShortOnTheAxis(t *testing.T) {
	for text, want := range map[string]string{
		"killed w2": "killed w2",
		"killed w1 after the work, before the ack, holding order 23": "killed w1",
		"rate 2/s → 20/s":                      "rate 2/s → 20/s",
		"+20":                                  "+20",
		"killed w1, holding order 30 and more": "killed w1",
	} {
		if got := shortMark(text); got != want {
			t.Errorf("%q is %q on the axis, should be %q", text, got, want)
		}
	}
}
