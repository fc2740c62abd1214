package redisq

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

// replied is an error reply of a server, as the library has it.
type replied string

func (r replied) Error() string { return string(r) }
func (replied) RedisError()     {}

func TestPassing(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"nothing", nil, false},
		{"nobody listens", dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), true},
		{"no way", dial(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), true},
		{"a name that nobody has", dial(&net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}), false},
		{"nobody who knows names", dial(&net.DNSError{Err: "server misbehaving", Name: "h", IsTemporary: true}), true},
		{"silence", context.DeadlineExceeded, true},
		{"hung up", io.EOF, true},
		{"ended by us", context.Canceled, false},
		{"loading", replied("LOADING Redis is loading the dataset in memory"), true},
		{"cut off from its master", replied("MASTERDOWN Link with MASTER is down"), true},
		{"a cluster that is not ready", replied("CLUSTERDOWN The cluster is down"), true},
		{"a long script", replied("BUSY Redis is busy running a script."), true},
		{"full of clients", replied("ERR max number of clients reached"), true},
		{"wrong password", replied("WRONGPASS invalid username-password pair or user is disabled."), false},
		{"no password", replied("NOAUTH Authentication required."), false},
		{"no right", replied("NOPERM this user has no permissions to run the 'scan' command"), false},
		{"no such database", replied("ERR DB index is out of range"), false},
	} {
		if got := Passing(wrap("connect", "h:6379", c.err, false, nil)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if Passing(errors.New("of somebody else")) {
		t.Error("an error of somebody else passes")
	}
}
