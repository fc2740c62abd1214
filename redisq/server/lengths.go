package server

import (
	"bufio"
	"bytes"
	"strings"
	"sync"

	miniredis "github.com/alicebob/miniredis/v2/server"
)

// lengths answers each XLEN once: where the key holds another type, miniredis 2.40 sends an error and then a length, so
// that each later reply of the connection would be taken for that of the command after it.
type lengths struct {
	dispatch func(*miniredis.Peer, []string)
	asked    sync.Map // of *miniredis.Peer: those that stand for a connection here
}

// hook takes a command of a connection before miniredis does. It returns true when nothing is left to do.
func (l *lengths) hook(c *miniredis.Peer, cmd string, args ...string) bool {
	if cmd != "XLEN" {
		return false
	}
	if _, ours := l.asked.Load(c); ours {
		return false
	}
	var replies bytes.Buffer
	w := bufio.NewWriter(&replies)
	peer := miniredis.NewPeer(w)
	peer.Ctx = c.Ctx
	l.asked.Store(peer, true)
	defer l.asked.Delete(peer)
	l.dispatch(peer, append([]string{cmd}, args...))
	if w.Flush() != nil { // into memory: it does not fail
		return false
	}
	first, _, _ := strings.Cut(replies.String(), "\r\n")
	c.WriteRaw(first + "\r\n")
	return true
}
