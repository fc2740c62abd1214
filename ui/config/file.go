package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pelletier/go-toml/v2"

	"example.com/unacked/redisq"
)

// Variable is the environment variable that names another file.
const Variable = "UNACKED_CONFIG"

// File is what stands in the file. A nil field was not set.
type File struct {
	Path  string `toml:"-"`
	Found bool   `toml:"-"` // false: there is no such file, and that is fine

	Theme    *string `toml:"theme"` // dark, light, or "" for colours that can be read on both
	ASCII    *bool   `toml:"ascii"`
	NoColor  *bool   `toml:"no-color"`
	Mouse    *bool   `toml:"mouse"`
	Interval *string `toml:"interval"` // a time like 500ms, checked

	Thresholds Thresholds        `toml:"thresholds"`
	Keys       map[string]any    `toml:"keys"` // see Bindings
	Servers    map[string]Server `toml:"servers"`
}

// Thresholds are from where on watch and doctor call something wrong.
type Thresholds struct {
	Lease         *string `toml:"lease"` // a time like 60s, checked
	MaxDeliveries *int64  `toml:"max-deliveries"`
}

// Server is a saved server.
type Server struct {
	URL    string `toml:"url"` // without a password
	CACert string `toml:"cacert"`
	Cert   string `toml:"cert"`
	Key    string `toml:"key"`
}

// Path returns where the file is looked for: where [Variable] says, else unacked/config.toml below XDG_CONFIG_HOME,
// else below the directory that the system has for it (see [os.UserConfigDir]).
func Path(getenv func(string) string) (string, error) {
	if path := getenv(Variable); path != "" {
		return path, nil
	}
	dir := getenv("XDG_CONFIG_HOME")
	if dir == "" {
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return "", fmt.Errorf("find the directory of the configuration file, set %s: %w", Variable, err)
		}
	}
	return filepath.Join(dir, "unacked", "config.toml"), nil
}

// Load reads the file. One that is not there is empty, unless [Variable] names it. The error names the file, and the
// line or the field.
func Load(getenv func(string) string) (*File, error) {
	path, err := Path(getenv)
	if err != nil {
		if getenv(Variable) == "" { // a machine without a home has no file
			return &File{}, nil
		}
		return nil, err
	}
	text, err := os.ReadFile(path)
	switch {
	case (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && getenv(Variable) == "":
		return &File{Path: path}, nil
	case err != nil:
		return nil, fmt.Errorf("read the configuration file: %w", err)
	}
	f, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	f.Path, f.Found = path, true
	return f, nil
}

// Parse reads the text of a file. The error begins with "LINE: " where the line is known, else with " FIELD: ".
func Parse(text []byte) (*File, error) {
	f := &File{}
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(f); err != nil {
		return nil, placed(err)
	}
	return f, f.check()
}

// placed says where in the file an error is.
func placed(err error) error {
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		e := &unknown.Errors[0]
		name := strings.Join(e.Key(), ".")
		line, _ := e.Position()
		if last := e.Key()[len(e.Key())-1]; strings.Contains(strings.ToLower(last), "pass") {
			return fmt.Errorf("%d: %s: %w", line, name, errPassword)
		}
		return fmt.Errorf("%d: there is no setting %q", line, name)
	case errors.As(err, &wrong):
		line, column := wrong.Position()
		// The library's words may repeat what stands there; that is not a secret, but it may be long.
		return fmt.Errorf("%d:%d: %s", line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return fmt.Errorf(" %w", err)
}

var errPassword = errors.New("a password is not kept in this file: put it into REDISCLI_AUTH, or use --ask-password")

// serverName is what a saved server may be called, so that it is not taken for an address.
var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// check looks at what TOML does not.
func (f *File) check() error {
	if f.Theme != nil && !slices.Contains([]string{"", "dark", "light"}, *f.Theme) {
		return fmt.Errorf(` theme %q: use "dark", "light" or ""`, *f.Theme)
	}
	for _, s := range []struct {
		name string
		text *string
	}{{"interval", f.Interval}, {"thresholds.lease", f.Thresholds.Lease}} {
		if s.text == nil {
			continue
		}
		if d, err := time.ParseDuration(*s.text); err != nil || d <= 0 {
			return fmt.Errorf(` %s %q: use a time above 0, like "500ms" or "60s"`, s.name, *s.text)
		}
	}
	if n := f.Thresholds.MaxDeliveries; n != nil && *n < 0 {
		return fmt.Errorf(" thresholds.max-deliveries %d: use 0 or more", *n)
	}
	if _, err := f.Bindings(); err != nil {
		return err
	}
	for _, name := range f.Names() {
		field, s := "servers."+name, f.Servers[name]
		if !serverName.MatchString(name) {
			return fmt.Errorf(" servers.%q: a name is letters, digits, - and _", name)
		}
		if s.URL == "" {
			return fmt.Errorf(" %s: it needs a url", field)
		}
		t, err := redisq.ParseTarget(s.URL)
		switch {
		case err != nil:
			return fmt.Errorf(" %s.url: %w", field, err)
		case t.Pass != "" || t.SentinelPass != "":
			return fmt.Errorf(" %s.url: %w", field, errPassword)
		}
	}
	return nil
}

// Bindings are the keys of each action that has others: a string or a list of strings.
func (f *File) Bindings() (map[string][]string, error) {
	all := make(map[string][]string, len(f.Keys))
	for name, value := range f.Keys {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for i, one := range list {
			text, ok := one.(string)
			if !ok || text == "" {
				return nil, fmt.Errorf(` keys.%s: key %s is no text; write "x", or ["x", "X"]`, name, strconv.Itoa(i+1))
			}
			all[name] = append(all[name], text)
		}
		if len(list) == 0 {
			return nil, fmt.Errorf(" keys.%s: it needs a key", name)
		}
	}
	return all, nil
}

// Names lists the saved servers in order.
func (f *File) Names() []string {
	names := make([]string, 0, len(f.Servers))
	for name := range f.Servers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
