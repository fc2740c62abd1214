package watch

import (
	"sync"
	"time"
)

// costWindow is the time over which the cost of our readings is averaged.
const costWindow = 10 * time.Second

// cost adds up the time that our own readings take. Safe from any goroutine.
type cost struct {
	mu    sync.Mutex
	began time.Time  // of the first
	spent []spending // those of the window, oldest first
}

type spending struct {
	at   time.Time
	took time.Duration
}

func (c *cost) add(at time.Time, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.began.IsZero() {
		c.began = at
	}
	c.spent = append(c.spent, spending{at, took})
}

// perSecond is the time a second that readings took within the window.
func (c *cost) perSecond(now time.Time) time.Duration {
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
