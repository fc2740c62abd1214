package redisq

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq/safe"
)

// SilenceLibrary sends what the Redis library logs to w, a line at a time and made harmless, instead of to standard
// error, where it would tear the screen. Call it before the first Connect; nil discards. Writes are not concurrent.
func SilenceLibrary(w io.Writer) {
	if w == nil {
		w = io.Discard
	}
	redis.SetLogger(&libraryLog{w: w})
}

type libraryLog struct {
	mu sync.Mutex
	w  io.Writer // guarded by mu
}

func (l *libraryLog) Printf(_ context.Context, format string, v ...any) {
	line := safe.Text(fmt.Sprintf(format, v...)) + "\n"
	l.mu.Lock()
	defer l.mu.Unlock()
	// A log that cannot be written is no reason to stop.
	_, _ = io.WriteString(l.w, line)
}
