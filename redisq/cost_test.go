package redisq

import (
	"errors"
	"testing"
	"time"
)

func TestCost(t *testing.T) {
	var c Cost
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	same(t, "before the first", c.PerSecond(start), time.Duration(0))
	c.Add("a", start, 4*time.Millisecond, nil)
	same(t, "in the first second, as if it were a whole one", c.PerSecond(start), 4*time.Millisecond)
	for i := 1; i < 40; i++ { // four a second for ten seconds
		c.Add("a", start.Add(time.Duration(i)*250*time.Millisecond), time.Millisecond, nil)
	}
	same(t, "43 ms in 10 s", c.PerSecond(start.Add(10*time.Second)), 4300*time.Microsecond)
	c.Add("b", start.Add(10*time.Second), 20*time.Millisecond, nil)
	same(t, "and 20 of another kind", c.PerSecond(start.Add(10*time.Second)), 6300*time.Microsecond)
	same(t, "what is older is forgotten", c.PerSecond(start.Add(time.Minute)), time.Duration(0))
}

// The wait for a server that is suspended, or away, is no work that we gave it.
func TestCostOfASuspendedServer(t *testing.T) {
	var c Cost
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	read := func(n int, took time.Duration, err error) {
		for range n {
			at = at.Add(250 * time.Millisecond)
			c.Add("a", at, took, err)
		}
	}
	read(40, time.Millisecond, nil)
	read(2, 1500*time.Millisecond, errors.New("no answer"))
	read(1, 1200*time.Millisecond, nil) // it was answered when the server went on
	read(1, time.Millisecond, nil)
	// Of the last ten seconds 37 + 1 readings took 1 ms, and one counts for four times that.
	same(t, "just after it", c.PerSecond(at), 4200*time.Microsecond)
	read(41, 1500*time.Millisecond, errors.New("no answer"))
	same(t, "none was answered for ten seconds", c.PerSecond(at), time.Duration(0))
	read(4, 2*time.Millisecond, nil)
	same(t, "four are", c.PerSecond(at), 800*time.Microsecond)
	read(100, 3*time.Millisecond, nil)
	same(t, "what is usual changes", c.PerSecond(at), 12300*time.Microsecond)
}
