package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// Actor plans what a person wants done with a queue: a lab on its own, the watching on those of others. Its methods
// wait for the server: they are called from commands, never from Update or View.
type Actor interface {
	Plan(ctx context.Context, q redisq.Queue, w desk.Wish) (desk.Plan, error)
	Rights(ctx context.Context, q redisq.Queue) (desk.Rights, error)
}

// readOnlyText is why nothing may be changed where watching was started without --write.
const readOnlyText = "read-only: start with --write"

// permits is what may be changed, as far as that is known.
type permits struct {
	readOnly bool
	rights   desk.Rights // nil is not known: everything may be tried
	of       redisq.Queue
	role     string // of the server when the rights were asked for
}

// rightsMsg brings what may be done to a queue.
type rightsMsg struct {
	of     redisq.Queue
	role   string
	rights desk.Rights
}

// whyNot says why a deed cannot be done now, "" where it can be tried.
func (d *data) whyNot(deed desk.Deed) string {
	if off := d.actsOff(); off != "" {
		return off
	}
	return clean(d.permits.rights[deed])
}

// actsOff says why nothing at all may be changed now, "" where something may.
func (d *data) actsOff() string {
	switch {
	case d.permits.readOnly:
		return readOnlyText
	case d.isList():
		return "a list has no pending entries, groups or dead letters to act on"
	case d.good != nil && d.good.Server.Role == "replica":
		return "the server is a replica: it takes no changes"
	}
	return clean(d.permits.rights.All())
}

// askRights asks what may be done to the queue that is shown, where that is not known yet or the server has changed its
// role.
func (m *Model) askRights() tea.Cmd {
	d := m.d
	if m.actor == nil || d.good == nil || d.permits.of == d.good.Queue && d.permits.role == d.good.Server.Role {
		return nil
	}
	actor, ctx, of, role := m.actor, m.ctx, d.good.Queue, d.good.Server.Role
	d.permits.of, d.permits.role, d.permits.rights = of, role, nil
	return func() tea.Msg {
		rights, err := actor.Rights(ctx, of)
		if err != nil {
			return nil // what cannot be done is said when it is tried
		}
		return rightsMsg{of, role, rights}
	}
}

func (m *Model) takeRights(msg rightsMsg) {
	if msg.of == m.d.permits.of && msg.role == m.d.permits.role {
		m.d.permits.rights = msg.rights
	}
}

// target is what an action is about, as a pane has it.
type target struct {
	rows    []redisq.PendingEntry // pending entries: the marked ones, else the one under the cursor
	shown   []redisq.PendingEntry // all that a filter shows; nil where none is on
	letters []redisq.DeadLetter   // dead letters, likewise
	listed  []redisq.DeadLetter
	marked  bool // rows or letters are the marked ones
	gone    int  // marked ones that are not there any more

	consumer string // "" is none
	holds    int64  // what it holds
}

// aimer is a pane whose selection can be acted on.
type aimer interface{ aim(d *data) target }

// unmarker is a pane with marks.
type unmarker interface{ unmark() }

// aimed is what the pane with the focus is about. False where what was under the cursor left a moment ago: the person was
// told, and nothing is done to its neighbour.
func (m *Model) aimed() (target, bool) {
	p := m.focused()
	t := target{}
	if a, ok := p.(aimer); ok {
		t = a.aim(m.d)
	}
	if l, ok := p.(leaver); ok && !t.marked {
		if left := m.leftByItself(l); left != "" {
			m.complain(clean(left) + " left meanwhile: nothing was done")
			return t, false
		}
	}
	return t, true
}

// leftByItself is what left from under the cursor a moment ago other than by what the person did last; "" is nothing. It
// is asked once only.
func (m *Model) leftByItself(l leaver) string {
	left := l.Left()
	if left != "" {
		l.Settle()
	}
	if m.acted.Touches(left) {
		return ""
	}
	return left
}

// mayAct says whether something may be changed; where not, the person is told why.
func (m *Model) mayAct(deed desk.Deed) bool {
	why := m.d.whyNot(deed)
	if deed == "" {
		why = m.d.actsOff()
	}
	switch {
	case why != "":
		m.complain(why)
	case m.actor == nil:
		m.complain(errStarting.Error())
	default:
		return true
	}
	return false
}
