package ui

import (
	"errors"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
)

// form is the XPENDING form of the pending view.
type form struct {
	open   bool
	fields [formFields]input
	at     int    // the field being typed
	wrong  string // what is wrong with the field that was entered, or ""
}

// The fields of the form, in the order of XPENDING's arguments.
const (
	formIdle = iota
	formStart
	formEnd
	formCount
	formConsumer
	formFields
)

var formNames = [formFields]string{"IDLE", "start", "end", "count", "consumer"}

// mostRows bounds what the form may ask for: XPENDING blocks the server for about 0.3 ms for each thousand rows.
const mostRows = 999

// openForm puts the filter that is in force into the fields.
func (p *pendingPane) openForm(d *data) {
	f := p.inForce(d)
	p.form = form{open: true}
	if f.MinIdle > 0 {
		p.form.fields[formIdle].set(strconv.FormatInt(f.MinIdle.Milliseconds(), 10))
	}
	p.form.fields[formStart].set(f.Start)
	p.form.fields[formEnd].set(f.End)
	if f.Count > 0 {
		p.form.fields[formCount].set(strconv.Itoa(f.Count))
	}
	p.form.fields[formConsumer].set(f.Consumer)
}

// inForce is the filter that was asked for last.
func (p *pendingPane) inForce(d *data) redisq.PendingFilter {
	switch {
	case p.asked != nil:
		return *p.asked
	case d.good != nil:
		return d.good.Pending.Filter
	}
	return redisq.PendingFilter{}
}

func (p *pendingPane) formKey(d *data, k tea.KeyMsg) tea.Cmd {
	f := &p.form
	if k.Paste {
		f.fields[f.at].key(k)
		return nil
	}
	switch k.Type {
	case tea.KeyEsc:
		f.open = false
	case tea.KeyTab, tea.KeyDown:
		f.at = (f.at + 1) % formFields
	case tea.KeyShiftTab, tea.KeyUp:
		f.at = (f.at + formFields - 1) % formFields
	case tea.KeyEnter:
		return p.applyForm(d)
	default:
		f.fields[f.at].key(k)
	}
	return nil
}

func (p *pendingPane) applyForm(d *data) tea.Cmd {
	filter, wrong, err := p.form.filter()
	if err != nil {
		p.form.at, p.form.wrong = wrong, formNames[wrong]+": "+err.Error()
		return nil
	}
	p.form.open, p.form.wrong = false, ""
	if p.act == nil || d.good == nil {
		return said("the filter cannot be changed: nothing was read yet", true)
	}
	p.asked = &filter
	act, text := p.act, clean(redisq.RedisCLI(p.command(d)))
	return func() tea.Msg {
		act.SetFilter(filter)
		return notice{text: text + " from the next reading on"}
	}
}

// filter reads the fields; wrong is the field that err is about.
func (f *form) filter() (_ redisq.PendingFilter, wrong int, err error) {
	var out redisq.PendingFilter
	text := func(field int) string { return strings.TrimSpace(f.fields[field].text()) }
	if out.MinIdle, err = idleField(text(formIdle)); err != nil {
		return out, formIdle, err
	}
	if out.Start, err = idField(text(formStart), "-"); err != nil {
		return out, formStart, err
	}
	if out.End, err = idField(text(formEnd), "+"); err != nil {
		return out, formEnd, err
	}
	if out.Count, err = countField(text(formCount)); err != nil {
		return out, formCount, err
	}
	// A consumer's name is taken as it was typed: blanks may belong to it.
	out.Consumer = f.fields[formConsumer].text()
	return out, 0, nil
}

// idleField takes milliseconds as XPENDING does, or a duration with its unit: "5000", "5s".
func idleField(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		if ms < 0 || ms > int64(maxIdle/time.Millisecond) {
			return 0, errors.New("0 ms to 10 years")
		}
		return time.Duration(ms) * time.Millisecond, nil
	}
	idle, err := time.ParseDuration(text)
	if err != nil || idle < 0 || idle > maxIdle {
		return 0, errors.New(`milliseconds, or a duration like "5s"`)
	}
	return idle.Truncate(time.Millisecond), nil
}

// maxIdle is longer than any entry was pending; a longer time is a slip of the finger.
const maxIdle = 10 * 365 * 24 * time.Hour

// idField takes an end of XPENDING's range: "-", "+", "ms", "ms-seq", "(" before an id leaves it out (6.2). whole is
// the end that takes all in, which is the same as "".
func idField(text, whole string) (string, error) {
	if text == "" || text == whole {
		return "", nil
	}
	if text == "-" || text == "+" {
		return text, nil
	}
	ms, seq, pair := strings.Cut(strings.TrimPrefix(text, "("), "-")
	if !pair {
		seq = "0"
	}
	if _, err := strconv.ParseUint(ms, 10, 64); err != nil {
		return "", errors.New("an id like 1764365984740-0, - or +")
	}
	if _, err := strconv.ParseUint(seq, 10, 64); err != nil {
		return "", errors.New("an id like 1764365984740-0, - or +")
	}
	return text, nil
}

func countField(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostRows {
		return 0, errors.New("1 to " + strconv.Itoa(mostRows))
	}
	return n, nil
}

// command is the XPENDING of the present filter: what the form makes while it is open and right, else what the last
// reading sent.
func (p *pendingPane) command(d *data) []string {
	if d.good == nil {
		return nil
	}
	sent := d.good.Pending.Command
	filter := p.inForce(d)
	if p.form.open {
		typed, _, err := p.form.filter()
		if err != nil {
			return nil
		}
		filter = typed
	}
	if filter == d.good.Pending.Filter && len(sent) > 0 {
		return sent
	}
	return redisq.PendingCommand(d.good.Queue, filter, defaultCount(d.good.Pending))
}

// usualCount is how many rows the observer asks for where a reading did not tell.
const usualCount = 50

// defaultCount is how many rows are read where the form has no count, as seen in the command of a reading.
func defaultCount(page redisq.PendingPage) int {
	if page.Filter.Count > 0 {
		return usualCount
	}
	at := 5
	if len(page.Command) > 3 && strings.EqualFold(page.Command[3], "IDLE") {
		at = 7
	}
	if at < len(page.Command) {
		if n, err := strconv.Atoi(page.Command[at]); err == nil && n > 0 {
			return n
		}
	}
	return usualCount
}

// formLines draws the form: the fields, and under them the command that they make.
func (p *pendingPane) formLines(d *data, width int) []string {
	t := d.look.theme
	f := p.inForce(d)
	shown := [formFields]string{formIdle: "any", formStart: "-", formEnd: "+", formCount: "", formConsumer: "any"}
	if d.good != nil {
		shown[formCount] = strconv.Itoa(defaultCount(d.good.Pending))
	}
	for i, s := range [formFields]string{"", f.Start, f.End, "", f.Consumer} {
		if s != "" {
			shown[i] = clean(s)
		}
	}
	if f.MinIdle > 0 {
		shown[formIdle] = strconv.FormatInt(f.MinIdle.Milliseconds(), 10)
	}
	if f.Count > 0 {
		shown[formCount] = strconv.Itoa(f.Count)
	}
	line := ""
	// Equal shares, the ids a little more: they are the long ones.
	share := max((width-len("IDLE  start  end  count  consumer ")-formFields)/(formFields+2), 3)
	for i, name := range formNames {
		w := share
		if i == formStart || i == formEnd {
			w = 2 * share
		}
		value := cell.Pad(shown[i], w)
		if p.form.open {
			value = p.form.fields[i].draw(d, w, i == p.form.at)
		}
		label := t.Label
		if p.form.open && i == p.form.at {
			label = t.Accent
		}
		line += label.On(name) + " " + t.Value.On(value) + " "
	}
	return []string{cell.Pad(line, width), p.commandLine(d, width)}
}

// commandLine is what the form makes, or what is wrong with it.
func (p *pendingPane) commandLine(d *data, width int) string {
	t := d.look.theme
	if p.form.wrong != "" && p.form.open {
		return t.Bad.On(cell.Pad(p.form.wrong, width))
	}
	cmd := p.command(d)
	if cmd == nil {
		return t.Dim.On(cell.Pad(d.look.glyphs.Ellipsis, width))
	}
	text := clean(redisq.RedisCLI(cmd))
	hint := ""
	switch {
	case p.form.open:
		hint = "   enter apply  tab next  esc leave it"
	case p.asked != nil:
		hint = "   from the next reading on"
	case p.inForce(d).MinIdle > 0 && d.good.Pending.More:
		hint = "   read in pages without IDLE; only the first ones of the range were looked at: narrow it"
	case p.inForce(d).MinIdle > 0:
		hint = "   read in pages: with IDLE the server would look at all of them at once"
	}
	return cell.Pad(t.Accent.On(text)+t.Dim.On(hint), width)
}
