package background

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/creack/pty"
)

func TestGuess(t *testing.T) {
	for _, c := range []struct{ term, want string }{{"linux", "dark"}, {"xterm", ""}, {"linux-16color", ""}} {
		if got := Guess(func(k string) string { return map[string]string{"TERM": c.term}[k] }); got != c.want {
			t.Errorf("TERM %q: %q, want %q", c.term, got, c.want)
		}
	}
	for _, c := range []struct{ theme, fgbg, want string }{
		{"", "", ""},
		{"dark", "", "dark"},
		{"light", "", "light"},
		{"Light", "15;0", "light"}, // what a person says goes before what the terminal says
		{"auto", "15;0", "dark"},
		{"", "15;0", "dark"},
		{"", "0;15", "light"},
		{"", "0;7", "light"},
		{"", "7;8", "dark"},
		{"", "0;default;15", "light"},
		{"", "15;default", ""},
		{"", "15", ""},
		{"", "15;99", ""},
		{"", ";", ""},
	} {
		env := map[string]string{"UNACKED_THEME": c.theme, "COLORFGBG": c.fgbg}
		if got := Guess(func(k string) string { return env[k] }); got != c.want {
			t.Errorf("theme %q, COLORFGBG %q: %q, want %q", c.theme, c.fgbg, got, c.want)
		}
	}
}

// A program that imports Bubble Tea and this package sends no byte of its own to a terminal that never answers. The
// same program without this package does: else this test would show nothing.
func TestTheTerminalIsNotAsked(t *testing.T) {
	if out := onSilentTerminal(t, "with"); string(out) != "main began\r\n" {
		t.Errorf("a program with the package wrote %q", out)
	}
	if out := onSilentTerminal(t, "without"); !bytes.HasPrefix(out, []byte("\x1b]")) {
		t.Errorf("a program without the package wrote %q: expected a query", out)
	}
}

// onSilentTerminal runs a program of testdata on a terminal that does not answer, until it has written a line or
// begun an escape sequence.
func onSilentTerminal(t *testing.T, name string) []byte {
	t.Helper()
	binary := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("go", "build", "-o", binary, "./testdata/"+name).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(binary)
	// With CI set termenv takes no terminal for one, and would ask nothing with or without the package.
	cmd.Env = append(cmd.Environ(), "TERM=xterm-256color", "COLORFGBG=", "UNACKED_THEME=", "CI=")
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	if err := terminal.SetReadDeadline(time.Now().Add(time.Minute)); err != nil { // each of them writes something
		t.Fatal(err)
	}
	var out []byte
	buf := make([]byte, 256)
	for !bytes.ContainsAny(out, "\n\x1b") {
		n, err := terminal.Read(buf)
		out = append(out, buf[:n]...)
		if err != nil {
			break
		}
	}
	return out
}
