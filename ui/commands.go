package ui

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
)

// commandsPane is every command that the dashboard sent, newest last. It follows the newest until the cursor is moved
// up, and again from the last row on.
type commandsPane struct {
	list list
	rows []redisq.Command
	ids  []string
}

const (
	cmdTime = iota
	cmdTook
	cmdClient
	cmdText
	cmdError
)

func newCommandsPane() pane {
	p := &commandsPane{list: newList([]column{
		cmdTime:   {title: "TIME", min: 12, drop: 3},
		cmdTook:   {title: "TOOK", min: 9, right: true, drop: 4},
		cmdClient: {title: "CLIENT", min: 8, most: 12, drop: 5},
		cmdText:   {title: "COMMAND", min: 12, grow: true},
		cmdError:  {title: "ERROR", min: 5, most: 36, drop: 2},
	})}
	p.list.follow = true
	return p
}

func (p *commandsPane) Name() string { return "Commands" }

func (p *commandsPane) Title(d *data) string {
	title := "Commands " + p.list.count()
	switch newer := len(p.list.ids) - 1 - p.list.cursor; {
	case len(p.list.ids) == 0:
		return title
	case newer > 0:
		return title + dot(d) + "held at the cursor, " + strconv.Itoa(newer) + " newer"
	}
	return title + dot(d) + "following the newest"
}

func (p *commandsPane) Data(d *data) {
	p.rows = d.last.Commands
	p.ids = commandIDs(p.rows)
	p.list.set(rows{
		n:     len(p.rows),
		id:    func(row int) string { return p.ids[row] },
		cells: func(row int) []string { return commandCells(p.rows[row]) },
	}, d.now)
}

// commandIDs names commands so that one keeps its name while older ones drop out: by its time, client and text, for
// commands of one pipeline have the same time, and by its place among those that are the same in all.
func commandIDs(rows []redisq.Command) []string {
	ids := make([]string, len(rows))
	same, last := 0, ""
	for i, c := range rows {
		id := strconv.FormatInt(c.At.UnixNano(), 36) + " " + c.Client + " " + strings.Join(c.Args, " ")
		if id == last {
			same++
			ids[i] = id + "/" + strconv.Itoa(same)
			continue
		}
		same, last, ids[i] = 0, id, id
	}
	return ids
}

func commandCells(c redisq.Command) []string {
	return []string{
		cmdTime:   stamp(c.At),
		cmdTook:   tookText(c.Took),
		cmdClient: clean(c.Client),
		cmdText:   clean(redisq.RedisCLI(c.Args)),
		cmdError:  clean(c.Err),
	}
}

// tookText is a round trip: "0.41 ms".
func tookText(d time.Duration) string {
	ms := float64(max(d, 0)) / float64(time.Millisecond)
	switch {
	case ms < 100:
		return strconv.FormatFloat(ms, 'f', 2, 64) + " ms"
	case ms < 10_000:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	}
	return durShort(d)
}

func (p *commandsPane) paint(d *data) painter {
	t := d.look.theme
	return func(row, col int, text string) (string, cell.Style) {
		switch {
		case p.rows[row].Err != "" && (col == cmdText || col == cmdError):
			return text, t.Bad
		case col != cmdText:
			return text, t.Dim
		}
		return text, t.Text
	}
}

func (p *commandsPane) Lines(d *data, width, height int, focused bool) []string {
	if len(p.rows) == 0 {
		return paragraph(d, []string{"No command was sent yet."}, width, height)
	}
	// The commands are what was sent, whatever came of it: they are never stale.
	fresh := *d
	fresh.stale = false
	return p.list.lines(&fresh, width, height, focused, p.paint(d))
}

func (p *commandsPane) Key(d *data, k tea.KeyMsg) (tea.Cmd, bool) {
	if p.list.key(d, k) {
		return nil, true
	}
	if k.Paste || !key.Matches(k, d.keys.Copy) {
		return nil, false
	}
	row, ok := p.list.at()
	switch {
	case !ok:
		return copied(d, ""), true
	case shortened(p.rows[row]):
		return said("not copied: an argument is so long that the log holds only its beginning", true), true
	}
	return copied(d, redisq.RedisCLI(p.rows[row].Args)), true
}

func (p *commandsPane) Help(d *data) []key.Binding {
	return []key.Binding{d.keys.Up, d.keys.End, d.keys.Filter, d.keys.Copy}
}

func (p *commandsPane) Capturing() bool { return p.list.filter.open }

// shortened says that the log cut an argument, as redisq marks it: "…(+12 bytes)". Such a command is none to send.
func shortened(c redisq.Command) bool {
	for _, a := range c.Args {
		if at := strings.LastIndex(a, "…(+"); at >= 0 && strings.HasSuffix(a[at:], " bytes)") {
			return true
		}
	}
	return false
}

// commandLines is what a copy of several commands looks like: one a line.
func commandLines(cmds [][]string) string {
	lines := make([]string, len(cmds))
	for i, c := range cmds {
		lines[i] = redisq.RedisCLI(c)
	}
	return strings.Join(lines, "\n")
}
