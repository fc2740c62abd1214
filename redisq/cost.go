package redisq

import (
	"slices"
	"sync"
	"time"
)

const (
	// costWindow is the time over which the cost of our readings is averaged.
	costWindow = 10 * time.Second
	// usualOf is the number of readings of a kind that tell what is usual.
	usualOf = 31
	// unusual is how many times the usual a reading counts for at most: one that took longer waited for a server that
	// was suspended, or busy with something else, or for a lost packet.
	unusual = 4
)

// Cost adds up the time that our own readings take: what they cost the server and the way to it. A reading without an
// answer is not counted: how much of the wait was work nobody knows. The zero value is ready. Safe from any goroutine.
type Cost struct {
	mu    sync.Mutex
	began time.Time                // of the first; guarded by mu
	spent map[string]*expenditures // by kind of reading; guarded by mu
}

// expenditures are the times of one kind of reading.
type expenditures struct {
	last []spending // those of the window and those that tell what is usual, oldest first
}

type spending struct {
	at   time.Time
	took time.Duration
}

// Add takes in a reading of some kind: those of a kind are alike. err is why it failed, or nil.
func (c *Cost) Add(kind string, at time.Time, took time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.began.IsZero() {
		c.began = at
	}
	if err != nil {
		return
	}
	e := c.spent[kind]
	if e == nil {
		e = &expenditures{}
		if c.spent == nil {
			c.spent = make(map[string]*expenditures)
		}
		c.spent[kind] = e
	}
	e.last = append(e.last, spending{at, took})
}

// PerSecond is the time a second that readings took within the last 10 s; 0 is not known, for none of them was answered.
func (c *Cost) PerSecond(now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	var sum time.Duration
	for _, e := range c.spent {
		sum += e.sum(now)
	}
	// Shortly after the start the window is not full; before a second has passed nobody knows.
	window := min(max(now.Sub(c.began), time.Second), costWindow)
	return time.Duration(float64(sum) / window.Seconds())
}

// sum adds up what was spent in the window before now.
func (e *expenditures) sum(now time.Time) (sum time.Duration) {
	for len(e.last) > usualOf && now.Sub(e.last[0].at) > costWindow {
		e.last = e.last[1:]
	}
	took := make([]time.Duration, len(e.last))
	for i, s := range e.last {
		took[i] = s.took
	}
	slices.Sort(took)
	most := unusual * took[(len(took)-1)/2]
	for _, s := range e.last {
		if now.Sub(s.at) <= costWindow {
			sum += min(s.took, most)
		}
	}
	return sum
}
