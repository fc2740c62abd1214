package e2e

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"example.com/unacked/ui/term/termtest"
)

// What cannot be done is said in one line on standard error, with the terminal untouched and no password in it.
func TestRefused(t *testing.T) {
	locked := lockedServer(t)
	for _, c := range []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"unknown flag", []string{"--bogus"}, 2, []string{"--bogus", "--help"}},
		{"unknown command", []string{"bogus"}, 2, []string{"bogus", "--help"}},
		{"argument", []string{"lab", "extra"}, 2, []string{"extra"}},
		{"server", []string{"--server", "mysql"}, 2, []string{"mysql", "embedded"}},
		{"rate", []string{"--rate", "-1"}, 2, []string{"rate"}},
		{"kind", []string{"--kind", "topic"}, 2, []string{"topic"}},
		{"scheme", []string{"--redis", "http://user:hunter2@host"}, 2, []string{"scheme"}},
		{"URL", []string{"--redis", "redis://user:hunter2@[host"}, 2, []string{"address"}},
		{"port", []string{"--redis", "redis://user:hunter2@host:port/0"}, 2, []string{"address"}},
		{"unreachable", []string{"--redis", "redis://user:hunter2@127.0.0.1:1"}, 1, []string{"127.0.0.1:1", "refused"}},
		{"wrong password", []string{"--redis", "redis://:hunter2@" + locked}, 1, []string{locked, "password"}},
		{"no password", []string{"--redis", "redis://" + locked}, 1, []string{locked, "password"}},
		{"worker without a queue", []string{"worker"}, 2, []string{"--redis"}},
		{"watch without a server", []string{"watch"}, 2, []string{"url", "redis_url"}},
		{"watch with a wrong password", []string{"watch", "redis://:hunter2@" + locked}, 1, []string{locked, "password"}},
		{"watch without a password", []string{"watch", "redis://" + locked, "--stream", "s", "--group", "g"}, 1, []string{locked, "password"}},
		{"watch with a stream and a glob", []string{"watch", "redis://127.0.0.1:1", "--stream", "s", "--match", "s*"}, 2, []string{"--match"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := command(t, nil, c.args...)
			var errs strings.Builder
			cmd.Stderr = &errs
			x := termtest.Start(t, cmd, 80, 24)
			if code := x.Exit(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			said := errs.String()
			for _, word := range c.says {
				if !strings.Contains(strings.ToLower(said), strings.ToLower(word)) {
					t.Errorf("%q does not say %q", said, word)
				}
			}
			if strings.Contains(said, "hunter2") || strings.Contains(said, "right-secret") {
				t.Errorf("a password in %q", said)
			}
			if !strings.HasPrefix(said, "unacked: ") || strings.Count(said, "\n") != 1 || strings.Contains(said, "\x1b") {
				t.Errorf("not one plain line: %q", said)
			}
			if raw := x.Raw(); raw != "" {
				t.Errorf("wrote to the terminal: %q", raw)
			}
		})
	}
}

// lockedServer returns the address of a server with a password.
func lockedServer(t *testing.T) string {
	t.Helper()
	if s, client := given(t); !s.Embedded() {
		if err := client.ConfigSet(t.Context(), "requirepass", "right-secret").Err(); err != nil {
			t.Fatal(err)
		}
		return s.Addr()
	}
	m := miniredis.NewMiniRedis()
	m.RequireAuth("right-secret")
	if err := m.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m.Addr()
}

// Without a terminal the dashboard says so before it starts anything.
func TestNoTerminal(t *testing.T) {
	for _, args := range [][]string{nil, {"lab"}, {"lab", "--redis", "redis://127.0.0.1:1"}} {
		out, errs, code := piped(t, args...)
		if code != 2 || out != "" || !strings.Contains(errs, "terminal") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: exit code %d, out %q, err %q", args, code, out, errs)
		}
	}
}

// Help and version need no terminal and no server, and are plain text on standard output.
func TestHelp(t *testing.T) {
	for _, c := range []struct {
		args []string
		says []string
	}{
		{[]string{"--help"}, []string{"lab", "worker", "--redis", "--server", "--no-color", "completion"}},
		{[]string{"lab", "--help"}, []string{"--workers", "--lease", "--max-deliveries", "--full"}},
		{[]string{"worker", "--help"}, []string{"--stream", "--group", "--consumer", "--handler"}},
		{[]string{"--version"}, []string{"unacked", "version"}},
		{[]string{"version"}, []string{"unacked", "version"}},
	} {
		out, errs, code := piped(t, c.args...)
		if code != 0 || errs != "" || strings.Contains(out, "\x1b") {
			t.Errorf("%q: exit code %d, err %q, out %q", c.args, code, errs, out)
		}
		for _, word := range c.says {
			if !strings.Contains(out, word) {
				t.Errorf("%q does not say %q", c.args, word)
			}
		}
		if strings.Contains(out, "hunter2") {
			t.Errorf("%q shows the password of REDIS_URL", c.args)
		}
	}
}

// piped runs the program without a terminal.
func piped(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	cmd := command(t, []string{"REDIS_URL=redis://user:hunter2@127.0.0.1:1"}, args...)
	var o, e strings.Builder
	cmd.Stdout, cmd.Stderr = &o, &e
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}
