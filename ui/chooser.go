package ui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/watch"
	"example.com/unacked/ui/cell"
)

// chooserPane is the list of the streams of a server and their groups, those in the worst state first. Where there are
// many, those in which nothing is wrong stand together by the beginning of their names.
type chooserPane struct {
	list   list
	rows   []chooserRow
	of     *watch.Streams // what rows were made of
	inside string         // the beginning of the names that is opened, "" is all
	opened string         // where the cursor goes back to
	byName bool           // everything by its name, instead of the worst first
	flat   bool           // the filter is on: every group stands for itself

	touched bool // the cursor was moved
}

// chooserRow is one group of a stream, or the streams whose names begin alike.
type chooserRow struct {
	watch.Row
	prefix string
	count  int
}

const (
	chStream = iota
	chGroup
	chState
	chUndelivered
	chPending
	chOldest
	chIn
	chDone
	chTrend
	chMembers
	chDead
)

// trendCells is how many passes the sparkline of a group shows.
const trendCells = 12

func newChooser() *chooserPane {
	return &chooserPane{list: newList([]column{
		chStream:      {title: "STREAM", min: 14, most: 60, ends: true},
		chGroup:       {title: "GROUP", min: 8, most: 30, ends: true, drop: 1},
		chState:       {title: "STATE", min: 14, want: 22},
		chUndelivered: {title: "UNDELIVERED", min: 11, right: true, drop: 3},
		chPending:     {title: "PENDING", min: 7, right: true, drop: 2},
		chOldest:      {title: "OLDEST", min: 7, right: true, drop: 4},
		chIn:          {title: "IN", min: 7, right: true, drop: 6},
		chDone:        {title: "DONE", min: 7, right: true, drop: 7},
		chTrend:       {title: "BACKLOG", min: trendCells, drop: 8},
		chMembers:     {title: "CONSUMERS", min: 9, right: true, drop: 8},
		chDead:        {title: "DEAD", min: 5, right: true, drop: 5},
	})}
}

// chooseMsg asks the root to have the readings of a group.
type chooseMsg struct{ watch.Choice }

func (p *chooserPane) Name() string { return "Streams" }

func (p *chooserPane) Title(d *data) string {
	s := d.watch.streams
	if s == nil {
		return "Streams"
	}
	title := many(int64(s.Found), "stream")
	if s.More {
		title = strconv.Itoa(s.Found) + "+ streams"
	}
	switch {
	case p.inside != "":
		title += dot(d) + clean(p.inside) + "*" + dot(d) + keyOf(d.keys.Back, "esc") + " goes back"
	case s.Err != nil && len(s.Rows) == 0:
		return "Streams"
	case !s.Ended && s.Looked == 0:
		title += " so far" + dot(d) + "looking for more"
	case s.Looked < s.Found:
		title += dot(d) + strconv.Itoa(s.Looked) + " of them read"
	case p.byName:
		title += dot(d) + "by name"
	default:
		title += dot(d) + "the worst first"
	}
	return title
}

func (p *chooserPane) Data(d *data) {
	if p.of != d.watch.streams {
		p.of = d.watch.streams
		p.fill(d)
	}
}

// fill makes the rows of the last list.
func (p *chooserPane) fill(d *data) {
	p.rows, p.flat = nil, p.list.filter.on()
	if p.of != nil {
		p.rows = p.fold(p.of.Rows)
	}
	if !p.touched {
		p.list.sel, p.list.cursor = "", 0 // the worst, until somebody looks at another
	}
	p.list.set(rows{
		n:     len(p.rows),
		id:    func(row int) string { return p.rows[row].id() },
		cells: func(row int) []string { return chooserCells(d, &p.rows[row]) },
	}, d.now)
}

func (r *chooserRow) id() string {
	if r.prefix != "" {
		return "*" + r.prefix
	}
	return r.Stream + "\x00" + r.Group
}

// fold puts the rows in which nothing is wrong together, where there are many.
func (p *chooserPane) fold(all []watch.Row) []chooserRow {
	var kept, calm []watch.Row
	for i := range all {
		switch r := &all[i]; {
		case p.inside != "" && !strings.HasPrefix(r.Stream, p.inside):
		case p.byName || r.Trouble <= redisq.TroubleWaiting:
			calm = append(calm, *r)
		default:
			kept = append(kept, *r)
		}
	}
	if p.byName {
		slices.SortStableFunc(calm, func(a, b watch.Row) int { return strings.Compare(a.Stream, b.Stream) })
	}
	out := make([]chooserRow, 0, len(kept)+len(calm))
	for i := range kept {
		out = append(out, chooserRow{Row: kept[i]})
	}
	if p.flat || len(kept)+len(calm) < foldFrom {
		for i := range calm {
			out = append(out, chooserRow{Row: calm[i]})
		}
		return out
	}
	names := make([]string, len(calm))
	for i := range calm {
		names[i] = calm[i].Stream
	}
	for _, f := range fold(names) {
		if f.prefix == "" {
			out = append(out, chooserRow{Row: calm[f.members[0]]})
			continue
		}
		sum := chooserRow{Row: calm[f.members[0]], prefix: f.prefix, count: len(f.members)}
		for _, i := range f.members[1:] {
			sum.add(&calm[i])
		}
		sum.In, sum.Done, sum.Trend, sum.Note = redisq.Rate{}, redisq.Rate{}, nil, ""
		out = append(out, sum)
	}
	return out
}

// add adds a group to the sum of those that begin alike.
func (r *chooserRow) add(other *watch.Row) {
	r.Trouble = max(r.Trouble, other.Trouble)
	for _, n := range []struct {
		sum *redisq.Number
		one redisq.Number
	}{
		{&r.Undelivered, other.Undelivered},
		{&r.Pending, other.Pending},
		{&r.Backlog, other.Backlog},
		{&r.Members, other.Members},
		{&r.Dead, other.Dead},
	} {
		switch {
		case !n.sum.Known:
			*n.sum = n.one
		case n.one.Known:
			*n.sum = n.sum.Add(n.one)
		}
	}
	if other.OldestIdle.Known && (!r.OldestIdle.Known || other.OldestIdle.Value > r.OldestIdle.Value) {
		r.OldestIdle = other.OldestIdle
	}
}

func (p *chooserPane) paint(d *data) painter {
	t := d.look.theme
	return func(row, col int, text string) (string, cell.Style) {
		r := &p.rows[row]
		switch col {
		case chState:
			switch {
			case r.Trouble >= redisq.TroubleLate:
				return text, t.Bad
			case r.Trouble == redisq.TroubleUnknown:
				return text, t.Warn
			case r.Trouble == redisq.TroubleWaiting:
				return text, t.Accent
			}
			return text, t.Dim
		case chTrend:
			return text, t.Spark
		case chDead:
			if r.Dead.Known && r.Dead.Value > 0 {
				return text, t.Warn
			}
			return text, t.Dim
		case chGroup, chIn, chDone, chMembers:
			return text, t.Dim
		}
		return text, t.Text
	}
}

func (p *chooserPane) Lines(d *data, width, height int, focused bool) []string {
	s := d.watch.streams
	if height <= 0 {
		return nil
	}
	var out []string
	switch {
	case s == nil:
		return paragraph(d, []string{"Looking for streams …"}, width, height)
	case s.Err != nil && len(s.Rows) == 0 && redisq.Passing(s.Err):
		return paragraph(d, []string{clean(s.Err.Error()), "Tried since " + clockText(s.At) + ", again and again. The streams come up here when it answers."}, width, height)
	case s.Err != nil && len(s.Rows) == 0:
		return paragraph(d, []string{clean(s.Err.Error()) + noScan(s.Err)}, width, height)
	case s.Err != nil:
		for i, line := range wrap(clean(s.Err.Error())+noScan(s.Err), width-2) {
			if i < 3 && len(out) < height-2 {
				out = append(out, d.look.theme.Warn.On(cell.Pad(" "+line, width)))
			}
		}
	case len(s.Rows) == 0 && s.Ended:
		return paragraph(d, []string{"There is no stream on this server."}, width, height)
	case len(s.Rows) == 0:
		return paragraph(d, []string{"Looking for streams: " + strconv.Itoa(s.Found) + " so far."}, width, height)
	}
	old := *d // how old the rows are is the list's own matter, not that of the chosen group
	old.stale = s.Err != nil
	foot := p.footLine(d, width)
	if height-len(out) < leastTable+1 {
		foot = nil
	}
	out = append(out, p.list.lines(&old, width, height-len(out)-len(foot), focused, p.paint(d))...)
	return append(out, foot...)
}

// footLine says in full what there is no room for in the row under the cursor.
func (p *chooserPane) footLine(d *data, width int) []string {
	at, ok := p.list.at()
	if !ok {
		return nil
	}
	r := &p.rows[at]
	text := ""
	switch {
	case r.prefix != "":
		text = many(int64(r.count), "row") + " of streams whose names begin with " + clean(r.prefix) + ": " + keyOf(d.keys.Open, "enter") + " shows them"
	default:
		text = clean(r.Stream)
		if r.Group != "" {
			text += " " + d.look.glyphs.Into + " " + clean(r.Group)
		}
		text += ": " + troubleText(d, &r.Row)
	}
	style := d.look.theme.Dim
	if r.Trouble >= redisq.TroubleUnknown {
		style = d.look.theme.Warn
	}
	return []string{style.On(cell.Pad(" "+text, width))}
}

// noScan says what helps where streams may not be looked for.
func noScan(err error) string {
	if redisq.CodeOf(err) == "NOPERM" {
		return ": name a stream with --stream"
	}
	return ""
}

func (p *chooserPane) Key(d *data, k tea.KeyMsg) (tea.Cmd, bool) {
	if !p.list.filter.open && !k.Paste && key.Matches(k, d.keys.Back) && !p.list.filter.on() && p.inside != "" {
		p.leave(d)
		return nil, true
	}
	if p.list.key(d, k) {
		p.touched = true
		if p.list.filter.on() != p.flat {
			p.fill(d)
		}
		return nil, true
	}
	if k.Paste {
		return nil, false
	}
	switch {
	case key.Matches(k, d.keys.Open):
		return p.open(d), true
	case key.Matches(k, d.keys.Copy):
		if at, ok := p.list.at(); ok && p.rows[at].prefix == "" {
			return copied(d, redisq.RedisCLI([]string{"XINFO", "GROUPS", p.rows[at].Stream})), true
		}
		return copied(d, ""), true
	case key.Matches(k, d.keys.Sort):
		p.byName = !p.byName
		p.fill(d)
		return nil, true
	}
	return nil, false
}

// open chooses the group under the cursor, or shows what stands under a common beginning.
func (p *chooserPane) open(d *data) tea.Cmd {
	at, ok := p.list.at()
	if !ok {
		return said("there is nothing to open", true)
	}
	r := p.rows[at]
	if r.prefix != "" {
		p.inside, p.opened = r.prefix, p.list.sel
		p.list.sel, p.list.cursor = "", 0
		p.fill(d)
		return nil
	}
	p.touched = true
	return func() tea.Msg { return chooseMsg{r.Choice} }
}

// leave goes back to all streams, with the cursor on what was opened.
func (p *chooserPane) leave(d *data) {
	p.inside, p.touched = "", true
	p.list.sel, p.list.left = p.opened, ""
	p.fill(d)
}

func (p *chooserPane) Help(d *data) []key.Binding {
	return []key.Binding{d.keys.Open, d.keys.Filter, d.keys.Sort, d.keys.Up, d.keys.Down, d.keys.Copy}
}

func (p *chooserPane) Capturing() bool { return p.list.filter.open }

// Selected returns the stream and the group under the cursor, as ids of this list.
func (p *chooserPane) Selected() string { return p.list.sel }
