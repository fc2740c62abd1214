package mail_test

import (
	"errors"
	"fmt"
	"net"
	"net/smtp"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/unacked/workers/mail"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, o mail.Options) *mail.Sink {
	t.Helper()
	sink, err := mail.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sink.Close() })
	return sink
}

// send sends one mail as any client would: the standard library's, which shares no code with the server.
func send(sink *mail.Sink, order, to string) error {
	header := ""
	if order != "" {
		header = "X-Order: " + order + "\r\n"
	}
	return smtp.SendMail(sink.Addr(), nil, "shop@shop.example", []string{to},
		[]byte(header+"Subject: your order\r\n\r\nThank you.\r\n"))
}

func mustSend(t *testing.T, sink *mail.Sink, order string) {
	t.Helper()
	if err := send(sink, order, "customer"+order+"@shop.example"); err != nil {
		t.Fatalf("order %s: %v", order, err)
	}
}

// eventually waits until the condition holds; a test that waits longer than a minute has failed.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

func TestMailsAreCountedByOrder(t *testing.T) {
	sink := start(t, mail.Options{})
	for _, order := range []string{"1", "2", "10", "9", "10", "9", "9", "007", "7", "A-3", "A-3"} {
		mustSend(t, sink, order)
	}
	mustSend(t, sink, "") // a mail without an order is a mail
	got := sink.Count()
	if got.Mails != 12 || got.Once != 4 || got.Twice != 3 || got.Refused != 0 {
		t.Errorf("got %+v, want 12 mails; 1, 2, 7 and 007 once; 9, 10 and A-3 twice or more", got)
	}
	if want := []string{"9", "10", "A-3"}; !slices.Equal(got.TwiceIDs, want) {
		t.Errorf("twice %q, want %q: sorted by number", got.TwiceIDs, want)
	}
	for order, want := range map[string]int{"1": 1, "9": 3, "10": 2, "A-3": 2, "3": 0, "99999999999999999999": 0} {
		if got := sink.Orders(order); got != want {
			t.Errorf("order %s: %d mails, want %d", order, got, want)
		}
	}
}

func TestAHugeOrderNumberIsCountedToo(t *testing.T) {
	sink := start(t, mail.Options{})
	mustSend(t, sink, "4294967295")
	mustSend(t, sink, "4294967295")
	if got := sink.Orders("4294967295"); got != 2 {
		t.Errorf("got %d mails, want 2", got)
	}
}

func TestBadAddressesAreRefusedAtRCPT(t *testing.T) {
	sink := start(t, mail.Options{})
	for _, to := range []string{"bad@nowhere.invalid", "bad@NOWHERE.INVALID", "x.y@nowhere.invalid."} {
		err := send(sink, "17", to)
		var answer *textproto.Error
		if !errors.As(err, &answer) || answer.Code != 550 || !strings.HasPrefix(answer.Msg, "5.1.1 ") {
			t.Errorf("%s: got %v, want 550 5.1.1", to, err)
		}
	}
	mustSend(t, sink, "18")
	if got := sink.Count(); got.Refused != 3 || got.Mails != 1 || sink.Orders("17") != 0 {
		t.Errorf("got %+v, want 3 refused and 1 mail", got)
	}
}

func TestAMailIsCountedBeforeItsAnswer(t *testing.T) {
	var told atomic.Int64
	sink := start(t, mail.Options{OnMail: func(order string, mails int) {
		if order == "5" {
			told.Store(int64(mails))
		}
	}})
	for want := int64(1); want <= 20; want++ {
		mustSend(t, sink, "5")
		if got := told.Load(); got != want {
			t.Fatalf("after answer %d the callback had said %d", want, got)
		}
		if got := sink.Orders("5"); int64(got) != want {
			t.Fatalf("after answer %d the count was %d", want, got)
		}
	}
}

func TestTheServiceTimeIsTakenAndSwitched(t *testing.T) {
	var service atomic.Int64
	service.Store(int64(60 * time.Millisecond))
	sink := start(t, mail.Options{Service: func() time.Duration { return time.Duration(service.Load()) }})
	began := time.Now()
	mustSend(t, sink, "1")
	if took := time.Since(began); took < 60*time.Millisecond {
		t.Errorf("a mail took %v, want at least 60 ms", took)
	}
	service.Store(int64(150 * time.Millisecond))
	began = time.Now()
	mustSend(t, sink, "2")
	if took := time.Since(began); took < 150*time.Millisecond {
		t.Errorf("a mail took %v after the switch, want at least 150 ms", took)
	}
}

func TestSessionsAreServedAtTheSameTime(t *testing.T) {
	sink := start(t, mail.Options{})
	sink.SetTrouble(mail.Hanging)
	var senders sync.WaitGroup
	for i := range 30 {
		senders.Go(func() {
			if err := send(sink, fmt.Sprint(i), "a@shop.example"); err != nil {
				t.Error(err)
			}
		})
	}
	eventually(t, "30 mails in the server's hand at once", func() bool { return len(sink.Busy()) == 30 })
	if got := sink.Count(); got.Mails != 0 {
		t.Errorf("%d mails counted that are not accepted yet", got.Mails)
	}
	sink.SetTrouble(mail.Healthy)
	senders.Wait()
	if got := sink.Count(); got.Mails != 30 || got.Once != 30 || len(sink.Busy()) != 0 {
		t.Errorf("got %+v and %d busy, want 30 orders once and none busy", got, len(sink.Busy()))
	}
}

// dial speaks SMTP by hand up to the 354 after DATA.
func dial(t *testing.T, sink *mail.Sink) *textproto.Conn {
	t.Helper()
	raw, err := net.Dial("tcp", sink.Addr())
	if err != nil {
		t.Fatal(err)
	}
	c := textproto.NewConn(raw)
	t.Cleanup(func() { _ = c.Close() })
	if _, _, err := c.ReadResponse(220); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		line string
		code int
	}{{"EHLO me", 250}, {"MAIL FROM:<a@shop.example>", 250}, {"RCPT TO:<b@shop.example>", 250}, {"DATA", 354}} {
		if err := c.PrintfLine("%s", step.line); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.ReadResponse(step.code); err != nil {
			t.Fatalf("%s: %v", step.line, err)
		}
	}
	return c
}

func TestAMailWhoseSenderDiesBeforeTheAnswerIsSent(t *testing.T) {
	sink := start(t, mail.Options{})
	sink.SetTrouble(mail.Hanging)
	c := dial(t, sink)
	_ = c.PrintfLine("X-Order: 30\r\n\r\nThank you.\r\n.")
	eventually(t, "the mail in the server's hand", func() bool { return slices.Equal(sink.Busy(), []string{"30"}) })
	_ = c.Close()
	sink.SetTrouble(mail.Healthy)
	eventually(t, "order 30 counted", func() bool { return sink.Orders("30") == 1 })
}

func TestAMailThatIsCutShortIsNone(t *testing.T) {
	sink := start(t, mail.Options{})
	c := dial(t, sink)
	_ = c.PrintfLine("X-Order: 30\r\n\r\nThank")
	_ = c.Close()
	mustSend(t, sink, "31")
	if err := sink.Close(); err != nil { // waits for both sessions
		t.Fatal(err)
	}
	if got := sink.Count(); got.Mails != 1 || sink.Orders("30") != 0 {
		t.Errorf("got %+v, want only the mail of order 31", got)
	}
}

func TestARefusingServerIsTemporary(t *testing.T) {
	sink := start(t, mail.Options{})
	sink.SetTrouble(mail.Refusing)
	var answer *textproto.Error
	if err := send(sink, "1", "a@shop.example"); !errors.As(err, &answer) || answer.Code != 451 {
		t.Errorf("got %v, want 451", err)
	}
	sink.SetTrouble(mail.Healthy)
	mustSend(t, sink, "1")
	if got := sink.Orders("1"); got != 1 {
		t.Errorf("got %d mails, want 1", got)
	}
}

func TestNonsenseDoesNotEndTheServer(t *testing.T) {
	sink := start(t, mail.Options{})
	c := dial(t, sink)
	_ = c.PrintfLine("no header at all\x00\xff\r\n.")
	if _, _, err := c.ReadResponse(250); err != nil {
		t.Errorf("a mail without a header: %v", err)
	}
	raw, err := net.Dial("tcp", sink.Addr())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = raw.Write([]byte("\x16\x03\x01 GET / HTTP/1.1\r\n\r\n"))
	_ = raw.Close()
	mustSend(t, sink, "2")
	if got := sink.Count(); got.Mails != 2 || got.Once != 1 {
		t.Errorf("got %+v, want 2 mails, 1 of them with an order", got)
	}
}

func TestCloseEndsAHangingSession(t *testing.T) {
	sink := start(t, mail.Options{})
	sink.SetTrouble(mail.Hanging)
	sent := make(chan error, 1)
	go func() { sent <- send(sink, "1", "a@shop.example") }()
	eventually(t, "the mail in the server's hand", func() bool { return len(sink.Busy()) == 1 })
	_ = sink.Close()
	if err := <-sent; err == nil {
		t.Error("the sender got a 250 for a mail that is not counted")
	}
	if got := sink.Count(); got.Mails != 0 {
		t.Errorf("got %d mails, want 0", got.Mails)
	}
	_ = sink.Close() // twice is fine
}
