package ui

import (
	"cmp"
	"strconv"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/ui/cell"
)

// deadPane is the dead letters, newest first: the short lines of the overview, or in full the table of view 4.
type deadPane struct {
	compact bool
	list    list
	all     []redisq.DeadLetter // newest first
	rows    []redisq.DeadLetter // those of them in the list, where each stands for itself
	groups  []letterGroup       // the rows of the list where it is folded, else nil
	folded  bool
	inside  *string        // the reason that is opened; nil is none
	repeats map[string]int // letters by original id, of the rows read
}

// The columns of the short form.
const (
	deadWhat = iota
	deadTo
	deadWhy
	deadDeliveries
	deadAge
)

// The columns of the full form.
const (
	letterID = iota
	letterOriginal
	letterReason
	letterDeliveries
	letterReplays
	letterConsumer
	letterAge
	letterSource
	letterBody
)

func newDeadPane(compact bool) pane {
	p := &deadPane{compact: compact}
	if compact {
		p.list = newList([]column{
			deadWhat:       {title: "WHAT", min: 9, most: 24},
			deadTo:         {title: "TO", min: 10, most: 28, drop: 3},
			deadWhy:        {title: "REASON", min: 12, most: 44, grow: true},
			deadDeliveries: {title: "DELIVERIES", min: 12, drop: 2},
			deadAge:        {title: "AGE", min: 6, right: true, drop: 4},
		})
		p.list.header = false
		return p
	}
	p.list = newList([]column{
		letterID:         {title: "LETTER ID", min: 15, most: 24, ends: true},
		letterOriginal:   {title: "ORIGINAL ID", min: 15, most: 28, ends: true, drop: 6},
		letterReason:     {title: "REASON", min: 16, most: 44},
		letterDeliveries: {title: "DELIVERIES", min: 11, right: true, drop: 3},
		letterReplays:    {title: "REPLAYS", min: 7, most: 13, drop: 5},
		letterConsumer:   {title: "LAST CONSUMER", min: 13, most: 26, ends: true, drop: 7},
		letterAge:        {title: "AGE", min: 6, right: true, drop: 4},
		letterSource:     {title: "FROM", min: 8, most: 30, ends: true, drop: 8},
		letterBody:       {title: "BODY", min: 14, want: 24, grow: true, drop: 2},
	})
	p.list.sort = sorting{col: letterID, down: true}
	return p
}

func (p *deadPane) Name() string { return "Dead letters" }

func (p *deadPane) Title(d *data) string {
	if d.good == nil {
		return "Dead letters"
	}
	title := "Dead letters "
	switch dead := d.good.Dead; {
	case dead.Missing:
		title += "0"
	case p.groups != nil:
		title += p.foldTitle(d)
	case p.list.filter.on() || dead.More || p.inside != nil:
		title += strconv.Itoa(len(p.list.ids)) + " of " + dead.Length.String()
	default:
		title += dead.Length.String()
	}
	title += p.list.markedText()
	if p.inside != nil {
		return title + dot(d) + clean(*p.inside) + dot(d) + keyOf(d.keys.Back, "esc") + " goes back"
	}
	return title + dot(d) + clean(d.good.Queue.DeadLetter)
}

func (p *deadPane) Data(d *data) {
	p.all, p.repeats = nil, nil
	if d.good != nil {
		read := d.good.Dead.Rows
		p.all = make([]redisq.DeadLetter, 0, len(read))
		p.repeats = make(map[string]int, len(read))
		for i := len(read) - 1; i >= 0; i-- {
			p.all = append(p.all, read[i])
			if read[i].Original != "" {
				p.repeats[read[i].Original]++
			}
		}
	}
	p.shape(d)
	p.fill(d)
}

func (p *deadPane) fill(d *data) {
	glyphs := d.look.glyphs
	src := rows{
		n:  len(p.rows),
		id: func(row int) string { return p.rows[row].ID },
		cells: func(row int) []string {
			if p.compact {
				return deadCells(p.rows[row])
			}
			return p.letterCells(p.rows[row], glyphs)
		},
	}
	switch {
	case p.groups != nil:
		src.n = len(p.groups)
		src.id = func(row int) string { return foldID + p.groups[row].reason }
		src.cells = func(row int) []string { return p.groupCells(p.groups[row], glyphs) }
	case p.list.sort.col == letterDeliveries:
		src.less = func(a, b int) int { return cmp.Compare(p.rows[b].Deliveries, p.rows[a].Deliveries) }
	case p.list.sort.col == letterReplays:
		src.less = func(a, b int) int { return cmp.Compare(p.rows[b].Replays, p.rows[a].Replays) }
	}
	p.list.set(src, d.now)
}

// deadCells is a letter in the short form: "order 17  bad@…  550 no such user  5 deliveries  12s".
func deadCells(l redisq.DeadLetter) []string {
	e := redisq.Entry{Fields: l.Fields}
	what := clean(l.Original)
	if order, ok := e.Get("order"); ok {
		what = "order " + safe.TextN(order, previewBytes)
	}
	to, _ := e.Get("to")
	cells := []string{deadWhat: what, deadTo: safe.TextN(to, previewBytes), deadWhy: clean(l.Reason), deadDeliveries: "", deadAge: ""}
	if l.Foreign {
		cells[deadWhat], cells[deadWhy] = "foreign", foreignText+": "+fieldsText(l.Fields)
		return cells
	}
	cells[deadDeliveries] = deliveriesCount(l.Deliveries)
	return cells
}

// deliveriesCount is "1 delivery", "5 deliveries".
func deliveriesCount(n int64) string {
	if n == 1 {
		return "1 delivery"
	}
	return strconv.FormatInt(n, 10) + " deliveries"
}

// foreignText stands where a letter that another program wrote has no reason that could be read.
const foreignText = "not written by unacked"

func (p *deadPane) letterCells(l redisq.DeadLetter, g cell.Glyphs) []string {
	cells := make([]string, letterBody+1)
	cells[letterID] = clean(l.ID)
	cells[letterBody] = fieldsText(l.Fields)
	if l.Foreign {
		cells[letterReason] = foreignText
		return cells
	}
	cells[letterOriginal] = clean(l.Original)
	if n := p.repeats[l.Original]; n > 1 {
		cells[letterOriginal] += " x" + strconv.Itoa(n)
	}
	cells[letterReason] = clean(l.Reason)
	cells[letterDeliveries] = strconv.FormatInt(l.Deliveries, 10)
	cells[letterReplays] = replaysText(l.Replays, g)
	cells[letterConsumer] = clean(l.Consumer)
	cells[letterSource] = clean(l.Stream)
	if l.Group != "" {
		cells[letterSource] += "/" + clean(l.Group)
	}
	return cells
}

// replaysText is "replayed 2×", "never" for a letter that was not replayed.
func replaysText(n int64, g cell.Glyphs) string {
	if n == 0 {
		return "never"
	}
	times := "×"
	if g.ASCII {
		times = "x"
	}
	return "replayed " + strconv.FormatInt(n, 10) + times
}

// deadFor is how long ago a letter was dead-lettered, "?" where it does not say. The server's clock said when.
func deadFor(d *data, l redisq.DeadLetter) string {
	at := l.At
	if at.IsZero() {
		var ok bool
		if at, ok = redisq.TimeOfID(l.ID); !ok {
			return "?"
		}
	}
	return durShort(max(0, d.now.Sub(at).Truncate(100*time.Millisecond)))
}

func (p *deadPane) paint(d *data) painter {
	t := d.look.theme
	return func(row, col int, text string) (string, cell.Style) {
		l := p.lettersOf(row)[0]
		if p.compact {
			switch {
			case col == deadAge:
				return deadFor(d, l), t.Dim
			case col == deadWhy && l.Foreign:
				return text, t.Dim
			case col == deadWhy:
				return text, t.Bad
			}
			return text, t.Text
		}
		switch {
		case col == letterAge:
			return deadFor(d, l), t.Dim
		case col == letterReason && !l.Foreign:
			return text, t.Bad
		case col == letterReason, col == letterBody, col == letterSource:
			return text, t.Dim
		case col == letterReplays && l.Replays > 0:
			return text, t.Warn
		}
		return text, t.Text
	}
}

// noLetters says why there is none.
func noLetters(d *data) string {
	switch {
	case d.isList():
		return "No dead letters: a list gives no message up, a failure is lost."
	case d.watch != nil && d.good != nil && d.good.Dead.Missing:
		return "No dead letters: there is no key " + clean(d.good.Queue.DeadLetter) + "; --dead-letter names another."
	case d.watch != nil:
		return "No dead letters."
	case d.limit() <= 0:
		return "No dead letters: there is no limit of deliveries, no message is given up."
	}
	return "No dead letters: no message has reached its limit."
}

func (p *deadPane) Lines(d *data, width, height int, focused bool) []string {
	if why := nothingIn(d, "dead", len(p.all), noLetters(d)); len(why) > 0 {
		return paragraph(d, why, width, height)
	}
	if height <= 0 {
		return nil
	}
	out := problemLines(d, "dead", width, height)
	return append(out, p.list.lines(d, width, height-len(out), focused, p.paint(d))...)
}

func (p *deadPane) Key(d *data, k tea.KeyMsg) (tea.Cmd, bool) {
	if !p.compact && !k.Paste && !p.list.filter.open && key.Matches(k, d.keys.Sweep) {
		return func() tea.Msg { return lettersAskMsg{} }, true
	}
	if p.foldKey(d, k) || p.list.markKey(d, k) || p.list.key(d, k) {
		return nil, true
	}
	if k.Paste {
		return nil, false
	}
	switch {
	case key.Matches(k, d.keys.Open):
		return opened(detailDead, p.list.sel), true
	case key.Matches(k, d.keys.Sort) && !p.compact:
		next := map[int]int{letterID: letterDeliveries, letterDeliveries: letterReplays, letterReplays: letterID}
		p.list.sort = sorting{col: next[p.list.sort.col], down: true}
		p.fill(d)
		return nil, true
	case key.Matches(k, d.keys.Copy) && p.list.sel != "" && p.groups == nil && d.good != nil:
		return copied(d, redisq.RedisCLI([]string{"XRANGE", d.good.Queue.DeadLetter, p.list.sel, p.list.sel})), true
	}
	return nil, false
}

func (p *deadPane) Help(d *data) []key.Binding {
	help := append(actHelp(d, d.keys.Act, d.keys.Replay, d.keys.Mark), d.keys.Open, d.keys.Filter)
	if !p.compact {
		help = append(help, d.keys.Fold, d.keys.Sort)
		if d.watch != nil {
			help = append(help, d.keys.Sweep)
		}
	}
	return append(help, d.keys.Copy)
}

func (p *deadPane) Capturing() bool { return p.list.filter.open }

// Selected returns the id of the letter under the cursor, in the dead-letter stream.
func (p *deadPane) Selected() string { return p.list.sel }

func (p *deadPane) Left() string { return p.list.gone() }
func (p *deadPane) Settle()      { p.list.left = "" }
