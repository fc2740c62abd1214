package redisq

import (
	"context"
	"net"
	"time"
)

type dialer = func(ctx context.Context, network, addr string) (net.Conn, error)

// patient makes dial never fail: where there is no connection it returns one that gives the reason at its first use.
// The library's pool would otherwise, after as many failures as it has places, stop dialling for a second at a time,
// log each, and leave a goroutine behind for that long when the client is closed.
func patient(dial dialer) dialer {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return noConn{&dialError{err}}, nil
		}
		return conn, nil
	}
}

// dialError keeps the reason whole: the library takes one layer off what fails before a connection is ready.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// noConn is a connection that could not be made.
type noConn struct{ err error }

func (c noConn) Read([]byte) (int, error)         { return 0, c.err }
func (c noConn) Write([]byte) (int, error)        { return 0, c.err }
func (c noConn) Close() error                     { return nil }
func (c noConn) LocalAddr() net.Addr              { return noAddr{} }
func (c noConn) RemoteAddr() net.Addr             { return noAddr{} }
func (c noConn) SetDeadline(time.Time) error      { return nil }
func (c noConn) SetReadDeadline(time.Time) error  { return nil }
func (c noConn) SetWriteDeadline(time.Time) error { return nil }

type noAddr struct{}

func (noAddr) Network() string { return "none" }
func (noAddr) String() string  { return "none" }
