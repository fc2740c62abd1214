package ui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
)

// at returns the cell of the screen where a text begins, after skip others of it.
func (s *stage) at(text string) (x, y int) {
	s.t.Helper()
	for y, line := range strings.Split(s.text(), "\n") {
		if i := strings.Index(line, text); i >= 0 {
			return cell.Width(line[:i]), y
		}
	}
	s.t.Fatalf("the screen has no %q:\n%s", text, s.text())
	return 0, 0
}

func (s *stage) click(text string) {
	s.t.Helper()
	x, y := s.at(text)
	s.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	s.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionRelease, Button: tea.MouseButtonLeft})
}

func (s *stage) wheel(text string, button tea.MouseButton) {
	s.t.Helper()
	x, y := s.at(text)
	s.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: button})
}

func TestClickSelects(t *testing.T) {
	for _, mode := range []string{"", "P"} {
		s := filled(t, 120, 36)
		if mode != "" {
			s.press(mode)
		}
		s.click("w3  4713")
		s.press("x")
		s.lab.expect("Kill w3 ")
		s.click("w1  4711")
		s.press("x")
		s.lab.expect("Kill w1 ")
		s.check()
	}
}

func TestClickGivesFocusAndOpens(t *testing.T) {
	s := filled(t, 120, 36)
	s.click("Dead letters") // its border
	if s.m.focused() != s.m.dead {
		t.Fatalf("the focus is on %s", s.m.focused().Name())
	}
	s.click("Pending")
	if s.m.focused() != s.m.pending {
		t.Fatalf("the focus is on %s", s.m.focused().Name())
	}
	id := s.m.pending.(selectable).Selected()
	s.press("down")
	other := s.m.pending.(selectable).Selected()
	if other == id {
		t.Fatal("the sample has one pending entry only")
	}
	s.click(id[:13])
	if s.m.detail != nil {
		t.Error("one click opened an entry that was not under the cursor")
	}
	s.wheel("Pending", tea.MouseButtonWheelUp)
	s.wheel("Pending", tea.MouseButtonWheelDown)
	s.press("up", "up", "up", "up", "up")
	x, y := 0, 0
	_, _, w, h := s.m.paneAt(s.at("Pending"))
	if row, ok := s.m.cursorRow(s.m.pending, w, h); ok {
		x, y = s.at("Pending")
		y += 1 + row
	}
	s.send(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	if s.m.detail == nil {
		t.Errorf("a click on the row under the cursor does not open it:\n%s", s.text())
	}
	s.check()
}

func TestMouseDoesNothingElse(t *testing.T) {
	s := filled(t, 120, 36)
	before := s.text()
	for _, b := range []tea.MouseButton{tea.MouseButtonRight, tea.MouseButtonMiddle, tea.MouseButtonWheelLeft, tea.MouseButtonNone} {
		s.wheel("w3  4713", b)
	}
	s.send(tea.MouseMsg{X: -5, Y: 4000, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	s.send(tea.MouseMsg{X: 3, Y: 0, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft})
	if s.text() != before {
		t.Errorf("the screen changed:\n%s", s.text())
	}
	s.press("?")
	s.wheel("Help", tea.MouseButtonWheelDown)
	s.click("Help")
	s.wants("Help")
	s.press("esc", "2", "/")
	s.wheel("XPENDING", tea.MouseButtonWheelDown) // while an input is open it only moves the cursor
	s.wants("! not")
	s.lab.expect()
	s.check()
}
