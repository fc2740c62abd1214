package redisq

import (
	"testing"
	"time"
)

func TestCost(t *testing.T) {
	var c Cost
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c.Add(start, 4*time.Millisecond)
	same(t, "in the first second, as if it were a whole one", c.PerSecond(start), 4*time.Millisecond)
	for i := 1; i < 40; i++ { // four a second for ten seconds
		c.Add(start.Add(time.Duration(i)*250*time.Millisecond), time.Millisecond)
	}
	same(t, "43 ms in 10 s", c.PerSecond(start.Add(10*time.Second)), 4300*time.Microsecond)
	same(t, "what is older is forgotten", c.PerSecond(start.Add(time.Minute)), time.Duration(0))
}
