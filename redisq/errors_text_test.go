package redisq

import (
	"errors"
	"testing"
)

// A server's answer that ends like a sentence does not make two ends of one.
func TestErrorIsOneSentence(t *testing.T) {
	e := &Error{
		Op: "replay 1-0", On: "q", Code: "READONLY", Hint: "connect to the master",
		Err: errors.New("READONLY You can't write against a read only replica."),
	}
	same(t, "text", e.Error(), "replay 1-0 on q: READONLY You can't write against a read only replica; connect to the master")
}
