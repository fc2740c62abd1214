package redisq

import (
	"net"
	"strings"
	"testing"
)

// One side speaks TLS and the other does not: a plain server waits for the end of a line or hangs up, and a TLS server
// hangs up.
func TestIdentifyMindsTLS(t *testing.T) {
	for _, c := range []struct {
		name, scheme, hint string
		hangUp             bool
	}{
		{"silent, asked for TLS", "rediss", "the server may be busy or stopped, or the port does not speak TLS (redis://)", false},
		{"hangs up, asked for TLS", "rediss", "; the port does not speak TLS (redis://)", true},
		{"hangs up", "redis", "; the port may want TLS (rediss://)", true},
		{"silent", "redis", "; the server may be busy or stopped", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				var held []net.Conn
				defer func() {
					for _, conn := range held {
						_ = conn.Close()
					}
				}()
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					if c.hangUp {
						_ = conn.Close()
						continue
					}
					held = append(held, conn)
				}
			}()
			target, err := ParseTarget(c.scheme + "://" + l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			client, err := Connect(target, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			_, err = client.Identify(t.Context())
			if err == nil || !strings.HasSuffix(err.Error(), c.hint) {
				t.Errorf("%v, want it to end with %q", err, c.hint)
			}
		})
	}
}
