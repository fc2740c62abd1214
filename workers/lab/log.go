package lab

import (
	"io"
	"strings"
	"sync"

	"example.com/unacked/redisq/safe"
)

const (
	maxLogLines   = 100
	maxLogLineLen = 1000
)

// logRing keeps the last lines of what libraries and workers log, made harmless, and passes them on. Safe from any
// goroutine.
type logRing struct {
	to io.Writer // or nil

	mu    sync.Mutex // guards lines and writes to to
	lines []string   // oldest first; a new slice with each line
}

func (r *logRing) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range strings.Lines(string(p)) {
		line = safe.TextN(strings.TrimRight(line, "\r\n"), maxLogLineLen)
		if line == "" {
			continue
		}
		from := max(0, len(r.lines)+1-maxLogLines)
		r.lines = append(append(make([]string, 0, len(r.lines)+1), r.lines[from:]...), line)
		if r.to != nil {
			// A log that cannot be written is no reason to stop.
			_, _ = io.WriteString(r.to, line+"\n")
		}
	}
	return len(p), nil
}

func (r *logRing) last() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines
}
