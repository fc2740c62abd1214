package ui

import (
	"math"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
	"example.com/unacked/ui/chart"
)

// figure is one row of the figures.
type figure struct {
	name  string
	short string // where there is little room
	of    redisq.Figure
	lines int // of its chart where there is much room
	style func(t *cell.Theme) cell.Style
	scale func(v float64) string // a value of its chart in words
	value func(d *data) (text string, known bool)
	note  func(d *data) string // what belongs to it, or why it is not known
}

// axisSpan is the time that the charts show at least; axisReadings is how many readings they show where these are rare.
const (
	axisFirst    = 15 * time.Second // at the start
	axisSpan     = time.Minute
	axisReadings = 120
	axisLeast    = 5 * time.Second  // by zooming in
	axisMost     = 15 * time.Minute // by zooming out: longer is not kept
)

var figures = []figure{
	{"backlog", "backlog", redisq.FigBacklog, 5, func(t *cell.Theme) cell.Style { return t.Accent }, countText, backlogValue, backlogNote},
	{"pending", "pending", redisq.FigPending, 3, func(t *cell.Theme) cell.Style { return t.Warn }, countText, pendingValue, pendingNote},
	{"in", "in", redisq.FigIn, 3, func(t *cell.Theme) cell.Style { return t.Mark }, perSecond, inValue, inNote},
	{"done", "done", redisq.FigDone, 3, func(t *cell.Theme) cell.Style { return t.Good }, perSecond, doneValue, doneNote},
	{"oldest idle", "oldest", redisq.FigOldestIdle, 2, func(t *cell.Theme) cell.Style { return t.Warn }, idleScale, oldestValue, oldestNote},
	{"dead letters", "dead", redisq.FigDead, 1, func(t *cell.Theme) cell.Style { return t.Bad }, countText, deadValue, deadNote},
}

// The rows of figures by name.
const (
	rowBacklog = iota
	rowPending
	rowIn
	rowDone
	rowOldest
	rowDead
)

// figuresPane is the figures with their charts on one time axis.
type figuresPane struct {
	points [][]chart.Point // of each figure, made when a reading came
	marks  []chart.Mark
	at     int // the selected figure
}

func (p *figuresPane) Name() string { return "Figures" }

func (p *figuresPane) Title(*data) string { return "Figures" }

func (p *figuresPane) Capturing() bool { return false }

// Selected names the figure under the cursor.
func (p *figuresPane) Selected() string { return figures[p.at].name }

func (p *figuresPane) Data(d *data) {
	p.points = p.points[:0]
	oldest := d.now.Add(-axisFor(d))
	for _, f := range figures {
		of := f.of
		if of == redisq.FigBacklog && d.isList() {
			of = redisq.FigList
		}
		all := d.history.Points(of)
		for len(all) > 1 && all[1].At.Before(oldest) {
			all = all[1:]
		}
		to := make([]chart.Point, len(all))
		for i, q := range all {
			to[i] = chart.Point{At: q.At, Value: q.Value, Gap: q.Gap}
		}
		p.points = append(p.points, to)
	}
	p.marks = p.marks[:0]
	for _, mark := range d.state().Marks {
		p.marks = append(p.marks, chart.Mark{At: mark.At, Label: shortMark(mark.Text)})
	}
	if d.watch == nil {
		return
	}
	for _, e := range d.watch.events {
		if e.Mark {
			p.marks = append(p.marks, chart.Mark{At: e.At, Label: shortMark(e.Text)})
		}
	}
}

// markCells is what a mark says on the axis at most: "killed w2", "rate 2/s → 20/s".
const markCells = 18

// shortMark is a mark's text for the axis: the first two words say what was done to what.
func shortMark(text string) string {
	text = clean(text)
	if words := strings.Fields(text); cell.Width(text) > markCells && len(words) > 2 {
		text = strings.TrimRight(words[0]+" "+words[1], ",;:")
	}
	return cell.Cut(text, markCells)
}

func (p *figuresPane) Key(d *data, k tea.KeyMsg) (tea.Cmd, bool) {
	var ok bool
	p.at, ok = moved(d.keys, k, p.at, len(figures), len(figures)-1)
	return nil, ok
}

func (p *figuresPane) Help(d *data) []key.Binding {
	return []key.Binding{d.keys.Up, d.keys.Down, d.keys.Explain}
}

func (p *figuresPane) Lines(d *data, width, height int, focused bool) []string {
	return p.chart(d, width, height, focused)
}

// Widths of the parts of a row.
const (
	figureLabel = 14
	figureValue = 8
	figureMax   = 11 // "max 12.3/s" and a blank, where the line is at least maxFrom wide
	maxFrom     = 70
	figureNote  = 36 // where the line is at least noteFrom wide
	noteFrom    = 100
)

// axisLines are the marks and the time axis under the charts.
const axisLines = 2

// wanted is how many lines the figures like to have where panes stand side by side.
func (p *figuresPane) wanted(large bool) int {
	n := axisLines
	for _, f := range figures {
		if large {
			n += f.lines
		} else {
			n++
		}
	}
	return n
}

// chart draws as many figures as there is room for, their charts over one time axis.
func (p *figuresPane) chart(d *data, width, height int, focused bool) []string {
	t, g := d.look.theme, d.look.glyphs
	left := 1 + 2 + figureLabel + figureValue + 2
	note := 0
	if width >= noteFrom {
		note = figureNote
	}
	scale := 0
	if width >= maxFrom {
		scale = figureMax
	}
	room := max(width-left-scale-note-1, 0)
	from, to := axis(d, room)
	shown, tall := min(len(figures), max(height-1, 0)), false
	under := 1
	if height >= len(figures)+axisLines {
		under = axisLines
		tall = height >= p.wanted(true)
	}
	lines := make([]string, 0, height)
	for i, f := range figures[:shown] {
		rows := 1
		if tall {
			rows = f.lines
		}
		style := f.style(t)
		if d.stale {
			style = t.Stale
		}
		var points []chart.Point
		if i < len(p.points) {
			points = p.points[i]
		}
		limit := p.limit(d, i, from)
		charts := chart.Tall(points, from, to, room, rows, limit, g)
		high, seen := highest(points, from)
		if high == 0 && !d.stale {
			style = t.Dim // nothing to be alarmed at
		}
		for row := range rows {
			var b strings.Builder
			if row == rows-1 {
				b.WriteString(p.label(d, i, focused))
			} else {
				b.WriteString(cell.Spaces(left))
			}
			if row < len(charts) {
				b.WriteString(style.On(charts[row]))
			}
			if scale > 0 {
				text := ""
				if seen && row == chart.Row(high, limit, rows, g) {
					text = " max " + f.scale(high)
				}
				b.WriteString(t.Dim.On(cell.Pad(text, scale)))
			}
			if note > 0 && row == rows-1 {
				b.WriteString("  ")
				b.WriteString(t.Dim.On(cell.Cut(f.note(d), note-2)))
			}
			lines = append(lines, cell.Pad(b.String(), width))
		}
	}
	rest := cell.Spaces(left)
	if shown <= rowOldest {
		rest = cell.Pad(restText(d), left)
	}
	lines = append(lines, cell.Pad(rest+t.Mark.On(chart.Marks(p.marks, from, to, room, g)), width))
	if under == axisLines {
		lines = append(lines, cell.Pad(cell.Spaces(left)+t.Dim.On(chart.Axis(from, to, room)), width))
	}
	blank := cell.Spaces(width)
	for len(lines) < height {
		lines = append(lines, blank)
	}
	return lines[:height]
}

// axisFor is the length of the time axis: short at the start, so that there is something to see, and then twice as long
// whenever it is full, up to its whole length.
func axisFor(d *data) time.Duration {
	whole := max(axisSpan, axisReadings*d.period())
	seen := d.now.Sub(d.history.Since())
	for span := axisFirst; span < whole; span *= 2 {
		if seen < span {
			whole = span
		}
	}
	for range max(d.zoom, 0) {
		whole *= 2
	}
	for range max(-d.zoom, 0) {
		whole /= 2
	}
	return min(max(whole, axisLeast), axisMost)
}

// zoom makes the time axis shorter (-1) or longer (1).
func (m *Model) zoom(by int) {
	d := m.d
	was := axisFor(d)
	d.zoom += by
	now := axisFor(d)
	if now == was {
		d.zoom -= by
		m.say("the time axis is " + durText(now) + ": that is as far as it goes")
		return
	}
	m.figures.Data(d)
	m.say("the time axis is " + durText(now) + "; " + keyOf(m.keys.ZoomIn, "[") + " shortens it, " + keyOf(m.keys.ZoomOut, "]") + " lengthens it")
}

// axis is the time that the charts show. Its end is on the border of a cell, so that columns move as a whole.
func axis(d *data, cells int) (from, to time.Time) {
	span := axisFor(d)
	to = d.now
	if step := span / time.Duration(max(cells, 1)); step > 0 && !to.IsZero() {
		to = to.Truncate(step).Add(step)
	}
	return to.Add(-span), to
}

// leastScale is the smallest full scale of each figure, so that one pending entry does not look like a mountain.
var leastScale = []float64{rowBacklog: 5, rowPending: 5, rowIn: 2.5, rowDone: 2.5, rowOldest: 1, rowDead: 5}

// highest is the largest value that a chart from from shows; seen is false where it shows none.
func highest(points []chart.Point, from time.Time) (high float64, seen bool) {
	for i, q := range points {
		// The value before the first column may stand into it.
		if q.Gap || math.IsNaN(q.Value) || q.At.Before(from) && (i+1 == len(points) || points[i+1].At.Before(from)) {
			continue
		}
		high, seen = max(high, q.Value), true
	}
	return high, seen
}

func countText(v float64) string { return compact(int64(v)) }

func idleScale(v float64) string {
	return durShort(time.Duration(v * float64(time.Second)).Truncate(100 * time.Millisecond))
}

// headroom is the share of a full cell that the highest value leaves free, so that rows do not run into each other.
const headroom = 8.0 / 7

// limit is the value of a full cell: in and done share theirs, so that they can be compared; the oldest idle time is
// drawn against the lease.
func (p *figuresPane) limit(d *data, row int, from time.Time) float64 {
	rows := []int{row}
	high := leastScale[row]
	switch row {
	case rowIn, rowDone:
		rows = []int{rowIn, rowDone}
	case rowOldest:
		high = max(high, d.lease().Seconds())
	}
	for _, r := range rows {
		if r >= len(p.points) {
			continue
		}
		for _, q := range p.points[r] {
			if !q.Gap && q.Value > high && !q.At.Before(from) {
				high = q.Value
			}
		}
	}
	return high * headroom
}
