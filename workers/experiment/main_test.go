package experiment

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/redisq/server"
	"example.com/unacked/workers"
)

// The test binary is also the worker process of the experiments under test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "worker") {
		if err := workerProcess(fault(strings.TrimPrefix(os.Args[1], "worker:")), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// The race detector would keep each ending worker for a second.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	redistest.Main(m)
}

// workerProcess is `unacked worker` as far as an experiment uses it, with a fault.
func workerProcess(broken fault, args []string) error {
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
		return err
	}
	if !*controlled || *handler != "smtp" || f.NArg() > 0 {
		return fmt.Errorf("bad command line of a worker: %q", args)
	}
	redisq.SilenceLibrary(io.Discard)
	target, err := redisq.ParseTarget(os.Getenv("REDIS_URL"))
	if err != nil {
		return err
	}
	queue := redisq.NewQueue(*stream, *group)
	queue.DeadLetter = *dead
	c := workers.Config{
		Target: target, Queue: queue, Consumer: *consumer, Settings: s, Handler: workers.SMTP(*smtp),
		In: os.Stdin, Out: os.Stdout, Embedded: *embedded,
	}
	if err := broken.into(&c); err != nil {
		return err
	}
	return workers.Run(context.Background(), c)
}

// on says where an experiment is played: on the given server, or on an embedded one of its own.
func on(t *testing.T, s redistest.Server) Options {
	t.Helper()
	o := Options{Self: []string{os.Args[0], "worker"}, Scale: 0.1, Server: server.Embedded}
	if s.Embedded {
		return o
	}
	target, err := redisq.ParseTarget(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	o.Target = &target
	return o
}
