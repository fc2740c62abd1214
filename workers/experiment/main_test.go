package experiment

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/redisq/server"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab/labtest"
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
	c, err := labtest.Worker(args)
	if err != nil {
		return err
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
