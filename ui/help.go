package ui

import (
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
	keys []key.Binding
	does string
}

type keyGroup struct {
	name  string
	lines []keyLine
}

// keyGroups are the keys by what they are for.
func keyGroups(k KeyMap) []keyGroup {
	on := func(does string, keys ...key.Binding) keyLine { return keyLine{keys, does} }
	views := make([]keyLine, len(k.Views))
	for i, v := range k.Views {
		views[i] = on(v.Help().Desc, v)
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
			on("more or fewer orders a second", k.RateUp, k.RateDown),
		}},
		{"Acting", []keyLine{
			on("a menu of what can be done", k.Act),
			on("mark the row, or all that are shown", k.Mark, k.MarkAll),
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
			on("next pane, pane before", k.NextPane, k.PrevPane),
			on("up, down", k.Up, k.Down),
			on("left, right", k.Left, k.Right),
			on("a page up, down", k.PageUp, k.PageDown),
			on("first, last", k.Home, k.End),
			on("open what is selected, go back", k.Open, k.Back),
		}},
		{"Looking closer", []keyLine{
			on("filter the rows", k.Filter),
			on("sort them by another column", k.Sort),
			on("the XPENDING form, in the view of pending", k.Form),
			on("count all pending entries, a page at a time", k.Sweep),
			on("text, JSON or hex, in an opened message", k.Format),
			on("where a figure comes from", k.Explain),
			on("copy, as redis-cli takes it", k.Copy),
			on("write an opened message to a file", k.Save),
		}},
		{"The screen", []keyLine{
			on("hold the screen still, the work goes on", k.Pause),
			on("how often Redis is read", k.Interval),
			on("this help", k.Help),
			on("every action by name", k.Palette),
			on("large, for a projector, with the keys that you press", k.Present),
			on("a shorter or longer time axis", k.ZoomIn, k.ZoomOut),
			on("suspend", k.Suspend),
			on("quit, also in the middle of something", k.Quit, k.ForceQuit),
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
	helpKey = 13 // of the keys

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
	var blocks [][]string
	groups := keyGroups(d.keys)
	if d.watch != nil {
		groups = watchKeyGroups(d.keys)
	}
	for _, group := range groups {
		block := []string{t.Title.On(group.name)}
		for _, line := range group.lines {
			names := make([]string, 0, 2)
			for _, b := range line.keys {
				if name := b.Help().Key; name != "" {
					names = append(names, name)
				}
			}
			if len(names) > 0 {
				block = append(block, cell.Pad(" "+t.Key.On(cell.Pad(strings.Join(names, " "), helpKey))+" "+line.does, each))
			}
		}
		blocks = append(blocks, append(block, ""))
	}
	lines = append(lines, inColumns(blocks, each, columns)...)
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

// inColumns shares blocks among columns of about the same length, in their order.
func inColumns(blocks [][]string, width, columns int) []string {
	total := 0
	for _, b := range blocks {
		total += len(b)
	}
	cols := make([][]string, columns)
	at := 0
	for _, b := range blocks {
		if at < columns-1 && len(cols[at])+len(b)/2 > total/columns {
			at++
		}
		cols[at] = append(cols[at], b...)
	}
	rows := 0
	for _, c := range cols {
		rows = max(rows, len(c))
	}
	lines := make([]string, rows)
	for i := range lines {
		var b strings.Builder
		for c := range cols {
			text := ""
			if i < len(cols[c]) {
				text = cols[c][i]
			}
			if c > 0 {
				b.WriteString(cell.Spaces(helpGap))
			}
			b.WriteString(cell.Pad(text, width))
		}
		lines[i] = b.String()
	}
	return lines
}
