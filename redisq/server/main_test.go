package server

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// parentEnv makes this test binary a program that starts a private server, tells its address and process ids, and
// then waits for its end.
const parentEnv = "UNACKED_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parentEnv) != "" {
		parent()
		return
	}
	goleak.VerifyTestMain(m)
}

func parent() {
	s, err := Start(context.Background(), Redis)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.Addr(), s.PID(), s.running.(*process).guard.Group())
	_, _ = io.Copy(io.Discard, os.Stdin)
}
