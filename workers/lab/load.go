package lab

import (
	"strconv"
	"time"

	"example.com/unacked/redisq/safe"
)

// loadPatience is how long AddLoad waits for the answers: longer than one attempt to add an order may take.
const loadPatience = 2500 * time.Millisecond

// Load is what became of orders that were placed at once.
type Load struct {
	Sent     int
	Accepted int
	Refused  int    // told that the queue is full
	Unknown  int    // the reply was lost: it may be in the queue
	Failed   int    // the server said no, or was not there: not in the queue
	Waiting  int    // has no answer yet: it waits for room, or for the server
	Error    string // of the last one that is Unknown or Failed
}

// AddLoad places orders once, as quickly as the queue takes them, all with bad addresses when bad is set. It waits for
// the answers, 2.5 s at most; the orders that have none by then go on waiting.
func (l *Lab) AddLoad(orders int, bad bool) Load {
	at := l.o.Clock()
	load := l.producer.AddLoad(orders, bad)
	late := time.NewTimer(loadPatience)
	defer late.Stop()
	select {
	case <-load.Done():
	case <-late.C:
	case <-l.stop.Done():
	}
	c := load.Count()
	if c.Sent == 0 {
		return Load{}
	}
	text := "+" + strconv.Itoa(c.Accepted)
	if c.Accepted < c.Sent {
		text += " of " + strconv.Itoa(c.Sent)
	}
	if bad {
		text += " bad"
	}
	l.journal.markAt(at, text)
	l.hurry()
	answer := Load{
		Sent: c.Sent, Accepted: c.Accepted, Refused: c.Refused, Unknown: c.Unknown, Failed: c.Failed, Waiting: c.Waiting,
	}
	if c.Err != nil {
		answer.Error = safe.TextN(c.Err.Error(), maxReason)
	}
	return answer
}
