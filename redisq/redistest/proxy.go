package redistest

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Proxy stands between a client and a server, and can break the connection at the moment when the reply to a chosen
// command passes: the server has done it, and the client does not know.
type Proxy struct {
	listener net.Listener
	server   string
	wg       sync.WaitGroup

	mu     sync.Mutex
	cut    func(command []string) bool // guarded by mu
	left   int                         // guarded by mu: how often cut may still strike
	cuts   int                         // guarded by mu
	hold   func(command []string) bool // guarded by mu
	held   int                         // guarded by mu: how often hold may still strike
	delay  time.Duration               // guarded by mu
	late   int                         // guarded by mu: replies to commands that were kept
	says   string                      // guarded by mu: the error that is answered instead of the server's reply
	saysTo func(command []string) bool // guarded by mu
	conns  map[net.Conn]bool           // guarded by mu
	done   bool                        // guarded by mu
	over   chan struct{}               // closed with done
}

// NewProxy starts a proxy before s; it ends with the test.
func (s Server) NewProxy(t testing.TB) *Proxy {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, server: u.Host, conns: map[net.Conn]bool{}, over: make(chan struct{})}
	p.wg.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// URL is the proxy's address, to be used instead of the server's.
func (p *Proxy) URL() string { return "redis://" + p.listener.Addr().String() }

// CutReply breaks the connection when the reply to a command for which match is true passes, the next times times.
// match gets the command's words, the first in capitals.
func (p *Proxy) CutReply(times int, match func(command []string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.left = match, times
}

// DelayCommand keeps a command for which match is true for d before the server gets it, the next times times: also when
// the client has given up by then, so that the server does late what the client has tried again.
func (p *Proxy) DelayCommand(times int, d time.Duration, match func(command []string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold, p.held, p.delay = match, times, d
}

// Answer has every command for which match is true answered with an error, "LOADING …", that the server never sees; ""
// ends that.
func (p *Proxy) Answer(text string, match func(command []string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.says, p.saysTo = text, match
}

// Cuts returns how often a connection was broken.
func (p *Proxy) Cuts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// Late returns how many of the commands that DelayCommand kept were done by the server since.
func (p *Proxy) Late() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.late
}

func (p *Proxy) close() {
	p.mu.Lock()
	p.done = true
	close(p.over)
	for c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	_ = p.listener.Close()
	p.wg.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		if !p.keep(client, server) {
			return
		}
		p.wg.Go(func() { p.carry(client, server) })
	}
}

// keep notes open connections, so that close ends them; false when it has ended already.
func (p *Proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		if p.done {
			_ = c.Close()
			continue
		}
		p.conns[c] = true
	}
	return !p.done
}

func (p *Proxy) carry(client, server net.Conn) {
	var once sync.Once
	end := func() {
		once.Do(func() {
			_ = client.Close()
			_ = server.Close()
			p.mu.Lock()
			delete(p.conns, client)
			delete(p.conns, server)
			p.mu.Unlock()
		})
	}
	defer end()
	var mu sync.Mutex
	cutNow := false                   // guarded by mu
	answers := make(chan struct{}, 1) // of the newest reply; closed at the end
	var replies sync.WaitGroup
	replies.Go(func() {
		defer end()
		defer close(answers)
		buf := make([]byte, 64<<10)
		for {
			n, err := server.Read(buf)
			if err != nil {
				return
			}
			select {
			case answers <- struct{}{}:
			default:
			}
			mu.Lock()
			stop := cutNow
			mu.Unlock()
			if stop {
				return // the reply was read, and is not passed on
			}
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
	})
	in := bufio.NewReader(client)
	for {
		command, raw, err := readCommand(in)
		if err != nil {
			break
		}
		if text := p.answer(command); text != "" {
			if _, err := client.Write([]byte("-" + text + "\r\n")); err != nil {
				break
			}
			continue
		}
		kept := p.wait(command)
		if kept {
			select {
			case <-answers: // of an earlier command
			default:
			}
		}
		if p.strikes(command) {
			mu.Lock()
			cutNow = true
			mu.Unlock()
		}
		if _, err := server.Write(raw); err != nil {
			break
		}
		if kept {
			p.awaitReply(answers)
		}
	}
	end()
	replies.Wait()
}

// awaitReply counts a command that was kept once the server has done it, whether or not the client is still there.
func (p *Proxy) awaitReply(answers <-chan struct{}) {
	select {
	case _, ok := <-answers:
		if ok {
			p.mu.Lock()
			p.late++
			p.mu.Unlock()
		}
	case <-p.over:
	}
}

// wait keeps a command, and says whether it did.
func (p *Proxy) wait(command []string) bool {
	p.mu.Lock()
	if p.held == 0 || p.hold == nil || len(command) == 0 {
		p.mu.Unlock()
		return false
	}
	command[0] = strings.ToUpper(command[0])
	holds, d := p.hold(command), p.delay
	if holds {
		p.held--
	}
	p.mu.Unlock()
	if !holds {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-p.over:
	}
	return true
}

func (p *Proxy) answer(command []string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.says == "" || len(command) == 0 {
		return ""
	}
	command[0] = strings.ToUpper(command[0])
	if !p.saysTo(command) {
		return ""
	}
	return p.says
}

func (p *Proxy) strikes(command []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left == 0 || p.cut == nil || len(command) == 0 {
		return false
	}
	command[0] = strings.ToUpper(command[0])
	if !p.cut(command) {
		return false
	}
	p.left--
	p.cuts++
	return true
}

// readCommand reads one command as clients send it, an array of bulk strings, and returns its words and its bytes.
func readCommand(in *bufio.Reader) (words []string, raw []byte, err error) {
	number := func(mark byte) (int, error) {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0, err
		}
		raw = append(raw, line...)
		if line[0] != mark {
			return 0, errors.New("not a command")
		}
		return strconv.Atoi(strings.TrimSpace(line[1:]))
	}
	n, err := number('*')
	if err != nil {
		return nil, nil, err
	}
	for range n {
		size, err := number('$')
		if err != nil {
			return nil, nil, err
		}
		word := make([]byte, size+2)
		if _, err := io.ReadFull(in, word); err != nil {
			return nil, nil, err
		}
		raw = append(raw, word...)
		words = append(words, string(word[:size]))
	}
	return words, raw, nil
}
