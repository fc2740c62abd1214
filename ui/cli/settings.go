package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/unacked/ui"
	"example.com/unacked/ui/background"
	"example.com/unacked/ui/config"
)

// setting is a flag that may also stand in the environment or in the configuration file, in this order.
type setting struct {
	name string // of the flag, and in the file below section
	in   string // section of the file, "" is none
	env  string // variable of the environment, "" is none
	file func(*config.File) (text string, ok bool)
}

func (s setting) field() string {
	if s.in == "" {
		return s.name
	}
	return s.in + "." + s.name
}

// from says where a value is from.
type from string

const (
	fromFlag    from = "flag"
	fromEnv     from = "environment"
	fromFile    from = "file"
	fromDefault from = "default"
)

func text[T any](of func(*config.File) *T) func(*config.File) (string, bool) {
	return func(f *config.File) (string, bool) {
		if v := of(f); v != nil {
			return fmt.Sprint(*v), true
		}
		return "", false
	}
}

var settings = []setting{
	{"theme", "", background.ThemeVariable, text(func(f *config.File) *string { return f.Theme })},
	{"ascii", "", "", text(func(f *config.File) *bool { return f.ASCII })},
	{"no-color", "", "NO_COLOR", text(func(f *config.File) *bool { return f.NoColor })},
	{"mouse", "", "", text(func(f *config.File) *bool { return f.Mouse })},
	{"interval", "", "", text(func(f *config.File) *string { return f.Interval })},
	{"lease", "thresholds", "", text(func(f *config.File) *string { return f.Thresholds.Lease })},
	{"max-deliveries", "thresholds", "", text(func(f *config.File) *int64 { return f.Thresholds.MaxDeliveries })},
}

// applied is what of the configuration applies to a command.
type applied struct {
	file *config.File
	from map[string]from // of each setting that the command has a flag for
	keys map[string]bool // actions that have their keys from the file
}

// apply reads the configuration file and gives those flags of cmd their values that neither the command line nor the
// environment gives, and the actions their keys. Sections are those that the command uses.
func apply(cmd *cobra.Command, keys *ui.KeyMap, sections ...string) (applied, error) {
	a := applied{from: map[string]from{}, keys: map[string]bool{}}
	var err error
	if a.file, err = config.Load(os.Getenv); err != nil {
		return a, usageError{err}
	}
	for _, s := range settings {
		flag := cmd.Flags().Lookup(s.name)
		if flag == nil || s.in != "" && !slices.Contains(sections, s.in) {
			continue
		}
		value, ok := s.file(a.file)
		switch {
		case flag.Changed:
			a.from[s.name] = fromFlag
		case s.env != "" && os.Getenv(s.env) != "":
			a.from[s.name] = fromEnv
		case ok:
			if err := flag.Value.Set(value); err != nil {
				return a, usageError{fmt.Errorf("%s: %w", a.file.Path, unreadable(s.field(), flag, value, err))}
			}
			a.from[s.name] = fromFile
		default:
			a.from[s.name] = fromDefault
		}
	}
	bindings, err := a.file.Bindings()
	if err != nil {
		return a, usageError{fmt.Errorf("%s:%w", a.file.Path, err)}
	}
	for _, name := range slices.Sorted(maps.Keys(bindings)) {
		if err := keys.Rebind(name, bindings[name]); err != nil {
			return a, usageError{fmt.Errorf("%s: keys.%s: %w", a.file.Path, name, err)}
		}
		a.keys[name] = true
	}
	if conflict := keys.Conflict(); conflict != "" {
		where := a.file.Path
		if len(bindings) == 0 {
			where = "keymap.go" // a fault of ours, and every test of the program finds it
		}
		return a, usageError{fmt.Errorf("%s: keys: %s", where, conflict)}
	}
	return a, nil
}

// configured has a command read the configuration file before it runs.
func configured(cmd *cobra.Command, keys *ui.KeyMap, sections ...string) *cobra.Command {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		_, err := apply(cmd, keys, sections...)
		return err
	}
	return cmd
}

// envValue is what a variable sets a setting to, as text.
func (s setting) envValue() string {
	if s.env == "NO_COLOR" {
		return strconv.FormatBool(true)
	}
	return os.Getenv(s.env)
}
