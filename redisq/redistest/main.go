package redistest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// Main is the body of a package's TestMain; it ends the process:
//
//	func TestMain(m *testing.M) { redistest.Main(m) }
//
// It fails at once when a server named in UNACKED_TEST_REQUIRE is missing, prints once which servers the tests used,
// stops those that it started, and fails when goroutines are left after tests that passed. Options tell which
// goroutines are not looked at.
func Main(m *testing.M, ignore ...goleak.Option) { os.Exit(run(m.Run, ignore)) }

// run is Main with the tests as a function, and returns the exit code.
func run(tests func() int, ignore []goleak.Option) int {
	if len(required()) > 0 {
		if _, err := open(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := tests()
	used, err := closeShared()
	if len(used) > 0 {
		fmt.Println("servers used:", strings.Join(used, " "))
	}
	if err == nil && code == 0 {
		err = goleak.Find(ignore...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}
