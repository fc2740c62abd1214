package redisq

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// Entries of 300 kB: a reading carries a few of them, the one that is wanted first, and after some readings all were
// read. What is undelivered is not counted by fetching it all.
func TestLargeBodiesAreReadWithinABudget(t *testing.T) {
	const body, entries = 300_000, 24
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		b := grouped(t, s)
		large := strings.Repeat("x", body)
		for i := range entries {
			b.do("XADD", b.q.Stream, fmt.Sprintf("%d-0", i+1), "n", i, "body", large)
		}
		b.read("w", entries/2)
		for range 9 {
			b.do("XADD", b.q.DeadLetter, "*", "body", large)
		}
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		o := b.observer(ObserverOptions{Clock: func() time.Time { return now }})
		o.Want("12-0")
		last := o.Read(t.Context())
		same(t, "the rows", len(last.Pending.Rows), entries/2)
		same(t, "the one that is wanted", last.Pending.Rows[11].Unread(), false)
		same(t, "undelivered", last.Group.Undelivered.String(), map[bool]string{false: "12", true: "3+"}[s.Embedded])
		same(t, "letters that were read", len(last.Dead.Rows), 3)
		same(t, "there are more", last.Dead.More, true)
		// XINFO STREAM or its like brings two, the newest letter one, and three things are read within the budget each.
		most := int64(2*body + body + 4*bodyBudget)
		readings, unread := 1, 0
		for ; readings < entries; readings++ {
			if last.Bytes > most {
				t.Fatalf("a reading carried %d bytes, more than %d", last.Bytes, most)
			}
			unread = 0
			for _, row := range last.Pending.Rows {
				if row.Gone {
					t.Errorf("%s is gone", row.ID)
				}
				if row.Unread() {
					unread++
				}
			}
			if unread == 0 {
				break
			}
			now = now.Add(100 * time.Millisecond)
			last = o.Read(t.Context())
		}
		if unread > 0 || readings < 3 {
			t.Errorf("after %d readings %d are not read", readings, unread)
		}
		now = now.Add(100 * time.Millisecond)
		quiet := o.Read(t.Context())
		same(t, "letters are still there", len(quiet.Dead.Rows), 3)
		if idle := int64(3 * body); !s.Embedded && quiet.Bytes > idle {
			t.Errorf("with nothing new a reading carries %d bytes, more than %d", quiet.Bytes, idle)
		}
		b.do("XTRIM", b.q.Stream, "MINID", "5-0")
		if s.Embedded {
			return // it drops them from the pending entries
		}
		now = now.Add(100 * time.Millisecond)
		trimmed := o.Read(t.Context())
		for i, row := range trimmed.Pending.Rows {
			same(t, "gone: "+row.ID, row.Gone, i < 4)
		}
		if idle := int64(3 * body); trimmed.Bytes > idle {
			t.Errorf("to see which were trimmed a reading carries %d bytes, more than %d", trimmed.Bytes, idle)
		}
	})
}

func TestTraffic(t *testing.T) {
	var c Traffic
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c.Add(start, 4000)
	same(t, "in the first second, as if it were a whole one", c.PerSecond(start), int64(4000))
	for i := range 9 {
		c.Add(start.Add(time.Duration(i+1)*time.Second), 4000)
	}
	same(t, "40 kB in 10 s", c.PerSecond(start.Add(10*time.Second)), int64(4000))
	same(t, "what is older is forgotten", c.PerSecond(start.Add(time.Minute)), int64(0))
}
