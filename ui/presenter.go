package ui

import (
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
)

// The presenter's mode is for a projector: a large verdict and figures, few panes, and the keys as they are pressed.

// Sizes of the presenter's mode, in cells.
const (
	presentHigh    = 32 // from here letters are large, where they fit
	presentMiddle  = 20 // from here there are big letters at all
	presentGap     = 5  // between the figures: more than between the digits of one, so that two are never read as one
	presentWide    = 9  // the same between large ones
	pressedFor     = 5 * time.Second
	pressedMost    = 8
	presentColumns = 100 // from here panes stand side by side
	presentSecond  = 8   // least lines of what became of the work, border counted: the mails up to those never sent
	presentChart   = 14  // most lines of the chart, border counted
)

// presented are the figures of the presenter's mode, as far as they fit.
var presented = []int{rowBacklog, rowPending, rowDone, rowDead, rowIn, rowOldest}

// pressed is a key that was pressed, with what it means.
type pressed struct {
	at        time.Time
	key, does string
}

// togglePresent turns the presenter's mode on or off.
func (m *Model) togglePresent() {
	m.present = !m.present
	if !m.present {
		m.pressed = nil
	}
}

// press keeps a key for the presenter's mode. What is typed into an input is nobody's business.
func (m *Model) press(k tea.KeyMsg) {
	_, typed := m.dialog.(typing)
	if !m.present || k.Paste || typed || m.dialog == nil && m.focused().Capturing() {
		return
	}
	p := pressed{at: m.d.now, key: clean(k.String())}
	for _, n := range m.keys.Named() {
		if key.Matches(k, *n.Binding) {
			p.key, p.does = n.Binding.Help().Key, n.Binding.Help().Desc
			break
		}
	}
	if k.Type == tea.KeyRunes && p.does == "" {
		return
	}
	m.pressed = append(m.pressed, p)
	m.pressed = m.pressed[max(len(m.pressed)-pressedMost, 0):]
}

// pressedLine is the keys of the last seconds, the newest last.
func (m *Model) pressedLine() string {
	t := m.d.look.theme
	var line parts
	line.add(" ", t.Text)
	from := len(m.pressed)
	room := m.width - 1
	for from > 0 && m.d.now.Sub(m.pressed[from-1].at) < pressedFor {
		need := cell.Width(m.pressed[from-1].key) + cell.Width(m.pressed[from-1].does) + 6
		if room < need {
			break
		}
		room -= need
		from--
	}
	for _, p := range m.pressed[from:] {
		name := " " + p.key + " "
		if m.d.plain {
			name = "[" + p.key + "]"
		}
		line.add(name, t.VerdictGood)
		line.add(" "+p.does+"   ", t.Value)
	}
	return cell.Pad(line.b.String(), m.width)
}

// presentation is how the presenter's mode shares the screen.
type presentation struct {
	word, figures           bool // big letters
	largeWord, largeFigures bool
	top                     int // lines above the body
}

func (m *Model) presentation() presentation {
	g := m.d.look.glyphs
	var p presentation
	p.top = 1 + verdictHeight + m.narrationLines() + 1
	if m.height < presentMiddle {
		return p
	}
	p.figures, p.largeFigures = true, m.height >= presentHigh && m.width >= presentColumns
	_, h := cell.BigSize("0", p.largeFigures, g)
	p.top += h // the names of the figures stand in the line that was counted, and a line stays free below
	p.top++
	word := verdict(m.d).word
	w, h := cell.BigSize(word, true, g)
	p.word, p.largeWord = true, m.height >= presentHigh && w < m.width
	if !p.largeWord {
		w, h = cell.BigSize(word, false, g)
		p.word = w < m.width && m.height >= p.top+h+1+presentBody
	}
	if p.word {
		p.top += h + 1
	}
	return p
}

// presentBody is the least lines that panes have under big letters, border counted.
const presentBody = 6

// arrangePresent lays the presenter's screen out.
func (m *Model) arrangePresent() layout {
	l := layout{width: m.width, height: m.height, notes: max(m.noticeHeight(), 1), present: m.presentation()}
	l.bodyHeight = max(l.height-l.present.top-l.notes-2, 0)
	switch overview := m.view == 0 && m.detail == nil && !m.browsing(); {
	case !overview:
		l.body = []stack{{m.width, []slot{{m.focused(), l.bodyHeight}}}}
	case m.width >= presentColumns:
		l.body = m.presentBeside(l.bodyHeight)
	case m.focus == m.first && l.bodyHeight >= m.firstHeight()+tableLeast:
		h := m.firstHeight()
		l.body = []stack{{m.width, []slot{{m.first, h}, {m.pending, l.bodyHeight - h}}}}
	default:
		l.body = []stack{{m.width, []slot{{m.focus, l.bodyHeight}}}}
	}
	return l
}

// presentBeside is two columns: on the left who works, what became of the work, and what happened; on the right what is
// pending, or the pane that has the focus, and a figure on its time axis. What there is no room for is left out.
func (m *Model) presentBeside(height int) []stack {
	left, right := m.first, m.pending
	if m.focus != m.first && m.focus != m.second {
		right = m.focus
	}
	first := m.firstHeight()
	leftSlots := []slot{{left, height}}
	if rest := height - first; rest >= presentSecond {
		h := min(rest, sinkHeight)
		leftSlots = []slot{{left, height - h}, {m.second, h}}
		if rest -= sinkHeight; rest >= presentBody {
			leftSlots = []slot{{left, first}, {m.second, sinkHeight}, {m.events, rest}}
		}
	}
	rightSlots := []slot{{right, height}}
	if h := min(height/2, presentChart); h >= presentBody && right != pane(m.figures) {
		rightSlots = []slot{{right, height - h}, {tallChart{m.figures}, h}}
	}
	w := min(m.width*leftShare/100, leftMost)
	return []stack{{w, leftSlots}, {m.width - w, rightSlots}}
}

// presentTop draws what stands above the panes in the presenter's mode, but for the header.
func (m *Model) presentTop(p presentation) []string {
	t, g := m.d.look.theme, m.d.look.glyphs
	var lines []string
	if p.word {
		first := verdict(m.d)
		style := levelStyle(t, first.level)
		switch first.level {
		case levelGood:
			style = t.Good
		case levelWarn:
			style = t.Warn
		}
		for _, line := range cell.Big(first.word, p.largeWord, g) {
			lines = append(lines, style.On(cell.Pad("  "+line, m.width)))
		}
		lines = append(lines, "")
	}
	lines = append(lines, verdictLines(m.d, m.width)...)
	lines = append(lines, m.narration()...)
	if !p.figures {
		return append(lines, figuresLine(m.d, m.width))
	}
	return append(lines, m.bigFigures(p.largeFigures)...)
}

// bigFigures is as many figures as fit, each with its name above it, and a free line.
func (m *Model) bigFigures(large bool) []string {
	t, g := m.d.look.theme, m.d.look.glyphs
	_, height := cell.BigSize("", large, g)
	rows := make([]strings.Builder, height+1)
	room := m.width - 2 // and what is left of it after the last gap
	between := presentGap
	if large {
		between = presentWide
	}
	for i := range rows {
		rows[i].WriteString("  ")
	}
	for _, at := range presented {
		f := figures[at]
		text, _ := f.value(m.d)
		name, text := f.name, strings.ReplaceAll(text, " ", "")
		if number, rate := strings.CutSuffix(text, "/s"); rate {
			name, text = name+" a second", number
		}
		w, _ := cell.BigSize(text, large, g)
		w = max(w, cell.Width(name))
		if w > room {
			break
		}
		room -= w + between
		gap := cell.Spaces(min(between, room+between))
		rows[0].WriteString(t.Label.On(cell.Pad(name, w)) + gap)
		for i, line := range cell.Big(text, large, g) {
			rows[i+1].WriteString(valueStyle(m.d, at).On(cell.Pad(line, w)) + gap)
		}
	}
	lines := make([]string, 0, height+2)
	for i := range rows {
		lines = append(lines, cell.Pad(rows[i].String(), m.width))
	}
	return append(lines, cell.Spaces(m.width))
}
