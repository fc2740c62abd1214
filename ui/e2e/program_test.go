package e2e

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/unacked/ui/term/termtest"
)

// binary is the built program.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "unacked-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "unacked")
	var flags []string
	if raceEnabled {
		flags = append(flags, "-race")
	}
	if err := termtest.Build(binary, module, flags...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// program is the dashboard on a terminal.
type program struct {
	*termtest.Terminal
	t *testing.T
}

// cleared are the variables that would change what the tests see.
var cleared = []string{
	"REDIS_URL=", "UNACKED_CONFIG=", "XDG_CONFIG_HOME=/dev/null", "REDISCLI_AUTH=", "UNACKED_THEME=", "COLORFGBG=", "COLORTERM=", "NO_COLOR=", "CLICOLOR=",
	"CLICOLOR_FORCE=", "TERM=xterm-256color", "LC_ALL=C.UTF-8",
	"GORACE=atexit_sleep_ms=0", // the race detector would keep each ending process for a second
}

// command is the program, to be started. What it leaves running at the end of the test fails that.
func command(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	mark := rand.Text() // in the environment of the program and of all its children
	t.Cleanup(func() { noneLeft(t, mark) })
	cmd := exec.Command(binary, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(append(append(os.Environ(), cleared...), env...), markName+"="+mark)
	return cmd
}

// start runs the program on a terminal of w times h.
func start(t *testing.T, w, h int, env []string, args ...string) *program {
	t.Helper()
	return &program{Terminal: termtest.Start(t, command(t, env, args...), w, h), t: t}
}

// lab starts the lab in a mode of its private server.
func lab(t *testing.T, mode string, args ...string) *program {
	t.Helper()
	return start(t, 120, 36, nil, append([]string{"lab", "--server", mode}, args...)...)
}

// modes are the private servers that this machine has.
func modes(t *testing.T) []string {
	t.Helper()
	for _, name := range []string{"redis-server", "valkey-server"} {
		if _, err := exec.LookPath(name); err == nil {
			return []string{"embedded", "redis"}
		}
	}
	if strings.Contains(os.Getenv("UNACKED_TEST_REQUIRE"), "redis") {
		t.Fatal("no redis-server or valkey-server on PATH, and UNACKED_TEST_REQUIRE wants one")
	}
	return []string{"embedded"}
}

// inEach runs f as a subtest in each mode.
func inEach(t *testing.T, f func(t *testing.T, mode string)) {
	for _, mode := range modes(t) {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			f(t, mode)
		})
	}
}

// has says whether all texts are in one line of the screen.
func (p *program) has(texts ...string) bool {
	for _, line := range p.Lines() {
		all := true
		for _, s := range texts {
			all = all && strings.Contains(line, s)
		}
		if all {
			return true
		}
	}
	return false
}

// waitLine waits for a line of the screen with all the texts in it.
func (p *program) waitLine(texts ...string) {
	p.t.Helper()
	p.Wait("a line with "+strings.Join(texts, " and "), func() bool { return p.has(texts...) })
}
