package ui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/ui/cell"
)

// membersPane is the consumers of a group that others made: of their processes nothing is known but what the server
// tells. Those that something is wrong with and those that hold entries come first; where there are many, the others
// stand together by the beginning of their names.
type membersPane struct {
	compact bool
	list    list
	rows    []memberRow
	heats   map[string]string // of each consumer that holds entries

	of     *redisq.Consumer // the first of those that rows were made of: the same slice comes with many readings
	n      int
	wrong  string // what the doctor found of them likewise
	inside string // the beginning of the names that is opened
	opened string
	flat   bool

	active, holding int
}

// memberRow is one consumer, or those whose names begin alike.
type memberRow struct {
	redisq.Consumer
	prefix string
	count  int
	state  memberState
}

// memberState is how a consumer is, the worst last.
type memberState int

const (
	memberQuiet   memberState = iota // holds nothing, has done nothing within the lease
	memberActive                     // has done something within the lease
	memberHolding                    // has done nothing within the lease, and holds entries
	memberNotAcking
	memberStuck
)

const (
	memName = iota
	memState
	memPending
	memIdle
	memInactive
	memHeat
)

func newMembersPane(compact bool) *membersPane {
	return &membersPane{compact: compact, list: newList([]column{
		memName:     {title: "CONSUMER", min: 10, most: 44, ends: true},
		memState:    {title: "STATE", min: 10, most: 18},
		memPending:  {title: "PENDING", min: 7, right: true},
		memIdle:     {title: sinceUnknown, min: 8, right: true, drop: 1},
		memInactive: {title: "LAST DELIVERY", min: 13, right: true, drop: 2},
		memHeat:     {title: heatTitle, min: len(heatTitle), drop: 3},
	})}
}

func (p *membersPane) Name() string { return "Consumers" }

func (p *membersPane) Title(d *data) string {
	if d.good == nil {
		return "Consumers"
	}
	title := "Consumers " + d.good.Group.Members.String()
	if n := p.n; n > 0 {
		title += dot(d) + strconv.Itoa(p.active) + " active, " + strconv.Itoa(p.holding) + " hold something"
	}
	switch {
	case p.inside != "":
		title += dot(d) + clean(p.inside) + "*" + dot(d) + keyOf(d.keys.Back, "esc") + " goes back"
	case !p.compact:
		title += dot(d) + clean(redisq.RedisCLI([]string{"XINFO", "CONSUMERS", d.good.Queue.Stream, d.good.Queue.Group}))
	}
	return title
}

func (p *membersPane) Data(d *data) {
	p.heats = heats(d)
	var all []redisq.Consumer
	if d.good != nil {
		all = d.good.Group.Consumers
	}
	var of *redisq.Consumer
	if len(all) > 0 {
		of = &all[0]
	}
	wrong := ""
	for _, f := range d.findings() {
		if f.Code == doctor.StuckConsumer || f.Code == doctor.NotAcking {
			wrong += string(f.Code) + "\x00" + f.Consumer + "\x00" + strconv.Itoa(len(f.Others)) + "\x00"
		}
	}
	if of == p.of && len(all) == p.n && wrong == p.wrong && d.good != nil {
		return
	}
	p.of, p.n, p.wrong = of, len(all), wrong
	p.fill(d)
}

// fill makes the rows of the consumers of the last reading.
func (p *membersPane) fill(d *data) {
	p.flat = p.list.filter.on()
	all, idle := members(d)
	p.active, p.holding = 0, 0
	for i := range all {
		if all[i].state == memberActive {
			p.active++
		}
		if all[i].Pending > 0 {
			p.holding++
		}
	}
	p.rows = p.fold(all)
	p.list.cols[memIdle].title, p.list.cols[memIdle].min = idle, max(8, len(idle))
	p.list.cols[memInactive].off = idle == sinceDelivery // it is the same, and the server has no other
	if p.compact {                                       // the meaning stands in the view of the consumers
		p.list.cols[memIdle].title, p.list.cols[memIdle].min = sinceUnknown, 8
	}
	p.list.set(rows{
		n:     len(p.rows),
		id:    func(row int) string { return p.rows[row].id() },
		cells: func(row int) []string { return memberCells(&p.rows[row]) },
	}, d.now)
}

// members are the consumers with their states, the worst first.
func members(d *data) (all []memberRow, idle string) {
	if d.good == nil {
		return nil, sinceUnknown
	}
	wrong := map[string]memberState{}
	for _, f := range d.findings() {
		switch f.Code {
		case doctor.StuckConsumer:
			wrong[f.Consumer] = memberStuck
			for _, name := range f.Others {
				wrong[name] = memberStuck
			}
		case doctor.NotAcking:
			wrong[f.Consumer] = memberNotAcking
		}
	}
	all = make([]memberRow, len(d.good.Group.Consumers))
	for i, c := range d.good.Group.Consumers {
		row := memberRow{Consumer: c}
		switch state := wrong[c.Name]; {
		case c.Pending > 0 && state > 0:
			row.state = state
		case activeConsumer(d, &c):
			row.state = memberActive
		case c.Pending > 0:
			row.state = memberHolding
		}
		all[i] = row
	}
	slices.SortStableFunc(all, func(a, b memberRow) int {
		return cmp.Or(cmp.Compare(b.rank(), a.rank()), cmp.Compare(b.Pending, a.Pending), strings.Compare(a.Name, b.Name))
	})
	return all, idleMeaning(d)
}

// rank orders rows: what is wrong, then what holds entries, then the rest by name.
func (r *memberRow) rank() int {
	switch {
	case r.state >= memberHolding:
		return int(r.state)
	case r.Pending > 0:
		return 1
	}
	return 0
}

func (r *memberRow) id() string {
	if r.prefix != "" {
		return "*" + r.prefix
	}
	return r.Name
}

// fold puts those that hold nothing together, where there are many.
func (p *membersPane) fold(all []memberRow) []memberRow {
	if p.inside != "" {
		all = slices.DeleteFunc(all, func(r memberRow) bool { return !strings.HasPrefix(r.Name, p.inside) })
	}
	if p.flat || len(all) < foldFrom {
		return all
	}
	free := slices.IndexFunc(all, func(r memberRow) bool { return r.rank() == 0 })
	if free < 0 {
		return all
	}
	out, rest := slices.Clone(all[:free]), all[free:]
	names := make([]string, len(rest))
	for i := range rest {
		names[i] = rest[i].Name
	}
	for _, f := range fold(names) {
		sum := rest[f.members[0]]
		if f.prefix != "" {
			sum.prefix, sum.count = f.prefix, len(f.members)
			for _, i := range f.members[1:] {
				one := &rest[i]
				sum.state = max(sum.state, one.state)
				sum.Idle, sum.Inactive = newer(sum.Idle, one.Idle), newer(sum.Inactive, one.Inactive)
			}
		}
		out = append(out, sum)
	}
	return out
}

// newer is the smaller of two times, as far as they are known.
func newer(a, b redisq.Number) redisq.Number {
	if !a.Known || b.Known && b.Value < a.Value {
		return b
	}
	return a
}

func memberCells(r *memberRow) []string {
	cells := make([]string, memHeat+1)
	cells[memName] = clean(r.Name)
	cells[memState] = [...]string{"quiet", "active", "quiet, holds some", "NOT ACKING", "STUCK"}[r.state]
	if r.prefix != "" {
		cells[memName] = clean(r.prefix) + "*  " + many(int64(r.count), "consumer")
		cells[memState] = [...]string{"all quiet", "some active", "", "", ""}[r.state]
	}
	cells[memPending] = strconv.FormatInt(r.Pending, 10)
	cells[memIdle], cells[memInactive] = idleText(r.Idle), idleText(r.Inactive)
	return cells
}

func (p *membersPane) paint(d *data) painter {
	t := d.look.theme
	// Times are those of the reading that had the consumers, and move with it only.
	return func(row, col int, text string) (string, cell.Style) {
		r := &p.rows[row]
		switch col {
		case memState:
			switch r.state {
			case memberActive:
				return text, t.Good
			case memberHolding:
				return text, t.Warn
			case memberNotAcking, memberStuck:
				return text, t.Bad
			}
			return text, t.Dim
		case memPending:
			if r.Pending == 0 {
				return text, t.Dim
			}
		case memIdle, memInactive:
			return text, t.Dim
		case memHeat:
			return heatPaint(d, p.heats[r.Name])
		}
		return text, t.Text
	}
}

func (p *membersPane) Lines(d *data, width, height int, focused bool) []string {
	if why := nothingIn(d, "consumers", len(p.rows), "The group has no consumers: nobody reads it."); len(why) > 0 {
		return paragraph(d, why, width, height)
	}
	if height <= 0 {
		return nil
	}
	out := problemLines(d, "consumers", width, height)
	return append(out, p.list.lines(d, width, height-len(out), focused, p.paint(d))...)
}

func (p *membersPane) Key(d *data, k tea.KeyMsg) (tea.Cmd, bool) {
	if !p.list.filter.open && !k.Paste && key.Matches(k, d.keys.Back) && !p.list.filter.on() && p.inside != "" {
		p.inside, p.list.sel = "", p.opened
		p.fill(d)
		return nil, true
	}
	if p.list.key(d, k) {
		if p.list.filter.on() != p.flat {
			p.fill(d)
		}
		return nil, true
	}
	if k.Paste || !key.Matches(k, d.keys.Open) {
		return nil, false
	}
	if at, ok := p.list.at(); ok && p.rows[at].prefix != "" {
		p.inside, p.opened = p.rows[at].prefix, p.list.sel
		p.list.sel, p.list.cursor = "", 0
		p.fill(d)
		return nil, true
	}
	return nil, false
}

func (p *membersPane) Help(d *data) []key.Binding {
	help := append(actHelp(d, d.keys.Act), d.keys.Filter, d.keys.Up, d.keys.Down)
	if at, ok := p.list.at(); ok && p.rows[at].prefix != "" {
		help = append([]key.Binding{d.keys.Open}, help...)
	}
	return help
}

func (p *membersPane) Capturing() bool { return p.list.filter.open }

// Selected returns the name of the consumer under the cursor as the server has it.
func (p *membersPane) Selected() string { return p.list.sel }

// height is the lines that it likes to have, with header and border.
func (p *membersPane) height() int { return max(len(p.rows), 1) + 3 }

// seenText is when a consumer was last seen, for beside its name: "" while it is active.
func seenText(d *data, consumer string) string {
	if d.good == nil {
		return ""
	}
	for i := range d.good.Group.Consumers {
		c := &d.good.Group.Consumers[i]
		if c.Name != consumer || !c.Idle.Known {
			continue
		}
		if idle := time.Duration(c.Idle.Value) * time.Millisecond; idle >= d.lease() {
			return "quiet " + durShort(idle)
		}
		return "active"
	}
	return ""
}
