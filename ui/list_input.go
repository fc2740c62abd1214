package ui

import (
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
)

// inputLimit bounds, in runes, what can be typed or pasted into an input.
const inputLimit = 200

// input is a line of text being typed. The zero input is empty. The keys are those of bubbles' text input; it is drawn
// here, so that what was pasted is made harmless and the width is exact.
type input struct {
	m     textinput.Model
	ready bool
}

func (in *input) model() *textinput.Model {
	if !in.ready {
		in.m = textinput.New()
		in.m.CharLimit = inputLimit
		in.m.Focus()                      // takes keys; the blinking that it asks for is not wanted
		in.m.KeyMap.Paste = key.Binding{} // would run a program to look at the clipboard
		in.ready = true
	}
	return &in.m
}

func (in *input) text() string {
	if !in.ready {
		return ""
	}
	return in.m.Value()
}

func (in *input) set(text string) {
	in.model().SetValue(text)
	in.model().CursorEnd()
}

// key edits the text. A paste becomes one line.
func (in *input) key(k tea.KeyMsg) {
	m, _ := in.model().Update(k)
	in.m = m
}

// draw returns the text in exactly width cells, with a bar at the cursor where the input is active.
func (in *input) draw(d *data, width int, active bool) string {
	text := []rune(in.text())
	if !active {
		return cell.Pad(clean(string(text)), width)
	}
	pos := max(0, min(in.model().Position(), len(text)))
	before, after := clean(string(text[:pos])), clean(string(text[pos:]))
	// The cursor stays in sight: what is too far to its left is cut off.
	for from := 0; cell.Width(before) > max(width-1, 0) && from < pos; {
		from++
		before = clean(string(text[from:pos]))
	}
	return cell.Pad(before+d.look.theme.Accent.On(d.look.glyphs.Vertical)+after, width)
}
