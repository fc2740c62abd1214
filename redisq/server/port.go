package server

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports are taken from below the ephemeral ranges of Linux (from 32768) and macOS (from 49152): while a killed server
// is down, a client that keeps dialling an ephemeral port can be given that very port as its own, connect to itself,
// and so keep the server from coming back.
const (
	firstPort = 20000
	lastPort  = 32000
)

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePort returns a random port on which nothing listens at the moment.
func freePort() (int, error) {
	const tries = 100
	var last error
	for range tries {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		l, err := net.Listen("tcp", loopback(port))
		if err == nil {
			return port, l.Close()
		}
		last = err
	}
	return 0, fmt.Errorf("find a free port on 127.0.0.1: %w", last)
}
