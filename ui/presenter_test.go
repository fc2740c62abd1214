package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"example.com/unacked/ui/cell"
	"example.com/unacked/workers/lab"
)

func TestPresenterScreens(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"60x15", 60, 15}, {"80x24", 80, 24}, {"120x36", 120, 36}, {"200x60", 200, 60}} {
		s := filled(t, size.width, size.height)
		s.press("P", "x")
		s.lab.expect("Kill w1 ")
		s.golden("present_" + size.name)
	}
}

func TestPresenterShowsKeysForSomeSeconds(t *testing.T) {
	s := filled(t, 120, 36)
	s.press("P", "l", "tab")
	s.wants("[l] +load", "[tab] pane")
	s.m.clock(sampleNow.Add(pressedFor + time.Second))
	s.send(nil)
	s.lacks("[l] +load", "[tab] pane")
	s.press("2", "/", "s", "e", "c", "r", "e", "t")
	s.wants("[/] filter")
	s.lacks("[s]", "[e]", "[r]") // what is typed is no key
	s.press("esc", "P")
	s.lacks("[P]", "[/]")
}

// The presenter's mode has one figure on its axis: the one that was selected.
func TestPresenterShowsTheSelectedFigure(t *testing.T) {
	s := filled(t, 120, 36)
	s.press("P")
	s.wants("Backlog · the last 1 min · max 22", "▲+20", "-45s", "Mail sink 37 mails", "twice")
	s.press("P", "shift+tab", "down", "down", "P", "tab")
	s.wants("In · the last 1 min · max 4.0/s")
	s.press("tab", "tab", "tab") // to what became of the mails: it is there once
	if n := strings.Count(s.text(), "Mail sink"); n != 1 {
		t.Errorf("%d panes of the mail sink:\n%s", n, s.text())
	}
	s.wants("Pending 3 of 3")
	s.check()
	small := filled(t, 100, 34) // a projector's
	small.press("P")
	small.wants("sent twice      1", "never           0", "Backlog · the last 1 min")
	small.check()
}

func TestPresenterInASCII(t *testing.T) {
	s := newStageWith(t, 100, 36, Options{Present: true, Glyphs: cell.ASCII(), Theme: cell.NewTheme(true, termenv.ANSI256)})
	s.send(updateMsg{sampleUpdate(sampleNow)})
	s.check()
	for _, r := range s.text() {
		if r > 0x7e {
			t.Fatalf("%q is not ASCII:\n%s", r, s.text())
		}
	}
	s.wants("######")
}

// The panes are where the mouse looks for them, whatever is on the screen.
func TestBodyIsWhereTheMouseLooksForIt(t *testing.T) {
	for _, size := range [][2]int{{60, 15}, {80, 24}, {100, 30}, {120, 36}, {200, 60}, {300, 100}} {
		for _, keys := range [][]string{{}, {"2"}, {"tab"}, {"P"}, {"P", "3"}, {"P", "tab", "tab"}, {"shift+tab"}} {
			s := filled(t, size[0], size[1])
			s.press(keys...)
			lines := strings.Split(s.text(), "\n")
			top := s.m.bodyTop(s.m.arrange())
			if !strings.HasPrefix(lines[top], "╭") || strings.Contains(strings.Join(lines[:top], ""), "╭") {
				t.Errorf("%v %v: the panes do not begin at line %d:\n%s", size, keys, top, s.text())
			}
		}
	}
}

func TestZoom(t *testing.T) {
	s := filled(t, 120, 36)
	s.wants("-60s")
	s.press("[")
	s.wants("-30s", "the time axis is 30 s")
	s.press("]", "]")
	s.wants("-120s", "-60s")
	for range 20 {
		s.press("]")
	}
	s.wants("-15m", "as far as it goes")
	for range 20 {
		s.press("[")
	}
	s.wants("-5s", "as far as it goes")
	s.press("]")
	s.wants("the time axis is 7.5 s") // what was pressed beyond the end is not owed
	s.check()
}

func TestLogView(t *testing.T) {
	s := filled(t, 120, 36)
	s.m.show(6)
	s.send(nil)
	s.wants("Nothing was logged")
	u := sampleUpdate(sampleNow.Add(time.Second))
	u.Log = []string{"redis: pool.go:770: failed to dial", "redis: again\x1b[2J", "redis: again\x1b[2J"}
	s.send(updateMsg{u})
	s.wants("failed to dial", "> redis: again␛[2J", "Log 3")
	s.check()
	s.press("/", "d", "i", "a", "l", "enter")
	s.wants("1 of 3")
	s.lacks("again")
}

func TestLogOfWatching(t *testing.T) {
	s := newStageWith(t, 120, 36, Options{Logged: func() []string { return []string{"a line"} }})
	s.m.views = append(s.m.views[:4:4], newLogPane())
	s.send(lab.Update{Snapshot: sampleUpdate(sampleNow).Snapshot})
	s.m.show(5)
	s.send(nil)
	s.wants("> a line")
}
