package term

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A process that was stopped is told so a little later than it finds its time over; one that was not is never told.
func TestAwaken(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration // of the SIGCONT; 0 is never
		want  error
	}{
		"before the time is over":  {time.Millisecond, nil},
		"after the time went by":   {notStopped/2 + 100*time.Millisecond, nil},
		"no shell, and no SIGCONT": {0, ErrNoShell},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				woken := make(chan os.Signal, 1)
				if c.after > 0 {
					time.AfterFunc(c.after, func() { woken <- syscall.SIGCONT })
				}
				if err := awaken(woken); !errors.Is(err, c.want) {
					t.Errorf("%v, want %v", err, c.want)
				}
			})
		})
	}
}
