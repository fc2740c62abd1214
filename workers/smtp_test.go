package workers

import (
	"context"
	"io"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/redistest"
)

func message(fields ...string) Message {
	m := Message{ID: "1764365984740-0", Original: "1764365984700-3", Deliveries: 1}
	for i := 0; i < len(fields); i += 2 {
		m.Entry.Fields = append(m.Entry.Fields, redisq.Field{Name: fields[i], Value: fields[i+1]})
	}
	m.Order, _ = m.Entry.Get("order")
	return m
}

func TestSMTPSendsTheMessage(t *testing.T) {
	s := newSink(t, 0)
	err := SMTP(s.addr).Handle(t.Context(), message("order", "31", "to", "Ann <customer31@shop.example>", "note", "grüezi"))
	if err != nil {
		t.Fatal(err)
	}
	m := must[*mail.Message](t)(mail.ReadMessage(strings.NewReader(string(s.last))))
	for name, want := range map[string]string{
		"X-Order": "31", "To": "customer31@shop.example", "Message-Id": "<1764365984700-3@unacked.invalid>",
	} {
		if got := m.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	body := must[[]byte](t)(io.ReadAll(quotedprintable.NewReader(m.Body)))
	want := "order: 31\r\nto: Ann <customer31@shop.example>\r\nnote: grüezi\r\n"
	if string(body) != want {
		t.Errorf("body %q, want %q", body, want)
	}
}

// Nothing in a message can add a header, a recipient or a second mail.
func TestSMTPHostileFields(t *testing.T) {
	s := newSink(t, 0)
	err := SMTP(s.addr).Handle(t.Context(), message(
		"order", "1\r\nX-Order: 2\r\n\r\nbody", "to", "a@shop.example", "x\r\n.\r\nMAIL FROM:<b@c>", "\r\n.\r\nQUIT\r\n\x00\xff"))
	if err != nil {
		t.Fatal(err)
	}
	total, by := s.counts()
	if total != 1 || by["2"] != 0 {
		t.Errorf("mails %v, want one, and none of order 2", by)
	}
	for _, to := range []string{
		"", "nobody", "a@shop.example>\r\nRCPT TO:<b@shop.example", "a@b, c@d", "\"a>b\"@shop.example",
		strings.Repeat("x", 300) + "@shop.example",
	} {
		err := SMTP(s.addr).Handle(t.Context(), message("order", "3", "to", to))
		if err == nil || !strings.HasSuffix(err.Error(), "is no mail address") {
			t.Errorf("to %q: error %v", to, err)
		}
	}
	if err := SMTP(s.addr).Handle(t.Context(), message("order", "3")); err == nil {
		t.Error("a message without a recipient was sent")
	}
	if n := s.total(); n != 1 {
		t.Errorf("%d mails, want 1", n)
	}
}

func TestSMTPFailures(t *testing.T) {
	silent := listen(t, func(net.Conn) {})
	closing := listen(t, func(c net.Conn) { _ = c.Close() })
	busy := listen(t, func(c net.Conn) { _, _ = io.WriteString(c, "421 4.3.2 come back later\r\n") })
	const nobody = "127.0.0.1:1"
	good := newSink(t, 0)
	tests := []struct {
		name, addr, to, want string
	}{
		{"refused recipient", good.addr, "x@nowhere.invalid", "550 5.1.1 no such user"},
		{"never answers", silent, "x@shop.example", "no answer from mail server " + silent + " within 100ms"},
		{"hangs up", closing, "x@shop.example", "mail server " + closing + ": EOF"},
		{"not now", busy, "x@shop.example", "421 4.3.2 come back later"},
		{"nobody there", nobody, "x@shop.example", "mail server " + nobody + " is not there: connect: connection refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			within := 10 * time.Second
			if tt.addr == silent {
				within = 100 * time.Millisecond
			}
			err := smtpHandler{addr: tt.addr, within: within}.Handle(t.Context(), message("order", "1", "to", tt.to))
			if err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
	t.Run("the worker ends", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if err := SMTP(silent).Handle(ctx, message("order", "1", "to", "x@shop.example")); err == nil {
			t.Error("no error")
		}
	})
}

// listen accepts connections and leaves them open after f.
func listen(t *testing.T, f func(net.Conn)) (addr string) {
	t.Helper()
	l := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer func() { _ = c.Close() }()
			f(c)
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

// A worker whose mail server hangs or is not there keeps the message pending and works on when it is back.
func TestWorkerSurvivesItsMailServer(t *testing.T) {
	r := rigOn(t, redistest.Servers(t)[0])
	silent := listen(t, func(net.Conn) {})
	good := newSink(t, 0)
	calls := 0
	s := quick()
	s.MaxDeliveries = 0
	r.run("w1", s, handlerFunc(func(ctx context.Context, m Message) error {
		calls++
		switch calls {
		case 1:
			return smtpHandler{addr: silent, within: 50 * time.Millisecond}.Handle(ctx, m)
		case 2:
			return SMTP("127.0.0.1:1").Handle(ctx, m) // nobody is there
		}
		return SMTP(good.addr).Handle(ctx, m)
	}))
	r.orders(1, 1)
	r.finished(1)
	if r.count(EventFailed) != 2 || r.count(EventAcked) != 1 || good.total() != 1 {
		t.Errorf("%d failed, %d acked, %d mails; want 2, 1 and 1", r.count(EventFailed), r.count(EventAcked), good.total())
	}
}
