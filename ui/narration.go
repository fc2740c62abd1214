package ui

import (
	"strconv"
	"time"

	"example.com/unacked/ui/cell"
)

// The narration is narrationHeight lines, and one when the result stands over the rest.
const (
	narrationHeight = 3
	narrationWide   = 110 // from here what is done and what to look at have a line each
)

// narrationLines is how many lines the narration has now.
func (m *Model) narrationLines() int {
	switch {
	case m.play == nil:
		return 0
	case m.play.result != nil:
		return 1
	}
	return narrationHeight
}

// narration is what is said of the experiment that plays: which step, what is done, what to look at, and the keys.
func (m *Model) narration() []string {
	p := m.play
	if p == nil {
		return nil
	}
	lines := []string{m.narrationHead()}
	if p.result == nil {
		lines = append(lines, m.narrationText()...)
	}
	for len(lines) < m.narrationLines() {
		lines = append(lines, "")
	}
	for i := range lines {
		lines[i] = cell.Pad(lines[i], m.width)
	}
	return lines
}

func (m *Model) narrationHead() string {
	p, t := m.play, m.d.look.theme
	name := " " + p.experiment.Name + " "
	if m.d.plain {
		name = "[" + p.experiment.Name + "]"
	}
	at := ""
	switch {
	case p.result != nil:
		at = holdsText(p.result.Holds())
	case p.step.N > 0:
		at = "step " + strconv.Itoa(p.step.N) + " of " + strconv.Itoa(p.step.Of)
	}
	var head parts
	head.add(" ", t.Text)
	head.add(name, t.Selected)
	head.add("  "+at, t.Accent)
	for _, hint := range m.narrationHints() {
		if gap := m.width - head.width - cell.Width(hint) - 1; gap >= 2 {
			return head.b.String() + cell.Spaces(gap) + t.Key.On(hint)
		}
	}
	return head.b.String()
}

func holdsText(holds bool) string {
	if holds {
		return "holds"
	}
	return "does not hold"
}

// narrationHints are what the keys do now, the longest first.
func (m *Model) narrationHints() []string {
	p, k, dot := m.play, m.keys, " "+m.d.look.glyphs.Bullet+" "
	esc := keyOf(k.Back, "esc") + " ends"
	if m.detail != nil || m.view > 0 {
		esc = keyOf(k.Back, "esc") + " back"
	}
	on, pace := keyOf(k.Pause, "space")+" goes on", keyOf(k.Pace, "p")
	switch {
	case p.leaving:
		return []string{"the demonstration comes back " + m.d.look.glyphs.Ellipsis, ""}
	case p.result != nil:
		return []string{keyOf(k.Pause, "space") + " goes back"}
	case m.d.held:
		return []string{keyOf(k.Pause, "space") + " shows it again" + dot + esc, esc}
	case !p.waiting:
		return []string{"being done " + m.d.look.glyphs.Ellipsis + dot + esc, esc}
	case m.stepwise:
		return []string{on + dot + pace + " by itself" + dot + esc, on + dot + esc, on}
	}
	in := " in " + strconv.Itoa(int((max(p.until.Sub(m.d.now), 0)+time.Second-1)/time.Second)) + " s"
	return []string{on + ", by itself" + in + dot + pace + " waits" + dot + esc, on + in + dot + esc, on}
}

// narrationText is the sentence, or what was done and what to look at, each on a line of its own.
func (m *Model) narrationText() []string {
	const indent = 3
	p, t, g := m.play, m.d.look.theme, m.d.look.glyphs
	width := m.width - indent - 1
	text := p.text()
	switch {
	case p.leaving:
		text = "It is taken down: its workers, its mail sink and its keys."
	case p.step.N == 0:
		text = p.experiment.Title + ". Its own lab starts " + g.Ellipsis
	case m.width >= narrationWide && text != p.step.Say:
		return []string{
			cell.Spaces(indent) + t.Dim.On(cell.Cut(p.step.Say, width)),
			" " + t.Accent.On(g.Into) + " " + t.Value.On(cell.Cut(text, width)),
		}
	}
	lines := wrapWords(text, width, narrationHeight-1)
	for i, line := range lines {
		head := cell.Spaces(indent)
		if i == 0 {
			head = " " + t.Accent.On(g.Into) + " "
		}
		lines[i] = head + t.Value.On(line)
	}
	return lines
}
