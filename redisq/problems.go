package redisq

import (
	"errors"
	"strings"

	"example.com/unacked/redisq/safe"
)

// Codes of a Problem.
const (
	ProblemMissing      = "missing"       // the stream or the group does not exist
	ProblemWrongType    = "wrong-type"    // the key holds another kind of data
	ProblemNoPermission = "no-permission" // the user may not send the command that the panel needs
	ProblemReplica      = "replica"       // the server is a replica: it can be watched, not changed
	ProblemReplaced     = "replaced"      // ids or counters went back: it is another stream or group than before
	ProblemUnread       = "trimmed-unread"
	ProblemError        = "error" // anything else that the server said
)

// problemOf says in words what a command came back with. key is what it was sent on, group the consumer group that it was
// about, user who we are.
func problemOf(panel string, err error, key, group, user string) Problem {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: "ERR", Err: err}
	}
	p := Problem{Panel: panel, Code: ProblemError, Text: e.Op + ": " + errText(e.Err)}
	switch e.Code {
	case "NOPERM":
		p.Code, p.Command = ProblemNoPermission, e.Op
		p.Text = "no permission: " + e.Op
		if text := errText(e.Err); strings.Contains(text, " key") { // "… to access one of the keys", "… to access a key"
			p.Key = key
			p.Text += " on the key " + key
		}
		if user != "" {
			p.Text += " (user " + user + ")"
		}
	case "WRONGTYPE":
		p.Code, p.Text = ProblemWrongType, "the key holds another kind of data"
	case CodeNoKey:
		p.Code, p.Text = ProblemMissing, "the stream "+key+" does not exist"
	case "NOGROUP":
		p.Code, p.Text = ProblemMissing, "the group "+group+" does not exist on "+key
	}
	p.Text = safe.Text(p.Text)
	return p
}
