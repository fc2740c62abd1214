package redisq

import (
	"sync"
	"time"
)

// costWindow is the time over which the cost of our readings is averaged.
const costWindow = 10 * time.Second

// Cost adds up the time that our own readings take: what they cost the server and the way to it, an upper bound. The
// zero value is ready. Safe from any goroutine.
type Cost struct {
	mu    sync.Mutex
	began time.Time  // of the first; guarded by mu
	spent []spending // those of the window, oldest first; guarded by mu
}

type spending struct {
	at   time.Time
	took time.Duration
}

// Add takes in a reading that began at that time.
func (c *Cost) Add(at time.Time, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.began.IsZero() {
		c.began = at
	}
	c.spent = append(c.spent, spending{at, took})
}

// PerSecond is the time a second that readings took within the last 10 s.
func (c *Cost) PerSecond(now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.spent) > 0 && now.Sub(c.spent[0].at) > costWindow {
		c.spent = c.spent[1:]
	}
	var sum time.Duration
	for _, s := range c.spent {
		sum += s.took
	}
	// Shortly after the start the window is not full; before a second has passed nobody knows.
	window := min(max(now.Sub(c.began), time.Second), costWindow)
	return time.Duration(float64(sum) / window.Seconds())
}
