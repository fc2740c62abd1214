package workers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strconv"
	"strings"
	"time"

	"github.com/emersion/go-smtp"
)

const (
	smtpDialWithin = time.Second
	// smtpWithin is the limit of a whole exchange: a mail server that says nothing fails the message after it.
	smtpWithin = 30 * time.Second

	smtpFrom = "shop@unacked.invalid"
)

// SMTP returns a handler that sends each message as a mail through the server at addr (host:port), without TLS. The
// recipient is the field "to", the sender the field "from" or a fixed one. The header X-Order is the field "order",
// Message-ID is made of the original entry id, and the text is the fields, one a line. A mail server that refuses
// the mail, is not there (1 s), or does not answer (30 s in all) fails the message, with its words as the reason.
func SMTP(addr string) Handler { return smtpHandler{addr: addr, within: smtpWithin} }

type smtpHandler struct {
	addr   string
	within time.Duration
}

func (h smtpHandler) Handle(ctx context.Context, m Message) error {
	raw, ok := m.Entry.Get("to")
	if !ok {
		return errors.New(`no field "to": there is nobody to send it to`)
	}
	to, err := address(raw)
	if err != nil {
		return err
	}
	from := smtpFrom
	if raw, ok := m.Entry.Get("from"); ok {
		if from, err = address(raw); err != nil {
			return err
		}
	}
	text, err := compose(m, from, to)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeoutCause(ctx, h.within, fmt.Errorf("no answer from mail server %s within %v", h.addr, h.within))
	defer cancel()
	err = h.send(ctx, from, to, text)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (h smtpHandler) send(ctx context.Context, from, to string, text []byte) error {
	dialer := net.Dialer{Timeout: smtpDialWithin}
	conn, err := dialer.DialContext(ctx, "tcp", h.addr)
	if err != nil {
		return fmt.Errorf("mail server %s is not there: %w", h.addr, plain(err))
	}
	// The client knows no context; with its connection closed it returns.
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	client := smtp.NewClient(conn)
	defer func() { _ = client.Close() }()
	if err := client.SendMail(from, []string{to}, bytes.NewReader(text)); err != nil {
		var said *smtp.SMTPError
		if errors.As(err, &said) {
			return errors.New(words(said))
		}
		return fmt.Errorf("mail server %s: %w", h.addr, plain(err))
	}
	// It has the mail: what it says to QUIT changes nothing.
	_ = client.Quit()
	return nil
}

// words is what a mail server said, as it said it: "550 5.1.1 no such user".
func words(e *smtp.SMTPError) string {
	s := strconv.Itoa(e.Code)
	if e.EnhancedCode != smtp.NoEnhancedCode && e.EnhancedCode != smtp.EnhancedCodeNotSet {
		s += fmt.Sprintf(" %d.%d.%d", e.EnhancedCode[0], e.EnhancedCode[1], e.EnhancedCode[2])
	}
	return s + " " + strings.ReplaceAll(e.Message, "\n", " ")
}

// plain is the cause of a network error, without the addresses that the caller names already.
func plain(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

func address(raw string) (string, error) {
	const most = 254 // RFC 5321, 4.5.3.1.3, without the brackets
	parsed, err := mail.ParseAddress(raw)
	if err != nil || len(parsed.Address) > most || strings.ContainsAny(parsed.Address, "<> \t\r\n") {
		return "", fmt.Errorf("%q is no mail address", clip(raw))
	}
	return parsed.Address, nil
}

// compose writes the mail. What comes from the queue cannot make a header or end the mail: it is encoded.
func compose(m Message, from, to string) ([]byte, error) {
	var b bytes.Buffer
	header := func(name, value string) { fmt.Fprintf(&b, "%s: %s\r\n", name, mime.QEncoding.Encode("utf-8", value)) }
	id := m.Original
	if id == "" {
		id = "order-" + m.Order
	}
	header("From", from)
	header("To", to)
	header("Subject", "Order "+m.Order)
	header("Date", time.Now().Format(time.RFC1123Z))
	header("Message-ID", "<"+token(id)+"@unacked.invalid>")
	header("X-Order", m.Order)
	b.WriteString("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n" +
		"Content-Transfer-Encoding: quoted-printable\r\n\r\n")
	body := quotedprintable.NewWriter(&b)
	for _, f := range m.Entry.Fields {
		if _, err := fmt.Fprintf(body, "%s: %s\r\n", f.Name, f.Value); err != nil {
			return nil, fmt.Errorf("write the mail: %w", err)
		}
	}
	if err := body.Close(); err != nil {
		return nil, fmt.Errorf("write the mail: %w", err)
	}
	return b.Bytes(), nil
}

// token keeps of s what may stand in a message id.
func token(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}
