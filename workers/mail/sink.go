package mail

import (
	"context"
	"fmt"
	"log"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

// Trouble is what is wrong with the mail server, for trying out what workers make of it.
type Trouble int

// The troubles.
const (
	Healthy  Trouble = iota
	Hanging          // takes the mail and says nothing until the trouble is over
	Refusing         // answers MAIL FROM with 451
)

// BadHost is the host of the addresses that are refused: RCPT TO is answered with 550 5.1.1.
const BadHost = "nowhere.invalid"

// Limits of what one session may send, and the time after which a silent one is closed.
const (
	maxMessage  = 4 << 20
	maxSilence  = 5 * time.Minute
	maxTwiceIDs = 1000
)

// Options are the settings of a Sink. The zero value is a server that takes no time for a mail.
type Options struct {
	// Service is how long a mail takes from the end of DATA to the 250; it is asked once for each mail. nil is no time.
	Service func() time.Duration
	// OnMail is called for each mail that was accepted, before its 250 is written: its order, and how many mails the
	// order has now. It runs under the sink's lock: it must be quick and must not call the sink. nil is nobody.
	OnMail func(order string, mails int)
	// Log takes the SMTP library's complaints. nil drops them.
	Log *log.Logger
	// Go starts a goroutine. nil is a plain go statement.
	Go func(func())
}

// Sink is a mail server on loopback. Its methods are safe from any goroutine.
type Sink struct {
	options Options
	server  *smtp.Server
	addr    string
	stop    chan struct{} // closed by Close
	served  chan struct{} // closed when the accept loop ended
	closing sync.Once

	mu       sync.Mutex // guards what follows
	trouble  Trouble
	over     chan struct{} // closed when the trouble ends; nil while there is none
	conns    map[net.Conn]struct{}
	closed   bool
	busy     map[string]int // mails taken and not yet answered, by order
	tally    tally
	mails    int64
	refused  int64
	once     int64
	twice    int64
	twiceIDs []string // sorted by order number
}

// Count is what arrived.
type Count struct {
	Mails    int64    // accepted in all, those without an order too
	Refused  int64    // RCPT TO answered with 550
	Once     int64    // orders with exactly one mail
	Twice    int64    // orders with two or more
	TwiceIDs []string // those, by order number; at most the first thousand
}

// Start begins to serve on a free port of 127.0.0.1.
func Start(o Options) (*Sink, error) {
	if o.Service == nil {
		o.Service = func() time.Duration { return 0 }
	}
	if o.Go == nil {
		o.Go = func(f func()) { go f() }
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("mail sink: cannot listen on 127.0.0.1: %w", err)
	}
	s := &Sink{
		options: o,
		addr:    listener.Addr().String(),
		stop:    make(chan struct{}),
		served:  make(chan struct{}),
		conns:   make(map[net.Conn]struct{}),
		busy:    make(map[string]int),
	}
	s.server = smtp.NewServer(smtp.BackendFunc(s.newSession))
	s.server.Domain = "unacked.invalid"
	s.server.MaxMessageBytes = maxMessage
	s.server.MaxRecipients = 50
	s.server.ReadTimeout = maxSilence
	s.server.WriteTimeout = 10 * time.Second
	s.server.ErrorLog = quiet{o.Log}
	o.Go(func() {
		defer close(s.served)
		// Serve ends when Shutdown closes the listener; another error leaves a sink that answers nobody, which the
		// workers' own errors show.
		if err := s.server.Serve(tracked{listener, s}); err != nil && o.Log != nil {
			o.Log.Printf("mail sink: %v", err)
		}
	})
	return s, nil
}

// Addr is host:port.
func (s *Sink) Addr() string { return s.addr }

// Close ends the server and its sessions; a mail that is being served is not accepted any more. It returns when every
// goroutine of the server ended. Closing twice is fine.
func (s *Sink) Close() error {
	s.closing.Do(func() {
		close(s.stop)
		s.mu.Lock()
		s.closed = true
		for c := range s.conns {
			_ = c.Close() // the session's read fails, and it ends
		}
		s.mu.Unlock()
		_ = s.server.Shutdown(context.Background()) // waits for the sessions
		<-s.served
	})
	return nil
}

// SetTrouble makes the server behave badly, or well again. A mail that hung is served when the trouble is over.
func (s *Sink) SetTrouble(t Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = t
	if s.over != nil {
		close(s.over)
		s.over = nil
	}
	if t == Hanging {
		s.over = make(chan struct{})
	}
}

// Count returns what arrived so far.
func (s *Sink) Count() Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Count{Mails: s.mails, Refused: s.refused, Once: s.once, Twice: s.twice, TwiceIDs: slices.Clone(s.twiceIDs)}
}

// Orders returns how many mails arrived for an order.
func (s *Sink) Orders(order string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tally.get(order)
}

// Busy returns the orders whose mail was taken and is not answered yet.
func (s *Sink) Busy() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	orders := make([]string, 0, len(s.busy))
	for order := range s.busy {
		orders = append(orders, order)
	}
	return orders
}

// serve takes the time that a mail takes and counts it. It is counted whether or not the client is still there: a mail
// server that has the whole mail sends it on, and a client that died before the 250 cannot know.
func (s *Sink) serve(order string) error {
	s.mu.Lock()
	s.busy[order]++
	over := s.over
	s.mu.Unlock()

	done := s.wait(over)

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[order]--; s.busy[order] == 0 {
		delete(s.busy, order)
	}
	if !done {
		return errClosing
	}
	s.mails++
	if order == "" {
		return nil
	}
	mails := s.tally.add(order)
	switch mails {
	case 1:
		s.once++
	case 2:
		s.once--
		s.twice++
		if at, _ := slices.BinarySearchFunc(s.twiceIDs, order, CompareOrders); at < maxTwiceIDs {
			s.twiceIDs = slices.Insert(s.twiceIDs, at, order)
			s.twiceIDs = s.twiceIDs[:min(len(s.twiceIDs), maxTwiceIDs)]
		}
	}
	if s.options.OnMail != nil {
		s.options.OnMail(order, mails)
	}
	return nil
}

// wait waits while the server hangs and then for the service time; false when the server closes meanwhile.
func (s *Sink) wait(over <-chan struct{}) bool {
	if over != nil {
		select {
		case <-over:
		case <-s.stop:
			return false
		}
	}
	service := time.NewTimer(s.options.Service())
	defer service.Stop()
	select {
	case <-service.C:
		return true
	case <-s.stop:
		return false
	}
}

// tracked is the listener with its connections known to the sink, so that Close can end them.
type tracked struct {
	net.Listener
	sink *Sink
}

func (t tracked) Accept() (net.Conn, error) {
	c, err := t.Listener.Accept()
	if err != nil {
		return nil, err
	}
	t.sink.mu.Lock()
	defer t.sink.mu.Unlock()
	if t.sink.closed {
		_ = c.Close()
		return nil, net.ErrClosed
	}
	t.sink.conns[c] = struct{}{}
	return trackedConn{c, t.sink}, nil
}

type trackedConn struct {
	net.Conn
	sink *Sink
}

func (c trackedConn) Close() error {
	c.sink.mu.Lock()
	delete(c.sink.conns, c.Conn)
	c.sink.mu.Unlock()
	return c.Conn.Close()
}

// quiet hands the library's complaints to a logger, or drops them: they must never reach the terminal.
type quiet struct{ log *log.Logger }

func (q quiet) Printf(format string, v ...any) {
	if q.log != nil {
		q.log.Printf(format, v...)
	}
}

func (q quiet) Println(v ...any) {
	if q.log != nil {
		q.log.Println(v...)
	}
}
