package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/ui/cell"
)

// doctorPane is what the doctor finds, worst first, and of the one under the cursor the evidence and the commands that
// mend it.
type doctorPane struct {
	compact bool
	list    list
	rows    []doctor.Finding
	seen    bool // something was looked at
	scroll  int  // of the text about the finding under the cursor
	about   string
	touched bool // the cursor was moved
	hidden  int  // lines of it that did not fit when it was drawn last
}

const (
	docSeverity = iota
	docCode
	docText
)

func newDoctorPane(compact bool) *doctorPane {
	p := &doctorPane{compact: compact, list: newList([]column{
		docSeverity: {title: "SEVERITY", min: 8},
		docCode:     {title: "FINDING", min: 15, want: 17},
		docText:     {title: "WHAT", min: 10, grow: true, drop: 1},
	})}
	if compact {
		p.list.header = false
		p.list.cols[docSeverity].min = 4
		p.list.cols[docCode].min, p.list.cols[docCode].want = 14, 15
	}
	return p
}

func (p *doctorPane) Name() string { return "Doctor" }

func (p *doctorPane) Title(d *data) string {
	switch {
	case !p.seen:
		return "Doctor"
	case d.isList():
		return "Doctor" + dot(d) + "for streams only"
	case len(p.rows) == 0:
		return "Doctor" + dot(d) + "nothing is wrong"
	}
	return "Doctor " + p.list.count()
}

func (p *doctorPane) Data(d *data) {
	p.seen = d.last.Doctor != nil
	p.rows = d.findings()
	if !p.touched {
		p.list.sel, p.list.cursor = "", 0 // the worst, until somebody looks at another
	}
	p.list.set(rows{
		n:  len(p.rows),
		id: func(row int) string { return findingID(&p.rows[row]) },
		cells: func(row int) []string {
			f := &p.rows[row]
			text := clean(f.Text)
			severity := string(f.Severity)
			if p.compact {
				severity = severity[:4]
			}
			return []string{docSeverity: severity, docCode: string(f.Code), docText: text}
		},
	}, d.now)
}

// findingID names a finding from one look to the next.
func findingID(f *doctor.Finding) string {
	return string(f.Code) + "\x00" + f.Stream + "\x00" + f.Group + "\x00" + f.Consumer
}

func (p *doctorPane) paint(d *data) painter {
	return func(row, col int, text string) (string, cell.Style) {
		if col == docText {
			return text, d.look.theme.Text
		}
		return text, severityStyle(d.look.theme, p.rows[row].Severity)
	}
}

func severityStyle(t *cell.Theme, s doctor.Severity) cell.Style {
	switch s {
	case doctor.Critical:
		return t.Bad
	case doctor.Warning:
		return t.Warn
	}
	return t.Accent
}

func (p *doctorPane) Lines(d *data, width, height int, focused bool) []string {
	if height <= 0 {
		return nil
	}
	if len(p.rows) == 0 {
		return paragraph(d, p.quiet(d), width, height)
	}
	fresh := *d // findings have their own time
	fresh.stale = d.last.Doctor.Err != nil
	if p.compact {
		return p.list.lines(&fresh, width, height, focused, p.paint(d))
	}
	about := p.aboutLines(d, width)
	tall := min(len(p.list.ids)+1, max(height/3, 4), height)
	if p.list.filter.shown() {
		tall = min(tall+1, height)
	}
	if rest := height - tall - 1; rest < len(about) {
		tall = max(min(tall, height-len(about)-1), min(3, height))
	}
	out := p.list.lines(&fresh, width, tall, focused, p.paint(d))
	room := height - len(out) - 1
	if room < 1 {
		return exactly(out, width, height)
	}
	out = append(out, d.look.theme.Border.On(cell.Repeat(d.look.glyphs.Horizontal, width)))
	if p.about != p.list.sel {
		p.about, p.scroll = p.list.sel, 0
	}
	p.hidden = max(len(about)-room, 0)
	p.scroll = max(0, min(p.scroll, p.hidden))
	shown := exactly(about[p.scroll:], width, room)
	if below := p.hidden - p.scroll; below > 0 {
		more := " " + keyOf(d.keys.PageDown, "pgdn") + " " + many(int64(below), "more line") + " "
		shown[room-1] = d.look.theme.Dim.On(cell.PadLeft(more, width))
	}
	return append(out, shown...)
}

// quiet says why there are no findings.
func (p *doctorPane) quiet(d *data) []string {
	doc := d.last.Doctor
	switch {
	case d.isList():
		return []string{"The doctor looks at groups of a stream. What is popped off a list is known to nobody: there is nothing to look at."}
	case doc == nil:
		return []string{"The doctor has not looked yet."}
	case doc.Err != nil:
		return []string{"The doctor could not look: " + clean(doc.Err.Error())}
	}
	text := "Nothing is wrong, as far as the readings show"
	if doc.Watched >= time.Second {
		text += " (watched for " + durText(doc.Watched) + ")"
	}
	return []string{text + ".", "Late is what is pending for more than " + durText(d.lease()) + "."}
}

// aboutLines tells of the finding under the cursor.
func (p *doctorPane) aboutLines(d *data, width int) []string {
	at, ok := p.list.at()
	if !ok {
		return nil
	}
	t, f := d.look.theme, &p.rows[at]
	var out []string
	add := func(style cell.Style, indent int, text string) {
		for _, line := range wrap(text, max(width-indent-1, 1)) {
			out = append(out, cell.Pad(cell.Spaces(indent)+style.On(line), width))
		}
	}
	where := strings.Join(filled3(f.Stream, f.Group, f.Consumer), " "+d.look.glyphs.Into+" ")
	out = append(out, cell.Pad(" "+severityStyle(t, f.Severity).On(string(f.Severity)+" "+string(f.Code))+"  "+t.Accent.On(where), width))
	add(t.Text, 1, cleanLong(f.Text))
	if len(f.Evidence) > 0 {
		add(t.Label, 1, "Evidence")
		var facts []string
		for _, fact := range f.Evidence {
			name := strings.ReplaceAll(strings.TrimSuffix(fact.Name, "_ms"), "_", " ")
			facts = append(facts, clean(name)+" "+factText(fact))
		}
		add(t.Dim, 3, strings.Join(facts, dot(d)))
	}
	if n := len(f.IDs); n > 0 {
		ids := make([]string, min(n, 6))
		for i := range ids {
			ids[i] = clean(f.IDs[i])
		}
		text := "Entries " + strings.Join(ids, ", ")
		if n > len(ids) {
			text += " and " + strconv.Itoa(n-len(ids)) + " more"
		}
		add(t.Dim, 1, text)
	}
	for _, r := range f.Remedies {
		text := cleanLong(r.Text)
		if does := d.doesIt(f, r); does != "" {
			text += " [" + does + "]"
		}
		add(t.Label, 1, text)
		for _, c := range r.Commands {
			add(t.Accent, 3, cleanLong(redisq.RedisCLI(c)))
		}
	}
	return out
}

func filled3(names ...string) []string {
	var out []string
	for _, n := range names {
		if n != "" {
			out = append(out, clean(n))
		}
	}
	return out
}

// factText is a fact's value for a person.
func factText(f doctor.Fact) string {
	ms := strings.HasSuffix(f.Name, "_ms")
	switch v := f.Value.(type) {
	case redisq.Number:
		if ms && v.Known {
			return durText(time.Duration(v.Value) * time.Millisecond)
		}
		return numText(v)
	case int64:
		if ms {
			return durText(time.Duration(v) * time.Millisecond)
		}
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		if v == "" {
			return "none"
		}
		return clean(v)
	case []string:
		names := make([]string, len(v))
		for i := range v {
			names[i] = clean(v[i])
		}
		return listed(names, fewNames)
	}
	return clean(fmt.Sprint(f.Value))
}

func (p *doctorPane) Key(d *data, k tea.KeyMsg) (tea.Cmd, bool) {
	if !p.compact && !p.list.filter.open && !k.Paste && len(p.rows) > 0 {
		switch {
		case key.Matches(k, d.keys.PageDown):
			p.scroll = min(p.scroll+3, p.hidden)
			return nil, true
		case key.Matches(k, d.keys.PageUp):
			p.scroll = max(p.scroll-3, 0)
			return nil, true
		}
	}
	if p.list.key(d, k) {
		p.touched = true
		return nil, true
	}
	if k.Paste || !key.Matches(k, d.keys.Copy) {
		return nil, false
	}
	at, ok := p.list.at()
	if !ok {
		return copied(d, ""), true
	}
	for _, r := range p.rows[at].Remedies {
		if len(r.Commands) > 0 {
			return copied(d, commandLines(r.Commands)), true
		}
	}
	return said("this finding has no command to copy", true), true
}

func (p *doctorPane) Help(d *data) []key.Binding {
	return append(actHelp(d, says(d.keys.Act, "mend it")), says(d.keys.Copy, "copy the remedy"), d.keys.Up, d.keys.Down, d.keys.Filter)
}

func (p *doctorPane) Capturing() bool { return p.list.filter.open }

// Selected returns the id of the finding under the cursor.
func (p *doctorPane) Selected() string { return p.list.sel }
