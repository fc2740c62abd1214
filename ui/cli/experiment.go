package cli

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/unacked/redisq/server"
	"example.com/unacked/ui/plain"
	"example.com/unacked/ui/term"
	"example.com/unacked/workers/experiment"
)

func experimentCommand() *cobra.Command {
	var (
		conn connection
		mode string
		o    plain.ExperimentOptions
	)
	cmd := &cobra.Command{
		Use:   "experiment [NAME…|all]",
		Short: "Run the experiments for real: expected, measured, holds",
		Long: `experiment runs what an article says about queues: real worker processes, real kills, a mail server
that counts. Without a NAME it lists them; all runs every one. The exit code is 1 where a figure is off.`,
		Example: "  unacked experiment stream-crash-after\n  unacked experiment all --scale 0.1",
	}
	for _, e := range experiment.All() {
		cmd.ValidArgs = append(cmd.ValidArgs, e.Name)
	}
	conn.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&mode, "server", string(server.Auto), "the private server: auto, redis or embedded")
	f.StringVar(&o.Options.SMTP, "smtp", "", "`HOST:PORT` of another mail server; what it counts is then not known here")
	f.Float64Var(&o.Options.Scale, "scale", 1, "shrinks every time: at 0.1 all goes ten times as fast")
	f.BoolVar(&o.JSON, "json", false, "one JSON object, unacked.experiment/1")
	cmd.RunE = func(cmd *cobra.Command, names []string) (err error) {
		if len(names) == 0 && !o.JSON {
			return plain.ExperimentList(os.Stdout, experiment.All())
		}
		if o.Experiments, err = experiment.Select(names...); err != nil {
			return usageError{err}
		}
		if o.Options.Scale == 0 { // in the options that is 1
			return usageError{fmt.Errorf("scale 0: use %v to %v", experiment.MinScale, experiment.MaxScale)}
		}
		if err := o.Options.Check(); err != nil {
			return usageError{err}
		}
		if err := serverMode(mode); err != nil {
			return err
		}
		if err := mailServer(o.Options.SMTP); err != nil {
			return err
		}
		o.Options.Server = server.Mode(mode)
		if o.Options.Self, err = self(); err != nil {
			return err
		}
		if conn.url != "" {
			target, err := conn.target(conn.url)
			if err != nil {
				return err
			}
			if err := reach(cmd.Context(), target); err != nil {
				return err
			}
			o.Options.Target = &target
		}
		o.Out, o.Err, o.Bar, o.Width = os.Stdout, os.Stderr, false, 0
		if width, ok := term.Width(os.Stderr); ok {
			o.Bar, o.Width = true, width
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		return plain.RunExperiments(ctx, o)
	}
	return cmd
}
