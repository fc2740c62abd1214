package redisq

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq/safe"
)

// Codes of an [Error] beside those that the server sends as the first word of its answer (NOPERM, WRONGTYPE, NOGROUP,
// OOM, READONLY, LOADING, WRONGPASS, NOAUTH, CROSSSLOT, CLUSTERDOWN, …; "ERR" where it sends no other).
const (
	CodeRefused     = "refused"     // nothing listens at the address
	CodeUnreachable = "unreachable" // no way to the address, or no such host
	CodeTimeout     = "timeout"     // no answer in time, and nothing was changed by us
	CodeLostReply   = "lost-reply"  // a change was sent and no answer came: it may have been made
	CodeLost        = "lost"        // the connection broke while reading
	CodePool        = "pool"        // all connections of our own client are busy
	CodeClosed      = "closed"      // our client was closed
	CodeCanceled    = "canceled"    // our context was cancelled before anything was sent
	CodeReadOnly    = "read-only"   // our client is read-only: the command was not sent
	CodeTLS         = "tls"         // the certificate or the TLS handshake was refused
	CodeNoKey       = "no-key"      // ERR no such key
	CodeNoMaster    = "no-master"   // the Sentinels know no master of that name
	CodeFull        = "full"        // the backlog limit is reached: nothing was added
	CodeBadReply    = "bad-reply"   // the answer has a shape that this program does not know
	CodeSlot        = "slot"        // the keys are not in one Cluster slot
	CodeTooBig      = "too-big"     // an entry with too many fields to be copied by a script
)

// ErrFull is what Add and Push return (wrapped) when the backlog limit is reached.
var ErrFull = errors.New("the queue is full")

// Error says what was tried, on what, what the server said, and what to do. It is matched by Code:
//
//	var e *redisq.Error
//	if errors.As(err, &e) && e.Code == "NOGROUP" { … }
type Error struct {
	Op   string // what was tried: "XADD", "dead-letter 5-0", "connect"
	On   string // the key or server that it was tried on; made harmless when printed
	Code string
	Hint string // what to do, or ""
	Err  error  // what the server or the network said
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(safe.Text(e.Op))
	if e.On != "" {
		b.WriteString(" on ")
		b.WriteString(safe.Text(e.On))
	}
	b.WriteString(": ")
	switch {
	case e.Code == CodeLostReply:
		b.WriteString("the reply was lost (")
		b.WriteString(safe.Text(errText(e.Err)))
		b.WriteString("), so it may have been done or not")
	case e.Err != nil:
		b.WriteString(safe.Text(errText(e.Err)))
	default:
		b.WriteString(e.Code)
	}
	said := b.String()
	if e.Hint != "" {
		said = strings.TrimRight(said, ".") + "; " + e.Hint // a server may end its answer like a sentence
	}
	return said
}

func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the Code of the first Error in err's chain, "" if there is none.
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// Passing says that what failed may go well in a while without anybody's doing at this end: the server is away, starting,
// busy, or about to be another one. A wrong address, password or right does not pass.
func Passing(err error) bool {
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound {
		return false
	}
	// The one refusal of a full server: it has no code of its own.
	if CodeOf(err) == "ERR" && strings.Contains(err.Error(), "max number of clients reached") {
		return true
	}
	return passing(CodeOf(err))
}

func errText(err error) string {
	if err == nil {
		return "no reason given"
	}
	// The library's own words for a dial that failed repeat the address; the operation's error is enough.
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		var call *os.SyscallError
		if errors.As(op.Err, &call) {
			return call.Err.Error() // without "connect: ", which was said
		}
		return op.Err.Error()
	}
	return err.Error()
}

// attempt is what the hooks learn of one command on its way.
type attempt struct {
	handshakeFailed bool // the connection was made, but HELLO or AUTH failed: the command itself was never sent
}

// wrap makes an Error of what a command came back with; nil stays nil. writes says that the command changes data.
func wrap(op, on string, err error, writes bool, a *attempt) error {
	if err == nil {
		return nil
	}
	var already *Error
	if errors.As(err, &already) {
		return err
	}
	code := classify(err)
	if writes && (a == nil || !a.handshakeFailed) && sentWithoutReply(err) {
		code = CodeLostReply
	}
	return &Error{Op: op, On: on, Code: code, Hint: hint(code), Err: err}
}

// sentWithoutReply says that err may have come after the command left: reading or writing on an open connection failed.
func sentWithoutReply(err error) bool {
	var reply redis.Error
	if errors.As(err, &reply) {
		return false
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op != "dial"
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, os.ErrDeadlineExceeded)
}

func classify(err error) string {
	var reply redis.Error
	if errors.As(err, &reply) {
		return serverCode(reply.Error())
	}
	var dns *net.DNSError
	var netErr net.Error
	switch {
	case errors.Is(err, redis.ErrClosed), errors.Is(err, net.ErrClosed):
		return CodeClosed
	case errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted):
		return CodePool
	case errors.Is(err, context.Canceled):
		return CodeCanceled
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT):
		return CodeRefused
	case isTLS(err):
		return CodeTLS
	case errors.As(err, &dns):
		return CodeUnreachable
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return CodeTimeout
	case errors.As(err, &netErr) && netErr.Timeout():
		return CodeTimeout
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return CodeUnreachable
	}
	return CodeLost
}

// serverCode returns the code of an error reply: its first word, which Redis writes in capitals.
func serverCode(text string) string {
	word, rest, _ := strings.Cut(text, " ")
	if word == "ERR" && strings.HasPrefix(rest, "no such key") {
		return CodeNoKey
	}
	if code := refusalCode(text); code != "" && (word == "ERR" || strings.ToUpper(word) != word) {
		return code // of a command within a script
	}
	if word == "" || strings.ToUpper(word) != word {
		return "ERR"
	}
	return word
}

// hint is what to do about a code, "" where nothing general can be said.
func hint(code string) string {
	switch code {
	case CodeRefused:
		return "is a Redis server running there?"
	case CodeUnreachable:
		return "check the host name and the network"
	case CodeTimeout:
		return "the server may be busy or stopped"
	case CodePool:
		return "all connections of this program are busy; Redis itself may be well"
	case CodeReadOnly:
		return "this connection only reads"
	case CodeNoMaster:
		return "check the name of the master"
	case CodeTLS:
		return "check the scheme (rediss) and the certificate files"
	case "NOAUTH":
		return "give a user and password in the URL, or in the environment"
	case "WRONGPASS":
		return "check the user and the password"
	case "NOPERM":
		return "ask for the right, or connect as another user"
	case "LOADING":
		return "the server is reading its data from disk, and answers when that is done"
	case "READONLY":
		return "this is a replica: connect to the master"
	case "WRONGTYPE":
		return "the key holds another kind of data; name another key"
	case "NOGROUP":
		return "the stream or its group does not exist"
	case "OOM":
		return "the server is at its maxmemory"
	case "CLUSTERDOWN":
		return "the cluster is not ready"
	}
	return ""
}
