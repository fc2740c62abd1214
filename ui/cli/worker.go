package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/plain"
	"example.com/unacked/workers"
)

func workerCommand() *cobra.Command {
	var (
		conn                        connection
		settings                    = workers.DefaultSettings()
		stream, group, dead         string
		handler, smtp               string
		controlled, embedded, asOut bool
		delay                       time.Duration
		c                           workers.Config
	)
	cmd := &cobra.Command{
		Use:   "worker [flags] [-- COMMAND ARG…]",
		Short: "One worker process: reads from the group, does the work, acks",
		Long: `worker is one consumer of a group. It claims what others left idle past the lease, acks only what it
still holds, and moves a message that reached the limit of deliveries to the dead letters. The lab
starts workers by itself; by hand one is of use on any stream. A group that does not exist is created
at the beginning of the stream. Ctrl-C finishes the message in hand first; a second one leaves it.`,
		Example: "  unacked worker --redis redis://localhost --stream q --group g --consumer w1 --handler exec -- ./send",
	}
	conn.flags(cmd)
	settingsFlags(cmd, &settings)
	f := cmd.Flags()
	f.StringVar(&stream, "stream", "", "`KEY` of the stream")
	f.StringVar(&group, "group", "", "consumer group")
	f.StringVar(&c.Consumer, "consumer", "", "our `NAME` in the group; one process a name")
	f.StringVar(&dead, "dead-letter", "", "`KEY` of the dead-letter stream ({STREAM}:dead)")
	f.IntVar(&settings.Batch, "batch", settings.Batch, "messages read at once")
	f.StringVar(&handler, "handler", "exec", "what is done with a message: exec, smtp or noop")
	f.StringVar(&smtp, "smtp", "", "`HOST:PORT` of the mail server, for the handler smtp")
	f.DurationVar(&delay, "delay", 0, "how long the handler noop takes")
	f.BoolVar(&asOut, "json", false, "say what happens as JSON, one event a line")
	f.BoolVar(&controlled, "controlled", false, "take controls on standard input, end when it closes, report as JSON")
	f.BoolVar(&embedded, "embedded", false, "the server is the lab's embedded one")
	_, _ = f.MarkHidden("controlled"), f.MarkHidden("embedded")

	conn.completes(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if conn.url == "" {
			conn.url = os.Getenv("REDIS_URL") // not the flag's default, which --help would print with its password
		}
		for _, need := range []struct{ flag, value string }{
			{"redis (or REDIS_URL)", conn.url},
			{"stream", stream},
			{"group", group},
			{"consumer", c.Consumer},
		} {
			if need.value == "" {
				return usageError{fmt.Errorf("a worker needs --%s; see unacked worker --help", need.flag)}
			}
		}
		if err := settings.Check(); err != nil {
			return usageError{err}
		}
		if delay < 0 {
			return usageError{fmt.Errorf("delay %v: use 0 or more", delay)}
		}
		if err := mailServer(smtp); err != nil {
			return err
		}
		if c.Target, err = conn.target(conn.url); err != nil {
			return err
		}
		if c.Handler, err = handlerNamed(handler, smtp, args, delay); err != nil {
			return usageError{err}
		}
		c.Settings, c.Embedded, c.Queue = settings, embedded, redisq.NewQueue(stream, group)
		if dead != "" {
			c.Queue.DeadLetter = dead
		}
		c.Out = plain.Events(os.Stdout)
		if asOut || controlled {
			c.Out = os.Stdout
		}
		if controlled {
			c.In = os.Stdin
		}
		ctx, stop := signals(cmd.Context())
		defer stop()
		c.Stop = ctx.first
		return workers.Run(ctx, c)
	}
	return cmd
}

// interrupted is a context that ends with the second signal; first closes with the first.
type interrupted struct {
	context.Context
	first chan struct{}
}

func signals(parent context.Context) (interrupted, func()) {
	ctx, cancel := context.WithCancel(parent)
	i := interrupted{ctx, make(chan struct{})}
	caught := make(chan os.Signal, 2)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		defer cancel()
		for first := true; ; first = false {
			select {
			case <-ctx.Done():
				return
			case <-caught:
			}
			if !first {
				return
			}
			close(i.first)
		}
	}()
	return i, func() { signal.Stop(caught); cancel() }
}

func handlerNamed(name, smtp string, command []string, delay time.Duration) (workers.Handler, error) {
	if name != "exec" && len(command) > 0 {
		return nil, fmt.Errorf("a command is for --handler exec only, and this is --handler %s", name)
	}
	switch name {
	case "exec":
		if len(command) == 0 {
			return nil, errors.New("--handler exec needs a command: unacked worker … -- ./send")
		}
		return workers.Exec(command), nil
	case "smtp":
		if smtp == "" {
			return nil, errors.New("--handler smtp needs --smtp HOST:PORT")
		}
		return workers.SMTP(smtp), nil
	case "noop":
		return workers.Noop(delay), nil
	}
	return nil, fmt.Errorf("handler %q: use exec, smtp or noop", name)
}
