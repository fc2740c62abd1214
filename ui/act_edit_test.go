package ui

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
)

// edited writes a file for the letter under the cursor, changes it as an editor would and goes on from there. Only
// Bubble Tea itself can run the editor.
func edited(t *testing.T, s *stage, change func(text string) string) (path string) {
	t.Helper()
	var opened string
	s.m.edits = func(path string) tea.ExecCommand {
		opened = path
		return nil
	}
	s.press("4")
	s.menu("edit it")
	if opened == "" {
		t.Fatalf("no editor was opened:\n%s", s.text())
	}
	info, err := os.Stat(opened)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("the file has the mode %o, want 600", mode)
	}
	return s.left(opened, change)
}

// left is what the person left in the file.
func (s *stage) left(path string, change func(text string) string) string {
	s.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(change(string(text))), 0o600); err != nil {
		s.t.Fatal(err)
	}
	letter := s.m.d.good.Dead.Rows[0]
	s.send(editedMsg{editing: editing{letters: []redisq.DeadLetter{letter}, path: path, before: redisq.FieldsForEditor(letter.Fields)}})
	return path
}

func oneLetter(s *redisq.Snapshot) {
	s.Dead.Rows[0] = redisq.DeadLetter{ID: "1-0", Stream: "orders", Reason: "550", Fields: []redisq.Field{
		{Name: "to", Value: "bad"}, {Name: "to", Value: "bad"}, {Name: "", Value: "\x00\xff"},
	}}
}

func TestEditedFieldsAreReplayed(t *testing.T) {
	s := acting(t, 80, 24, oneLetter)
	path := edited(t, s, func(text string) string { return strings.Replace(text, `"bad"`, `"good"`, 1) })
	s.lab.expect(`Plan replay 1-0 edited=1-0[{"to" "good"} {"to" "bad"} {"" "\x00\xff"}]`)
	s.wants("Do it?")
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}

func TestAFileThatWasLeftAsItWasIsNoEdit(t *testing.T) {
	s := acting(t, 80, 24, oneLetter)
	edited(t, s, func(text string) string { return text })
	s.wants("the file was left as it was")
	s.lab.expect()
}

func TestWhatIsNoJSONCanBeEditedAgain(t *testing.T) {
	s := acting(t, 80, 24, oneLetter)
	var again string
	edited(t, s, func(string) string { return "[[\"to\" \x1b[2J" })
	s.wants("These are no fields", "enter edits it again")
	s.check()
	s.m.edits = func(path string) tea.ExecCommand {
		again = path
		return nil
	}
	s.press("enter")
	if text, err := os.ReadFile(again); err != nil || string(text) != "[[\"to\" \x1b[2J" {
		t.Errorf("edited again: %q, %v; want what was typed", text, err)
	}
	s.left(again, func(string) string { return `[["to", "good"]]` })
	s.lab.expect(`Plan replay 1-0 edited=1-0[{"to" "good"}]`)
}

// An action that takes a while shows how far it is, and esc stops it after the letter in hand.
func TestProgressAndCancel(t *testing.T) {
	s := acting(t, 80, 24, nil)
	news, told := make(chan headway), make(chan struct{})
	var running context.Context
	s.lab.plan.Title = "Replay 300 dead letters"
	s.lab.plan.Run = func(ctx context.Context) redisq.Outcome {
		running = ctx
		for n := range news {
			s.m.busy.last = n
			s.m.busy.told <- n
			told <- struct{}{}
		}
		return redisq.Outcome{Text: "replayed 120 letters", Done: 120, Stopped: ctx.Err() != nil}
	}
	come := make(chan tea.Msg, 10)
	s.press("4", "R")
	s.later = func(cmd tea.Cmd) {
		go func() {
			if batch, ok := cmd().(tea.BatchMsg); ok {
				for _, c := range batch {
					go func() { come <- c() }()
				}
				return
			}
		}()
	}
	s.press("enter")
	s.wants("Replay 300 dead letters …")
	s.later = func(cmd tea.Cmd) { go func() { come <- cmd() }() }
	progress := func(n headway) {
		news <- n
		<-told
		s.send(<-come)
	}
	progress(headway{Progress: redisq.Progress{Done: 1, Total: 300}, ran: 50 * time.Millisecond})
	s.lacks("esc stops")
	progress(headway{Progress: redisq.Progress{Done: 118, Skipped: 2, Total: 300}, ran: time.Second, notice: "the reply was lost: outcome unknown, checking"})
	s.wants("put back 118 letters of 300, 2 left alone", "esc stops after what is in hand", "outcome unknown, checking")
	s.check()
	s.press("R") // the dialog has the keys
	s.press("esc")
	s.wants("stopping after what is in hand")
	if running.Err() == nil {
		t.Error("the action goes on")
	}
	s.press(".")
	s.wants("stop what runs now")
	s.press("esc")
	close(news)
	for {
		msg := <-come
		if msg == nil {
			continue
		}
		s.send(msg)
		if _, ok := msg.(outcomeMsg); ok {
			break
		}
	}
	s.wants("replayed 120 letters, then it was stopped")
	if s.m.busy != nil {
		t.Error("still busy")
	}
}

// The marked letters are edited in one file.
func TestMarkedLettersAreEditedInOneFile(t *testing.T) {
	three := func(s *redisq.Snapshot) {
		oneLetter(s)
		for _, id := range []string{"2-0", "3-0"} {
			l := s.Dead.Rows[0]
			l.ID = id
			s.Dead.Rows = append(s.Dead.Rows, l)
		}
	}
	open := func(t *testing.T) (*stage, editing) {
		t.Helper()
		s := acting(t, 80, 24, three)
		var path string
		s.m.edits = func(p string) tea.ExecCommand {
			path = p
			return nil
		}
		s.press("4", "V")
		s.menu("edit them")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := `[
  {"id": "1-0", "fields": [
    ["to", "bad"],
    ["to", "bad"],
    ["", {"base64": "AP8="}]
  ]},
`
		if !strings.HasPrefix(string(text), want) {
			t.Errorf("the file begins with %s, want %s", text, want)
		}
		return s, editing{letters: s.m.d.good.Dead.Rows, path: path, before: text}
	}
	back := func(s *stage, e editing, text string) {
		if err := os.WriteFile(e.path, []byte(text), 0o600); err != nil {
			s.t.Fatal(err)
		}
		s.send(editedMsg{editing: e})
	}

	s, e := open(t)
	back(s, e, `[{"id": "1-0", "fields": [["to", "good"]]}, {"id": "3-0", "fields": [["to", "bad"], ["to", "bad"], ["", {"base64": "AP8="}]]}]`)
	s.lab.expect(`Plan replay 1-0 3-0 edited=1-0[{"to" "good"}] edited=3-0[{"to" "bad"} {"to" "bad"} {"" "\x00\xff"}]`)
	s.wants("Do it?", "nothing is done to 1 letter taken out of the file")

	s, e = open(t)
	back(s, e, string(e.before))
	s.wants("the file was left as it was")
	s.lab.expect()

	s, e = open(t)
	back(s, e, "[]")
	s.wants("every letter was taken out of the file: nothing was replayed")
	s.lab.expect()

	s, e = open(t)
	back(s, e, `[{"id": "7-0", "fields": [["to", "good"]]}]`)
	s.wants("These are no letters", "letter 1 (7-0): no letter of that id was to be edited", "enter edits it again")
	s.lab.expect()
}
