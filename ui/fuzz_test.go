package ui

import (
	"math/rand/v2"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// TestAnything presses random keys at random sizes on random data. Whatever comes, the frame is exact.
func TestAnything(t *testing.T) {
	keys := []string{
		"x", "X", "a", "s", "l", "b", "+", "-", "r", "R", "d", "1", "2", "3", "4", "5", "tab", "shift+tab", "up", "down", "left",
		"right", "pgup", "pgdown", "home", "end", "enter", "esc", "/", "o", "f", "t", "e", "y", "space", "i", "?", "z", "日", "backspace",
		":", "P", "[", "]", ".", "v", "w", "u", "n", "p", "m", "7",
	}
	names := []string{"w1", "w2", "w3", "", "\x1b[2J", "日本語", "e\u0301👩‍👩‍👧‍👦", "\xff\xfe", "a\nb"}
	rounds := 24
	if testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		rnd := rand.New(rand.NewPCG(uint64(round), 1))
		profile := []termenv.Profile{termenv.Ascii, termenv.ANSI256, termenv.TrueColor}[rnd.IntN(3)]
		glyphs := cell.Unicode()
		if rnd.IntN(3) == 0 {
			glyphs = cell.ASCII()
		}
		s := newStageWith(t, 80, 24, Options{Theme: cell.NewTheme(rnd.IntN(2) == 0, profile), Glyphs: glyphs})
		s.lab.plan.Run = noRun
		now := sampleNow
		for step := range 60 {
			switch rnd.IntN(8) {
			case 0:
				s.send(tea.WindowSizeMsg{Width: rnd.IntN(310) - 5, Height: rnd.IntN(110) - 5})
			case 1, 2:
				now = now.Add(time.Duration(rnd.IntN(3000)) * time.Millisecond)
				s.send(updateMsg{randomUpdate(rnd, now, names)})
			case 3:
				s.send(tea.MouseMsg{
					X: rnd.IntN(260) - 5, Y: rnd.IntN(90) - 5, Action: tea.MouseAction(rnd.IntN(3)), Button: tea.MouseButton(rnd.IntN(8)),
				})
			default:
				_, chosen := s.m.dialog.(*palette)
				s.press(keys[rnd.IntN(len(keys))])
				s.quit = s.quit && !chosen // it may have been chosen by name
			}
			if err := frameFault(s.m.View(), s.m.width, s.m.height); err != nil {
				t.Fatalf("round %d, step %d, %dx%d: %v\n%s", round, step, s.m.width, s.m.height, err, s.text())
			}
			if s.quit {
				t.Fatalf("round %d, step %d: it quit by itself", round, step)
			}
		}
	}
}

func randomUpdate(rnd *rand.Rand, now time.Time, names []string) lab.Update {
	u := sampleUpdate(now)
	s, st := u.Snapshot, u.State
	name := func() string { return names[rnd.IntN(len(names))] }
	number := func() redisq.Number {
		switch rnd.IntN(5) {
		case 0:
			return redisq.Unknown(name())
		case 1:
			return redisq.AtLeast(1000, redisq.Counted)
		}
		return known(rnd.Int64N(1 << uint(rnd.IntN(50))))
	}
	s.Group.Backlog, s.Group.Pending, s.Group.OldestIdle, s.Dead.Length, s.ListLen = number(), number(), number(), number(), number()
	s.Group.TrimmedUnread, s.Stream.Added = number(), number()
	rows := s.Pending.Rows
	for range rnd.IntN(40) {
		row := sampleEntry(now, name(), name(), time.Duration(rnd.IntN(1e6))*time.Millisecond, time.Duration(rnd.IntN(1e7)-1)*time.Millisecond, rnd.Int64())
		row.ID = row.ID + name()
		row.Gone = rnd.IntN(4) == 0
		rows = append(rows, row)
	}
	s.Pending.Rows = rows[rnd.IntN(len(rows)):]
	s.Pending.ByConsumer = append(s.Pending.ByConsumer, redisq.Consumer{Name: name(), Pending: rnd.Int64N(9)})
	if rnd.IntN(6) == 0 {
		s.Pending, s.Dead = redisq.PendingPage{}, redisq.DeadPage{Missing: true}
	}
	phases := []workers.Phase{
		workers.PhaseStarting, workers.PhaseWaiting, workers.PhaseWorking, workers.PhaseAtPoint, workers.PhaseBackingOff,
		workers.PhaseStopping, workers.PhaseStopped, workers.PhaseKilled, workers.PhaseDied, "what",
	}
	for range rnd.IntN(12) {
		st.Workers = append(st.Workers, workers.State{
			Name: name(), PID: rnd.IntN(1 << 22), Phase: phases[rnd.IntN(len(phases))], Order: name(), ID: name(), Reason: name(),
			WorkSince: now.Add(-time.Duration(rnd.Int64N(1e12))), Armed: workers.CrashPoint(name()),
		})
	}
	st.Workers = st.Workers[rnd.IntN(len(st.Workers)):]
	if rnd.IntN(3) == 0 {
		st.Decisions.Worker.Kind = redisq.List
	}
	st.Books.Never, st.Books.Twice, st.Books.Once = rnd.Int64N(3), rnd.Int64N(9), rnd.Int64N(1e9)
	st.Books.NeverIDs, st.Sink.TwiceIDs = names, names
	st.Decisions.Service = time.Duration(rnd.Int64N(1e10))
	if rnd.IntN(8) == 0 {
		u.State = nil
	}
	if rnd.IntN(8) == 0 {
		u.Snapshot = nil
	}
	return u
}
