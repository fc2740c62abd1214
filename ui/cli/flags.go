package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/config"
	"example.com/unacked/ui/term"
	"example.com/unacked/workers"
)

// connection is the flags that say where Redis is; they have the same names on every command.
type connection struct {
	url, cacert, cert, key string
	ask                    bool
}

func (c *connection) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.url, "redis", "", "`URL` of the server: redis, rediss, valkey, valkeys, unix, redis+sentinel")
	f.BoolVar(&c.ask, "ask-password", false, "ask for the password, or put it into REDISCLI_AUTH")
	f.StringVar(&c.cacert, "cacert", "", "`FILE` with the certificates to trust, for TLS")
	f.StringVar(&c.cert, "cert", "", "`FILE` with our certificate, for TLS")
	f.StringVar(&c.key, "key", "", "`FILE` with our private key, for TLS")
}

// target reads the flags and the URL raw, which a command may also have from elsewhere; it may be the name of a saved
// server.
func (c *connection) target(raw string) (redisq.Target, error) {
	raw, saved, err := savedServer(raw)
	if err != nil {
		return redisq.Target{}, usageError{err}
	}
	t, err := redisq.ParseTarget(raw)
	if err != nil {
		return t, usageError{err}
	}
	if saved.CACert+saved.Cert+saved.Key != "" {
		t.TLS = true
	}
	t.CAFile, t.CertFile, t.KeyFile = cmp.Or(saved.CACert, t.CAFile), cmp.Or(saved.Cert, t.CertFile), cmp.Or(saved.Key, t.KeyFile)
	if c.cacert+c.cert+c.key != "" {
		t.TLS = true
	}
	t.CAFile, t.CertFile, t.KeyFile = cmp.Or(c.cacert, t.CAFile), cmp.Or(c.cert, t.CertFile), cmp.Or(c.key, t.KeyFile)
	password := os.Getenv("REDISCLI_AUTH")
	if c.ask {
		if password, err = term.AskPassword("Password for " + t.String() + ": "); err != nil {
			return t, usageError{err}
		}
	}
	return t.WithPassword("", password), nil
}

// savedServer returns the URL of the saved server of that name, or raw itself where none is called so. Only what has
// nothing of an address is looked for, so that a worker process never needs the file.
func savedServer(raw string) (string, config.Server, error) {
	if raw == "" || strings.ContainsAny(raw, ":/.,@") {
		return raw, config.Server{}, nil
	}
	f, err := config.Load(os.Getenv)
	if err != nil {
		return "", config.Server{}, err
	}
	if s, ok := f.Servers[raw]; ok {
		return s.URL, s, nil
	}
	return raw, config.Server{}, nil
}

// given is the target of a command that works on an existing server: its argument, --redis, or REDIS_URL. The
// environment is read here and is not a flag's default, which --help would print with its password.
func (c *connection) given(cmd *cobra.Command, args []string) (redisq.Target, error) {
	if len(args) > 0 && c.url != "" {
		return redisq.Target{}, usageError{errors.New("the URL is given twice: as an argument and by --redis")}
	}
	raw := cmp.Or(append(args, c.url, os.Getenv("REDIS_URL"))...)
	if raw == "" {
		return redisq.Target{}, usageError{fmt.Errorf("%s needs the URL of a server: as an argument, by --redis or in REDIS_URL", cmd.Name())}
	}
	return c.target(raw)
}

// queues is the flags that say which queues of a server are looked at.
type queues struct {
	streams     []string
	group, dead string
}

func (q *queues) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&q.streams, "stream", nil, "`KEY` of a stream, may be repeated (all streams)")
	f.StringVar(&q.group, "group", "", "only this consumer `GROUP`")
	f.StringVar(&q.dead, "dead-letter", "", "`KEY` of the dead-letter stream (found by the usual names)")
}

// atMostOneArgument is the URL.
func atMostOneArgument(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError{fmt.Errorf("one URL at most, and there are %d arguments; see %s --help", len(args), cmd.CommandPath())}
	}
	return nil
}

// settingsFlags are the decisions of one worker, on the lab and the worker command alike.
func settingsFlags(cmd *cobra.Command, s *workers.Settings) {
	f := cmd.Flags()
	f.DurationVar(&s.Lease, "lease", s.Lease, "idle `TIME` after which another worker may claim a message")
	f.Int64Var(&s.MaxDeliveries, "max-deliveries", s.MaxDeliveries, "deliveries before a message becomes a dead letter; 0 is no limit")
	f.BoolVar(&s.AckBefore, "ack-before", s.AckBefore, "ack on delivery, before the work")
	f.StringVar((*string)(&s.Idempotent), "idempotent", string(s.Idempotent), "record of what was done: off, before or after the work")
	f.StringVar((*string)(&s.Kind), "kind", string(s.Kind), "what carries the messages: stream or list")
}

// self is how the command line of a worker process begins.
func self() ([]string, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find our own program, to start workers: %w", err)
	}
	return []string{path, "worker"}, nil
}
