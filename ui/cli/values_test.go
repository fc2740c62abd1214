package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/unacked/ui"
)

// Whatever flag of whatever command gets a value that is none, one line says what it takes, without the words of the
// libraries that read numbers.
func TestValuesThatCannotBeRead(t *testing.T) {
	configure(t, "")
	tried := 0
	var each func(c *cobra.Command, path []string)
	each = func(c *cobra.Command, path []string) {
		for _, sub := range c.Commands() {
			each(sub, append(path[:len(path):len(path)], sub.Name()))
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			for _, value := range []string{"abc", "1e999", "99999999999999999999", "5 apples", "", "\x1b[2J", `a"b`} {
				if f.Value.Set(value) == nil {
					continue // it may be
				}
				tried++
				_, err := run(t, append(path[:len(path):len(path)], "--"+f.Name+"="+value)...)
				if err == nil || !errors.As(err, new(usageError)) {
					t.Errorf("%q --%s=%s: %v, want a usage error", path, f.Name, value, err)
					continue
				}
				text := err.Error()
				for _, bad := range []string{"strconv", ": time: ", "invalid", "parse", "\n", "\x1b"} {
					if strings.Contains(text, bad) {
						t.Errorf("%q --%s=%s: %q has %q in it", path, f.Name, value, text, bad)
					}
				}
				for _, good := range []string{"--" + f.Name, "use ", "--help"} {
					if !strings.Contains(text, good) && !(good == "use " && strings.Contains(text, "too large")) {
						t.Errorf("%q --%s=%s: %q does not have %q in it", path, f.Name, value, text, good)
					}
				}
			}
		})
	}
	each(root("test", ui.KeyMap{}), nil)
	if tried < 100 {
		t.Errorf("only %d values were tried", tried)
	}
}

// A value that can be read and makes no sense is refused too, before anything is asked of a server or a terminal.
func TestValuesOutOfRange(t *testing.T) {
	configure(t, "")
	nowhere := "redis://127.0.0.1:1"
	worker := []string{"worker", "--redis", nowhere, "--stream", "q", "--group", "g", "--consumer", "w"}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--rate", "-1"}, "rate -1: use 0 to 1000 orders a second"},
		{[]string{"--rate", "NaN"}, "rate NaN: use 0 to 1000 orders a second"},
		{[]string{"lab", "--rate", "inf"}, "rate +Inf: use 0 to 1000 orders a second"},
		{[]string{"--workers", "-1"}, "workers -1: use 0 to 100"},
		{[]string{"--bad", "2"}, "bad 2: use 0 to 1"},
		{[]string{"--service", "-1s"}, "service -1s: use 0 to 1m"},
		{[]string{"--lease", "0"}, "lease 0s: use 50ms to 24h"},
		{[]string{"--lease", "48h"}, "lease 48h0m0s: use 50ms to 24h"},
		{[]string{"--max-deliveries", "-1"}, "max-deliveries -1: use 0 for no limit, or more"},
		{[]string{"--full", "explode"}, `full "explode": use grow, cap, wait or refuse`},
		{[]string{"--limit", "0"}, "limit 0: use 1 or more"},
		{[]string{"--idempotent", "maybe"}, `idempotent "maybe": use off, before or after`},
		{[]string{"--server", "mysql"}, `server "mysql": use auto, redis or embedded`},
		{[]string{"--smtp", "mailhost"}, `smtp "mailhost": use HOST:PORT, as in localhost:25`},
		{[]string{"--smtp", ":25"}, `smtp ":25": use HOST:PORT`},
		{[]string{"--smtp", "h:99999"}, `smtp "h:99999": use HOST:PORT`},
		{[]string{"--interval", "0"}, "interval 0s: use 50ms to 1m"},
		{[]string{"--theme", "pink"}, `theme "pink": use dark, light or ""`},
		{[]string{"watch", nowhere, "--interval", "1h"}, "interval 1h0m0s: use 50ms to 1m"},
		{[]string{"watch", nowhere, "--lease", "0"}, "lease 0s: use a time above 0"},
		{[]string{"watch", nowhere, "--max-deliveries", "-1"}, "max-deliveries -1: use 0 or more"},
		{[]string{"doctor", nowhere, "--for", "-1s"}, "for -1s: use 0 or more"},
		{[]string{"snapshot", nowhere, "--pending", "-1"}, "pending -1: use 0 to 1000"},
		{[]string{"snapshot", nowhere, "--interval", "0"}, "interval 0s: use a time above 0"},
		{[]string{"replay", nowhere, "q", "--rate", "-1"}, "--rate"},
		{[]string{"experiment", "queued", "--scale", "0"}, "scale 0: use 0.05 to 5"},
		{[]string{"experiment", "queued", "--scale", "NaN"}, "scale NaN: use 0.05 to 5"},
		{append(worker, "--handler", "noop", "--delay", "-1s"), "delay -1s: use 0 or more"},
		{append(worker, "--handler", "smtp", "--smtp", "x"), `smtp "x": use HOST:PORT`},
		{append(worker, "--batch", "0", "--", "true"), "batch 0: use 1 or more"},
		{append(worker, "--lease", "0", "--", "true"), "lease 0s: use a millisecond or more"},
	} {
		_, err := run(t, c.args...)
		if err == nil || !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want a usage error with %q", c.args, err, c.says)
		}
	}
}
