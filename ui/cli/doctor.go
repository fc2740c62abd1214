package cli

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/unacked/redisq/doctor"
	"example.com/unacked/ui/plain"
	"example.com/unacked/ui/term"
)

func doctorCommand() *cobra.Command {
	var (
		conn connection
		on   queues
		o    = plain.DoctorOptions{Thresholds: doctor.Defaults(), For: doctor.DefaultFor}
	)
	cmd := &cobra.Command{
		Use:   "doctor [URL]",
		Short: "What is wrong with a server's queues, and the commands that mend it",
		Long: `doctor looks at the streams of a server and their groups for some seconds and says what is wrong, with
its evidence and the exact commands that would mend it. It only reads. The exit code is 0 when all
is well, 1 with findings, 2 when it could not look. --json is one object, unacked.doctor/1.`,
		Example: "  unacked doctor redis://localhost\n  unacked doctor redis://localhost --stream q --group g --lease 30s --json",
		Args:    atMostOneArgument,
	}
	conn.flags(cmd)
	on.flags(cmd)
	f := cmd.Flags()
	f.DurationVar(&o.For, "for", o.For, "`TIME` to watch, for findings that need rates; 0 is one look")
	f.DurationVar(&o.Thresholds.Lease, "lease", o.Thresholds.Lease, "idle `TIME` after which a pending entry is late")
	f.Int64Var(&o.Thresholds.MaxDeliveries, "max-deliveries", o.Thresholds.MaxDeliveries, "deliveries from which an entry is poison; 0 is no limit")
	f.StringVar((*string)(&o.Least), "severity", "", "leave out what is milder than `SEVERITY`: critical, warning or info")
	f.BoolVar(&o.JSON, "json", false, "one JSON object, unacked.doctor/1")
	conn.completes(cmd)
	cmd.ValidArgsFunction = completeServers
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		target, err := conn.given(cmd, args)
		switch {
		case err != nil:
			return err
		case o.Thresholds.Lease <= 0:
			return usageError{fmt.Errorf("lease %v: use a time above 0", o.Thresholds.Lease)}
		case o.Thresholds.MaxDeliveries < 0:
			return usageError{fmt.Errorf("max-deliveries %d: use 0 or more", o.Thresholds.MaxDeliveries)}
		case o.For < 0:
			return usageError{fmt.Errorf("for %v: use 0 or more", o.For)}
		}
		switch o.Least {
		case "", doctor.Critical, doctor.Warning, doctor.Info:
		default:
			return usageError{fmt.Errorf("severity %q: use critical, warning or info", o.Least)}
		}
		o.Streams, o.Group, o.DeadLetter = on.streams, on.group, on.dead
		o.Width, _ = term.Width(os.Stdout)
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		status, err := plain.Doctor(ctx, target, os.Stdout, o)
		if err != nil {
			return exitStatus{status, err}
		}
		if status != plain.DoctorHealthy {
			return exitStatus{code: status}
		}
		return nil
	}
	return cmd
}
