package ui

import (
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/workers/lab"
)

const (
	burst    = 20              // orders that one press of the key adds
	burstFor = 2 * time.Second // answers within this are one burst for the notice
)

// loadMsg is the answer to load that was added.
type loadMsg struct {
	load lab.Load
	bad  bool
}

// added is the load that the notice is about: that of the last presses together.
type added struct {
	loadMsg
	at time.Time // of the last answer
}

func (m *Model) addLoad(n int, bad bool) tea.Cmd {
	l := m.lab
	m.say(manyOrders(n, bad) + " on the way")
	return func() tea.Msg { return loadMsg{l.AddLoad(n, bad), bad} }
}

// loaded says what became of added load.
func (m *Model) loaded(msg loadMsg) {
	if msg.load.Sent == 0 {
		m.complain(errStarting.Error())
		return
	}
	now := m.now()
	if m.added.bad != msg.bad || now.Sub(m.added.at) > burstFor {
		m.added = added{loadMsg: loadMsg{bad: msg.bad}}
	}
	m.added.at = now
	sum := &m.added.load
	sum.Sent += msg.load.Sent
	sum.Accepted += msg.load.Accepted
	sum.Refused += msg.load.Refused
	sum.Unknown += msg.load.Unknown
	sum.Failed += msg.load.Failed
	sum.Waiting += msg.load.Waiting
	if msg.load.Error != "" {
		sum.Error = msg.load.Error
	}
	m.tell(notice{text: loadText(*sum, msg.bad), bad: sum.Accepted < sum.Sent})
}

// loadText is what became of load: all of it is in the queue, or each part with its reason.
func loadText(l lab.Load, bad bool) string {
	if l.Accepted == l.Sent {
		return "+" + manyOrders(l.Sent, bad)
	}
	parts := []string{"none accepted"}
	if l.Accepted > 0 {
		parts[0] = strconv.Itoa(l.Accepted) + " accepted"
	}
	for _, p := range []struct {
		n    int
		text string
	}{
		{l.Refused, "refused: the queue is full"},
		{l.Waiting, "not answered yet"},
		{l.Unknown, "unknown: the reply was lost"},
		{l.Failed, "failed"},
	} {
		if p.n > 0 {
			parts = append(parts, strconv.Itoa(p.n)+" "+p.text)
		}
	}
	text := manyOrders(l.Sent, bad) + " sent: " + strings.Join(parts, ", ")
	if l.Error != "" {
		text += " (" + clean(l.Error) + ")"
	}
	return text
}

func manyOrders(n int, bad bool) string {
	text := many(int64(n), "order")
	if bad {
		text += " that the mail server refuses"
	}
	return text
}
