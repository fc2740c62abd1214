package term

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"example.com/unacked/ui/term/termtest"
)

// The test binary run with this variable is the program under test: see subject.
const (
	asSubject = "TERM_TEST_SUBJECT"
	withMouse = "TERM_TEST_MOUSE"
	sayPID    = "TERM_TEST_PID" // it begins with its process id
)

func TestMain(m *testing.M) {
	if os.Getenv(asSubject) != "" {
		os.Exit(subject())
	}
	os.Exit(m.Run())
}

type resumedMsg struct{ err error }

// model is a program with a key for each way to end. It switches the mouse on, so that its being off at the end means
// something.
type model struct {
	p        *Program
	size     tea.WindowSizeMsg
	typed    string
	resumed  int
	clicks   int
	viewDies bool
}

func (m *model) Init() tea.Cmd {
	if os.Getenv(withMouse) != "" {
		return nil
	}
	return tea.EnableMouseAllMotion
}

func (m *model) View() string {
	if m.viewDies {
		panic("view panics")
	}
	return fmt.Sprintf("ready %dx%d clicks %d typed %q resumed %d", m.size.Width, m.size.Height, m.clicks, m.typed, m.resumed)
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	dies := func() tea.Msg { panic("command panics") }
	nothing := func() tea.Msg { return nil }
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.size = msg
	case resumedMsg:
		m.resumed++
		if msg.err != nil {
			m.typed += msg.err.Error()
		}
		return m, tea.ClearScreen
	case tea.MouseMsg:
		m.clicks++
	case tea.KeyMsg:
		switch msg.String() {
		case "q":
			return m, tea.Quit
		case "u":
			panic("update panics")
		case "v":
			m.viewDies = true
		case "c":
			return m, dies
		case "b":
			return m, tea.Batch(nothing, dies)
		case "s":
			return m, tea.Sequence(nothing, tea.Batch(nothing, tea.Sequence(nothing, dies)))
		case "g":
			m.p.Go(func() { panic("goroutine panics") })
		case "h":
			select {} // hangs
		case "l":
			log.Print("a line of a library")
			m.typed = "logged "
		case "ctrl+z":
			return m, tea.Exec(m.p.Suspend("a word before"), func(err error) tea.Msg { return resumedMsg{err} })
		case "e":
			return m, tea.Exec(m.p.Lend(exec.Command("true")), func(error) tea.Msg { return nil })
		default:
			m.typed += msg.String()
		}
	}
	return m, nil
}

func subject() int {
	if err := Check(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if os.Getenv(sayPID) != "" {
		fmt.Println("pid", os.Getpid())
	}
	m := &model{}
	m.p = New(m, Options{Mouse: os.Getenv(withMouse) != ""})
	last, err := m.p.Run(context.Background())
	if last != tea.Model(m) {
		fmt.Println("the last model is not the program's own")
	}
	fmt.Println("main ends:", err)
	return ExitCode(err)
}

func start(t *testing.T) *termtest.Terminal {
	t.Helper()
	x := termtest.Start(t, subjectCommand(), 80, 24)
	x.WaitText("ready 80x24")
	return x
}

func subjectCommand() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asSubject+"=1", "TERM=xterm-256color")
	return cmd
}

// On a terminal that never answers the first frame comes at once, and nothing is asked.
func TestFirstFrame(t *testing.T) {
	fastest := termenv.OSCTimeout
	for range 5 { // a busy machine may be slow now and then
		x := start(t)
		if !x.AltScreen() {
			t.Error("not on the alternate screen")
		}
		x.Type("q")
		if code := x.Exit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		if q := x.Queries(); len(q) > 0 {
			t.Errorf("asked the terminal: %q", q)
		}
		if fastest = min(fastest, x.First().Sub(x.Started)); fastest < termenv.OSCTimeout {
			break
		}
	}
	if fastest >= termenv.OSCTimeout { // how long the library waits for a reply
		t.Errorf("the first byte came after %v at best", fastest)
	}
}

// Each kind of end leaves the terminal as it was, with a trace that can be read where there was a panic.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name   string
		end    func(x *termtest.Terminal)
		code   int
		screen []string
	}{
		{"quit", typed("q"), 0, []string{"main ends: <nil>"}},
		{"interrupt", signalled(syscall.SIGINT), 130, []string{"main ends: ended by signal: interrupt"}},
		{"terminate", signalled(syscall.SIGTERM), 143, []string{"main ends: ended by signal: terminated"}},
		{"hang up", signalled(syscall.SIGHUP), 129, []string{"main ends: ended by signal: hangup"}},
		{"quit signal", signalled(syscall.SIGQUIT), 131, []string{"main ends: ended by signal: quit"}},
		{"panic in Update", typed("u"), 2, []string{"panic in the model: update panics", "program_test.go"}},
		{"panic in View", typed("v"), 2, []string{"panic in the model: view panics", "program_test.go"}},
		{"panic in a command", typed("c"), 2, []string{"panic in a command: command panics", "program_test.go"}},
		{"panic in a batch", typed("b"), 2, []string{"panic in a command: command panics", "program_test.go"}},
		{"panic in a nested sequence", typed("s"), 2, []string{"panic in a command: command panics", "program_test.go"}},
		{"panic in a goroutine", typed("g"), 2, []string{"panic in a goroutine: goroutine panics", "program_test.go"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := start(t)
			if len(x.Unrestored()) < 4 { // raw mode, alternate screen, cursor, mouse
				t.Fatalf("before the end only these are changed: %q", x.Unrestored())
			}
			c.end(x)
			if code := x.Exit(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			x.WaitRestored()
			// The trace is longer than the screen: look at all that was written after the alternate screen.
			after := func() string {
				_, s, _ := strings.Cut(x.Raw(), "\x1b[?1049l")
				return s
			}
			for _, text := range c.screen {
				x.Wait(text, func() bool { return strings.Contains(after(), text) })
			}
		})
	}
}

func typed(keys string) func(*termtest.Terminal) {
	return func(x *termtest.Terminal) { x.Type(keys) }
}

func signalled(s syscall.Signal) func(*termtest.Terminal) {
	return func(x *termtest.Terminal) { x.Signal(s) }
}

// A model that hangs does not keep a signal from ending the program and restoring the terminal.
func TestHangingModel(t *testing.T) {
	t.Parallel()
	x := start(t)
	x.Type("a")
	x.WaitText(`typed "a"`)
	x.Type("h")
	x.Signal(syscall.SIGTERM)
	if code := x.Exit(); code != 143 {
		t.Errorf("exit code %d, want 143", code)
	}
	x.WaitRestored()
}

// When the terminal's window is closed the process ends.
func TestClosedTerminal(t *testing.T) {
	t.Parallel()
	x := start(t)
	x.HangUp()
	if code := x.Exit(); code != 129 && code != 1 {
		t.Errorf("exit code %d, want that of a hangup (129) or of a lost terminal (1)", code)
	}
}

// Keys that come in one burst are keys all the same.
func TestTypeAhead(t *testing.T) {
	t.Parallel()
	cmd := subjectCommand()
	x := termtest.Start(t, cmd, 80, 24)
	x.Type("xyq") // before anything is drawn
	if code := x.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.WaitText("main ends: <nil>")
	if !strings.Contains(x.Raw(), `typed "xy"`) {
		t.Errorf("keys were lost: %q", x.Raw())
	}
}

func TestResize(t *testing.T) {
	t.Parallel()
	x := start(t)
	x.Resize(100, 30)
	x.WaitText("ready 100x30")
}

// Lines of package log do not reach the terminal.
func TestLog(t *testing.T) {
	t.Parallel()
	x := start(t)
	x.Type("l")
	x.WaitText("logged")
	x.Type("a")
	x.WaitText(`typed "logged a"`)
	x.Type("q")
	x.Exit()
	x.WaitRestored()
	if strings.Contains(x.Raw(), "a line of a library") {
		t.Error("a log line reached the terminal")
	}
}

// Every frame is one synchronized update, and nothing else is inside of one.
func TestSynchronizedFrames(t *testing.T) {
	t.Parallel()
	x := start(t)
	x.Type("xyzwij")
	x.WaitText(`typed "xyzwij"`)
	x.Type("q")
	x.Exit()
	x.WaitText("main ends")
	out := x.Raw()
	frames := strings.Split(out, "\x1b[?2026h")
	if len(frames) < 2 {
		t.Fatal("no synchronized update")
	}
	if strings.Contains(frames[0], "ready") {
		t.Error("a frame before the first mark")
	}
	for _, f := range frames[1:] {
		inside, after, ok := strings.Cut(f, "\x1b[?2026l")
		if !ok {
			t.Fatal("an update that does not end")
		}
		if strings.Contains(after, "typed") || strings.Contains(inside, "\x1b[?1049") {
			t.Errorf("inside %q, after %q", inside, after)
		}
	}
}

// Without a terminal there is a sentence that says so, before anything is drawn.
func TestNoTerminal(t *testing.T) {
	cmd := subjectCommand()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("ended with %v, want exit code 2", err)
	}
	if s := string(out); !strings.Contains(s, "standard input and output are not terminals") ||
		strings.Count(s, "\n") != 1 || strings.Contains(s, "\x1b") {
		t.Errorf("wrote %q", s)
	}
	cmd = subjectCommand()
	var piped strings.Builder
	cmd.Stdout = &piped
	x := termtest.Start(t, cmd, 80, 24)
	if code := x.Exit(); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	x.WaitText("standard output is not a terminal")
}
