package ui

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers/lab"
)

var update = flag.Bool("update", false, "write the screens of testdata anew; a person reads the difference")

// golden compares the screen with testdata/name.txt.
func (s *stage) golden(name string) {
	s.t.Helper()
	s.check()
	path := filepath.Join("testdata", name+".txt")
	lines := strings.Split(s.text(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if got != string(want) {
		s.t.Errorf("%s is not what the screen shows:\n%s\nshould be:\n%s", path, got, want)
	}
}

func TestScreens(t *testing.T) {
	sizes := []struct {
		name          string
		width, height int
	}{{"60x15", 60, 15}, {"80x24", 80, 24}, {"120x36", 120, 36}, {"200x60", 200, 60}}
	for _, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			filled(t, size.width, size.height).golden("overview_" + size.name)
		})
	}
	for _, screen := range []struct {
		name string
		keys []string
	}{
		{"help", []string{"?"}},
		{"palette", []string{":"}},
		{"decisions", []string{"d"}},
		{"killat", []string{"X"}},
		{"plan", []string{"r"}},
		{"figures", []string{"shift+tab", "down"}},
		{"explain", []string{"shift+tab", "e"}},
	} {
		for _, size := range sizes[1:3] {
			t.Run(screen.name+" "+size.name, func(t *testing.T) {
				s := filled(t, size.width, size.height)
				s.lab.plan.Run = noRun
				s.press(screen.keys...)
				s.golden(screen.name + "_" + size.name)
			})
		}
	}
}

func TestFirstFrame(t *testing.T) {
	s := newStage(t, 80, 24)
	s.check()
	s.wants("unacked", "starting …", "STARTING", "? help", "q quit")
	// An unknown figure is no zero.
	s.wants("backlog              ?", "pending              ?")
}

func TestTooSmall(t *testing.T) {
	for _, size := range [][2]int{{20, 5}, {1, 1}, {59, 15}, {60, 14}, {0, 0}, {-3, -3}, {3, 100}, {200, 1}} {
		s := newStage(t, size[0], size[1])
		s.send(updateMsg{sampleUpdate(sampleNow)})
		s.check()
	}
	s := newStage(t, 20, 5)
	s.wants("need 60x15, have", "20x5; the work goes", "on")
	s.press("x", "r", "d")
	s.lab.expect()
	s.press("q")
	if !s.quit {
		t.Error("q does not quit a small terminal")
	}
}

func TestNoAnswerShowsTheAgeOfTheData(t *testing.T) {
	s := filled(t, 120, 36)
	failed := sampleUpdate(sampleNow)
	failed.Snapshot = &redisq.Snapshot{At: sampleNow.Add(4 * time.Second), Generation: 1 << 62, Err: errors.New("dial tcp: connection refused")}
	s.send(updateMsg{failed})
	s.check()
	s.wants("NO ANSWER", "no answer for 4.0 s, the figures are of 14:02:11", "connection refused", "data of 14:02:11")
	// The last figures stay; they are not zeroed.
	s.wants("backlog              3", "order=17")
	back := sampleUpdate(sampleNow.Add(5 * time.Second))
	back.Snapshot.Generation = 1<<62 + 1
	s.send(updateMsg{back})
	s.lacks("NO ANSWER")
}

func TestSilenceIsNoAnswer(t *testing.T) {
	s := filled(t, 120, 36)
	s.m.clock(sampleNow.Add(900 * time.Millisecond))
	s.send(nil)
	s.lacks("NO ANSWER")
	s.m.clock(sampleNow.Add(2 * time.Second))
	s.send(nil)
	s.wants("NO ANSWER", "2.0 s")
}

func TestStaleGenerationIsDropped(t *testing.T) {
	s := newStage(t, 120, 36)
	u := sampleUpdate(sampleNow)
	u.Snapshot.Generation = 9
	u.Snapshot.Group.Pending = known(7)
	s.send(updateMsg{u})
	old := sampleUpdate(sampleNow)
	old.Snapshot.Generation = 8
	old.Snapshot.Group.Pending = known(3)
	s.send(updateMsg{old})
	s.wants("pending              7")
}

func TestUnknownFiguresShowTheirReason(t *testing.T) {
	s := newStage(t, 120, 36)
	u := sampleUpdate(sampleNow)
	u.Snapshot.Group.Backlog = redisq.Unknown("lag is nil after XDEL")
	u.Snapshot.Dead.Length = redisq.Unknown("NOPERM on the dead letters")
	u.Snapshot.Group.Pending = redisq.AtLeast(1000, redisq.Counted)
	s.send(updateMsg{u})
	s.wants("backlog              ?", "lag is nil after XDEL", "dead letters         ?", "NOPERM on the dead letters", "pending          1000+")
}

func TestHostileStringsDoNotReachTheTerminal(t *testing.T) {
	evil := "\x1b[2J\x1b]52;c;aGk=\x07\u009b31m\x9b31m\u202e日本語👩‍👩‍👧‍👦☁️\t\r\n\x00\xff\xfe"
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 36}, {200, 60}} {
		for _, theme := range []*cell.Theme{cell.NewTheme(true, termenv.Ascii), cell.NewTheme(true, termenv.TrueColor)} {
			s := newStageWith(t, size[0], size[1], Options{Theme: theme, Warning: evil})
			s.lab.plan = redisq.Plan{Title: evil, Commands: [][]string{{"XADD", evil}}, Effects: []string{evil}, Run: noRun}
			s.send(updateMsg{hostileUpdate(evil)})
			s.check()
			for _, k := range []string{"1", "tab", "tab", "tab", "tab", "2", "enter", "t", "t", "esc", "3", "4", "enter", "esc", "5", "?", "esc", "d", "esc", "X", "esc", "1", "tab", "tab", "tab", "r", "enter", "x", "a", "s"} {
				s.press(k)
				s.check()
			}
		}
	}
}

func hostileUpdate(evil string) lab.Update {
	u := sampleUpdate(sampleNow)
	s, st := u.Snapshot, u.State
	s.Server.Version, s.Server.Addr = evil, evil
	s.Queue = redisq.NewQueue(evil, evil)
	for i := range s.Pending.Rows {
		s.Pending.Rows[i].Consumer = evil
		s.Pending.Rows[i].Fields = []redisq.Field{{Name: evil, Value: evil}, {Name: "order", Value: evil}}
	}
	for i := range s.Pending.ByConsumer {
		s.Pending.ByConsumer[i].Name = evil
		s.Group.Consumers[i].Name = evil
	}
	for i := range s.Dead.Rows {
		s.Dead.Rows[i].Reason, s.Dead.Rows[i].Consumer = evil, evil
		s.Dead.Rows[i].Fields = []redisq.Field{{Name: "order", Value: evil}, {Name: evil, Value: evil}}
	}
	s.Problems = []redisq.Problem{{Panel: evil, Code: evil, Text: evil}}
	s.Pending.Command = []string{"XPENDING", evil}
	for i := range st.Workers {
		st.Workers[i].Reason, st.Workers[i].Order = evil, evil
	}
	st.Workers[2].Name = evil
	st.Marks = append(st.Marks, lab.Mark{At: sampleNow, Text: evil})
	st.Notices = append(st.Notices, lab.Mark{At: sampleNow, Text: evil})
	st.Books.NeverIDs, st.Sink.TwiceIDs, st.Books.Off = []string{evil}, []string{evil}, evil
	st.Books.Never = 1
	st.Producer.Error = evil
	u.Commands = append(u.Commands, redisq.Command{Client: evil, Args: []string{evil, evil}, Err: evil})
	u.Log = []string{evil}
	return u
}

func TestUnchangedScreenIsNotDrawnAgain(t *testing.T) {
	s := filled(t, 120, 36)
	first := s.m.View()
	s.m.frame = "kept"
	if s.m.View() != "kept" {
		t.Error("View drew the screen again though nothing came")
	}
	s.m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	if s.m.View() != first {
		t.Error("a message does not make View draw")
	}
}

func TestResizeKeepsTheSelection(t *testing.T) {
	s := filled(t, 120, 36)
	s.press("down", "down")
	for _, size := range [][2]int{{80, 24}, {10, 3}, {200, 60}, {60, 15}, {120, 36}} {
		s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		s.check()
	}
	s.press("x")
	s.lab.expect("Kill w3 ")
}
