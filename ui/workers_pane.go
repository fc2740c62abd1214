package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
)

// workersPane is the worker processes. Its selection is the one that the worker keys act on, whichever pane has the
// focus.
type workersPane struct {
	names []string
	sel   string
	left  string // what was selected and left by itself, see leaver
	top   int
	rows  int // drawn last, for the page keys
}

func (p *workersPane) Name() string { return "Workers" }

func (p *workersPane) Title(d *data) string {
	n := len(d.alive())
	if all := len(p.names); all != n {
		return "Workers " + strconv.Itoa(n) + " of " + strconv.Itoa(all) + " alive"
	}
	return "Workers " + strconv.Itoa(n)
}

func (p *workersPane) Capturing() bool { return false }

func (p *workersPane) Selected() string { return p.sel }

func (p *workersPane) Left() string { return p.left }

func (p *workersPane) Settle() { p.left = "" }

func (p *workersPane) Data(d *data) {
	old := slices.Index(p.names, p.sel)
	p.names = p.names[:0]
	for _, w := range d.state().Workers {
		p.names = append(p.names, w.Name)
	}
	if slices.Contains(p.names, p.sel) {
		return
	}
	if p.sel != "" {
		p.left = p.sel
	}
	p.sel = ""
	if len(p.names) > 0 {
		p.sel = p.names[min(max(old, 0), len(p.names)-1)]
	}
}

func (p *workersPane) Key(d *data, k tea.KeyMsg) (tea.Cmd, bool) {
	at, ok := moved(d.keys, k, slices.Index(p.names, p.sel), p.rows, len(p.names)-1)
	if !ok {
		return nil, false
	}
	p.left = ""
	if len(p.names) > 0 {
		p.sel = p.names[at]
	}
	return nil, true
}

func (p *workersPane) Help(d *data) []key.Binding {
	if len(p.names) < 2 {
		return nil
	}
	return []key.Binding{d.keys.Up, d.keys.Down}
}

func (p *workersPane) Lines(d *data, width, height int, focused bool) []string {
	p.rows = height
	at := slices.Index(p.names, p.sel)
	p.top = max(0, min(p.top, at, len(p.names)-height))
	p.top = max(p.top, at-height+1)
	lines := make([]string, 0, max(height, 0))
	all := d.state().Workers
	for i := p.top; i < len(all) && len(lines) < height; i++ {
		lines = append(lines, workerLine(d, all[i], width, all[i].Name == p.sel, focused))
	}
	for len(lines) < height {
		text := ""
		if len(all) == 0 && len(lines) == 0 {
			text = "  none yet"
		}
		lines = append(lines, d.look.theme.Dim.On(cell.Pad(text, width)))
	}
	return lines
}

// meterCells is the progress of a mail; a narrow pane has none.
const meterCells = 6

// workerLine is a worker in one line: cursor, bullet, name, pid, and what it does in words.
func workerLine(d *data, w workers.State, width int, selected, focused bool) string {
	t, g := d.look.theme, d.look.glyphs
	bullet, style := workerBullet(d, w)
	text := workerText(d, w)
	cursor := "  "
	if selected {
		cursor = g.Cursor + " "
	}
	pid := ""
	if w.PID > 0 {
		pid = strconv.Itoa(w.PID)
	}
	head := cursor + bullet + " " + cell.Pad(clean(w.Name), 4) + cell.Pad(pid, 8)
	meter := ""
	if w.Phase == workers.PhaseWorking {
		meter = workerMeter(d, w, width-cell.Width(head)-cell.Width(text))
	}
	if selected && focused {
		return t.Selected.On(cell.Pad(head+text+meter, width))
	}
	var b strings.Builder
	b.WriteString(t.Value.On(cursor))
	b.WriteString(style.On(bullet))
	b.WriteString(" ")
	b.WriteString(t.Value.On(cell.Pad(clean(w.Name), 4)))
	b.WriteString(t.Dim.On(cell.Pad(pid, 8)))
	b.WriteString(style.On(text))
	b.WriteString(t.Accent.On(meter))
	return cell.Pad(b.String(), width)
}

func workerBullet(d *data, w workers.State) (string, cell.Style) {
	t, g := d.look.theme, d.look.glyphs
	switch w.Phase {
	case workers.PhaseWorking:
		return g.On, t.Good
	case workers.PhaseAtPoint:
		return g.Half, t.Bad
	case workers.PhaseBackingOff:
		return g.Half, t.Warn
	case workers.PhaseStarting, workers.PhaseStopping:
		return g.Half, t.Dim
	case workers.PhaseKilled, workers.PhaseDied:
		return g.Dead, t.Bad
	case workers.PhaseStopped:
		return g.Off, t.Dim
	}
	return g.On, t.Dim
}

// workerText says what a worker does.
func workerText(d *data, w workers.State) string {
	order := w.Order
	if order != "" {
		order = "#" + clean(order)
	} else if w.ID != "" {
		order = clean(w.ID)
	}
	switch w.Phase {
	case workers.PhaseWorking:
		if w.Deliveries > 1 {
			return "sending " + order + " again"
		}
		return "sending " + order
	case workers.PhaseKilled:
		return endedText("killed", d, w, order)
	case workers.PhaseDied:
		text := endedText("died", d, w, order)
		if w.Reason != "" {
			text += ": " + answerOf(w.Reason)
		}
		return text
	case workers.PhaseStopped:
		return endedText("stopped", d, w, order)
	case workers.PhaseStopping:
		if order != "" {
			return "stops after " + order
		}
		return "stops"
	case workers.PhaseBackingOff:
		return "backing off: " + answerOf(w.Reason)
	case workers.PhaseAtPoint:
		return "waits for its SIGKILL with " + order
	}
	if w.Armed != workers.CrashNone {
		return clean(string(w.Phase)) + ", dies " + pointText(w.Armed)
	}
	return clean(string(w.Phase))
}

// answerOf is what was answered, of an error that begins with what was tried: there is no room for both.
func answerOf(reason string) string {
	if _, answer, ok := strings.Cut(reason, ": "); ok && answer != "" {
		return clean(answer)
	}
	return clean(reason)
}

func endedText(how string, d *data, w workers.State, order string) string {
	if order != "" {
		how += ", holds " + order
		if d.isList() || d.state().Decisions.Worker.AckBefore {
			how = strings.Replace(how, "holds", "lost", 1)
		} else if !stillPending(d, w) {
			how = strings.Replace(how, "holds", "held", 1)
		}
	}
	return how
}

// stillPending says whether the message that a worker held when it ended is still its own in the last reading.
func stillPending(d *data, w workers.State) bool {
	if d.good == nil || w.ID == "" {
		return false
	}
	for _, row := range d.good.Pending.Rows {
		if row.ID == w.ID {
			return row.Consumer == w.Name
		}
	}
	if !d.good.Pending.More {
		return false
	}
	for _, c := range d.good.Pending.ByConsumer {
		if c.Name == w.Name {
			return c.Pending > 0
		}
	}
	return false
}

// workerMeter is how far the work is by the time that a mail takes, as far as it fits into room cells.
func workerMeter(d *data, w workers.State, room int) string {
	service := d.state().Decisions.Service
	if w.WorkSince.IsZero() || service <= 0 {
		return ""
	}
	took := max(d.now.Sub(w.WorkSince), 0)
	bar := " " + cell.Meter(float64(took)/float64(service), meterCells, d.look.glyphs)
	text := " " + strconv.FormatInt(min(took, service).Milliseconds(), 10) + "/" + strconv.FormatInt(service.Milliseconds(), 10) + " ms"
	if took > service+time.Second {
		text = " " + durShort(took)
	}
	switch {
	case cell.Width(bar)+cell.Width(text) <= room:
		return bar + text
	case cell.Width(bar) <= room:
		return bar
	}
	return ""
}

// strip is the workers in one line, for when they have no pane.
func (p *workersPane) strip(d *data, width int) string {
	t, g := d.look.theme, d.look.glyphs
	var line parts
	for i, w := range d.state().Workers {
		bullet, style := workerBullet(d, w)
		cursor := "  "
		if w.Name == p.sel {
			cursor = g.Cursor + " "
		}
		text := stripText(d, w)
		piece := cursor + bullet + " " + clean(w.Name) + " " + text + "  "
		if !line.fits(piece, width) {
			rest := " +" + strconv.Itoa(len(d.state().Workers)-i)
			line.add(cell.Cut(rest, width-line.width), t.Dim)
			break
		}
		line.add(cursor, t.Value)
		line.add(bullet+" ", style)
		line.add(clean(w.Name)+" ", t.Value)
		line.add(text+"  ", style)
	}
	return cell.Pad(line.b.String(), width)
}

func stripText(d *data, w workers.State) string {
	order := ""
	if w.Order != "" {
		order = "#" + clean(w.Order)
	}
	switch w.Phase {
	case workers.PhaseWorking:
		return strings.TrimSpace("sending " + order)
	case workers.PhaseKilled, workers.PhaseDied, workers.PhaseStopped:
		return endedText(string(w.Phase), d, w, order)
	}
	return clean(string(w.Phase))
}
