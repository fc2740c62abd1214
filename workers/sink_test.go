package workers

import (
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// sink is a mail server that counts what arrives by the header X-Order, and refuses mail to nowhere.invalid.
type sink struct {
	addr    string
	service time.Duration

	mu      sync.Mutex
	mails   map[string]int
	refused int
	last    []byte // text of the last mail
}

func newSink(t *testing.T, service time.Duration) *sink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{addr: listener.Addr().String(), service: service, mails: map[string]int{}}
	server := smtp.NewServer(s)
	server.Domain = "sink.invalid"
	server.AllowInsecureAuth = true
	done := make(chan struct{})
	go func() { _ = server.Serve(listener); close(done) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return s
}

func (s *sink) counts() (total int, byOrder map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.mails {
		total += n
	}
	return total, maps.Clone(s.mails)
}

func (s *sink) total() int { n, _ := s.counts(); return n }

func (s *sink) refusals() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

func (s *sink) NewSession(*smtp.Conn) (smtp.Session, error) { return (*sinkSession)(s), nil }

type sinkSession sink

func (s *sinkSession) Reset()                               {}
func (s *sinkSession) Logout() error                        { return nil }
func (s *sinkSession) Mail(string, *smtp.MailOptions) error { return nil }
func (s *sinkSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasSuffix(to, "@nowhere.invalid") {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.refused++
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
	}
	return nil
}

func (s *sinkSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := mail.ReadMessage(strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	if s.service > 0 {
		<-time.After(s.service)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails[m.Header.Get("X-Order")]++
	s.last = text
	return nil
}

func decode(line []byte) (e Event, err error) {
	err = json.Unmarshal(line, &e)
	return e, err
}

func (l *local) tell(t *testing.T, c Control) {
	t.Helper()
	line, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}
