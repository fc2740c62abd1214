package ui

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// testKeys are keys as package main binds them; the tests press what stands here.
func testKeys() KeyMap {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	return KeyMap{
		Kill: bind("x", "kill", "x"), KillAt: bind("X", "kill at…", "X"), AddWorker: bind("a", "add worker", "a"),
		StopStart: bind("s", "stop/start", "s"), AddLoad: bind("l", "+load", "l"), AddPoison: bind("b", "+bad order", "b"),
		RateUp: bind("+", "rate up", "+"), RateDown: bind("-", "rate down", "-"), Replay: bind("r", "replay", "r"), Act: bind(".", "act…", "."), Mark: bind("v", "mark", "v"), MarkAll: bind("V", "mark all", "V"),
		Fold: bind("z", "same reason", "z"), Undo: bind("u", "undo discard", "u"),
		ReplayAll: bind("R", "replay all", "R"), Decisions: bind("d", "decisions", "d"),
		Experiments: bind("m", "experiments", "m", "M"), Pace: bind("p", "by itself/wait", "p"),
		Views: []key.Binding{
			bind("1", "overview", "1"), bind("2", "pending", "2"), bind("3", "consumers", "3"),
			bind("4", "dead letters", "4"), bind("5", "commands", "5"),
		},
		NextPane: bind("tab", "pane", "tab"), PrevPane: bind("shift+tab", "pane back", "shift+tab"),
		Up: bind("↑", "up", "up", "k"), Down: bind("↓", "down", "down", "j"), Left: bind("←", "left", "left", "h"),
		Right: bind("→", "right", "right"), PageUp: bind("pgup", "page up", "pgup"), PageDown: bind("pgdn", "page down", "pgdown"),
		Home: bind("home", "first", "home", "g"), End: bind("end", "last", "end", "G"), Open: bind("enter", "open", "enter"),
		Back: bind("esc", "back", "esc"), Filter: bind("/", "filter", "/"), Sort: bind("o", "sort", "o"),
		Form: bind("f", "XPENDING form", "f"), Format: bind("t", "text/JSON/hex", "t"), Explain: bind("e", "explain", "e"),
		Copy: bind("y", "copy", "y"), Pause: bind("space", "hold the screen", " "), Interval: bind("i", "read every", "i"),
		Help: bind("?", "help", "?"), Palette: bind(":", "actions", ":"),
		Present: bind("P", "presenter", "P"), ZoomIn: bind("[", "zoom in", "["), ZoomOut: bind("]", "zoom out", "]"),
		Suspend: bind("ctrl+z", "suspend", "ctrl+z"), Quit: bind("q", "quit", "q", "Q"),
		ForceQuit: bind("ctrl+c", "quit now", "ctrl+c"),
	}
}

// fakeLab writes down what it is asked. A call while the model is in Update or View is a fault.
type fakeLab struct {
	t       *testing.T
	mu      sync.Mutex
	inside  bool
	calls   []string
	fail    error
	plan    redisq.Plan
	skipped []redisq.Skipped
	rights  desk.Rights
	looks   int // how often the rights were asked for
	wished  desk.Wish
	last    lab.Decisions
	load    *lab.Load // what becomes of added load; nil is that all is accepted
}

func (f *fakeLab) note(call string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inside {
		f.t.Errorf("%s was called inside of Update or View", call)
	}
	f.calls = append(f.calls, call)
	return f.fail
}

func (f *fakeLab) Kill(name string, at workers.CrashPoint) error {
	return f.note("Kill " + name + " " + string(at))
}
func (f *fakeLab) AddWorker() (string, error)   { return "w4", f.note("AddWorker") }
func (f *fakeLab) StopWorker(name string) error { return f.note("StopWorker " + name) }
func (f *fakeLab) StartWorker(name string) error {
	return f.note("StartWorker " + name)
}

func (f *fakeLab) AddLoad(n int, bad bool) lab.Load {
	if bad {
		_ = f.note("AddLoad bad")
	} else {
		_ = f.note("AddLoad " + many(int64(n), "order"))
	}
	if f.load != nil {
		return *f.load
	}
	return lab.Load{Sent: n, Accepted: n}
}

func (f *fakeLab) Decide(d lab.Decisions) {
	_ = f.note("Decide")
	f.last = d
}

func (f *fakeLab) Plan(_ context.Context, q redisq.Queue, w desk.Wish) (desk.Plan, error) {
	err := f.note("Plan " + wishText(q, w))
	f.wished = w
	return desk.Plan{Plan: f.plan, Wish: w, DryRun: w.DryRun, Skipped: f.skipped}, err
}

func (f *fakeLab) Rights(context.Context, redisq.Queue) (desk.Rights, error) {
	f.looks++
	return f.rights, nil
}

func (f *fakeLab) Watch(id string)                  { _ = f.note("Watch " + id) }
func (f *fakeLab) SetFilter(p redisq.PendingFilter) { _ = f.note("SetFilter " + p.Consumer) }
func (f *fakeLab) SetInterval(d time.Duration)      { _ = f.note("SetInterval " + d.String()) }

// expect checks the calls since the last time, and forgets them.
func (f *fakeLab) expect(calls ...string) {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.calls, calls) {
		f.t.Errorf("the lab was asked %q, should be %q", f.calls, calls)
	}
	f.calls = nil
}

// stage is a model under test, with its commands run at once.
type stage struct {
	t    *testing.T
	m    *Model
	lab  *fakeLab
	quit bool
	// later runs commands beside the test instead of at once: for those that wait for one another.
	later func(tea.Cmd)
}

func newStage(t *testing.T, width, height int) *stage {
	return newStageWith(t, width, height, Options{})
}

func newStageWith(t *testing.T, width, height int, o Options) *stage {
	t.Helper()
	s := &stage{t: t, lab: &fakeLab{t: t}}
	s.lab.plan = redisq.Plan{
		Title: "Replay 1 dead letter", Commands: [][]string{{"XADD", "q", "*", "order", "9"}, {"XDEL", "q:dead", "1-0"}},
		Effects: []string{"order 9 goes back to work"}, Count: 1,
	}
	o.Keys, o.Lab, o.Still = testKeys(), s.lab, true
	if o.Theme == nil {
		o.Theme = cell.NewTheme(true, termenv.Ascii)
	}
	if o.Now == nil {
		o.Now = func() time.Time { return sampleNow }
	}
	s.m = New(o)
	t.Cleanup(s.m.Close)
	s.run(s.m.Init())
	s.send(tea.WindowSizeMsg{Width: width, Height: height})
	return s
}

// send gives the model a message and runs what it asks for, until nothing is asked.
func (s *stage) send(msg tea.Msg) {
	s.t.Helper()
	s.lab.inside = true
	_, cmd := s.m.Update(msg)
	s.m.View()
	s.lab.inside = false
	s.run(cmd)
}

func (s *stage) run(cmd tea.Cmd) {
	s.t.Helper()
	if cmd == nil {
		return
	}
	if s.later != nil {
		s.later(cmd)
		return
	}
	s.did(cmd())
}

// did takes what a command came back with.
func (s *stage) did(msg tea.Msg) {
	s.t.Helper()
	switch msg := msg.(type) {
	case nil:
	case tea.QuitMsg:
		s.quit = true
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	default:
		// tea.Sequence has a type of its own that nobody else can name.
		if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
			for i := range v.Len() {
				s.run(v.Index(i).Interface().(tea.Cmd))
			}
			return
		}
		s.send(msg)
	}
}

// press presses keys by their names: "x", "enter", "shift+tab", "space".
func (s *stage) press(names ...string) {
	s.t.Helper()
	for _, name := range names {
		s.send(keyNamed(name))
	}
}

func keyNamed(name string) tea.KeyMsg {
	for _, k := range []tea.KeyType{
		tea.KeyEnter, tea.KeyEsc, tea.KeyTab, tea.KeyShiftTab, tea.KeyUp, tea.KeyDown, tea.KeyLeft, tea.KeyRight, tea.KeyPgUp,
		tea.KeyPgDown, tea.KeyHome, tea.KeyEnd, tea.KeyCtrlC, tea.KeyCtrlZ, tea.KeyBackspace,
	} {
		if m := (tea.KeyMsg{Type: k}); m.String() == name {
			return m
		}
	}
	if name == "space" {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// text is the screen without colours.
func (s *stage) text() string { return ansi.Strip(s.m.View()) }

func (s *stage) wants(parts ...string) {
	s.t.Helper()
	text := s.text()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			s.t.Errorf("the screen does not say %q:\n%s", part, text)
		}
	}
}

func (s *stage) lacks(parts ...string) {
	s.t.Helper()
	text := s.text()
	for _, part := range parts {
		if strings.Contains(text, part) {
			s.t.Errorf("the screen says %q:\n%s", part, text)
		}
	}
}

// check tests what holds for every frame: the right number of lines, each exactly as wide as the terminal, and no
// control but our own colours.
func (s *stage) check() {
	s.t.Helper()
	if err := frameFault(s.m.View(), s.m.width, s.m.height); err != nil {
		s.t.Errorf("%dx%d: %v\n%q", s.m.width, s.m.height, err, s.m.View())
	}
}

func frameFault(frame string, width, height int) error {
	if width <= 0 || height <= 0 {
		if frame != "" {
			return errors.New("a frame without a size")
		}
		return nil
	}
	lines := strings.Split(frame, "\n")
	if len(lines) != height {
		return errors.New("lines: " + many(int64(len(lines)), "line") + " in a terminal of " + many(int64(height), "line"))
	}
	for i, line := range lines {
		if w := cell.Width(line); w != width {
			return errors.New("line " + many(int64(i), "th") + " is " + many(int64(w), "cell") + " wide: " + line)
		}
		rest := sgr.ReplaceAllString(line, "")
		for _, r := range rest {
			if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 || r == 0xfffd || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 || r == 0x2028 || r == 0x2029 {
				return errors.New("a control or a broken character: " + strings.ToValidUTF8(line, "<?>"))
			}
		}
	}
	return nil
}

// sgr is a colour sequence, the only control that may be in a frame.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// filled is a stage that has seen the sample's minute.
func filled(t *testing.T, width, height int) *stage {
	t.Helper()
	s := newStage(t, width, height)
	s.lab.inside = true
	for _, u := range sampleRun(sampleNow) {
		s.m.Update(updateMsg{u})
	}
	s.m.View()
	s.lab.inside = false
	s.lab.expect()
	return s
}
