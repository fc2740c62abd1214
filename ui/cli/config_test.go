package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/bubbles/key"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/ui"
	"example.com/unacked/ui/config"
)

// run carries out a command line in this process and returns what it wrote.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	keys := ui.KeyMap{
		Kill: key.NewBinding(key.WithKeys("x"), key.WithHelp("x", "kill")),
		Quit: key.NewBinding(key.WithKeys("q", "Q"), key.WithHelp("q", "quit")),
	}
	var out bytes.Buffer
	cmd := root("test", keys)
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	err := cmd.Execute()
	return out.String(), err
}

// configure writes the configuration file, and clears what else would apply.
func configure(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"UNACKED_THEME", "COLORFGBG", "NO_COLOR", "REDIS_URL", "REDISCLI_AUTH"} {
		t.Setenv(name, "")
	}
	t.Setenv(config.Variable, path)
	return path
}

func TestConfigSaysWhereEachValueIsFrom(t *testing.T) {
	path := configure(t, `theme = "light"
interval = "1s"
[thresholds]
lease = "30s"
[keys]
kill = ["ctrl+k", "space"]
[servers.local]
url = "redis://reader@127.0.0.1:7000"
`)
	t.Setenv("NO_COLOR", "1")
	t.Setenv("REDIS_URL", "redis://someone:hunter2@127.0.0.1:7001")
	t.Setenv("REDISCLI_AUTH", "hunter2")
	out, err := run(t, "config", "--interval", "2s")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) > 0 {
			lines[f[0]] = f[1:]
		}
	}
	for name, want := range map[string]string{
		"file":                      path + " (read)",
		"theme":                     "light file",
		"interval":                  "2s flag",
		"no-color":                  "true environment NO_COLOR",
		"ascii":                     "false default",
		"thresholds.lease":          "30s file",
		"thresholds.max-deliveries": "5 default",
		"keys.kill":                 "ctrl+k space file",
		"keys.quit":                 "q Q default",
		"servers.local":             "redis://127.0.0.1:7000 file",
		"server":                    "redis://127.0.0.1:7001 environment REDIS_URL",
		"password":                  "set, not shown environment REDISCLI_AUTH",
	} {
		if got := strings.Join(lines[name], " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if strings.Contains(out, "hunter2") {
		t.Errorf("the password is shown:\n%s", out)
	}
}

func TestConfigSaysItsMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ascii = 5\n", ":1:"},
		{"[keys]\nmurder = \"x\"\n", `: keys.murder: there is no action "murder"; there are kill,`},
		{"[keys]\nkill = \"q\"\n", `: keys: the key "q" is that of kill and of quit`},
		{"[keys]\nkill = \"ctrl+\"\n", `: keys.kill: "ctrl+" is no key`},
		{"[servers.a]\nurl = \"redis://:hunter2@x\"\n", ": servers.a.url: a password is not kept in this file"},
	} {
		path := configure(t, c.text)
		for _, args := range [][]string{{"config"}, {"lab"}, {"watch", "redis://127.0.0.1:1"}} {
			_, err := run(t, args...)
			if err == nil || !strings.Contains(err.Error(), path+c.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s with %q: %v, should say %q", args[0], c.text, err, c.want)
			}
		}
	}
}

func TestConfigExampleAndPath(t *testing.T) {
	out, err := run(t, "config", "--example")
	if _, bad := config.Parse([]byte(out)); err != nil || bad != nil {
		t.Errorf("%v %v", err, bad)
	}
	path := configure(t, "")
	if out, err = run(t, "config", "--path"); err != nil || strings.TrimSpace(out) != path {
		t.Errorf("%q %v, want %s", out, err, path)
	}
}

func TestSavedServer(t *testing.T) {
	configure(t, "[servers.prod]\nurl = \"rediss://redis.example:6380/2\"\ncacert = \"ca.pem\"\n")
	var c connection
	got, err := c.target("prod")
	if err != nil || got.Addr() != "redis.example:6380" || got.CAFile != "ca.pem" {
		t.Errorf("%v %q %v", got, got.CAFile, err)
	}
	if got, err = c.target("other"); err != nil || got.Addr() != "other:6379" {
		t.Errorf("a host that is not saved: %v %v", got, err)
	}
	out, err := run(t, "__complete", "watch", "p")
	if err != nil || !strings.HasPrefix(out, "prod\trediss://redis.example:6380/2\n") {
		t.Errorf("offered %q %v", out, err)
	}
}

// A shell is offered the streams and groups of the server, and nothing where it does not answer.
func TestCompletionAsksTheServer(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		configure(t, "")
		target, err := redisq.ParseTarget(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		c, err := redisq.Connect(target, redisq.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		one, other := s.Key(t, "orders"), s.Key(t, "emails[1]")
		evil := one + "\n:0"
		for _, key := range []string{one, other, evil} {
			if _, err := c.Do(t.Context(), "XGROUP", "CREATE", key, "mailers", "0", "MKSTREAM"); err != nil {
				t.Fatal(err)
			}
		}
		defer func() { _, _ = c.Do(t.Context(), "DEL", evil) }()
		offered := func(args ...string) []string {
			out, err := run(t, append([]string{"__complete"}, args...)...)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(out), "\n")
			return lines[:len(lines)-1] // the last is the directive
		}
		for _, test := range []struct{ args, want []string }{
			{[]string{"watch", s.URL, "--stream", one[:len(one)-2]}, []string{one}},
			{[]string{"watch", "--redis", s.URL, "--stream", other}, []string{other}},
			{[]string{"doctor", s.URL, "--stream", one, "--group", ""}, []string{"mailers"}},
			{[]string{"snapshot", s.URL, "--stream", one, "--group", "x"}, []string{}},
			{[]string{"replay", s.URL, one}, []string{one}},
			{[]string{"watch", "redis://127.0.0.1:1", "--stream", ""}, []string{}},
		} {
			if got := offered(test.args...); !slices.Equal(got, test.want) {
				t.Errorf("%q is offered %q, want %q", test.args, got, test.want)
			}
		}
	})
}
