package cli

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/unacked/ui/plain"
	"example.com/unacked/ui/term"
)

func snapshotCommand() *cobra.Command {
	var (
		conn connection
		on   queues
		o    plain.SnapshotOptions
	)
	cmd := &cobra.Command{
		Use:   "snapshot [URL]",
		Short: "One reading of a server's queues, as text or JSON; no terminal needed",
		Long: `snapshot reads the streams of a server and their groups once and prints what it found: undelivered,
pending, backlog, the oldest idle time. It only reads. --json is one object, unacked.snapshot/1.
The exit code is 1 when nothing could be read, or when a stream or group that was named is not there.
With --watch a server that is away or still loading is a line, and is tried again at the next reading.`,
		Example: "  unacked snapshot redis://localhost\n  unacked snapshot redis://localhost --stream q --pending 20 --json",
		Args:    atMostOneArgument,
	}
	conn.flags(cmd)
	on.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.Pending, "pending", 0, "pending entries of each group to show with their fields, at most 1000")
	f.BoolVar(&o.JSON, "json", false, "one JSON object, unacked.snapshot/1")
	f.BoolVar(&o.Watch, "watch", false, "go on: a line for each group and reading, until Ctrl-C")
	f.DurationVar(&o.Interval, "interval", time.Second, "`TIME` between readings, with --watch")
	conn.completes(cmd)
	cmd.ValidArgsFunction = completeServers
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		target, err := conn.given(cmd, args)
		switch {
		case err != nil:
			return err
		case o.Pending < 0 || o.Pending > 1000:
			return usageError{fmt.Errorf("pending %d: use 0 to 1000", o.Pending)}
		case o.Interval <= 0:
			return usageError{fmt.Errorf("interval %v: use a time above 0", o.Interval)}
		}
		o.Streams, o.Group, o.DeadLetter = on.streams, on.group, on.dead
		o.Width, _ = term.Width(os.Stdout)
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		return plain.Snapshot(ctx, target, os.Stdout, o)
	}
	return cmd
}
