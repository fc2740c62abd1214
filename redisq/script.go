package redisq

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// script is a Lua script of this package. All of them run on Redis 6.2 and later, Valkey, and the embedded server, so:
// errors of commands are returned, not raised (the wording of a raised one differs), ids are strings and never
// numbers (a Lua number has 53 bits), and nothing but the server's clock tells the time.
type script struct {
	name  string
	text  string
	sha   string
	sends []string // the commands in it, each once
	// shows returns the commands that a run with this reply sent, for the command log.
	shows func(keys, args []string, reply any) [][]string
}

var scripts = map[string]*script{} // by SHA-1 and by text

func newScript(name, body string, shows func(keys, args []string, reply any) [][]string) *script {
	s := &script{name: name, text: luaPrelude + body, shows: shows}
	for _, call := range scriptCalls.FindAllStringSubmatch(body, -1) {
		if command := call[1] + call[2]; !slices.Contains(s.sends, command) {
			s.sends = append(s.sends, command)
		}
	}
	sum := sha1.Sum([]byte(s.text))
	s.sha = hex.EncodeToString(sum[:])
	scripts[s.sha], scripts[s.text] = s, s
	return s
}

// scriptCalls finds the commands in a script: redis.call('XADD', …, and tables that begin with one.
var scriptCalls = regexp.MustCompile(`(?:call|mayNot)\('([A-Z]+)'|\{'([A-Z]+)', KEYS`)

// eval runs a script: by its hash, and with its text when the server does not know it (yet, or after a restart).
func (c *Client) eval(ctx context.Context, s *script, keys []string, args ...any) (any, error) {
	command := make([]any, 0, 3+len(keys)+len(args))
	command = append(command, "EVALSHA", s.sha, len(keys))
	for _, k := range keys {
		command = append(command, k)
	}
	command = append(command, args...)
	reply, err := c.Do(ctx, command...)
	if CodeOf(err) == "NOSCRIPT" {
		command[0], command[1] = "EVAL", s.text
		reply, err = c.Do(ctx, command...)
	}
	return reply, c.mayNot(s, err)
}

// mayNot says which commands a script sends, where the user may not send one of them: servers before Redis 8 do not name
// it.
func (c *Client) mayNot(s *script, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Code != "NOPERM" {
		return err
	}
	about := *e
	about.Err = errorString("no permission: it takes " + strings.Join(s.sends, ", ") + c.byUser() + "; the server said: " + errText(e.Err))
	return &about
}

// expandScript returns what an EVAL or EVALSHA of one of our scripts did.
func expandScript(words []string, reply any) ([][]string, bool) {
	if len(words) < 3 {
		return nil, false
	}
	s := scripts[words[1]]
	n, err := strconv.Atoi(words[2])
	if s == nil || err != nil || n < 0 || len(words) < 3+n {
		return nil, false
	}
	return s.shows(words[3:3+n], words[3+n:], reply), true
}

// luaPrelude: count writes a delivery count as text. XNACK FATAL (Redis 8.8) sets it to the largest 64-bit number, which
// a Lua number cannot hold: everything from 2^53 on is that mark.
const luaPrelude = `
if redis.replicate_commands then redis.replicate_commands() end
local marked = 9007199254740992
local function count(n)
  if n >= marked then return '9223372036854775807' end
  return string.format('%.0f', n)
end
`

// replyWord returns the word that the replies of our scripts begin with.
func replyWord(reply any) string {
	parts, _ := reply.([]any)
	if len(parts) == 0 {
		return ""
	}
	s, _ := parts[0].(string)
	return s
}
