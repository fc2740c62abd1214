package redisq

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// longestArg is how many bytes of an argument the log keeps.
const longestArg = 1024

// CommandLog keeps the last commands that clients sent, passwords left out and scripts shown as the commands that they
// ran. It is safe for concurrent use; several clients may share one. A nil log keeps nothing.
type CommandLog struct {
	mu   sync.Mutex
	ring []Command // guarded by mu
	seq  uint64    // guarded by mu: how many were ever added
}

// NewCommandLog returns a log of the last n commands, n >= 1.
func NewCommandLog(n int) *CommandLog { return &CommandLog{ring: make([]Command, max(n, 1))} }

// Last returns the last n commands at most, oldest first.
func (l *CommandLog) Last(n int) []Command {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	have := min(l.seq, uint64(len(l.ring)), uint64(max(n, 0)))
	last := make([]Command, 0, have)
	for i := l.seq - have; i < l.seq; i++ {
		last = append(last, l.ring[i%uint64(len(l.ring))])
	}
	return last
}

// Seq returns how many commands were ever logged: it changes when there is something new.
func (l *CommandLog) Seq() uint64 {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq
}

func (l *CommandLog) add(commands ...Command) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range commands {
		l.ring[l.seq%uint64(len(l.ring))] = c
		l.seq++
	}
}

// sent logs one command of a client, as what it means: a script as its commands, a handshake without its password.
func (l *CommandLog) sent(client string, at time.Time, took time.Duration, args []any, reply any, err error) {
	if l == nil {
		return
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	for _, command := range meaning(args, reply) {
		l.add(Command{At: at, Client: client, Args: command, Took: took, Err: text})
	}
}

// meaning returns the commands that args stand for.
func meaning(args []any, reply any) [][]string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = word(a)
	}
	if len(words) == 0 {
		return nil
	}
	switch strings.ToUpper(words[0]) {
	case "HELLO", "AUTH":
		return [][]string{redact(words)}
	case "EVAL", "EVALSHA":
		if expanded, ok := expandScript(words, reply); ok {
			for _, command := range expanded {
				shorten(command)
			}
			return expanded
		}
	}
	shorten(words)
	return [][]string{words}
}

func word(a any) string {
	switch v := a.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(a)
}

// redact returns HELLO or AUTH with (redacted) for what follows AUTH.
func redact(words []string) []string {
	for i, w := range words {
		if strings.EqualFold(w, "AUTH") {
			return append(words[:i+1:i+1], "(redacted)")
		}
	}
	return words
}

func shorten(words []string) {
	for i, w := range words {
		if len(w) > longestArg {
			words[i] = w[:longestArg] + "…(+" + strconv.Itoa(len(w)-longestArg) + " bytes)"
		}
	}
}
