package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// config runs unacked config with what is in a configuration file and returns its lines by their first word.
func config(t *testing.T, text string) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := command(t, []string{"UNACKED_CONFIG=" + path}, "config").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		lines[name] = strings.TrimSpace(rest)
	}
	return lines
}

// No key of the program means two things, and each action has one.
func TestKeysAreDistinct(t *testing.T) {
	t.Parallel()
	who := map[string]string{}
	n := 0
	for name, line := range config(t, "") {
		action, ok := strings.CutPrefix(name, "keys.")
		if !ok {
			continue
		}
		keys := strings.Fields(strings.TrimSuffix(line, "default"))
		if len(keys) == 0 {
			t.Errorf("%s has no key", action)
		}
		n++
		for _, k := range keys {
			if who[k] != "" {
				t.Errorf("%q is the key of %s and of %s", k, who[k], action)
			}
			who[k] = action
		}
	}
	if n < 40 {
		t.Errorf("only %d actions are listed", n)
	}
}

// What the configuration file says applies on the screen: another key, another theme, ASCII.
func TestConfigApplies(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("ascii = true\n[keys]\nkill = \"ctrl+k\"\nup = \"up\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, 120, 36, []string{"UNACKED_CONFIG=" + path}, append([]string{"lab", "--server", "embedded"}, slow...)...)
	p.waitWorker("w1", "sending")
	p.Type("x") // not the key any more
	p.Type("\x0b")
	p.waitWorker("w1", "killed")
	for _, line := range p.Lines() {
		for _, r := range line {
			if r > 0x7e {
				t.Fatalf("%q in %q", r, line)
			}
		}
	}
	p.quit()
}

// An action is found by its name and done.
func TestPalette(t *testing.T) {
	t.Parallel()
	p := lab(t, "embedded", slow...)
	p.waitWorker("w1", "sending")
	p.Type(":")
	p.WaitText("Do what?")
	p.Type("add work\r")
	p.waitLine("w3")
	p.quit()
}

// The mouse is nobody's unless it is asked for; then a click selects, and at the end it is off again.
func TestMouse(t *testing.T) {
	t.Parallel()
	const on = "\x1b[?1002h"
	p := lab(t, "embedded", slow...)
	p.waitWorker("w2", "sending")
	if strings.Contains(p.Raw(), on) || strings.Contains(p.Raw(), "\x1b[?1003h") {
		t.Error("the mouse was taken without being asked for")
	}
	p.quit()

	p = lab(t, "embedded", append([]string{"--mouse"}, stuck...)...)
	p.waitWorker("w2", "sending")
	if !strings.Contains(p.Raw(), on) {
		t.Fatal("--mouse does not take the mouse")
	}
	row := -1
	for y, line := range p.Lines() {
		if strings.Contains(line, "w2 ") && strings.Contains(line, "sending") && strings.HasPrefix(line, "│") {
			row = y
		}
	}
	if row < 0 {
		t.Fatalf("no row of w2:\n%s", strings.Join(p.Lines(), "\n"))
	}
	p.Type("\x1b[<0;8;" + strconv.Itoa(row+1) + "M\x1b[<0;8;" + strconv.Itoa(row+1) + "m")
	p.waitLine("> ", "w2")
	p.Type("x")
	p.waitWorker("w2", "killed")
	p.quit()
	if !strings.Contains(p.Raw(), "\x1b[?1002l") {
		t.Error("the mouse is still on at the end")
	}
}

// The presenter's mode is large, and shows the keys as they are pressed.
func TestPresent(t *testing.T) {
	t.Parallel()
	p := lab(t, "embedded", append([]string{"--present"}, slow...)...)
	p.waitWorker("w1", "sending")
	p.WaitText("██████")
	p.Type("l")
	p.waitLine(" l ", "+load")
	p.Type("P")
	p.WaitText("-15s")
	p.quit()
}
