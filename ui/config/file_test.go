package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExampleIsRead(t *testing.T) {
	f, err := Parse([]byte(Example))
	if err != nil {
		t.Fatal(err)
	}
	if *f.Theme != "dark" || *f.Interval != "500ms" || *f.Thresholds.MaxDeliveries != 5 || *f.Mouse {
		t.Errorf("read as %+v", f)
	}
	if got := strings.Join(f.Names(), " "); got != "production staging" {
		t.Errorf("servers: %s", got)
	}
	keys, err := f.Bindings()
	if err != nil || strings.Join(keys["palette"], " ") != ": ctrl+p" || strings.Join(keys["kill"], " ") != "x" {
		t.Errorf("keys %q, %v", keys, err)
	}
}

// An error says where it is, and never what the password is.
func TestErrorsNameTheirPlace(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no TOML", "theme = \"dark\"\nascii = yes please\n", "2:"},
		{"a setting that is none", "theme = \"dark\"\n\n[thresholds]\nleese = \"5s\"\n", `4: there is no setting "thresholds.leese"`},
		{"the wrong kind", "mouse = \"yes\"\n", "1:"},
		{"theme", "theme = \"pink\"\n", ` theme "pink": use "dark", "light"`},
		{"time", "interval = \"soon\"\n", ` interval "soon": use a time above 0`},
		{"no time", "interval = \"0s\"\n", ` interval "0s"`},
		{"lease", "[thresholds]\nlease = \"-1s\"\n", ` thresholds.lease "-1s"`},
		{"deliveries", "[thresholds]\nmax-deliveries = -1\n", " thresholds.max-deliveries -1: use 0 or more"},
		{"key", "[keys]\nkill = 5\n", " keys.kill: key 1 is no text"},
		{"no keys", "[keys]\nkill = []\n", " keys.kill: it needs a key"},
		{"no url", "[servers.a]\ncacert = \"x\"\n", " servers.a: it needs a url"},
		{"bad url", "[servers.a]\nurl = \"http://x\"\n", " servers.a.url: "},
		{"a name like an address", "[servers.\"a:1\"]\nurl = \"redis://x\"\n", ` servers."a:1": a name is`},
		{"password in the url", "[servers.a]\nurl = \"redis://u:hunter2@x\"\n", " servers.a.url: a password is not kept in this file"},
		{"password in the query", "[servers.a]\nurl = \"redis://x?password=hunter2\"\n", " servers.a.url: a password is not kept"},
		{"password of the sentinel", "[servers.a]\nurl = \"redis+sentinel://x/m?sentinel_password=hunter2\"\n", " servers.a.url: a password is not kept"},
		{"password", "[servers.a]\nurl = \"redis://x\"\npassword = \"hunter2\"\n", "3: servers.a.password: a password is not kept"},
	} {
		_, err := Parse([]byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, should begin %q", c.name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error has the password: %v", c.name, err)
		}
	}
}

func TestWhereTheFileIs(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"XDG_CONFIG_HOME": dir}
	getenv := func(name string) string { return env[name] }
	f, err := Load(getenv)
	want := filepath.Join(dir, "unacked", "config.toml")
	if err != nil || f.Found || f.Path != want {
		t.Fatalf("%+v %v, should not be found at %s", f, err, want)
	}
	if err := os.MkdirAll(filepath.Dir(want), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(want, []byte("mouse = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err = Load(getenv); err != nil || !f.Found || f.Mouse == nil || !*f.Mouse {
		t.Fatalf("%+v %v, should be found", f, err)
	}
	if err := os.WriteFile(want, []byte("mouse = true\nmouse = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = Load(getenv); err == nil || !strings.HasPrefix(err.Error(), want+":2") {
		t.Errorf("%v, should name the file and the line", err)
	}
	env[Variable] = filepath.Join(dir, "other.toml")
	if _, err = Load(getenv); err == nil || !strings.Contains(err.Error(), "other.toml") {
		t.Errorf("a file that was asked for and is not there: %v", err)
	}
}
