package server

import (
	"strconv"
	"strings"
	"sync"
	"time"

	miniredis "github.com/alicebob/miniredis/v2/server"
)

// rows let readers that block wait in a row, so that the one that has waited longest is served first, as Redis does:
// miniredis wakes all of them for each command, and whoever runs first takes what is there. Only the first in a row
// blocks in miniredis; the others wait here.
type rows struct {
	dispatch func(*miniredis.Peer, []string)
	gone     <-chan struct{} // closed when the server ends

	mu      sync.Mutex
	waiting map[string][]chan struct{} // guarded by mu; each is closed when it is the first
	inside  map[*miniredis.Peer]bool   // guarded by mu: its command goes to miniredis
}

// lookForClosed is how often a reader in a row looks whether its connection was closed.
const lookForClosed = 20 * time.Millisecond

func newRows(s *miniredis.Server, gone <-chan struct{}) *rows {
	return &rows{
		dispatch: s.Dispatch, gone: gone,
		waiting: make(map[string][]chan struct{}), inside: make(map[*miniredis.Peer]bool),
	}
}

// hook takes a command of a connection before miniredis does. It returns true when nothing is left to do.
func (r *rows) hook(c *miniredis.Peer, cmd string, args ...string) bool {
	row, at, block := blocks(cmd, args)
	if row == "" || r.isInside(c) {
		return false
	}
	began := time.Now()
	turn := r.join(row)
	defer r.leave(row, turn)
	if !r.await(c, turn, block) {
		return true
	}
	command := append([]string{cmd}, args...)
	if block > 0 {
		command[at+1] = written(cmd, max(block-time.Since(began), time.Millisecond))
	}
	r.setInside(c, true)
	defer r.setInside(c, false)
	r.dispatch(c, command)
	return true
}

// blocks returns the row of a command that may block, the place of its block among its arguments, and the block; 0 is
// for ever. The row is "" for any other command.
func blocks(cmd string, args []string) (row string, at int, block time.Duration) {
	switch {
	case cmd == "BRPOP" && len(args) == 2:
		seconds, err := strconv.ParseFloat(args[1], 64)
		if err != nil || seconds < 0 {
			return "", 0, 0
		}
		return cmd + " " + args[0], 1, time.Duration(seconds * float64(time.Second))
	case cmd == "XREADGROUP" && len(args) > 6 && args[len(args)-1] == ">" && strings.EqualFold(args[len(args)-3], "STREAMS"):
		for i := 3; i < len(args)-4; i++ {
			if !strings.EqualFold(args[i], "BLOCK") {
				continue
			}
			ms, err := strconv.ParseInt(args[i+1], 10, 64)
			if err != nil || ms < 0 {
				return "", 0, 0
			}
			return cmd + " " + args[1] + " " + args[len(args)-2], i + 1, time.Duration(ms) * time.Millisecond
		}
	}
	return "", 0, 0
}

// written is a block as the command takes it.
func written(cmd string, block time.Duration) string {
	if cmd == "BRPOP" {
		return strconv.FormatFloat(block.Seconds(), 'f', 3, 64)
	}
	return strconv.FormatInt(block.Milliseconds(), 10)
}

// await waits until it is its turn. It returns false when the block is over, which it answers, and when the
// connection or the server is gone.
func (r *rows) await(c *miniredis.Peer, turn <-chan struct{}, block time.Duration) bool {
	var over <-chan time.Time
	if block > 0 {
		timer := time.NewTimer(block)
		defer timer.Stop()
		over = timer.C
	}
	look := time.NewTicker(lookForClosed)
	defer look.Stop()
	for {
		select {
		case <-turn:
			return true
		case <-over:
			c.WriteLen(-1)
			return false
		case <-r.gone:
			return false
		case <-look.C:
			if c.Closed() {
				return false
			}
		}
	}
}

// join goes to the end of a row.
func (r *rows) join(row string) (turn chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	turn = make(chan struct{})
	r.waiting[row] = append(r.waiting[row], turn)
	if len(r.waiting[row]) == 1 {
		close(turn)
	}
	return turn
}

// leave leaves a row from wherever it is.
func (r *rows) leave(row string, turn chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.waiting[row]
	for i, one := range all {
		if one != turn {
			continue
		}
		all = append(all[:i:i], all[i+1:]...)
		if i == 0 && len(all) > 0 {
			close(all[0])
		}
		break
	}
	if len(all) == 0 {
		delete(r.waiting, row)
		return
	}
	r.waiting[row] = all
}

func (r *rows) isInside(c *miniredis.Peer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inside[c]
}

func (r *rows) setInside(c *miniredis.Peer, inside bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if inside {
		r.inside[c] = true
		return
	}
	delete(r.inside, c)
}
