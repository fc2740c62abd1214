package ui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui/cell"
)

// help is every key, every state of the verdict with its threshold, and the words. It is made from the bindings and
// from the conditions themselves.
type help struct {
	top    int
	most   int // the last top that there is
	height int // drawn last
}

func newHelp(*data) *help { return &help{} }

func (*help) title(*Model) string { return "Help" }

func (h *help) size(_ *Model, width, height int) (int, int) { return min(width, 110), height }

func (h *help) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	page := max(h.height-1, 1)
	switch {
	case key.Matches(k, m.keys.Help):
		return nil, true
	case key.Matches(k, m.keys.Pause, m.keys.Open): // as a pager has it
		h.top = min(h.top+page, h.most)
	default:
		h.top, _ = moved(m.keys, k, h.top, page, h.most)
	}
	return nil, false
}

func (*help) help(k KeyMap) []key.Binding {
	return []key.Binding{k.Up, k.Down, k.PageDown, says(k.Back, "close")}
}

func (h *help) lines(m *Model, width, height int) []string {
	all := helpLines(m.d, width)
	h.height, h.most = height, max(len(all)-height, 0)
	h.top = max(min(h.top, h.most), 0)
	shown := all[h.top:min(h.top+height, len(all))]
	out := make([]string, len(shown))
	copy(out, shown)
	if h.top < h.most && len(out) > 0 {
		more := " " + keyOf(m.keys.Down, "down") + " " + strconv.Itoa(h.most-h.top) + " more lines "
		out[len(out)-1] = cell.PadLeft(m.d.look.theme.Accent.On(more), width)
	}
	return out
}

// keyLine is a key of the help, or two that belong together, with what it does.
type keyLine struct {
	keys  []key.Binding
	does  string
	apart []string // what each does, where the palette lists them one by one; nil is does
}

type keyGroup struct {
	name  string
	lines []keyLine
}

// keyGroups are the keys by what they are for.
func keyGroups(k KeyMap) []keyGroup {
	on := func(does string, keys ...key.Binding) keyLine { return keyLine{keys: keys, does: does} }
	two := func(does, first, second string, a, b key.Binding) keyLine {
		return keyLine{[]key.Binding{a, b}, does, []string{first, second}}
	}
	views := make([]keyLine, len(k.Views))
	for i, v := range k.Views {
		views[i] = keyLine{[]key.Binding{v}, v.Help().Desc, []string{"go to this view"}}
	}
	return []keyGroup{
		{"The selected worker", []keyLine{
			on("SIGKILL, at once", k.Kill),
			on("SIGKILL at a point of your choice", k.KillAt),
			on("stop after the message in hand, or start", k.StopStart),
			on("one more worker", k.AddWorker),
		}},
		{"Load", []keyLine{
			on("+"+strconv.Itoa(burst)+" orders", k.AddLoad),
			on("one order that no retry can mail", k.AddPoison),
			two("more or fewer orders a second", "more orders a second", "fewer orders a second", k.RateUp, k.RateDown),
		}},
		{"Acting", []keyLine{
			on("a menu of what can be done", k.Act),
			two("mark the row, or all that are shown", "mark the row", "mark all rows that are shown", k.Mark, k.MarkAll),
			on("replay the marked dead letters", k.Replay),
			on("replay all, or all that are shown", k.ReplayAll),
			on("dead letters by their reason", k.Fold),
			on("bring discarded letters back", k.Undo),
		}},
		{"Decisions", []keyLine{
			on("what queue.add() hides, as switches", k.Decisions),
		}},
		{"Experiments", []keyLine{
			on("play one of them, with its verdict", k.Experiments),
			on("the next step, while one plays", k.Pause),
			on("by itself, or wait after each step", k.Pace),
			on("end it", k.Back),
		}},
		{"Views", views},
		{"Moving", []keyLine{
			two("next pane, pane before", "go to the next pane", "go to the pane before", k.NextPane, k.PrevPane),
			two("up, down", "a row up", "a row down", k.Up, k.Down),
			two("left, right", "a column to the left, the answer before", "a column to the right, the next answer", k.Left, k.Right),
			two("a page up, down", "a page up", "a page down", k.PageUp, k.PageDown),
			two("first, last", "to the first row", "to the last row", k.Home, k.End),
			two("open what is selected, go back", "open what is selected", "close what is open, go back", k.Open, k.Back),
		}},
		{"Looking closer", []keyLine{
			on("filter the rows", k.Filter),
			on("sort them by another column", k.Sort),
			on("the XPENDING form, in view pending", k.Form),
			on("count all pending entries, or all dead letters", k.Sweep),
			on("text, JSON or hex of a message", k.Format),
			on("where a figure comes from", k.Explain),
			on("copy, as redis-cli takes it", k.Copy),
			on("write an opened message to a file", k.Save),
		}},
		{"The screen", []keyLine{
			on("hold the screen, the work goes on", k.Pause),
			on("how often Redis is read", k.Interval),
			on("this help", k.Help),
			on("every action by name", k.Palette),
			on("large, for a projector, keys shown", k.Present),
			two("a shorter or longer time axis", "a shorter time axis", "a longer time axis", k.ZoomIn, k.ZoomOut),
			on("suspend", k.Suspend),
			two("quit; quit at once, whatever is open", "quit", "quit at once, whatever is open", k.Quit, k.ForceQuit),
		}},
	}
}

// words are explained in the help, in the order in which a message meets them.
var words = [][2]string{
	{"entry", "a message in the stream, named by its id: milliseconds and a number"},
	{"undelivered", "entries that the group has not been given yet"},
	{"pending", "given to a consumer, and not acked: the PEL; nobody has said done yet"},
	{"backlog", "undelivered and pending together; for a list, its length"},
	{"idle", "time since a pending entry was last given to somebody, or its heartbeat"},
	{"lease", "idle time after which another consumer may claim a pending entry"},
	{"claim", "to take over a pending entry of another consumer: one more delivery"},
	{"deliveries", "how often an entry was given out; a delivery is not a failure"},
	{"ack", "the consumer says done: the entry leaves the PEL, and stays in the stream"},
	{"dead letter", "a message that was given up: moved to another stream, with the reason"},
	{"replay", "a dead letter is put back to work, as a new entry with its old fields"},
	{"ghost", "a pending entry whose body is gone"},
	{"?", "not known; the reason stands beside it. 1000+ is a lower bound"},
}

// Widths in the help.
const (
	helpGap = 4  // between columns
	helpKey = 13 // of the keys at most

	twoColumns = 100 // the width from which keys stand in two columns
)

// helpLines is the whole help for a width.
func helpLines(d *data, width int) []string {
	t := d.look.theme
	var lines []string
	title := func(text string) {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, t.Title.On(text))
	}
	columns := 1
	if width >= twoColumns {
		columns = 2
	}
	each := (width - helpGap*(columns-1)) / columns
	groups := keyGroups(d.keys)
	if d.watch != nil {
		groups = watchKeyGroups(d.keys)
	}
	lines = append(lines, inColumns(keyBlocks(groups), t, each, columns)...)
	title("The verdict: the worst that holds comes first")
	for _, c := range conditionsOf(d) {
		if c.when == "" {
			continue
		}
		lines = append(lines, described(c.word, c.when, wordStyle(t, c.level, t.Text), 16, width)...)
	}
	title("Words")
	for _, w := range words {
		lines = append(lines, described(w[0], w[1], t.Accent, 16, width)...)
	}
	return lines
}

// described is a word with its explanation beside it, on as many lines as that takes.
func described(word, text string, style cell.Style, left, width int) []string {
	var lines []string
	for i, line := range wrapWords(text, max(width-left-1, 10), 4) {
		head := cell.Spaces(left)
		if i == 0 {
			head = style.On(cell.Pad(word, left))
		}
		lines = append(lines, " "+head+line)
	}
	return lines
}

// keyBlock is a group of keys as the help draws it.
type keyBlock struct {
	name  string
	lines [][2]string // keys, what they do
}

// height is its lines with its name and the free line after it.
func (b keyBlock) height() int { return len(b.lines) + 2 }

// keyBlocks are the groups without keys that are not bound.
func keyBlocks(groups []keyGroup) []keyBlock {
	blocks := make([]keyBlock, len(groups))
	for i, group := range groups {
		blocks[i].name = group.name
		for _, line := range group.lines {
			names := make([]string, 0, 2)
			for _, b := range line.keys {
				if name := b.Help().Key; name != "" {
					names = append(names, name)
				}
			}
			if len(names) > 0 {
				blocks[i].lines = append(blocks[i].lines, [2]string{strings.Join(names, " "), line.does})
			}
		}
	}
	return blocks
}

// inColumns shares blocks among columns of about the same length, in their order, each so wide. The keys of a column get
// the cells that they need.
func inColumns(blocks []keyBlock, t *cell.Theme, width, columns int) []string {
	total := 0
	for _, b := range blocks {
		total += b.height()
	}
	cols, heights := make([][]keyBlock, columns), make([]int, columns)
	at := 0
	for _, b := range blocks {
		if at < columns-1 && heights[at]+b.height()/2 > total/columns {
			at++
		}
		cols[at] = append(cols[at], b)
		heights[at] += b.height()
	}
	lines := make([]string, slices.Max(heights))
	for c, column := range cols {
		keys := 0
		for _, b := range column {
			for _, line := range b.lines {
				keys = max(keys, min(cell.Width(line[0]), helpKey))
			}
		}
		var drawn []string
		for _, b := range column {
			drawn = append(drawn, t.Title.On(b.name))
			for _, line := range b.lines {
				drawn = append(drawn, " "+t.Key.On(cell.Pad(line[0], keys))+"  "+line[1])
			}
			drawn = append(drawn, "")
		}
		for i := range lines {
			text := ""
			if i < len(drawn) {
				text = drawn[i]
			}
			if c > 0 {
				lines[i] += cell.Spaces(helpGap)
			}
			lines[i] += cell.Pad(text, width)
		}
	}
	return lines
}
