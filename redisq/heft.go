package redisq

import (
	"sync"
	"time"
)

// Bodies are not asked for where figures are enough, but some replies bring them: XINFO STREAM those of the first and the
// last entry. What a reading may carry of them is bounded, so that entries of a megabyte do not fill the way to the
// server.
const bodyBudget = 1 << 20

// affordable is how many entries of a size may be asked for, at least least and at most most.
func affordable(size, least, most int) int {
	return min(max(bodyBudget/max(size, 1), least), most)
}

// weight is about how many bytes a reply had on its way.
func weight(reply any) int64 {
	switch r := reply.(type) {
	case string:
		return int64(len(r)) + 8
	case []any:
		n := int64(8)
		for _, item := range r {
			n += weight(item)
		}
		return n
	}
	return 8
}

// Traffic adds up what our readings bring. The zero value is ready. Safe from any goroutine.
type Traffic struct {
	mu      sync.Mutex
	began   time.Time // of the first; guarded by mu
	brought []load    // those of the window, oldest first; guarded by mu
}

type load struct {
	at    time.Time
	bytes int64
}

// Add takes in what a reading brought.
func (t *Traffic) Add(at time.Time, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.began.IsZero() {
		t.began = at
	}
	t.brought = append(t.brought, load{at, bytes})
}

// PerSecond is how many bytes a second readings brought within the last 10 s.
func (t *Traffic) PerSecond(now time.Time) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.brought) > 0 && now.Sub(t.brought[0].at) > costWindow {
		t.brought = t.brought[1:]
	}
	var sum int64
	for _, l := range t.brought {
		sum += l.bytes
	}
	window := min(max(now.Sub(t.began), time.Second), costWindow)
	return int64(float64(sum) / window.Seconds())
}
