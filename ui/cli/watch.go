package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/watch"
	"example.com/unacked/ui"
	"example.com/unacked/ui/term"
)

func watchCommand(keys *ui.KeyMap) *cobra.Command {
	var (
		conn connection
		look screen
		o    = watch.Options{Thresholds: doctor.Defaults()}
	)
	cmd := &cobra.Command{
		Use:   "watch [URL]",
		Short: "The dashboard on an existing server; it only reads without --write",
		Long: `watch shows the streams of a server and their consumer groups, those in the worst state first, and one
group in all detail: backlog, pending entries, consumers, dead letters, and what a doctor finds wrong
with it. Every command that might change something is refused before it is sent. The URL may also be
in REDIS_URL. A user with the rights +@read and +ping is enough. A server that is away or still loading
is waited for.

With --write the key . acts on what is selected: claim, acknowledge, release, remove consumers, create,
rewind and destroy groups, trim, replay, edit, discard and move dead letters. Each action is first shown
as the commands that it sends and what they change.`,
		Example: "  unacked watch redis://localhost\n  unacked watch redis://localhost --stream orders --group mailers --write",
		Args:    cobra.MaximumNArgs(1),
	}
	conn.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Stream, "stream", "", "`KEY` of the only stream to look at")
	f.StringVar(&o.Group, "group", "", "consumer group to begin with")
	f.StringVar(&o.Match, "match", "", "look only at streams whose names match this `GLOB`")
	f.StringVar(&o.DeadLetter, "dead-letter", "", "`KEY` of the dead-letter stream (found by the usual names)")
	f.DurationVar(&o.Thresholds.Lease, "lease", o.Thresholds.Lease, "idle `TIME` after which a pending entry is late")
	f.Int64Var(&o.Thresholds.MaxDeliveries, "max-deliveries", o.Thresholds.MaxDeliveries, "deliveries from which an entry is poison; 0 is no limit")
	f.BoolVar(&o.Write, "write", false, "allow changes: each is shown first, and done when it is confirmed")
	look.flags(cmd, 500*time.Millisecond)
	conn.completes(cmd)
	cmd.ValidArgsFunction = completeServers

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && conn.url != "" {
			return usageError{errors.New("the URL is given twice: as an argument and by --redis")}
		}
		raw := cmp.Or(append(args, conn.url, os.Getenv("REDIS_URL"))...)
		switch {
		case raw == "":
			return usageError{errors.New("watch needs the URL of a server: as an argument, by --redis or in REDIS_URL")}
		case o.Thresholds.Lease <= 0:
			return usageError{fmt.Errorf("lease %v: use a time above 0", o.Thresholds.Lease)}
		case o.Thresholds.MaxDeliveries < 0:
			return usageError{fmt.Errorf("max-deliveries %d: use 0 or more", o.Thresholds.MaxDeliveries)}
		case o.Stream != "" && o.Match != "":
			return usageError{errors.New("--match is for many streams, and --stream names one")}
		}
		if err := look.check(); err != nil {
			return err
		}
		var err error
		if o.Target, err = conn.target(raw); err != nil {
			return err
		}
		o.Interval = look.interval
		book, err := openLog(look.log)
		if err != nil {
			return err
		}
		defer book.Close()
		redisq.SilenceLibrary(book)
		if look.plain {
			return tellWatch(cmd.Context(), o, cmd.OutOrStdout())
		}
		screen := look.options(*keys)
		screen.Logged = book.Last
		return showWatch(cmd.Context(), o, screen, term.Options{Mouse: look.mouse, Log: book})
	}
	return cmd
}

// showWatch watches a server on the screen until the person quits or a signal comes.
func showWatch(ctx context.Context, o watch.Options, screen ui.Options, terminal term.Options) error {
	// What will not pass, as a wrong password, is said while the terminal is still whole.
	if err := watch.Check(ctx, o); err != nil {
		return err
	}
	var program *term.Program
	o.Go = func(f func()) { program.Go(f) }
	w, err := watch.New(o)
	if err != nil {
		return err
	}
	screen.Watch = &ui.WatchOptions{
		Watcher: w, Updates: w.Updates(), Address: o.Target.Addr(), Thresholds: o.Thresholds,
	}
	if o.Write {
		screen.Watch.Actor = w
	}
	if o.Stream != "" && o.Group != "" {
		screen.Watch.Chosen = watch.Choice{Stream: o.Stream, Group: o.Group}
	}
	screen.Editor = editorOn(func() *term.Program { return program })
	screen.Suspend = func(word string) tea.ExecCommand { return program.Suspend(word) }
	screen.Terminal = os.Stdout // each copy is one write of the file, so that none falls into a frame
	model := ui.New(screen)
	program = term.New(model, terminal)
	w.Start()
	_, err = program.Run(ctx)
	model.Close()
	return errors.Join(err, w.Close())
}
