package ui

// Sizes, in cells. Every computation of where something goes is in this file.
const (
	minWidth  = 60 // smaller is not drawn
	minHeight = 15

	mediumWidth  = 100 // from here panes stand side by side
	mediumHeight = 30
	largeWidth   = 160 // from here an opened message stands beside its list, and the event log beside the rest
	largeHeight  = 46

	verdictHeight = 2
	leftShare     = 40 // percent of the width for the left column
	leftMost      = 64 // cells
	sinkHeight    = 10 // with its border
	eventsHeight  = 4  // least, with its border
	workersLeast  = 5  // with its border
	tableLeast    = 5  // with its border
	smallFigures  = 5  // rows of the figures under mediumHeight where there is room, marks and axis counted
	smallRoomy    = 22 // height from which the small layout has charts
)

// slot is a pane and the lines that it gets, border counted.
type slot struct {
	pane   pane
	height int
}

// column is panes one over the other.
type stack struct {
	width int
	slots []slot
}

// layout says how many lines everything gets. Its parts stand one under the other in this order, after the header.
type layout struct {
	width, height int
	figures       int  // lines of the figures, 1 is the bare line
	strip         bool // the workers in one line
	body          []stack
	bodyHeight    int
	present       presentation
	notes         int // lines of the notice and the last command, which share one line where it is one
}

// medium says that there is room for panes side by side.
func (m *Model) medium() bool { return m.width >= mediumWidth && m.height >= mediumHeight }

func (m *Model) large() bool { return m.width >= largeWidth && m.height >= largeHeight }

func (m *Model) tooSmall() bool { return m.width < minWidth || m.height < minHeight }

// arrange lays the screen out for its size and for what is opened.
func (m *Model) arrange() layout {
	if m.present {
		return m.arrangePresent()
	}
	l := layout{width: m.width, height: m.height, notes: max(m.noticeHeight(), 1)}
	if m.medium() {
		l.notes = max(l.notes, 2)
	}
	if m.browsing() {
		l.bodyHeight = l.height - 1 - verdictHeight - l.notes - 1
		l.body = []stack{{m.width, []slot{{m.chooser, l.bodyHeight}}}}
		return l
	}
	overview := m.view == 0 && m.detail == nil
	l.strip = m.watcher != nil || !overview || !m.medium() && m.focus != m.first
	switch {
	case !overview && !m.large(), !m.medium() && m.height < smallRoomy:
		l.figures = 1
	case !m.medium():
		l.figures = smallFigures
	default:
		l.figures = m.figures.wanted(m.large())
	}
	if overview && !m.medium() && m.focus == pane(m.figures) {
		l.figures = 1 // they have the body
	}
	l.bodyHeight = l.height - 1 - verdictHeight - m.narrationLines() - l.figures - l.notes - 1
	if l.strip {
		l.bodyHeight--
	}
	switch {
	case overview && m.medium():
		l.body = m.overview(l.bodyHeight)
	case m.detail != nil && m.view != 0 && m.width >= largeWidth:
		left := m.width * leftShare / 100
		l.body = []stack{
			{left, []slot{{m.views[m.view-1], l.bodyHeight}}},
			{m.width - left, []slot{{m.detail, l.bodyHeight}}},
		}
	case overview && m.focus == m.first && l.bodyHeight >= m.firstHeight()+tableLeast:
		// Room under the few workers is the pending entries'.
		h := m.firstHeight()
		l.body = []stack{{m.width, []slot{{m.first, h}, {m.pending, l.bodyHeight - h}}}}
	default:
		l.body = []stack{{m.width, []slot{{m.focused(), l.bodyHeight}}}}
	}
	return l
}

// firstHeight is what the workers like to have, with their border.
func (m *Model) firstHeight() int {
	if members, ok := m.first.(*membersPane); ok {
		return members.height()
	}
	return max(len(m.d.state().Workers), 1) + 2
}

// overview shares the body among the panes of the overview.
func (m *Model) overview(height int) []stack {
	left := min(m.width*leftShare/100, leftMost)
	workers := min(m.firstHeight(), max(height-sinkHeight-eventsHeight, workersLeast))
	sink := min(sinkHeight, height-workers)
	events := height - workers - sink
	if events < eventsHeight {
		workers, events = workers+events, 0
	}
	leftSlots := []slot{{m.first, workers}, {m.second, sink}}
	if events > 0 {
		leftSlots = append(leftSlots, slot{m.events, events})
	}
	right := []slot{{m.pending, height - height*2/5}, {m.dead, height * 2 / 5}}
	if m.large() {
		third := height / 3
		right = []slot{{m.pending, height - 2*third}, {m.dead, third}, {m.views[commandsView-1], third}}
	}
	return []stack{{left, leftSlots}, {m.width - left, right}}
}
