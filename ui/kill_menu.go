package ui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
)

// killMenu chooses the place where the selected worker gets its SIGKILL. It keeps the worker that was selected when it
// was opened.
type killMenu struct {
	kill kill
	at   int
}

// point is a crash point in words.
type point struct {
	at    workers.CrashPoint
	name  string
	shows func(d *data) string
}

var points = []point{
	{workers.CrashNone, "now", func(d *data) string {
		switch {
		case d.isList():
			return "wherever it is: the message in its hand is lost, unless its mail is out"
		case d.state().Decisions.Worker.AckBefore:
			return "wherever it is: the message in its hand was acked, and is lost unless its mail is out"
		}
		return "wherever it is: the message in its hand stays pending"
	}},
	{workers.CrashBeforeWork, "before the work", func(d *data) string {
		switch {
		case d.isList():
			return "taken off the list, no mail sent: the order is lost"
		case d.state().Decisions.Worker.AckBefore:
			return "acked, no mail sent: the order is lost"
		}
		return "delivered, no mail sent: claimed after the lease, one mail in the end"
	}},
	{workers.CrashAfterWork, "after the work, before the ack", func(d *data) string {
		s := d.state().Decisions.Worker
		switch {
		case d.isList(), s.AckBefore:
			return "the mail is out and nothing is left to repeat: one mail"
		case s.Idempotent == workers.RecordBefore:
			return "the mail is out and recorded: skipped when it is claimed, one mail"
		}
		return "the mail is out, the ack is not: claimed after the lease, a second mail"
	}},
	{workers.CrashAfterRecord, "after the record", func(d *data) string {
		if d.isList() {
			return "a list has no ids to record: it would never get there"
		}
		switch d.state().Decisions.Worker.Idempotent {
		case workers.RecordBefore:
			return "recorded as done, no mail sent: skipped when it is claimed, the order is lost"
		case workers.RecordAfter:
			return "mail out and recorded, the ack is not: skipped when it is claimed, one mail"
		}
		return "no record is kept now (see the decisions): it would never get there"
	}},
}

// pointText is a crash point in a sentence: "before the work".
func pointText(at workers.CrashPoint) string {
	for _, p := range points {
		if p.at == at {
			return p.name
		}
	}
	return clean(string(at))
}

func (m *Model) askKillAt() {
	w, ok := m.aim("kill")
	switch {
	case !ok:
	case !w.Alive():
		m.complain(clean(w.Name) + " does not run (" + clean(string(w.Phase)) + "); " + keyOf(m.keys.StopStart, "s") + " starts it")
	default:
		m.dialog = &killMenu{kill: kill{name: w.Name, pid: w.PID}, at: 1}
	}
}

func (k *killMenu) title(*Model) string { return "SIGKILL " + clean(k.kill.name) + ", at which point?" }

func (k *killMenu) size(_ *Model, width, _ int) (int, int) { return min(width, 86), 2 * len(points) }

func (k *killMenu) lines(m *Model, width, height int) []string {
	t, g := m.d.look.theme, m.d.look.glyphs
	var lines []string
	roomy := height >= 2*len(points)
	for i, p := range points {
		name := t.Value.On("  " + p.name)
		if i == k.at {
			name = t.Selected.On(cell.Pad(g.Cursor+" "+p.name, width))
		}
		lines = append(lines, name)
		if roomy {
			lines = append(lines, "    "+t.Dim.On(p.shows(m.d)))
		}
	}
	if !roomy {
		lines = append(lines, t.Dim.On(cell.Cut(points[k.at].shows(m.d), width)))
	}
	return lines
}

func (k *killMenu) key(m *Model, msg tea.KeyMsg) (tea.Cmd, bool) {
	if key.Matches(msg, m.keys.Open) {
		w, ok := m.d.worker(k.kill.name)
		if !ok || !w.Alive() || w.PID != k.kill.pid {
			m.complain(clean(k.kill.name) + " is not the process any more that was selected: nothing was done")
			return nil, true
		}
		order := k.kill
		order.at = points[k.at].at
		return m.killCommand(order), true
	}
	k.at, _ = moved(m.keys, msg, k.at, len(points), len(points)-1)
	return nil, false
}

func (*killMenu) help(k KeyMap) []key.Binding {
	return []key.Binding{says(k.Open, "kill there"), k.Up, k.Down, says(k.Back, "leave it alive")}
}
