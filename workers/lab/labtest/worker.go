package labtest

import (
	"flag"
	"fmt"
	"io"
	"os"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
)

// Worker returns what `unacked worker` makes of the command line that a lab starts it with: args without the program
// and the word worker. The server is that of REDIS_URL. An error says which argument a lab would not give.
func Worker(args []string) (workers.Config, error) {
	f := flag.NewFlagSet("worker", flag.ContinueOnError)
	s := workers.Settings{}
	controlled, embedded := f.Bool("controlled", false, ""), f.Bool("embedded", false, "")
	stream, group, dead := f.String("stream", "", ""), f.String("group", "", ""), f.String("dead-letter", "", "")
	consumer, handler, smtp := f.String("consumer", "", ""), f.String("handler", "", ""), f.String("smtp", "", "")
	f.StringVar((*string)(&s.Kind), "kind", "", "")
	f.StringVar((*string)(&s.Idempotent), "idempotent", "", "")
	f.DurationVar(&s.Lease, "lease", 0, "")
	f.Int64Var(&s.MaxDeliveries, "max-deliveries", 0, "")
	f.IntVar(&s.Batch, "batch", 0, "")
	f.BoolVar(&s.AckBefore, "ack-before", false, "")
	if err := f.Parse(args); err != nil {
		return workers.Config{}, err
	}
	if !*controlled || *handler != "smtp" || f.NArg() > 0 {
		return workers.Config{}, fmt.Errorf("bad command line of a worker: %q", args)
	}
	redisq.SilenceLibrary(io.Discard)
	target, err := redisq.ParseTarget(os.Getenv("REDIS_URL"))
	if err != nil {
		return workers.Config{}, err
	}
	queue := redisq.NewQueue(*stream, *group)
	queue.DeadLetter = *dead
	return workers.Config{
		Target: target, Queue: queue, Consumer: *consumer, Settings: s, Handler: workers.SMTP(*smtp),
		In: os.Stdin, Out: os.Stdout, Embedded: *embedded,
	}, nil
}
