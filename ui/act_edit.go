package ui

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// Editor returns the command that edits a file on this terminal. Bubble Tea gives it the terminal and takes it back.
type Editor func(path string) tea.ExecCommand

// editing is letters whose fields are edited in a file of their own, which only this user can read.
type editing struct {
	letters []redisq.DeadLetter
	path    string
	before  []byte
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

// mostEdited bounds the file: an editor is to open it at once.
const mostEdited = 16 << 20

// edit writes the fields of letters into a file for the editor.
func (m *Model) edit(letters []redisq.DeadLetter) tea.Cmd {
	if !m.mayAct(desk.Replay) {
		return nil
	}
	letters = slices.Clone(letters)
	slices.SortFunc(letters, func(a, b redisq.DeadLetter) int {
		order, _ := redisq.CompareIDs(a.ID, b.ID)
		return order
	})
	text := redisq.LettersForEditor(letters)
	if len(letters) == 1 {
		text = redisq.FieldsForEditor(letters[0].Fields)
	}
	if len(text) > mostEdited {
		m.complain("these letters are too much for one file: mark fewer of them")
		return nil
	}
	return writeEdit(editing{letters: letters, before: text}, text)
}

// writeEdit makes the file: text is what the person begins with.
func writeEdit(e editing, text []byte) tea.Cmd {
	return func() tea.Msg {
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

// editPlan plans to replay the letters with what was edited.
func (m *Model) editPlan(msg editReadMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		m.complain("nothing was replayed: " + clean(msg.err.Error()))
		return nil
	case bytes.Equal(msg.text, msg.before):
		m.say("the file was left as it was: nothing was edited, and nothing was replayed")
		return nil
	}
	ids, edited, err := msg.read()
	switch {
	case err != nil:
		m.dialog = &editAgain{editReadMsg: msg, wrong: clean(err.Error())}
		return nil
	case len(ids) == 0:
		m.say("every letter was taken out of the file: nothing was replayed")
		return nil
	}
	return m.wish(desk.Wish{Deed: desk.Replay, Replay: redisq.ReplayOptions{IDs: ids, MaxReplays: math.MaxInt64, Edited: edited}},
		takenOut(len(msg.letters)-len(ids))...)
}

// read is what was edited.
func (e *editReadMsg) read() (ids []string, edited map[string][]redisq.Field, err error) {
	if len(e.letters) > 1 {
		return redisq.LettersFromEditor(e.text, e.letters)
	}
	fields, err := redisq.FieldsFromEditor(e.text)
	id := e.letters[0].ID
	return []string{id}, map[string][]redisq.Field{id: fields}, err
}

// takenOut is what a plan says of letters that the person took out of the file.
func takenOut(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{"nothing is done to " + many(int64(n), "letter") + " taken out of the file"}
}

// editAgain says what is wrong with what was edited, and offers to edit it again.
type editAgain struct {
	editReadMsg
	wrong string
}

func (e *editAgain) title(*Model) string {
	if len(e.letters) > 1 {
		return "These are no letters"
	}
	return "These are no fields"
}

func (e *editAgain) size(_ *Model, width, _ int) (int, int) {
	w := min(width, toldWidth)
	return w, len(wrapWords(e.wrong, max(w-2, 8), 4)) + 2
}

func (e *editAgain) lines(m *Model, width, _ int) []string {
	t := m.d.look.theme
	out := wrapWords(e.wrong, width, 4)
	return append(out, "", t.Value.On(keyOf(m.keys.Open, "enter"))+t.Dim.On(" edits it again, "+keyOf(m.keys.Back, "esc")+" leaves all as it is"))
}

func (e *editAgain) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	if key.Matches(k, m.keys.Open) {
		return writeEdit(e.editing, e.text), true
	}
	return nil, false
}

func (*editAgain) help(k KeyMap) []key.Binding {
	return []key.Binding{says(k.Open, "edit again"), says(k.Back, "leave it")}
}
