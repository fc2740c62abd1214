package workers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

// The test binary is also the processes that the tests kill.
const (
	roleEnv   = "UNACKED_TEST_ROLE" // "worker" or "dashboard"
	urlEnv    = "UNACKED_TEST_URL"
	streamEnv = "UNACKED_TEST_STREAM"
)

const testGroup = "mailers"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "worker":
		os.Exit(workerMain())
	case "dashboard":
		os.Exit(dashboardMain())
	}
	redisq.SilenceLibrary(io.Discard)
	redistest.Main(m)
}

// workerMain is a worker process: its arguments are its name and its handler.
func workerMain() int {
	redisq.SilenceLibrary(io.Discard)
	target, err := redisq.ParseTarget(os.Getenv(urlEnv))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	err = Run(context.Background(), Config{
		Target: target, Queue: redisq.NewQueue(os.Getenv(streamEnv), testGroup), Consumer: os.Args[1],
		Settings: DefaultSettings(), Handler: testHandler(os.Args[2]), In: os.Stdin, Out: os.Stdout,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// dashboardMain starts two workers, says their process ids, and waits to be killed.
func dashboardMain() int {
	s := NewSupervisor(SupervisorOptions{
		Argv:     testArgv(os.Args[1]),
		Env:      []string{roleEnv + "=worker", "GORACE=atexit_sleep_ms=0"},
		Settings: DefaultSettings(),
	})
	for _, name := range []string{"w1", "w2"} {
		if err := s.Start(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	for _, state := range s.States() {
		fmt.Println(state.PID)
	}
	select {}
}

func testArgv(handler string) func(string) []string {
	return func(name string) []string { return []string{os.Args[0], name, handler} }
}

// testHandler makes a handler of a word and its argument: "smtp ADDR", "noop 20ms", "exec COMMAND", "crash", "hang".
func testHandler(spec string) Handler {
	word, arg, _ := strings.Cut(spec, " ")
	switch word {
	case "smtp":
		return SMTP(arg)
	case "noop":
		d, err := time.ParseDuration(arg)
		if err != nil {
			panic(err)
		}
		return Noop(d)
	case "exec":
		return Exec([]string{"sh", "-c", arg})
	case "crash": // the process dies of a message with a field "boom"
		return handlerFunc(func(_ context.Context, m Message) error {
			if _, ok := m.Entry.Get("boom"); ok {
				fmt.Fprintln(os.Stderr, "about to crash")
				os.Exit(3)
			}
			return nil
		})
	case "hang": // for ever, whatever its context says
		return handlerFunc(func(context.Context, Message) error { select {} })
	}
	panic("no such handler: " + spec)
}

type handlerFunc func(context.Context, Message) error

func (f handlerFunc) Handle(ctx context.Context, m Message) error { return f(ctx, m) }

// patience is how long a test waits before it has failed: what it waits for is usually there within a second, but the
// machine may have much else to do.
const patience = time.Minute

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

var errTest = errors.New("as the test wants it")
