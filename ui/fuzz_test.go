package ui

import (
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// Names that a server may send.
var anyNames = []string{
	"w1", "w2", "w3", "", "\x1b[2J", "日本語", "e\u0301👩‍👩‍👧‍👦", "\xff\xfe", "a\nb", "worker-7f7684b54f-x2x9z", "\x1b]52;c;aGk=\x07", "\u009b31m\u202e",
	strings.Repeat("長", 90), "ﾟｶﾞ☁️",
}

// Keys that are pressed everywhere. What ends the program is not among them.
var anyKeys = []string{
	"1", "2", "3", "4", "5", "6", "7", "tab", "shift+tab", "up", "down", "left", "right", "pgup", "pgdown", "home", "end", "enter", "enter",
	"esc", "esc", "/", "o", "f", "t", "e", "y", "space", "i", "?", "z", "日", "backspace", ":", "P", "[", "]", ".", ".", "v", "V", "u", "n",
	"r", "R", "!", "-", "0", "ctrl+z",
}

// anySeeds is how many rounds of [FuzzLab] and [FuzzWatch] are played without -fuzz.
const anySeeds = 24

// anyLook is a random look of the screen.
func anyLook(rnd *rand.Rand) (*cell.Theme, cell.Glyphs) {
	profile := []termenv.Profile{termenv.Ascii, termenv.ANSI, termenv.ANSI256, termenv.TrueColor}[rnd.IntN(4)]
	glyphs := cell.Unicode()
	if rnd.IntN(3) == 0 {
		glyphs = cell.ASCII()
	}
	return cell.ThemeFor([]string{"dark", "light", ""}[rnd.IntN(3)], profile), glyphs
}

// anything gives a screen random keys, sizes, clicks, pastes and data. Whatever comes, the frame is exact, holds no
// control but our colours, and the program goes on.
func anything(t *testing.T, rnd *rand.Rand, s *stage, keys []string, data func(now time.Time) tea.Msg) {
	t.Helper()
	now := sampleNow
	var did string
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("after %s at %dx%d: %v\n%s", did, s.m.width, s.m.height, v, debug.Stack())
		}
	}()
	for step := range 60 {
		switch rnd.IntN(10) {
		case 0:
			did = "a size"
			s.send(tea.WindowSizeMsg{Width: rnd.IntN(310) - 5, Height: rnd.IntN(110) - 5})
		case 1, 2:
			did = "data"
			now = now.Add(time.Duration(rnd.IntN(3000)) * time.Millisecond)
			s.send(data(now))
		case 3:
			did = "a click"
			s.send(tea.MouseMsg{
				X: rnd.IntN(260) - 5, Y: rnd.IntN(90) - 5, Action: tea.MouseAction(rnd.IntN(3)), Button: tea.MouseButton(rnd.IntN(8)),
			})
		case 4:
			did = "a tick"
			now = now.Add(time.Duration(rnd.IntN(1500)) * time.Millisecond)
			s.m.clock(now)
			s.m.fresh = false
		case 5:
			did = "a paste"
			s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(anyNames[rnd.IntN(len(anyNames))]), Paste: true})
		default:
			_, chosen := s.m.dialog.(*palette)
			did = keys[rnd.IntN(len(keys))]
			s.press(did)
			s.quit = s.quit && !chosen // it may have been chosen by name
		}
		if err := frameFault(s.m.View(), s.m.width, s.m.height); err != nil {
			t.Fatalf("step %d, after %q at %dx%d: %v\n%s", step, did, s.m.width, s.m.height, err, s.text())
		}
		if s.quit {
			t.Fatalf("step %d: it quit by itself after %q", step, did)
		}
	}
}

func FuzzLab(f *testing.F) {
	for seed := range uint64(anySeeds) {
		f.Add(seed)
	}
	keys := append([]string{"x", "X", "a", "s", "l", "b", "+", "d", "m", "p"}, anyKeys...)
	f.Fuzz(func(t *testing.T, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		theme, glyphs := anyLook(rnd)
		s := newStageWith(t, 80, 24, Options{Theme: theme, Glyphs: glyphs})
		s.lab.plan = anyPlan(rnd)
		anything(t, rnd, s, keys, func(now time.Time) tea.Msg { return updateMsg{randomUpdate(rnd, now, anyNames)} })
	})
}

// anyPlan is what the actor answers to every wish.
func anyPlan(rnd *rand.Rand) redisq.Plan {
	name := func() string { return anyNames[rnd.IntN(len(anyNames))] }
	p := redisq.Plan{Title: name(), Count: rnd.IntN(1e6), Destructive: rnd.IntN(2) == 0, Run: noRun}
	for range rnd.IntN(40) {
		p.Commands = append(p.Commands, []string{"XACK", name(), name()})
		p.Effects = append(p.Effects, name())
	}
	return p
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
