package termtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	xterm "golang.org/x/term"
)

// Patience is how long a Wait waits before the test fails. It bounds nothing but that: on a machine that does nothing
// else no wait takes a twentieth of it.
const Patience = time.Minute

// Terminal is a program on a pseudo-terminal. Its methods are for the test's goroutine.
type Terminal struct {
	PID     int
	Started time.Time

	t           testing.TB
	cmd         *exec.Cmd
	master, tty *os.File
	before      *xterm.State
	exited      chan struct{} // closed when the process has ended
	changed     chan struct{} // holds one when something was written
	hangUp      sync.Once

	mu       sync.Mutex // guards the rest
	emulator *vt.Emulator
	raw      bytes.Buffer
	modes    map[ansi.Mode]bool
	first    time.Time
	reel     reel
}

// Start runs cmd as the leader of a session of its own on a terminal of w columns and h rows. Its standard streams are
// the terminal where cmd does not set them. What is left of it at the end of the test is killed.
func Start(t testing.TB, cmd *exec.Cmd, w, h int) *Terminal {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if master, err = pollable(master); err != nil {
		t.Fatal(err)
	}
	x := &Terminal{
		t: t, cmd: cmd, master: master, tty: tty,
		exited: make(chan struct{}), changed: make(chan struct{}, 1),
		emulator: vt.NewEmulator(w, h), modes: make(map[ansi.Mode]bool),
	}
	x.emulator.SetCallbacks(vt.Callbacks{
		EnableMode: func(m ansi.Mode) { x.modes[m] = true },
		DisableMode: func(m ansi.Mode) {
			if x.modes[m] = false; m == ansi.ModeSynchronizedOutput {
				x.draw()
			}
		},
	})
	x.draw()
	x.reel.skip()
	if err := pty.Setsize(tty, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		t.Fatal(err)
	}
	if x.before, err = xterm.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	if cmd.Stdin == nil {
		cmd.Stdin = tty
	}
	if cmd.Stdout == nil {
		cmd.Stdout = tty
	}
	if cmd.Stderr == nil {
		cmd.Stderr = tty
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	// The controlling terminal is named by a descriptor of the child.
	cmd.SysProcAttr.Ctty = slices.IndexFunc([]any{cmd.Stdin, cmd.Stdout, cmd.Stderr}, func(s any) bool { return s == any(tty) })
	cmd.SysProcAttr.Setctty = cmd.SysProcAttr.Ctty >= 0
	x.Started = time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	x.PID = cmd.Process.Pid
	go func() {
		_ = cmd.Wait()
		close(x.exited)
		x.change()
	}()
	var readers sync.WaitGroup
	readers.Go(x.read)
	// What the emulator would reply is dropped, and must be taken from it or it stops.
	readers.Go(func() { _, _ = io.Copy(io.Discard, x.emulator) })
	t.Cleanup(func() {
		_ = syscall.Kill(x.PID, syscall.SIGKILL)
		<-x.exited
		x.HangUp()
		if replies, ok := x.emulator.InputPipe().(io.Closer); ok { // its own Close races with its Read
			_ = replies.Close()
		}
		readers.Wait()
	})
	return x
}

// pollable returns f in the non-blocking mode in which closing it ends a Read, and so hangs up the terminal; opening a
// pseudo-terminal leaves it in the blocking one.
func pollable(f *os.File) (*os.File, error) {
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

func (x *Terminal) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := x.master.Read(buf)
		if n > 0 {
			x.mu.Lock()
			if x.first.IsZero() {
				x.first = time.Now()
			}
			x.raw.Write(buf[:n])
			_, _ = x.emulator.Write(buf[:n])
			if !x.modes[ansi.ModeSynchronizedOutput] {
				x.draw()
			}
			x.mu.Unlock()
			x.change()
		}
		if err != nil {
			return
		}
	}
}

func (x *Terminal) change() {
	select {
	case x.changed <- struct{}{}:
	default:
	}
}

// Type sends keys as a keyboard does: "q", "\x1b[A" (up), "\r", "\x03" (ctrl+c).
func (x *Terminal) Type(keys string) {
	x.t.Helper()
	x.skip()
	if _, err := x.master.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// Resize changes the size of the terminal; the program gets SIGWINCH.
func (x *Terminal) Resize(w, h int) {
	x.t.Helper()
	x.mu.Lock()
	x.emulator.Resize(w, h)
	x.draw()
	x.reel.skip()
	x.mu.Unlock()
	if err := pty.Setsize(x.tty, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		x.t.Fatal(err)
	}
}

// HangUp closes the terminal, as closing its window does.
func (x *Terminal) HangUp() {
	x.hangUp.Do(func() {
		_ = x.tty.Close()
		_ = x.master.Close()
	})
}

// Signal sends the program a signal, if it has not ended by then.
func (x *Terminal) Signal(s syscall.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		x.t.Fatal(err)
	}
}

// Lines returns the rows of a frame without trailing blanks: in the condition of a Wait and after it that frame which
// the condition is asked about, after Type and Resize the newest.
func (x *Terminal) Lines() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.reel.now
}

// Text returns the frame of Lines as one string.
func (x *Terminal) Text() string { return strings.Join(x.Lines(), "\n") }

// Raw returns every byte that the program has written.
func (x *Terminal) Raw() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// First returns when the first byte came, the zero time before.
func (x *Terminal) First() time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.first
}

// AltScreen says whether the alternate screen is shown.
func (x *Terminal) AltScreen() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.emulator.IsAltScreen()
}

// Wait waits until ok returns true, and fails the test with the screen when it does not within Patience. ok is asked
// about the frame where the last Wait ended, or the newest when keys were typed since, then about each one after it,
// and now and then for what does not show there. what completes "waiting for".
func (x *Terminal) Wait(what string, ok func() bool) {
	x.t.Helper()
	deadline := time.Now().Add(Patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Now().After(deadline) {
			x.t.Fatalf("waiting for %s, the screen is:\n%s", what, x.Text())
		}
		if x.step() {
			continue
		}
		select {
		case <-x.changed:
		case <-tick.C:
		}
	}
}

// WaitText waits until each of the texts is in a frame, all at once.
func (x *Terminal) WaitText(texts ...string) {
	x.t.Helper()
	x.Wait(strings.Join(texts, ", "), func() bool {
		screen := x.Text()
		return !slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(screen, s) })
	})
}

// Exit waits for the end of the program and returns its exit code, -1 where a signal killed it.
func (x *Terminal) Exit() int {
	x.t.Helper()
	x.Wait("the end of the program", x.Exited)
	return x.cmd.ProcessState.ExitCode()
}

// Exited says whether the program has ended.
func (x *Terminal) Exited() bool {
	select {
	case <-x.exited:
		return true
	default:
		return false
	}
}

// Unrestored returns what of the terminal is not as it was before the program, in words.
func (x *Terminal) Unrestored() []string {
	var wrong []string
	now, err := xterm.GetState(int(x.tty.Fd()))
	if err != nil {
		wrong = append(wrong, err.Error())
	} else if *now != *x.before {
		wrong = append(wrong, "modes of the terminal line (echo, raw)")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.emulator.IsAltScreen() {
		wrong = append(wrong, "alternate screen")
	}
	if x.emulator.CursorHidden() {
		wrong = append(wrong, "cursor")
	}
	for m, on := range x.modes {
		if on && m != ansi.ModeTextCursorEnable && m != ansi.ModeAutoWrap {
			wrong = append(wrong, fmt.Sprintf("mode %d", m.Mode()))
		}
	}
	return wrong
}

// WaitRestored waits until everything of the terminal is as it was before the program.
func (x *Terminal) WaitRestored() {
	x.t.Helper()
	x.Wait("a restored terminal", func() bool { return len(x.Unrestored()) == 0 })
}

// Queries returns the queries that the program sent: sequences that make a terminal reply.
func (x *Terminal) Queries() []string {
	var found []string
	for _, q := range queries {
		if strings.Contains(x.Raw(), q) {
			found = append(found, q)
		}
	}
	return found
}

// queries: colours (OSC 4, 10, 11, 12), cursor position and status (DSR), device attributes (DA), modes (DECRQM),
// settings (DECRQSS, XTGETTCAP), keyboard (kitty), size in pixels.
var queries = []string{
	"\x1b]4;", "\x1b]10;?", "\x1b]11;?", "\x1b]12;?",
	"\x1b[5n", "\x1b[6n", "\x1b[?6n", "\x1b[?996n",
	"\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b[>0c", "\x1b[=c", "\x1b[>q", "\x1b[>0q",
	"$p", "\x1bP$q", "\x1bP+q", "\x1b[?u", "\x1b[14t", "\x1b[16t", "\x1b[18t",
}

// Build compiles a package of this module to the file binary.
func Build(binary, pkg string, flags ...string) error {
	args := append(append([]string{"build", "-o", binary}, flags...), pkg)
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return nil
}
