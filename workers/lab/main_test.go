package lab_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/redisq/server"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// The test binary is also the worker process of the labs under test, and a process with a lab that a test kills.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "worker":
			os.Exit(exit(workerProcess(os.Args[2:])))
		case "lab":
			os.Exit(exit(labProcess()))
		}
	}
	// Most of the time these tests wait for times to pass, so that more of them fit than there are processors.
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	redistest.Main(m)
}

func exit(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// workerProcess is `unacked worker` as far as a lab uses it.
func workerProcess(args []string) error {
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
	redisq.SilenceLibrary(nil)
	target, err := redisq.ParseTarget(os.Getenv("REDIS_URL"))
	if err != nil {
		return err
	}
	queue := redisq.NewQueue(*stream, *group)
	queue.DeadLetter = *dead
	return workers.Run(context.Background(), workers.Config{
		Target: target, Queue: queue, Consumer: *consumer, Settings: s, Handler: workers.SMTP(*smtp),
		In: os.Stdin, Out: os.Stdout, Embedded: *embedded,
	})
}

// labProcess runs a lab until it is killed, and writes the process ids that must go with it.
func labProcess() error {
	l, err := lab.Start(context.Background(), lab.Options{
		Decisions: lab.Defaults(), Server: server.Auto, Self: []string{os.Args[0], "worker"},
	})
	if err != nil {
		return err
	}
	for u := range l.Updates() {
		busy := 0
		for _, w := range u.State.Workers {
			if w.Order != "" {
				busy++
			}
		}
		if busy == 0 || u.Snapshot.Err != nil {
			continue
		}
		for _, w := range u.State.Workers {
			fmt.Println("pid", w.PID)
		}
		fmt.Println("server", u.Snapshot.Server.Addr)
		fmt.Println("ready")
		<-time.After(time.Minute)
	}
	return nil
}
