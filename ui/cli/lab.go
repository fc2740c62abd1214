package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/server"
	"example.com/unacked/ui"
	"example.com/unacked/ui/term"
	"example.com/unacked/workers/experiment"
	"example.com/unacked/workers/lab"
)

func labCommand(keys *ui.KeyMap) *cobra.Command {
	var (
		conn       connection
		look       screen
		mode, smtp string
		want       = lab.Defaults()
	)
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "The live demonstration: a producer, workers, a mail sink and the dashboard",
		Args:  noArgs,
	}
	conn.flags(cmd)
	settingsFlags(cmd, &want.Worker)
	f := cmd.Flags()
	f.StringVar(&mode, "server", string(server.Auto), "the private server: auto, redis or embedded")
	f.StringVar(&smtp, "smtp", "", "`HOST:PORT` of another mail server; what it counts is then not known here")
	f.IntVar(&want.Workers, "workers", want.Workers, "worker processes")
	f.Float64Var(&want.Rate, "rate", want.Rate, "orders a second")
	f.Float64Var(&want.BadShare, "bad", want.BadShare, "share of orders with a bad address, 0 to 1")
	f.DurationVar(&want.Service, "service", want.Service, "how long the mail server takes for a mail")
	f.StringVar((*string)(&want.Full), "full", string(want.Full), "what a full queue does: grow, cap, wait or refuse")
	f.Int64Var(&want.Limit, "limit", want.Limit, "entries at which the queue is full")
	look.flags(cmd, 250*time.Millisecond)
	conn.completes(cmd)

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := want.Check(); err != nil {
			return usageError{err}
		}
		if err := serverMode(mode); err != nil {
			return err
		}
		if err := mailServer(smtp); err != nil {
			return err
		}
		if err := look.check(); err != nil {
			return err
		}
		argv, err := self()
		if err != nil {
			return err
		}
		o := lab.Options{Server: server.Mode(mode), SMTP: smtp, Decisions: want, Interval: look.interval, Self: argv}
		if conn.url != "" {
			target, err := conn.target(conn.url)
			if err != nil {
				return err
			}
			o.Target = &target
		}
		book, err := openLog(look.log)
		if err != nil {
			return err
		}
		defer book.Close()
		o.LogTo = book
		if look.plain {
			return tellLab(cmd.Context(), o, cmd.OutOrStdout())
		}
		screen := look.options(*keys)
		screen.Logged = book.Last // what the lab logs goes there too
		return show(cmd.Context(), o, screen, term.Options{Mouse: look.mouse, Log: book})
	}
	return cmd
}

// show runs the lab with its dashboard until the person quits or a signal comes, and takes everything down again.
func show(ctx context.Context, o lab.Options, screen ui.Options, terminal term.Options) error {
	if o.Target != nil { // what is wrong with it is said while the terminal is still whole
		if err := reach(ctx, *o.Target); err != nil {
			return err
		}
	}
	var (
		program *term.Program
		mu      sync.Mutex // held while the lab starts: the person may quit before it is up
		running *lab.Lab   // guarded by mu
	)
	o.Go = func(f func()) { program.Go(f) }
	experiments := &stage{options: experiment.Options{
		Target: o.Target, Server: o.Server, SMTP: o.SMTP, Self: o.Self, LogTo: o.LogTo, Go: o.Go,
	}}
	screen.Stage = experiments
	screen.Editor = editorOn(func() *term.Program { return program })
	screen.Suspend = func(word string) tea.ExecCommand { return aside{program.Suspend(word), experiments.setAside} }
	screen.Terminal = os.Stdout // each copy is one write of the file, so that none falls into a frame
	screen.Open = func(ctx context.Context) (ui.Lab, <-chan lab.Update, error) {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		l, err := lab.Start(ctx, o)
		if err != nil {
			return nil, nil, err
		}
		running = l
		experiments.demonstration.Store(l)
		return l, l.Updates(), nil
	}
	model := ui.New(screen)
	program = term.New(model, terminal)
	// A second Ctrl-C, or a window that is closed after q, must not end the process before the keys are removed.
	late := make(chan os.Signal, 1)
	signal.Notify(late, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(late)
	_, err := program.Run(ctx)
	model.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		experiments.wait()
	}()
	defer func() { <-ended }()
	mu.Lock()
	defer mu.Unlock()
	if running != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
		defer cancel()
		err = errors.Join(err, running.Close(closing))
	}
	return errors.Join(model.Err(), err)
}

// closeWithin is how long the end of a lab may take. Its steps have limits of their own; usually it is below a second.
const closeWithin = 8 * time.Second

// reach says hello to a server.
func reach(ctx context.Context, target redisq.Target) error {
	client, err := redisq.Connect(target, redisq.Options{Name: "start"})
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	_, err = client.Identify(ctx)
	return err
}
