package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/ui"
	"example.com/unacked/ui/term"
)

// exitUsage is the exit code after a mistake on the command line, or without a terminal where one is needed.
const exitUsage = 2

// usageError is what exits with exitUsage.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// exitStatus is an exit code of its own; err is nil where all has been said.
type exitStatus struct {
	code int
	err  error
}

func (e exitStatus) Error() string { return fmt.Sprint(e.err) }

func (e exitStatus) Unwrap() error { return e.err }

// Run carries out the command line in args and returns the exit code. What went wrong is said on standard error.
func Run(version string, keys ui.KeyMap, args []string) int {
	redisq.SilenceLibrary(io.Discard)
	cmd := root(version, keys)
	cmd.SetArgs(args)
	err := cmd.Execute()
	if err == nil {
		return 0
	}
	var status exitStatus
	if errors.As(err, &status) && status.err == nil {
		return status.code
	}
	fmt.Fprintln(os.Stderr, "unacked: "+safe.Text(err.Error()))
	if errors.As(err, new(usageError)) {
		return exitUsage
	}
	if status.code != 0 {
		return status.code
	}
	return term.ExitCode(err)
}

func root(version string, keys ui.KeyMap) *cobra.Command {
	demo := configured(labCommand(&keys), &keys)
	cmd := &cobra.Command{
		Use:   "unacked",
		Short: "Watch a Redis Streams queue: what is pending, who holds it, what became of it",
		Long: `unacked shows a queue on Redis Streams while it works: pending entries, delivery counts, dead
letters, backlog. Without a command it runs the lab: a producer, real worker processes and a mail
server that counts what arrived, on a private Redis server.`,
		Version:       version,
		Args:          noArgs,
		PreRunE:       demo.PreRunE,
		RunE:          demo.RunE,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	cmd.Flags().AddFlagSet(demo.Flags())
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", badValue(err), c.CommandPath())}
	})
	cmd.AddCommand(demo, configured(watchCommand(&keys), &keys, thresholds), workerCommand(), experimentCommand(), snapshotCommand(),
		configured(doctorCommand(), &keys, thresholds), replayCommand(), configCommand(&keys))
	cmd.AddCommand(&cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		Run: func(c *cobra.Command, _ []string) { fmt.Fprintln(c.OutOrStdout(), "unacked version", version) },
	})
	return cmd
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("unknown command or argument %q; see %s --help", args[0], cmd.CommandPath())}
	}
	return nil
}
