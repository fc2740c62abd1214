package ui

import (
	"bytes"
	"fmt"
	"math"
	"os"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// Editor returns the command that edits a file on this terminal. Bubble Tea gives it the terminal and takes it back.
type Editor func(path string) tea.ExecCommand

// editing is a letter whose fields are edited in a file of its own, which only this user can read.
type editing struct {
	letter redisq.DeadLetter
	path   string
	before []byte
}

// The steps of an edit: the file is written, the editor has ended, its text was read.
type (
	editMsg struct {
		editing
		err error
	}
	editedMsg struct {
		editing
		err error
	}
	editReadMsg struct {
		editing
		text []byte
		err  error
	}
)

func (m *Model) noEditor() string {
	if m.edits == nil {
		return "no editor can be run here"
	}
	return ""
}

// edit writes the fields of a letter into a file for the editor.
func (m *Model) edit(letter redisq.DeadLetter) tea.Cmd {
	if !m.mayAct(desk.Replay) {
		return nil
	}
	return writeEdit(letter, redisq.FieldsForEditor(letter.Fields), redisq.FieldsForEditor(letter.Fields))
}

// writeEdit makes the file: text is what the person begins with, before is what counts as no edit.
func writeEdit(letter redisq.DeadLetter, text, before []byte) tea.Cmd {
	return func() tea.Msg {
		e := editing{letter: letter, before: before}
		f, err := os.CreateTemp("", "unacked-letter-*.json") // made with mode 0600
		if err != nil {
			return editMsg{e, err}
		}
		e.path = f.Name()
		if _, err = f.Write(text); err == nil {
			err = f.Close()
		} else {
			_ = f.Close() // the error of writing is the one to tell
		}
		if err != nil {
			_ = os.Remove(e.path)
		}
		return editMsg{e, err}
	}
}

// editOpen runs the editor.
func (m *Model) editOpen(msg editMsg) tea.Cmd {
	if msg.err != nil {
		m.complain("writing the file to edit: " + clean(msg.err.Error()))
		return nil
	}
	if m.edits == nil {
		return nil
	}
	return tea.Exec(m.edits(msg.path), func(err error) tea.Msg { return editedMsg{msg.editing, err} })
}

// editRead reads what the person left, and removes the file.
func editRead(msg editedMsg) tea.Cmd {
	return func() tea.Msg {
		text, err := os.ReadFile(msg.path)
		if removed := os.Remove(msg.path); err == nil && removed != nil {
			err = removed
		}
		if msg.err != nil {
			err = fmt.Errorf("the editor ended with %w", msg.err)
		}
		return editReadMsg{msg.editing, text, err}
	}
}

// editPlan plans to replay the letter with what was edited.
func (m *Model) editPlan(msg editReadMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		m.complain("nothing was replayed: " + clean(msg.err.Error()))
		return nil
	case bytes.Equal(msg.text, msg.before):
		m.say("the fields were left as they are: nothing was edited, and nothing was replayed")
		return nil
	}
	fields, err := redisq.FieldsFromEditor(msg.text)
	if err != nil {
		m.dialog = &editAgain{editReadMsg: msg, wrong: clean(err.Error())}
		return nil
	}
	return m.wish(desk.Wish{Deed: desk.Replay, Replay: redisq.ReplayOptions{
		IDs: []string{msg.letter.ID}, MaxReplays: math.MaxInt64, Edited: map[string][]redisq.Field{msg.letter.ID: fields},
	}})
}

// editAgain says what is wrong with what was edited, and offers to edit it again.
type editAgain struct {
	editReadMsg
	wrong string
}

func (*editAgain) title(*Model) string { return "These are no fields" }

func (e *editAgain) size(_ *Model, width, _ int) (int, int) {
	w := min(width, toldWidth)
	return w, len(wrapWords(e.wrong, max(w-2, 8), 4)) + 2
}

func (e *editAgain) lines(m *Model, width, _ int) []string {
	t := m.d.look.theme
	out := wrapWords(e.wrong, width, 4)
	return append(out, "", t.Value.On(keyOf(m.keys.Open, "enter"))+t.Dim.On(" edits it again, "+keyOf(m.keys.Back, "esc")+" leaves the letter as it is"))
}

func (e *editAgain) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	if key.Matches(k, m.keys.Open) {
		return writeEdit(e.letter, e.text, e.before), true
	}
	return nil, false
}

func (*editAgain) help(k KeyMap) []key.Binding {
	return []key.Binding{says(k.Open, "edit again"), says(k.Back, "leave it")}
}
