package ui

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/ui/cell"
)

// pendingPane is the pending entries: the table of the overview, or in full the XPENDING explorer with its form, the
// summary, the histogram and the column cursor.
type pendingPane struct {
	compact bool
	act     Source // nil where nothing can be asked
	list    list
	rows    []redisq.PendingEntry
	d       *data // of the last reading; the formatting of rows needs limit and workers

	form  form
	asked *redisq.PendingFilter // applied, but not in a reading yet
}

// The columns of the pending table.
const (
	colID = iota
	colAge
	colIdle
	colLease
	colDeliveries
	colConsumer
	colBody
)

const idleCells = 6 // the least of an idle time: "59m59s"

// previewBytes bounds what is looked at of one value of a body for its preview, previewTotal of all of them.
const (
	previewBytes = 120
	previewTotal = 400
)

func newPendingPane(compact bool, act Source) pane {
	p := &pendingPane{compact: compact, act: act, list: newList([]column{
		colID:         {title: "ENTRY ID", min: 15, most: 24, ends: true},
		colAge:        {title: "AGE", min: 6, right: true, drop: 5},
		colIdle:       {title: "IDLE", min: idleCells, want: 9, right: true, drop: 2},
		colLease:      {title: "LEASE LEFT", min: 11, drop: 6},
		colDeliveries: {title: "DELIVERIES", min: 10, most: 18, drop: 1},
		colConsumer:   {title: "CONSUMER", min: 8, most: 26, ends: true, drop: 3},
		colBody:       {title: "BODY", min: 8, want: 20, grow: true, drop: 4},
	})}
	p.list.sort = sorting{col: colID}
	if !compact {
		p.list.pointed = colID
		for c := range p.list.cols { // its titles have a mark more
			p.list.cols[c].min = max(p.list.cols[c].min, len(p.list.cols[c].title)+1)
		}
	}
	return p
}

func (p *pendingPane) Name() string { return "Pending" }

func (p *pendingPane) Title(d *data) string {
	if d.good == nil {
		return "Pending"
	}
	if d.isList() {
		return "Pending" + dot(d) + "a list has none"
	}
	title := "Pending " + strconv.Itoa(len(p.list.ids)) + " of " + d.good.Group.Pending.String() + p.list.markedText()
	if cmd := d.good.Pending.Command; len(cmd) > 0 {
		title += dot(d) + clean(redisq.RedisCLI(cmd))
	}
	return title
}

func (p *pendingPane) Data(d *data) {
	p.d, p.rows = d, nil
	if d.good != nil {
		p.rows = d.good.Pending.Rows
		if p.asked != nil && *p.asked == d.good.Pending.Filter {
			p.asked = nil
		}
	}
	p.fill(d)
}

// fill hands the rows to the list in the order that was chosen.
func (p *pendingPane) fill(d *data) {
	src := rows{
		n:     len(p.rows),
		id:    func(row int) string { return p.rows[row].ID },
		cells: func(row int) []string { return p.cells(p.rows[row]) },
	}
	switch p.list.sort.col {
	case colIdle:
		src.less = func(a, b int) int { return cmp.Compare(readiness(p.rows[b]), readiness(p.rows[a])) }
	case colDeliveries:
		src.less = func(a, b int) int { return cmp.Compare(p.rows[b].Deliveries, p.rows[a].Deliveries) }
	}
	p.list.set(src, d.now)
}

// readiness is a pending entry's idle time; a released entry comes before the longest.
func readiness(e redisq.PendingEntry) time.Duration {
	if e.Idle < 0 {
		return math.MaxInt64
	}
	return e.Idle
}

// cells formats what does not change with the clock.
func (p *pendingPane) cells(e redisq.PendingEntry) []string {
	return []string{
		colID:         clean(e.ID),
		colAge:        "",
		colIdle:       "",
		colLease:      "",
		colDeliveries: deliveriesText(p.d, e.Deliveries),
		colConsumer:   ownerText(p.d, e),
		colBody:       bodyText(e.Entry),
	}
}

// pastText is an idle time past the lease with its mark. A narrow column has no room for the seconds of 11m38s beside the
// mark: they are left out, where cutting would take the mark.
func pastText(idle time.Duration, narrow bool) string {
	text := durShort(idle)
	if narrow && len(text) >= idleCells {
		text = text[:strings.IndexFunc(text, unicode.IsLetter)+1]
	}
	return text + "!"
}

func (p *pendingPane) paint(d *data) painter {
	t := d.look.theme
	return func(row, col int, text string) (string, cell.Style) {
		e := p.rows[row]
		switch col {
		case colID:
			return text, t.Text
		case colAge:
			return ageText(d, e), t.Dim
		case colIdle:
			switch state := leaseOf(d, e); {
			case state == leaseReleased:
				return "ready now", t.Warn
			case state == leasePast:
				// The mark stands for the word where the lease's own column has no room.
				return pastText(d.idleNow(e), p.compact), t.Warn
			}
			return durShort(d.idleNow(e)), t.Text
		case colLease:
			return leaseText(d, e)
		case colDeliveries:
			return text, deliveriesStyle(d, e.Deliveries)
		case colConsumer:
			return text, ownerStyle(d, e)
		}
		if e.Gone {
			return text, t.Warn
		}
		return text, t.Dim
	}
}

// deliveriesText is "2 of 5 ▮▮▯▯▯", "2" where there is no limit.
func deliveriesText(d *data, n int64) string {
	limit := d.limit()
	switch {
	case n == math.MaxInt64: // XNACK FATAL (Redis 8.8)
		return "max (marked fatal)"
	case limit <= 0:
		return strconv.FormatInt(n, 10)
	}
	text := strconv.FormatInt(n, 10) + " of " + strconv.FormatInt(limit, 10)
	if boxes := cell.Boxes(n, limit, 6, d.look.glyphs); boxes != "" {
		text += " " + boxes
	}
	return text
}

func deliveriesStyle(d *data, n int64) cell.Style {
	limit := d.poisonFrom()
	switch {
	case n == math.MaxInt64, limit > 0 && n >= limit:
		return d.look.theme.Bad
	case n > 1:
		return d.look.theme.Warn
	}
	return d.look.theme.Text
}

// ownerText is a pending entry's consumer with what is known of its process: "w2 dead".
func ownerText(d *data, e redisq.PendingEntry) string {
	if e.Consumer == "" {
		return "(released)"
	}
	if d.watch != nil {
		return clean(e.Consumer)
	}
	return clean(e.Consumer) + " " + lifeOf(d, e.Consumer)
}

// lifeOf says whether the worker of that name runs: "alive", "dead", "stopped", or "?" for a consumer that is not one
// of ours.
func lifeOf(d *data, consumer string) string {
	w, ours := d.worker(consumer)
	switch {
	case !ours:
		return "?"
	case w.Alive():
		return "alive"
	case stopped(w):
		return "stopped"
	}
	return "dead"
}

func ownerStyle(d *data, e redisq.PendingEntry) cell.Style {
	t := d.look.theme
	if e.Consumer == "" {
		return t.Warn
	}
	if d.watch != nil {
		if strings.HasPrefix(seenText(d, e.Consumer), "quiet") {
			return t.Warn
		}
		return t.Text
	}
	switch lifeOf(d, e.Consumer) {
	case "alive":
		return t.Good
	case "dead":
		return t.Bad
	case "stopped":
		return t.Warn
	}
	return t.Text
}

// ageText is the time since the entry was added, "?" where its id is no time.
func ageText(d *data, e redisq.PendingEntry) string {
	if !e.Age.Known {
		return "?"
	}
	return durShort(time.Duration(e.Age.Value)*time.Millisecond + d.sinceReading())
}

// bodyText is the preview of a body: "order=30 to=…".
func bodyText(e redisq.Entry) string {
	if e.Gone {
		return "body gone (deleted or trimmed)"
	}
	if e.Unread() {
		return "large, not read yet"
	}
	return fieldsText(e.Fields)
}

func fieldsText(fields []redisq.Field) string {
	var b strings.Builder
	for i, f := range fields {
		if b.Len() > previewTotal {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(safe.TextN(f.Name, previewBytes))
		b.WriteByte('=')
		b.WriteString(safe.Preview(f.Value, previewBytes))
	}
	return b.String()
}

func (p *pendingPane) Lines(d *data, width, height int, focused bool) []string {
	if why := p.nothing(d); len(why) > 0 && (p.compact || d.good == nil || d.isList()) {
		return paragraph(d, why, width, height)
	}
	if p.compact {
		out := problemLines(d, "pending", width, height)
		return append(out, p.list.lines(d, width, height-len(out), focused, p.paint(d))...)
	}
	return p.full(d, width, height, focused)
}

// nonePending says of no rows what is true: a form that fits none is not a group that owes nothing.
func nonePending(d *data) string {
	if d.good == nil || d.good.Pending.Filter == (redisq.PendingFilter{}) {
		return "Nothing is pending: what was delivered is acknowledged."
	}
	n, which := d.good.Group.Pending, "None of the "
	switch {
	case n.Known && n.Value == 0:
		return "Nothing is pending: what was delivered is acknowledged."
	case !n.Known:
		return "No pending entry fits the form."
	case d.good.Pending.More:
		which = "None of those looked at, of the "
	}
	return which + manyOf(n, "pending entry") + " fits the form; " + keyOf(d.keys.Form, "f") + " changes it."
}

// nothing says why there is no table to show, nil where there is one.
func (p *pendingPane) nothing(d *data) []string {
	if d.isList() {
		return []string{"A list has no pending entries: BRPOP takes a message out of Redis, and what a worker then does with it nobody else knows."}
	}
	return nothingIn(d, "pending", len(p.rows), nonePending(d))
}

func (p *pendingPane) Key(d *data, k tea.KeyMsg) (tea.Cmd, bool) {
	if p.form.open {
		return p.formKey(d, k), true
	}
	if p.list.markKey(d, k) || p.list.key(d, k) {
		return nil, true
	}
	if k.Paste {
		return nil, false
	}
	switch {
	case key.Matches(k, d.keys.Open):
		return opened(detailPending, p.list.sel), true
	case key.Matches(k, d.keys.Sort):
		next := map[int]int{colID: colIdle, colIdle: colDeliveries, colDeliveries: colID}[p.list.sort.col]
		p.list.sort = sorting{col: next, down: next != colID}
		p.fill(d)
	case p.compact:
		return nil, false
	case key.Matches(k, d.keys.Form):
		p.openForm(d)
	case key.Matches(k, d.keys.Sweep):
		return func() tea.Msg { return sweepAskMsg{} }, true
	case key.Matches(k, d.keys.Left):
		p.list.point(-1)
	case key.Matches(k, d.keys.Right):
		p.list.point(1)
	case key.Matches(k, d.keys.Copy):
		if cmd := p.command(d); len(cmd) > 0 {
			return copied(d, redisq.RedisCLI(cmd)), true
		}
		return copied(d, ""), true
	default:
		return nil, false
	}
	return nil, true
}

func (p *pendingPane) Help(d *data) []key.Binding {
	if p.form.open {
		return nil
	}
	help := append(actHelp(d, d.keys.Act, d.keys.Mark), d.keys.Open, d.keys.Filter, d.keys.Sort)
	if !p.compact {
		if _, ok := p.act.(sweeper); ok && d.watch != nil {
			help = append(help, d.keys.Sweep)
		}
		help = append(help, d.keys.Form, d.keys.Left, d.keys.Right, d.keys.Copy)
	}
	return help
}

func (p *pendingPane) Capturing() bool { return p.form.open || p.list.filter.open }

// Selected returns the id of the entry under the cursor.
func (p *pendingPane) Selected() string { return p.list.sel }

func (p *pendingPane) Left() string { return p.list.gone() }
func (p *pendingPane) Settle()      { p.list.left = "" }
