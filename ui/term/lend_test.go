package term

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// A key that was meant for an editor may be heard of when the editor has ended already.
func TestLoanCovers(t *testing.T) {
	now := time.Date(2025, 11, 28, 3, 0, 0, 0, time.UTC)
	never, on, over := &loan{}, &loan{}, &loan{}
	on.begin()
	over.begin()
	over.end(now)
	for _, c := range []struct {
		name  string
		of    *loan
		s     os.Signal
		after time.Duration
		want  bool
	}{
		{"no editor ever", never, syscall.SIGINT, 0, false},
		{"in the editor", on, syscall.SIGINT, time.Hour, true},
		{"quit in the editor", on, syscall.SIGQUIT, 0, true},
		{"told to end in the editor", on, syscall.SIGTERM, 0, false},
		{"hung up in the editor", on, syscall.SIGHUP, 0, false},
		{"heard late", over, syscall.SIGINT, 300 * time.Millisecond, true},
		{"quit, heard late", over, syscall.SIGQUIT, 300 * time.Millisecond, true},
		{"told to end right after", over, syscall.SIGTERM, 0, false},
		{"long after", over, syscall.SIGINT, time.Second, false},
	} {
		if got := c.of.covers(c.s, now.Add(c.after)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
