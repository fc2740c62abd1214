package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/ui"
	"example.com/unacked/ui/config"
)

const thresholds = "thresholds"

func configCommand(keys *ui.KeyMap) *cobra.Command {
	var (
		look          screen
		limits        = doctor.Defaults()
		path, example bool
	)
	cmd := &cobra.Command{
		Use:   "config",
		Short: "What is configured, and where each value comes from",
		Long: `config shows every setting with its value and where that comes from: a flag, the environment, the
configuration file, or the default, in this order. --example is a file to begin with.`,
		Example: "  unacked config\n  mkdir -p ~/.config/unacked && unacked config --example >~/.config/unacked/config.toml",
		Args:    noArgs,
	}
	look.flags(cmd, 250*time.Millisecond)
	f := cmd.Flags()
	f.DurationVar(&limits.Lease, "lease", limits.Lease, "idle `TIME` after which a pending entry is late")
	f.Int64Var(&limits.MaxDeliveries, "max-deliveries", limits.MaxDeliveries, "deliveries from which an entry is poison; 0 is no limit")
	f.BoolVar(&path, "path", false, "only where the file is looked for")
	f.BoolVar(&example, "example", false, "only a file with every setting, to begin with")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		out := cmd.OutOrStdout()
		switch {
		case example:
			_, err := io.WriteString(out, config.Example)
			return err
		case path:
			where, err := config.Path(os.Getenv)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(out, where)
			return err
		}
		a, err := apply(cmd, keys, thresholds)
		if err != nil {
			return err
		}
		return a.write(out, cmd, keys)
	}
	return cmd
}

// write writes what applies, a line a setting.
func (a applied) write(w io.Writer, cmd *cobra.Command, keys *ui.KeyMap) error {
	found := "not there"
	if a.file.Found {
		found = "read"
	}
	fmt.Fprintf(w, "file  %s (%s)\n\n", safe.Text(a.file.Path), found)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }
	row("SETTING", "VALUE", "FROM")
	for _, s := range settings {
		flag := cmd.Flags().Lookup(s.name)
		if flag == nil {
			continue
		}
		value, source := flag.Value.String(), string(a.from[s.name])
		if a.from[s.name] == fromEnv {
			value, source = s.envValue(), source+" "+s.env
		}
		if value == "" {
			value = `""`
		}
		row(s.field(), safe.Text(value), source)
	}
	for _, variable := range []string{"REDIS_URL", "REDISCLI_AUTH"} {
		row(serverSetting(variable)...)
	}
	for _, name := range a.file.Names() {
		target, err := redisq.ParseTarget(a.file.Servers[name].URL)
		if err != nil {
			return err
		}
		row("servers."+name, safe.Text(target.String()), string(fromFile))
	}
	for _, n := range keys.Named() {
		source := fromDefault
		if a.keys[n.Name] {
			source = fromFile
		}
		names := make([]string, len(n.Binding.Keys()))
		for i, k := range n.Binding.Keys() {
			if names[i] = k; k == " " {
				names[i] = "space"
			}
		}
		row("keys."+n.Name, strings.Join(names, " "), string(source))
	}
	return t.Flush()
}

// serverSetting is a line about a variable that says where Redis is; a password is never shown.
func serverSetting(variable string) []string {
	name, value := map[string]string{"REDIS_URL": "server", "REDISCLI_AUTH": "password"}[variable], os.Getenv(variable)
	if value == "" {
		return []string{name, "none", string(fromDefault)}
	}
	if variable == "REDISCLI_AUTH" {
		value = "set, not shown"
	} else if target, err := redisq.ParseTarget(value); err != nil {
		value = "cannot be read: " + safe.Text(err.Error())
	} else {
		value = safe.Text(target.String())
	}
	return []string{name, value, string(fromEnv) + " " + variable}
}
