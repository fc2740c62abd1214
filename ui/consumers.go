package ui

import (
	"strconv"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
)

// consumersPane is the consumers of the group, and the lab's workers that are not listed as one yet.
type consumersPane struct {
	list  list
	rows  []consumerRow
	heats map[string]string // of each consumer that holds entries
}

// consumerRow is one consumer as the server and, where it is a worker of the lab, its supervisor see it.
type consumerRow struct {
	name     string
	listed   bool // the server lists it
	consumer redisq.Consumer
	ours     bool
	worker   workers.State
	notBusy  bool // holds entries but its process works on none: a lost reply, or a message that it gave up
}

const (
	conName = iota
	conState
	conPending
	conIdle
	conInactive
	conHand
	conDone
	conFailed
	conRestarts
	conHeat
)

// The header of the idle column says what the server means with it.
const (
	sinceCall     = "SINCE LAST CALL"     // Redis 7.2 and later, Valkey: idle is since the last attempt to read
	sinceDelivery = "SINCE LAST DELIVERY" // before 7.2: an empty read leaves it alone
	sinceUnknown  = "IDLE"
)

func newConsumersPane() pane {
	return &consumersPane{list: newList([]column{
		conName:     {title: "CONSUMER", min: 8, most: 40, ends: true},
		conState:    {title: "PROCESS", min: 14, most: 40, drop: 1},
		conPending:  {title: "PENDING", min: 7, right: true},
		conIdle:     {title: sinceUnknown, min: 15, right: true, drop: 3},
		conInactive: {title: "LAST DELIVERY", min: 13, right: true, drop: 5},
		conHand:     {title: "IN HAND", min: 10, most: 24, drop: 4},
		conDone:     {title: "DONE", min: 6, right: true, drop: 6},
		conFailed:   {title: "FAILED", min: 6, right: true, drop: 7},
		conRestarts: {title: "RESTARTS", min: 8, right: true, drop: 8},
		conHeat:     {title: heatTitle, min: len(heatTitle), drop: 9},
	})}
}

func (p *consumersPane) Name() string { return "Consumers" }

func (p *consumersPane) Title(d *data) string {
	if d.good == nil {
		return "Consumers"
	}
	title := "Consumers " + p.list.count()
	if m := d.good.Group.Members; m.Known && m.Value > int64(p.list.src.n) {
		title += " of " + m.String()
	}
	if d.isList() {
		return title
	}
	return title + dot(d) + clean(redisq.RedisCLI([]string{"XINFO", "CONSUMERS", d.good.Queue.Stream, d.good.Queue.Group}))
}

func (p *consumersPane) Data(d *data) {
	p.rows, p.heats = consumerRows(d), heats(d)
	title := idleMeaning(d)
	p.list.cols[conIdle].title = title
	p.list.cols[conIdle].min = max(9, len(title))
	p.list.cols[conInactive].off = title == sinceDelivery // it is the same, and the server has no other
	p.list.set(rows{
		n:     len(p.rows),
		id:    func(row int) string { return p.rows[row].name },
		cells: func(row int) []string { return p.rows[row].cells() },
	}, d.now)
}

// consumerRows joins what the server lists with the workers of the lab: first the workers, in their order.
func consumerRows(d *data) []consumerRow {
	var out []consumerRow
	at := make(map[string]int)
	var read time.Time
	if d.good != nil {
		read = d.good.At
	}
	for _, w := range d.state().Workers {
		at[w.Name] = len(out)
		out = append(out, consumerRow{name: w.Name, ours: true, worker: w})
	}
	if d.good == nil {
		return out
	}
	for _, c := range d.good.Group.Consumers {
		i, ours := at[c.Name]
		if !ours {
			i = len(out)
			out = append(out, consumerRow{name: c.Name})
		}
		out[i].listed, out[i].consumer = true, c
		out[i].notBusy = c.Pending > 0 && quiet(out[i], read)
	}
	return out
}

// settled is how long a worker must have waited before the reading, so that the two views are of the same moment.
const settled = time.Second

// quiet says that a worker of the lab had been waiting for a while when the server was read.
func quiet(r consumerRow, read time.Time) bool {
	return r.ours && r.worker.Alive() && r.worker.Phase == workers.PhaseWaiting && r.worker.ID == "" &&
		!r.worker.Since.IsZero() && read.Sub(r.worker.Since) >= settled
}

// idleMeaning is the header for what the server calls idle. Which it means shows in the replies: only a server that
// counts calls tells inactive as well.
func idleMeaning(d *data) string {
	if d.good == nil {
		return sinceUnknown
	}
	told := false
	for _, c := range d.good.Group.Consumers {
		if c.Inactive.Known || c.Inactive.Reason == redisq.NeverActive {
			return sinceCall
		}
		told = told || c.Idle.Known
	}
	if told {
		return sinceDelivery
	}
	return sinceUnknown
}

func (r consumerRow) cells() []string {
	cells := make([]string, conHeat+1)
	cells[conName] = clean(r.name)
	cells[conState] = r.state()
	cells[conPending], cells[conIdle], cells[conInactive] = "n/a", "n/a", "n/a"
	if r.listed {
		cells[conPending] = strconv.FormatInt(r.consumer.Pending, 10)
		cells[conIdle] = idleText(r.consumer.Idle)
		cells[conInactive] = idleText(r.consumer.Inactive)
	}
	if !r.ours {
		return cells
	}
	w := r.worker
	cells[conDone] = strconv.FormatInt(w.Done, 10)
	cells[conFailed] = strconv.FormatInt(w.Failed, 10)
	cells[conRestarts] = strconv.Itoa(w.Restarts)
	switch {
	case r.notBusy:
		cells[conHand] = "holds " + strconv.FormatInt(r.consumer.Pending, 10) + ", idle"
	case w.Order != "":
		cells[conHand] = "order " + clean(w.Order)
	case w.ID != "":
		cells[conHand] = clean(w.ID)
	}
	return cells
}

// state is the process of a worker: "4711 working", "w2's last: killed"; another program's is not known.
func (r consumerRow) state() string {
	if !r.ours {
		return "another program"
	}
	w := r.worker
	state := clean(string(w.Phase))
	if w.Reason != "" {
		state += ": " + clean(w.Reason)
	}
	if w.PID == 0 {
		return state
	}
	return strconv.Itoa(w.PID) + " " + state
}

// idleText is a time that the server tells of a consumer: "n/a" where it does not tell, "never".
func idleText(n redisq.Number) string {
	switch {
	case n.Known:
		return durShort(time.Duration(n.Value) * time.Millisecond)
	case n.Reason == redisq.NeverActive:
		return "never"
	}
	return "n/a"
}

func (p *consumersPane) paint(d *data) painter {
	t := d.look.theme
	return func(row, col int, text string) (string, cell.Style) {
		r := p.rows[row]
		switch col {
		case conState:
			switch {
			case !r.ours:
				return text, t.Dim
			case r.worker.Alive():
				return text, t.Good
			case stopped(r.worker):
				return text, t.Warn
			}
			return text, t.Bad
		case conHand:
			if r.notBusy {
				return text, t.Warn
			}
			return text, t.Accent
		case conFailed:
			if r.worker.Failed > 0 {
				return text, t.Warn
			}
		case conIdle, conInactive:
			return text, t.Dim
		case conHeat:
			return heatPaint(d, p.heats[r.name])
		}
		return text, t.Text
	}
}

func (p *consumersPane) Lines(d *data, width, height int, focused bool) []string {
	if why := nothingIn(d, "consumers", len(p.rows), "The group has no consumers yet."); len(why) > 0 {
		return paragraph(d, why, width, height)
	}
	if height <= 0 {
		return nil
	}
	out := problemLines(d, "consumers", width, height)
	return append(out, p.list.lines(d, width, height-len(out), focused, p.paint(d))...)
}

func (p *consumersPane) Key(d *data, k tea.KeyMsg) (tea.Cmd, bool) { return nil, p.list.key(d, k) }

func (p *consumersPane) Help(d *data) []key.Binding {
	return append(actHelp(d, d.keys.Act), d.keys.Filter)
}

func (p *consumersPane) Capturing() bool { return p.list.filter.open }

// Selected returns the name of the consumer under the cursor as the server has it: not safe to print.
func (p *consumersPane) Selected() string { return p.list.sel }

func (p *consumersPane) Left() string { return p.list.gone() }
func (p *consumersPane) Settle()      { p.list.left = "" }
