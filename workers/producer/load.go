package producer

// Load is a burst: orders that were placed at once. Its methods are safe from any goroutine.
type Load struct {
	producer *Producer
	bad      bool
	done     chan struct{} // closed when every order has its answer

	left  int       // that have not begun; guarded by producer.mu
	count LoadCount // guarded by producer.mu
}

// LoadCount is what became of the orders of a Load so far.
type LoadCount struct {
	Sent     int // all of them
	Accepted int
	Refused  int   // the queue was full
	Unknown  int   // the reply was lost: it may be in the queue
	Failed   int   // the server said no, or was not there
	Waiting  int   // it has not begun, or waits for room or for an answer
	Err      error // of the last one that is Unknown or Failed, or nil
}

// Done is closed when every order of the load has its answer.
func (l *Load) Done() <-chan struct{} { return l.done }

// Count returns what became of the orders so far.
func (l *Load) Count() LoadCount {
	l.producer.mu.Lock()
	defer l.producer.mu.Unlock()
	return l.count
}

// answered counts the answer to one order, in the figure of its kind. producer.mu is held. A nil Load is no burst.
func (l *Load) answered(kind func(*LoadCount) *int, err error) {
	if l == nil {
		return
	}
	*kind(&l.count)++
	if err != nil {
		l.count.Err = err
	}
	if l.count.Waiting--; l.count.Waiting == 0 {
		close(l.done)
	}
}

func accepted(c *LoadCount) *int { return &c.Accepted }
func refused(c *LoadCount) *int  { return &c.Refused }
func unknown(c *LoadCount) *int  { return &c.Unknown }
func failed(c *LoadCount) *int   { return &c.Failed }
