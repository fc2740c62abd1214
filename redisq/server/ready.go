package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// ask sends PING and INFO to the server at addr and returns the process id that it tells. That tells the child from
// another server that was quicker to take the port.
func ask(ctx context.Context, addr string) (pid int, err error) {
	const patience = time.Second // for one attempt: a foreign listener may never answer
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return 0, err
		}
	}
	if _, err := io.WriteString(conn, "PING\r\nINFO server\r\n"); err != nil {
		return 0, err
	}
	return readPID(bufio.NewReader(conn))
}

// readPID reads the replies to PING and INFO server.
func readPID(r *bufio.Reader) (int, error) {
	const most = 1 << 20 // bytes of a reply; INFO server is some 700
	pong, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if pong != "+PONG\r\n" {
		return 0, fmt.Errorf("PING was answered with %q", pong)
	}
	head, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	size, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(head, "$"), "\r\n"))
	if err != nil || size < 0 || size > most {
		return 0, fmt.Errorf("INFO was answered with %q", head)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, "process_id:"); ok {
			return strconv.Atoi(strings.TrimSpace(value))
		}
	}
	return 0, errors.New("INFO does not tell the process id")
}
