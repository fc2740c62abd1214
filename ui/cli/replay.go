package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/plain"
	"example.com/unacked/ui/term"
)

func replayCommand() *cobra.Command {
	var (
		conn         connection
		stream, dead string
		matches      []string
		o            plain.ReplayOptions
	)
	r := &o.Replay
	cmd := &cobra.Command{
		Use:   "replay [URL] [STREAM]",
		Short: "Put dead letters back to work",
		Long: `replay puts the dead letters of a stream back to work: those that are there when it starts, or those
that match. Each is one step on the server, so it can be run again, interrupted, and run by two at
once: a letter goes back once. Ctrl-C stops after the letter in hand. Nothing is trimmed.

Letters that another tool wrote go back with all their fields; --metadata and --metadata-fields name
those that stay behind. The exit code is 0 when all is done, 1 when something failed or was stopped,
2 for a mistake on the command line. --json is one object, unacked.replay/1.`,
		Example: "  unacked replay redis://localhost emails --dry-run\n" +
			"  unacked replay redis://localhost emails --match 'to=*@example.com' --rate 10",
		Args: cobra.ArbitraryArgs,
	}
	conn.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&stream, "stream", "", "`KEY` of the stream")
	f.StringVar(&dead, "dead-letter", "", "`KEY` of the dead-letter stream ({STREAM}:dead)")
	f.StringArrayVar(&r.IDs, "id", nil, "only the letter with this `ID`, may be repeated")
	f.StringArrayVar(&matches, "match", nil, "only letters with such a `FIELD=GLOB`, metadata too: unacked:reason=550*; all of them, where repeated")
	f.IntVar(&r.Limit, "limit", 0, "`NUMBER` of letters at most; 0 is no limit")
	f.Float64Var(&r.Rate, "rate", 0, "letters a second at most; 0 is no limit")
	f.StringVar(&r.To, "to", "", "`KEY` of another stream that gets them")
	f.StringVar(&r.Group, "group", "", "only this `GROUP` gets them: the original entry becomes pending there again")
	f.StringVar(&r.Consumer, "consumer", "", "with --group: `NAME` of the consumer that holds them (the last one)")
	f.BoolVar(&r.Keep, "keep", false, "keep the letters, marked as replayed")
	f.BoolVar(&r.Force, "force", false, "also those that came back too often, or were replayed and kept")
	f.Int64Var(&r.MaxReplays, "max-replays", redisq.DefaultMaxReplays, "leave alone what was replayed that often; 0 is no limit")
	f.IntVar(&r.Foreign.Leading, "metadata", 0, "letters of other tools: that many leading fields stay behind")
	f.StringSliceVar(&r.Foreign.Names, "metadata-fields", nil, "letters of other tools: fields of these `NAMES` stay behind")
	f.StringVar(&r.Foreign.Original, "original-field", "", "letters of other tools: `NAME` of the field with the original id")
	f.BoolVar(&o.DryRun, "dry-run", false, "say what would be done, change nothing")
	f.BoolVar(&o.JSON, "json", false, "one JSON object, unacked.replay/1")

	conn.completes(cmd)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return conn.completeStreams(cmd, args, begun)
		}
		return completeServers(cmd, args, begun)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		url, key, err := urlAndStream(args, conn.url, stream, os.Getenv("REDIS_URL"))
		if err != nil {
			return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
		}
		for _, text := range matches {
			m, err := redisq.ParseFieldMatch(text)
			if err != nil {
				return usageError{fmt.Errorf("--match %w", err)}
			}
			r.Match = append(r.Match, m)
		}
		if r.Limit < 0 || r.Rate < 0 || math.IsNaN(r.Rate) || r.MaxReplays < 0 || r.Foreign.Leading < 0 {
			return usageError{errors.New("--limit, --rate, --max-replays and --metadata take 0 or more")}
		}
		if r.Consumer != "" && r.Group == "" {
			return usageError{errors.New("--consumer is for --group only")}
		}
		if r.MaxReplays == 0 {
			r.MaxReplays = math.MaxInt64
		}
		target, err := conn.target(url)
		if err != nil {
			return err
		}
		o.Queue = redisq.NewQueue(key, "")
		o.Queue.DeadLetter = cmp.Or(dead, o.Queue.DeadLetter)
		if err := r.Check(o.Queue); err != nil {
			return usageError{err}
		}
		o.Out, o.Err = os.Stdout, os.Stderr
		o.Width, _ = term.Width(os.Stderr)
		ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		go func() {
			<-ctx.Done()
			stop() // a second signal ends the process
		}()
		clean, err := plain.Replay(ctx, target, o)
		if err == nil && !clean {
			return exitStatus{code: 1}
		}
		return err
	}
	return cmd
}

// urlAndStream tells the arguments apart: URL and STREAM, or the one that no flag gives and the environment does not.
func urlAndStream(args []string, url, stream, environment string) (string, string, error) {
	switch {
	case len(args) > 2:
		return "", "", fmt.Errorf("a URL and a stream at most, and there are %d arguments", len(args))
	case len(args) == 2 && (url != "" || stream != ""):
		return "", "", errors.New("the URL or the stream is given twice: as an argument and by a flag")
	case len(args) == 2:
		url, stream = args[0], args[1]
	case len(args) == 1 && url != "" && stream != "":
		return "", "", errors.New("the URL and the stream are given by flags already")
	case len(args) == 1 && (stream != "" || url == "" && (environment == "" || strings.Contains(args[0], "://"))):
		url = args[0]
	case len(args) == 1:
		stream = args[0]
	}
	url = cmp.Or(url, environment)
	switch {
	case url == "":
		return "", "", errors.New("replay needs the URL of a server: as an argument, by --redis or in REDIS_URL")
	case stream == "":
		return "", "", errors.New("replay needs a stream: as an argument or by --stream")
	}
	return url, stream, nil
}
