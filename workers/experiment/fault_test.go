package experiment

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"

	"example.com/unacked/workers"
)

// fault is what is broken in a worker process.
type fault string

const (
	ackFirst     fault = "ack-first"      // acks before the work
	limitOff     fault = "limit-off"      // takes a message once more than the limit allows
	noOwnerCheck fault = "no-owner-check" // acks without a look at who holds the message
	noLeaseCheck fault = "no-lease-check" // claims what another worker still holds
)

// into breaks a worker.
func (f fault) into(c *workers.Config) error {
	switch f {
	case "", "worker":
		return nil
	case ackFirst:
		c.In = settings(c.In, func(s *workers.Settings) { s.AckBefore = true })
		return nil
	case limitOff:
		c.In = settings(c.In, func(s *workers.Settings) { s.MaxDeliveries++ })
		return nil
	case noOwnerCheck, noLeaseCheck:
		addr, err := f.between(c.Target.Addr())
		c.Target.Addrs = []string{addr}
		return err
	}
	return fmt.Errorf("no such fault: %q", f)
}

// settings changes the settings that come with the controls.
func settings(in io.Reader, change func(*workers.Settings)) io.Reader {
	out, w := io.Pipe()
	go func() {
		controls := json.NewDecoder(in)
		for {
			var c workers.Control
			if err := controls.Decode(&c); err != nil {
				_ = w.CloseWithError(err)
				return
			}
			if c.Settings != nil {
				change(c.Settings)
			}
			if json.NewEncoder(w).Encode(c) != nil {
				return
			}
		}
	}()
	return out
}

// between stands between the worker and the server, and changes scripts on their way.
func (f fault) between(server string) (addr string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go f.relay(client, server)
		}
	}()
	return listener.Addr().String(), nil
}

func (f fault) relay(client net.Conn, server string) {
	defer client.Close()
	redis, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer redis.Close()
	go func() {
		_, _ = io.Copy(client, redis)
		_ = client.Close()
	}()
	for in := bufio.NewReader(client); ; {
		words, err := readCommand(in)
		if err != nil {
			return
		}
		// A script goes by its hash where the server has it; its text is wanted here.
		if strings.EqualFold(words[0], "EVALSHA") {
			_, err = io.WriteString(client, "-NOSCRIPT No matching script.\r\n")
		} else {
			_, err = io.WriteString(redis, command(f.change(words)))
		}
		if err != nil {
			return
		}
	}
}

// change breaks a command: EVAL, script, number of keys, keys and arguments.
func (f fault) change(words []string) []string {
	if !strings.EqualFold(words[0], "EVAL") {
		return words
	}
	switch {
	case f == noOwnerCheck && strings.Contains(words[1], "'XACK', KEYS[1], ARGV[1], unpack("):
		id := slices.IndexFunc(words[5:], isID)
		words = []string{"EVAL", "redis.call('XACK', KEYS[1], ARGV[1], ARGV[2]) return {}", "1", words[3], words[4], words[5+id]}
	case f == noLeaseCheck && strings.Contains(words[1], "'at-limit'"):
		words[6] = "0" // after the group and the consumer comes the lease
	}
	return words
}

func isID(word string) bool {
	ms, seq, ok := strings.Cut(word, "-")
	_, errMS := strconv.ParseUint(ms, 10, 64)
	_, errSeq := strconv.ParseUint(seq, 10, 64)
	return ok && errMS == nil && errSeq == nil
}

// readCommand reads a command as clients send it: an array of bulk strings.
func readCommand(in *bufio.Reader) ([]string, error) {
	n, err := readLength(in, '*')
	if err != nil {
		return nil, err
	}
	words := make([]string, n)
	for i := range words {
		length, err := readLength(in, '$')
		if err != nil {
			return nil, err
		}
		text := make([]byte, length+2) // with its line end
		if _, err := io.ReadFull(in, text); err != nil {
			return nil, err
		}
		words[i] = string(text[:length])
	}
	return words, nil
}

func readLength(in *bufio.Reader, kind byte) (int, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if line[0] != kind {
		return 0, fmt.Errorf("%q is no length", line)
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}

func command(words []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	return b.String()
}
