package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/redisq/doctor"
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
	role     string    // of the server when the rights were asked for
	at       time.Time // when they were asked for last
	asking   bool      // the answer is still to come
	doubted  bool      // the server refused something since
}

// rightsMsg brings what may be done to a queue.
type rightsMsg struct {
	of     redisq.Queue
	role   string
	rights desk.Rights
	err    error
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

// How often the rights are asked for again. Asking costs the server nothing worth counting, but it logs what it refuses:
// while nothing is off nobody asks, and a right that is lost then shows when it is used.
const (
	rightsAgain = 30 * time.Second // where something is off, or nobody could tell
	rightsFresh = 5 * time.Second  // when the menu of actions is opened
)

// askRights asks what may be done to the queue that is shown, where that is not known yet, the server has changed its
// role or refused something, or something is off that may be on by now. opened says that the person looks at it.
func (m *Model) askRights(opened bool) tea.Cmd {
	d := m.d
	if m.actor == nil || d.good == nil {
		return nil
	}
	p := &d.permits
	age := d.now.Sub(p.at)
	switch of, role := d.good.Queue, d.good.Server.Role; {
	case p.of != of || p.role != role:
		p.of, p.role, p.rights = of, role, nil
	case p.asking && age < rightsAgain:
		return nil
	case p.doubted, opened && age >= rightsFresh, (p.rights == nil || p.rights.Refuses()) && age >= rightsAgain:
	default:
		return nil
	}
	p.at, p.asking, p.doubted = d.now, true, false
	actor, ctx, of, role := m.actor, m.ctx, p.of, p.role
	return func() tea.Msg {
		rights, err := actor.Rights(ctx, of)
		return rightsMsg{of, role, rights, err}
	}
}

// takeRights keeps what was known where nobody could tell: what cannot be done is said when it is tried.
func (m *Model) takeRights(msg rightsMsg) {
	p := &m.d.permits
	if msg.of != p.of || msg.role != p.role {
		return
	}
	p.asking = false
	if msg.err == nil {
		p.rights = msg.rights
	}
}

// doubt has the rights asked for again after the server refused something.
func (m *Model) doubt(err error) {
	if code := redisq.CodeOf(err); code == "NOPERM" || code == "READONLY" {
		m.d.permits.doubted = true
	}
}

// target is what an action is about, as a pane has it.
type target struct {
	rows     []redisq.PendingEntry // pending entries: the marked ones, else the one under the cursor
	matching *rowMatch             // all that the filters are for; nil where none is on
	letters  []redisq.DeadLetter   // dead letters: the marked ones, else the one under the cursor
	reasons  *letterMatch          // instead of letters: all of some reasons
	marked   bool                  // rows or letters are the marked ones
	gone     int                   // marked ones that are not there any more

	lettersMatching *letterMatch // all that the filter is for; nil where none is on

	consumer  string   // "" is none
	holds     int64    // what it holds
	consumers []string // of a row that stands for many: those that hold nothing

	finding *doctor.Finding // of the doctor, nil is none
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
