package cli

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/server"
)

// wanted says what the value of a flag may be, by its type.
var wanted = map[string]string{
	"float64":     "use a number, as in 2 or 0.5",
	"int":         "use a whole number, as in 3",
	"int64":       "use a whole number, as in 3",
	"duration":    "use a number and a unit, as in 300ms, 5s or 1m",
	"bool":        "use true or false, or the flag alone",
	"stringSlice": `use names with commas between them, those with a comma or a quote in "quotes"`,
}

// badValue says of a value that cannot be read what the flag takes, instead of what the library for numbers says. Any
// other error of the flags is returned as it is.
func badValue(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	flag := invalid.GetFlag()
	return unreadable("--"+flag.Name, flag, invalid.GetValue(), err)
}

// unreadable is the error of a value that a flag does not take, under the name that the person gave it.
func unreadable(name string, flag *pflag.Flag, value string, err error) error {
	use, ok := wanted[flag.Value.Type()]
	switch {
	case !ok:
		return fmt.Errorf("%s %q: %w", name, value, err)
	case errors.Is(err, strconv.ErrRange):
		use = "it is too large"
	}
	_, usage := pflag.UnquoteUsage(flag)
	return fmt.Errorf("%s %q: %s (%s)", name, value, use, usage)
}

func serverMode(mode string) error {
	if m := server.Mode(mode); m != server.Auto && m != server.Redis && m != server.Embedded {
		return usageError{fmt.Errorf("server %q: use auto, redis or embedded", mode)}
	}
	return nil
}

// mailServer checks the address of a mail server; "" is none.
func mailServer(addr string) error {
	if addr == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err == nil && host != "" {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || host == "" || port == "" {
		return usageError{fmt.Errorf("smtp %q: use HOST:PORT, as in localhost:25", addr)}
	}
	return nil
}

// readingInterval checks the time between two readings of a screen.
func readingInterval(d time.Duration) error {
	if d < redisq.MinInterval || d > redisq.MaxInterval {
		return usageError{fmt.Errorf("interval %v: use 50ms to 1m", d)}
	}
	return nil
}
