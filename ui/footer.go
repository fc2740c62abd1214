package ui

import (
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
)

// tell puts a notice on its line.
func (m *Model) tell(n notice) {
	m.note, m.noteEnd = n, time.Time{}
	if !n.bad {
		m.noteEnd = m.d.now.Add(noticeFor)
	}
}

func (m *Model) say(text string) { m.tell(notice{text: text}) }

func (m *Model) complain(text string) { m.tell(notice{text: text, bad: true}) }

// noteLines is the notice and the last command in n lines; where there is not room for both, the notice comes first.
func (m *Model) noteLines(n int) []string {
	lines := m.noticeLines(n)
	if len(lines) < n && (n > 1 || len(lines) == 0) {
		for len(lines) < n-1 {
			lines = append(lines, cell.Spaces(m.width))
		}
		lines = append(lines, m.commandLine())
	}
	return lines
}

const noticeIndent = 3

// noticeHeight is how many lines the notice wants.
func (m *Model) noticeHeight() int {
	return len(wrapWords(m.note.text, m.width-noticeIndent-1, noticeMost))
}

const noticeMost = 3

func (m *Model) noticeLines(most int) []string {
	if m.note.text == "" {
		return nil
	}
	t, g := m.d.look.theme, m.d.look.glyphs
	style, bullet := t.Accent, g.Into
	if m.note.bad {
		style, bullet = t.Bad, g.Warning
	}
	lines := wrapWords(m.note.text, m.width-noticeIndent-1, min(most, noticeMost))
	for i := range lines {
		lines[i] = style.On(cell.Pad(" "+cell.Pad(bullet, noticeIndent-1)+lines[i], m.width))
		bullet = ""
	}
	return lines
}

// commandLine is the last command that changed something, as redis-cli takes it. What a person did stays for a while,
// though the producer goes on.
func (m *Model) commandLine() string {
	t := m.d.look.theme
	args := lastCommand(m.d)
	if args == nil {
		return cell.Spaces(m.width)
	}
	label := "(last command)"
	room := max(m.width-len(label)-3, 0)
	line := " " + cell.Pad(clean(redisq.RedisCLI(args)), room)
	return t.Dim.On(cell.Pad(line+" "+label, m.width))
}

const (
	actionClient = "action"         // the name under which what a person did stands in the command log
	actionFor    = 10 * time.Second // it is shown for that long
)

// lastCommand is the command to show, nil where there is none.
func lastCommand(d *data) []string {
	all := d.last.Commands
	write := -1
	for i := len(all) - 1; i >= 0; i-- {
		if !changes(all[i].Args) {
			continue
		}
		if all[i].Client == actionClient && d.now.Sub(all[i].At) < actionFor {
			return all[i].Args
		}
		if write < 0 {
			write = i
		}
	}
	switch {
	case write >= 0:
		return all[write].Args
	case len(all) > 0:
		return all[len(all)-1].Args
	}
	return nil
}

// changes says whether a command changes a key, as far as this program sends it.
func changes(args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch strings.ToUpper(args[0]) {
	case "XADD", "XACK", "XCLAIM", "XAUTOCLAIM", "XDEL", "XTRIM", "XGROUP", "XREADGROUP", "LPUSH", "BRPOP", "LTRIM", "SET", "DEL", "UNLINK":
		return true
	}
	return false
}

// keyBar is the last line: the keys that mean something now, as many as fit. Help and quit are always there.
func (m *Model) keyBar() string {
	t := m.d.look.theme
	var bar parts
	ends := []key.Binding{m.keys.Help, m.keys.Quit}
	if m.dialog != nil {
		ends = nil
	}
	room := m.width - 1
	for _, b := range ends {
		room -= bindingWidth(b)
	}
	off := m.dialog == nil && m.d.actsOff() != ""
	add := func(b key.Binding) {
		name, does := t.Key, t.KeyHelp
		if off && m.keys.acting(b) {
			name, does = t.Dim, t.Dim
		}
		bar.add(" "+b.Help().Key, name)
		bar.add(" "+b.Help().Desc+" ", does)
	}
	for _, b := range m.bindings() {
		if !b.Enabled() || b.Help().Key == "" || bar.width+bindingWidth(b) > room {
			continue
		}
		add(b)
	}
	for _, b := range ends {
		add(b)
	}
	return cell.Pad(bar.b.String(), m.width)
}

func bindingWidth(b key.Binding) int {
	return cell.Width(b.Help().Key) + cell.Width(b.Help().Desc) + 3
}

// bindings lists what means something now, the most important first.
func (m *Model) bindings() []key.Binding {
	k := m.keys
	if m.dialog != nil {
		return unique(m.dialog.help(k), k)
	}
	p := m.focused()
	if p.Capturing() {
		return unique(p.Help(m.d), k)
	}
	if m.play != nil {
		return unique(m.playBindings(), k)
	}
	if m.watcher != nil {
		return unique(m.watchBindings(p), k)
	}
	var all []key.Binding
	w, ok := m.d.worker(m.d.chosen)
	switch {
	case ok && w.Alive():
		all = append(all, says(k.Kill, "kill "+clean(w.Name)))
	case ok:
		all = append(all, says(k.StopStart, "start "+clean(w.Name)))
	}
	all = append(all, k.AddLoad)
	if m.d.good != nil && m.d.good.Dead.Length.Value > 0 {
		all = append(all, k.Replay)
	}
	all = append(all, k.Decisions)
	if m.stage != nil {
		all = append(all, k.Experiments)
	}
	all = append(all, k.AddWorker)
	if ok && w.Alive() {
		all = append(all, k.KillAt)
	}
	all = append(all, p.Help(m.d)...)
	if m.view == 0 && m.detail == nil {
		all = append(all, k.NextPane)
	} else {
		all = append(all, k.Back)
	}
	all = append(all, viewsBinding(k)...)
	rate := key.NewBinding(key.WithKeys("rate"), key.WithHelp(k.RateUp.Help().Key+k.RateDown.Help().Key, "rate"))
	all = append(all, k.Palette, k.Pause, rate, k.AddPoison, k.ReplayAll, k.Interval)
	return unique(all, k)
}

// viewsBinding is the keys of the views as one.
func viewsBinding(k KeyMap) []key.Binding {
	n := len(k.Views)
	if n < 2 {
		return nil
	}
	return []key.Binding{key.NewBinding(key.WithKeys("views"),
		key.WithHelp(k.Views[0].Help().Key+"-"+k.Views[n-1].Help().Key, "views"))}
}

// says returns a binding with other words in the key bar.
func says(b key.Binding, text string) key.Binding {
	b.SetHelp(b.Help().Key, text)
	return b
}

// unique drops bindings that stand there already, and makes one each of up and down, left and right.
func unique(all []key.Binding, k KeyMap) []key.Binding {
	pairs := []struct {
		one, other key.Binding
		does       string
	}{{k.Up, k.Down, "move"}, {k.Left, k.Right, "column"}}
	seen := make(map[string]bool, len(all))
	kept := make([]key.Binding, 0, len(all))
next:
	for _, b := range all {
		h := b.Help().Key
		if seen[h] {
			continue
		}
		seen[h] = true
		for _, p := range pairs {
			if one, other := p.one.Help().Key, p.other.Help().Key; h == one || h == other {
				if seen[one] && seen[other] {
					kept = append(kept, key.NewBinding(key.WithKeys(one, other), key.WithHelp(one+other, p.does)))
				}
				continue next
			}
		}
		kept = append(kept, b)
	}
	return kept
}
