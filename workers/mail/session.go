package mail

import (
	"bufio"
	"errors"
	"io"
	"net/textproto"
	"strings"

	"github.com/emersion/go-smtp"
)

// OrderHeader is the header field that names a mail's order.
const OrderHeader = "X-Order"

var (
	errNoUser   = &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
	errRefusing = &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "mail server is out of order"}
	errClosing  = &smtp.SMTPError{Code: 421, EnhancedCode: smtp.EnhancedCode{4, 3, 2}, Message: "mail server is closing"}
	errCutShort = &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "the mail ended too early"}
)

// session is one client's connection. The library calls it from one goroutine.
type session struct{ sink *Sink }

func (s *Sink) newSession(*smtp.Conn) (smtp.Session, error) { return &session{s}, nil }

func (c *session) Reset()        {}
func (c *session) Logout() error { return nil }

func (c *session) Mail(string, *smtp.MailOptions) error {
	c.sink.mu.Lock()
	defer c.sink.mu.Unlock()
	if c.sink.trouble == Refusing {
		return errRefusing
	}
	return nil
}

func (c *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if !isBad(to) {
		return nil
	}
	c.sink.mu.Lock()
	defer c.sink.mu.Unlock()
	c.sink.refused++
	return errNoUser
}

func (c *session) Data(r io.Reader) error {
	order, err := readOrder(r)
	if err != nil {
		return err
	}
	return c.sink.serve(order)
}

func isBad(address string) bool {
	at := strings.LastIndexByte(address, '@')
	return at >= 0 && strings.EqualFold(strings.TrimSuffix(address[at+1:], "."), BadHost)
}

// readOrder reads the whole mail and returns the order in its header, "" where it names none. A mail that is cut short
// is an error; one whose header is nonsense is a mail without an order.
func readOrder(r io.Reader) (string, error) {
	buffered := bufio.NewReader(r)
	header, _ := textproto.NewReader(buffered).ReadMIMEHeader()
	if _, err := io.Copy(io.Discard, buffered); err != nil {
		if refusal := (*smtp.SMTPError)(nil); errors.As(err, &refusal) { // too long
			return "", refusal
		}
		return "", errCutShort
	}
	return strings.TrimSpace(header.Get(OrderHeader)), nil
}
