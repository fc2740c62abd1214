package lab_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
	"example.com/unacked/redisq/server"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
	"example.com/unacked/workers/lab/labtest"
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
	// The race detector would keep each ending worker for a second.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
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
	c, err := labtest.Worker(args)
	if err != nil {
		return err
	}
	return workers.Run(context.Background(), c)
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
