package ui

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// The panes' tests share one moment: a reading of 10:00:08.2 and a screen half a second later.
var (
	readAt = time.Date(2026, 3, 1, 10, 0, 8, 200e6, time.UTC)
	nowAt  = readAt.Add(500 * time.Millisecond)
)

// idAt is an automatic entry id of that many seconds before the reading.
func idAt(secondsBefore float64) string {
	at := readAt.Add(-time.Duration(secondsBefore * float64(time.Second)))
	return strconv.FormatInt(at.UnixMilli(), 10) + "-0"
}

func paneKeys() KeyMap {
	bind := func(keys ...string) key.Binding { return key.NewBinding(key.WithKeys(keys...)) }
	return KeyMap{
		Up: bind("up", "k"), Down: bind("down", "j"), Left: bind("left"), Right: bind("right"),
		PageUp: bind("pgup"), PageDown: bind("pgdown"), Home: bind("home"), End: bind("end"),
		Open: bind("enter"), Back: bind("esc"), Filter: bind("/"), Sort: bind("o"), Form: bind("f"),
		Format: bind("t"), Copy: bind("y"),
	}
}

// paneData is a lab with three workers, w2 killed, on a plain terminal.
func paneData(s *redisq.Snapshot) *data {
	dec := lab.Defaults()
	return &data{
		now:  nowAt,
		good: s,
		last: lab.Update{Snapshot: s, State: &lab.State{At: readAt, Decisions: dec, Workers: []workers.State{
			{Name: "w1", PID: 4711, Phase: workers.PhaseWorking, ID: idAt(1), Order: "31", Done: 12, Since: readAt},
			{Name: "w2", PID: 4712, Phase: workers.PhaseKilled, ID: idAt(8.2), Order: "30", Done: 9, Failed: 1},
			{Name: "w3", PID: 4713, Phase: workers.PhaseWaiting, Done: 11, Restarts: 2, Since: readAt.Add(-3 * time.Second)},
		}}},
		look: &look{theme: &cell.Theme{}, glyphs: cell.Unicode()},
		keys: paneKeys(),
	}
}

func coloured(d *data) *data {
	d.look.theme = cell.NewTheme(true, termenv.TrueColor)
	return d
}

// mails are the fields of an order's message.
func mails(order string) []redisq.Field {
	return []redisq.Field{{Name: "order", Value: order}, {Name: "to", Value: "customer" + order + "@shop.example"}}
}

// pendingSnapshot has a message of w2's killed process, one in the hand of w1, and one of another program's consumer
// that is past its lease.
func pendingSnapshot() *redisq.Snapshot {
	row := func(before float64, order, consumer string, idle time.Duration, deliveries int64) redisq.PendingEntry {
		return redisq.PendingEntry{
			Entry: redisq.Entry{ID: idAt(before), Fields: mails(order)}, Consumer: consumer, Idle: idle, Deliveries: deliveries,
			Age: redisq.Exact(int64(before*1000), redisq.Derived),
		}
	}
	return &redisq.Snapshot{
		At: readAt, Generation: 7,
		Queue:  redisq.NewQueue("emails", "mailers"),
		Stream: redisq.StreamFigures{Length: redisq.Exact(40, redisq.FromServer), Added: redisq.Exact(40, redisq.FromServer), TopID: idAt(0.2), FirstID: idAt(60)},
		Group: redisq.GroupFigures{
			LastDelivered: idAt(1),
			Pending:       redisq.Exact(3, redisq.FromServer), Undelivered: redisq.Exact(2, redisq.FromServer),
			Backlog: redisq.Exact(5, redisq.Derived), OldestIdle: redisq.Exact(6000, redisq.Derived),
			MaxDeliveries: redisq.Exact(4, redisq.Derived),
			Consumers: []redisq.Consumer{
				{Name: "w1", Pending: 1, Idle: redisq.Exact(120, redisq.FromServer), Inactive: redisq.Exact(1000, redisq.FromServer)},
				{Name: "w2", Pending: 1, Idle: redisq.Exact(4100, redisq.FromServer), Inactive: redisq.Exact(4100, redisq.FromServer)},
				{Name: "w3", Pending: 1, Idle: redisq.Exact(40, redisq.FromServer), Inactive: redisq.Unknown(redisq.NeverActive)},
				{Name: "other", Pending: 1, Idle: redisq.Exact(6000, redisq.FromServer), Inactive: redisq.Exact(90_000, redisq.FromServer)},
			},
		},
		Pending: redisq.PendingPage{
			Command: []string{"XPENDING", "emails", "mailers", "-", "+", "50"},
			Rows: []redisq.PendingEntry{
				row(62, "12", "other", 6*time.Second, 4),
				row(8.2, "30", "w2", 4100*time.Millisecond, 2),
				row(1, "31", "w1", 100*time.Millisecond, 1),
			},
			ByConsumer: []redisq.Consumer{{Name: "other", Pending: 1}, {Name: "w1", Pending: 1}, {Name: "w2", Pending: 1}},
			Histogram:  []int64{1, 1, 0, 1, 0},
		},
		Dead: redisq.DeadPage{Length: redisq.Exact(3, redisq.FromServer), Rows: []redisq.DeadLetter{
			{ID: idAt(40), Foreign: true, Fields: []redisq.Field{{Name: "what", Value: "ever"}}},
			{
				ID: idAt(30), Stream: "emails", Group: "mailers", Original: idAt(50), Deliveries: 5, Consumer: "w1",
				Reason: "550 5.1.1 no such user", At: readAt.Add(-30 * time.Second),
				Fields: []redisq.Field{{Name: "order", Value: "17"}, {Name: "to", Value: "bad@nowhere.invalid"}},
			},
			{
				ID: idAt(12), Stream: "emails", Group: "mailers", Original: idAt(50), Deliveries: 5, Replays: 2, Consumer: "w3",
				Reason: "550 5.1.1 no such user", At: readAt.Add(-12 * time.Second),
				Fields: []redisq.Field{{Name: "order", Value: "17"}, {Name: "to", Value: "bad@nowhere.invalid"}},
			},
		}},
	}
}

// plainCells is the painter of a list without styles.
func plainCells(_, _ int, text string) (string, cell.Style) { return text, cell.Style{} }

// press gives a pane keys by their names and returns the command of the last one.
func press(t *testing.T, p pane, d *data, keys ...string) tea.Cmd {
	t.Helper()
	var cmd tea.Cmd
	for _, k := range keys {
		var taken bool
		if cmd, taken = p.Key(d, keyMsg(k)); !taken {
			t.Fatalf("%s did not take the key %q", p.Name(), k)
		}
	}
	return cmd
}

func keyMsg(name string) tea.KeyMsg {
	named := map[string]tea.KeyType{
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp,
		"pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "enter": tea.KeyEnter, "esc": tea.KeyEsc,
		"tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "backspace": tea.KeyBackspace, "ctrl+u": tea.KeyCtrlU,
	}
	if k, ok := named[name]; ok {
		return tea.KeyMsg{Type: k}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// typed gives a pane a text rune by rune.
func typed(t *testing.T, p pane, d *data, text string) {
	t.Helper()
	for _, r := range text {
		press(t, p, d, string(r))
	}
}

// paneScreen draws a pane with the blanks at the line ends cut off.
func paneScreen(p pane, d *data, width, height int) string {
	lines := p.Lines(d, width, height, true)
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// wantPane compares a drawn pane with a text that begins with a line end.
func wantPane(t *testing.T, p pane, d *data, width, height int, want string) {
	t.Helper()
	want = strings.TrimRight(strings.TrimPrefix(want, "\n"), "\n")
	if got := paneScreen(p, d, width, height); got != want {
		t.Errorf("%s at %dx%d:\n%s\nwant\n%s", p.Name(), width, height, got, want)
	}
}

// paneLab is a Lab that may only be called while a command runs: run opens it.
type paneLab struct {
	t     *testing.T
	open  bool
	calls []string
}

func (l *paneLab) note(call string) {
	l.t.Helper()
	if !l.open {
		l.t.Errorf("the lab was called outside a command: %s", call)
	}
	l.calls = append(l.calls, call)
}

func (l *paneLab) Kill(worker string, at workers.CrashPoint) error {
	l.note("kill " + worker + " " + string(at))
	return nil
}
func (l *paneLab) AddWorker() (string, error)       { l.note("add worker"); return "", nil }
func (l *paneLab) StopWorker(name string) error     { l.note("stop " + name); return nil }
func (l *paneLab) StartWorker(name string) error    { l.note("start " + name); return nil }
func (l *paneLab) AddLoad(int, bool) lab.Load       { l.note("load"); return lab.Load{} }
func (l *paneLab) Decide(lab.Decisions)             { l.note("decide") }
func (l *paneLab) Watch(id string)                  { l.note("watch " + id) }
func (l *paneLab) SetInterval(time.Duration)        { l.note("interval") }
func (l *paneLab) SetFilter(f redisq.PendingFilter) { l.note(fmt.Sprintf("filter %+v", f)) }
func (l *paneLab) Plan(context.Context, redisq.Queue, desk.Wish) (desk.Plan, error) {
	l.note("plan")
	return desk.Plan{}, nil
}

func (l *paneLab) Rights(context.Context, redisq.Queue) (desk.Rights, error) {
	l.note("rights")
	return nil, nil
}

// run runs a command and returns its message.
func (l *paneLab) run(cmd tea.Cmd) tea.Msg {
	l.t.Helper()
	if cmd == nil {
		l.t.Fatal("there is no command")
	}
	l.open = true
	defer func() { l.open = false }()
	return cmd()
}
