package ui

import (
	"math"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
)

// paragraph draws sentences, wrapped, in exactly height lines of exactly width cells.
func paragraph(d *data, sentences []string, width, height int) []string {
	if height <= 0 {
		return nil
	}
	out := make([]string, 0, height)
	for _, s := range sentences {
		for _, line := range wrap(s, max(width-2, 0)) {
			out = append(out, d.look.theme.Dim.On(cell.Pad(" "+line, width)))
		}
	}
	return exactly(out, width, height)
}

// exactly cuts or fills lines to height; the lines are width cells wide already.
func exactly(lines []string, width, height int) []string {
	if height <= 0 {
		return nil
	}
	if len(lines) > height {
		lines = lines[:height]
	}
	blank := cell.Spaces(width)
	for len(lines) < height {
		lines = append(lines, blank)
	}
	return lines
}

// wrap breaks harmless text into lines of at most width cells, at blanks where it can: an id or the name of a key is not
// taken apart. A width under 1 gives nothing.
func wrap(text string, width int) []string { return wrapWords(text, width, math.MaxInt) }

// wrapWords is wrap into at most so many lines; what is left is cut off at the end of the last.
func wrapWords(text string, width, most int) []string {
	if width <= 0 || most <= 0 {
		return nil
	}
	var lines []string
	for len(lines) < most-1 {
		line, rest := cell.Break(text, width)
		if rest == "" {
			break
		}
		lines = append(lines, line)
		text = rest
	}
	return append(lines, cell.Cut(text, width))
}

// nothingIn says why a pane has no rows: what could not be read, what is missing, or that there is nothing. It returns
// nil where there are rows.
func nothingIn(d *data, panel string, rows int, quiet string) []string {
	if rows > 0 {
		return nil
	}
	if d.good == nil {
		if s := d.last.Snapshot; s != nil && s.Err != nil {
			return []string{"Nothing was read yet: " + clean(s.Err.Error())}
		}
		return []string{"Nothing was read yet."}
	}
	if problems := problemsIn(d, panel); len(problems) > 0 {
		return problems
	}
	q := d.good.Queue
	switch {
	case panel == "dead":
	case d.good.Stream.WrongType != "":
		return []string{"The key " + clean(q.Stream) + " is no stream: it is a " + clean(d.good.Stream.WrongType) + "."}
	case d.good.Stream.Missing:
		return []string{"There is no stream " + clean(q.Stream) + " yet."}
	case d.good.Group.Missing:
		return []string{"The stream " + clean(q.Stream) + " has no group " + clean(q.Group) + "."}
	}
	return []string{quiet}
}

// problemsIn lists what the last good reading could not tell of a panel.
func problemsIn(d *data, panel string) []string {
	if d.good == nil {
		return nil
	}
	var out []string
	for _, p := range d.good.Problems {
		if p.Panel == panel {
			out = append(out, clean(p.Text))
		}
	}
	return out
}

// problemLines draws the problems of a panel above its rows: one line each, and never so many that no rows are left.
func problemLines(d *data, panel string, width, height int) []string {
	var out []string
	for _, p := range problemsIn(d, panel) {
		if len(out) >= min(2, height-3) {
			break
		}
		out = append(out, d.look.theme.Warn.On(cell.Pad(d.look.glyphs.Warning+" "+p, width)))
	}
	return out
}

// dot joins the parts of a line.
func dot(d *data) string { return " " + d.look.glyphs.Bullet + " " }

// opened asks the root for the detail of a message.
func opened(kind, id string) tea.Cmd {
	if id == "" {
		return said("nothing is selected", true)
	}
	return func() tea.Msg { return openMsg{kind, id} }
}

// said is a command that only brings a notice.
func said(text string, bad bool) tea.Cmd {
	return func() tea.Msg { return notice{text: text, bad: bad} }
}

// copied puts text into the clipboard.
func copied(d *data, text string) tea.Cmd {
	switch {
	case text == "":
		return said("there is nothing to copy", true)
	case d.clipboard == nil:
		return said("no clipboard here: "+clean(text), true)
	}
	return d.clipboard(text)
}
