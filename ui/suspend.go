package ui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// Suspender returns the command that gives the terminal to the shell until the shell gives it back, as ctrl+z does. The
// word is for the person and is written first. Bubble Tea gives it the terminal and takes it back.
type Suspender func(word string) tea.ExecCommand

// resumedMsg says that the terminal is ours again, or why it was not given away.
type resumedMsg struct{ err error }

// suspend stops the program for the shell. The word says what becomes of the messages that workers have in hand.
func (m *Model) suspend() tea.Cmd {
	if m.aside == nil {
		m.complain("this screen cannot be suspended")
		return nil
	}
	word := "unacked is suspended: it reads nothing meanwhile. fg goes on."
	m.inHand = 0
	if m.watcher == nil {
		for _, w := range m.d.state().Workers {
			if w.Alive() && w.ID != "" {
				m.inHand++
			}
		}
		word = "unacked is suspended: the lab stands still, " + m.handText() + " claimed. fg goes on."
	}
	return tea.Exec(m.aside(word), func(err error) tea.Msg { return resumedMsg{err} })
}

// handText is what was in hand when the program was suspended: "2 messages in hand stay".
func (m *Model) handText() string {
	if m.inHand == 1 {
		return "1 message in hand stays"
	}
	return many(int64(m.inHand), "message") + " in hand stay"
}

// resumed draws everything again.
func (m *Model) resumed(msg resumedMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		m.complain("not suspended: " + clean(msg.err.Error()))
	case m.watcher != nil:
		m.say("back: nothing was read meanwhile")
	default:
		m.say("back; " + many(int64(m.inHand), "message") + " in hand stayed claimed meanwhile")
	}
	return tea.ClearScreen
}
