package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"example.com/unacked/redisq/safe"
)

// logbook keeps the last lines of what libraries log, each with its time and made harmless, and writes them to a file
// where there is one. Safe from any goroutine.
type logbook struct {
	to  io.WriteCloser // nil is no file
	now func() time.Time

	mu    sync.Mutex // guards lines and writes to to
	lines []string   // oldest first; a new slice with each line
}

const (
	logLines   = 100
	logLineLen = 1000
	logTime    = "2006-01-02 15:04:05.000 " // a file may be read days later
)

// openLog returns a logbook that appends to the file at path, "" is none. Close it.
func openLog(path string) (*logbook, error) {
	if path == "" {
		return &logbook{now: time.Now}, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, usageError{fmt.Errorf("--log: %w", err)}
	}
	return &logbook{to: f, now: time.Now}, nil
}

// Write takes lines. It never fails: a log that cannot be written is no reason to stop.
func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.now().Format(logTime)
	for line := range strings.Lines(string(p)) {
		if line = safe.TextN(strings.TrimRight(line, "\r\n"), logLineLen); line == "" {
			continue
		}
		line = at + line
		from := max(0, len(l.lines)+1-logLines)
		l.lines = append(append(make([]string, 0, len(l.lines)+1), l.lines[from:]...), line)
		if l.to != nil {
			_, _ = io.WriteString(l.to, line+"\n")
		}
	}
	return len(p), nil
}

// Last returns the lines, oldest first. They are never changed.
func (l *logbook) Last() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines
}

// Close closes the file.
func (l *logbook) Close() error {
	if l.to == nil {
		return nil
	}
	return l.to.Close()
}
