package redisq

import (
	"context"
	"strings"

	"example.com/unacked/redisq/safe"
)

// rightsScript tries each changing command in a form that fails or does nothing wherever it is allowed: on a group that
// nobody has, with an id that is none, or to delete an entry that cannot exist. A server that does not let the user send
// it, or is a replica, says so before it looks at any of that.
//
// KEYS stream; ARGV a group that cannot exist
var rightsScript = newScript("look at the rights", `
local none, out = ARGV[1], {}
local function try(name, ...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err then out[#out + 1] = {name, reply.err} end
end
try('XACK', 'XACK', KEYS[1], none, '0-0')
try('XCLAIM', 'XCLAIM', KEYS[1], none, none, '0', '0-0')
try('XADD', 'XADD', KEYS[1], 'none', 'f', 'v')
try('XDEL', 'XDEL', KEYS[1], '0-0')
try('XTRIM', 'XTRIM', KEYS[1], 'MINID', 'none')
try('XGROUP CREATE', 'XGROUP', 'CREATE', KEYS[1], none, 'none')
try('XGROUP SETID', 'XGROUP', 'SETID', KEYS[1], none, 'none')
try('XGROUP DESTROY', 'XGROUP', 'DESTROY', KEYS[1], none)
try('XGROUP DELCONSUMER', 'XGROUP', 'DELCONSUMER', KEYS[1], none, none)
return out
`, func(keys, _ []string, _ any) [][]string {
	return [][]string{{"EVAL", "(tries " + strings.Join(changing, ", ") + " in forms that change nothing, to see which are refused)", "1", keys[0]}}
})

// nobodysGroup is a group that no stream has: the commands that are tried on it find nothing.
const nobodysGroup = "unacked:a group that nobody has"

// changing are the commands that rightsScript tries.
var changing = []string{
	"XACK", "XCLAIM", "XADD", "XDEL", "XTRIM", "XGROUP CREATE", "XGROUP SETID", "XGROUP DESTROY", "XGROUP DELCONSUMER",
}

// Refused says which changing commands the server would refuse this user on a key, each with the reason in words; what
// may be sent is not in it. It sends them in forms that change nothing even where they are allowed. The server counts
// these among its failed commands, and in its ACL log where they are refused.
func (c *Client) Refused(ctx context.Context, key string) (map[string]string, error) {
	const op = "look at the rights"
	refused := map[string]string{}
	reply, err := c.eval(ctx, rightsScript, []string{key}, nobodysGroup)
	switch code := CodeOf(err); {
	case code == "NOPERM" || code == "READONLY":
		for _, name := range changing {
			refused[name] = c.refusal(code, "EVALSHA", key)
		}
		return refused, nil
	case err != nil:
		return nil, on(err, op, key)
	}
	for _, item := range asList(reply) {
		parts := asList(item)
		if len(parts) != 2 {
			return nil, badReply(op, key, reply)
		}
		name := asString(parts[0])
		if why := c.refusal(refusalCode(asString(parts[1])), name, key); why != "" {
			refused[name] = why
		}
	}
	return refused, nil
}

// refusalCode finds the code in the text of an error inside of a script: servers put other words before it, and the
// embedded one none.
func refusalCode(text string) string {
	lower := strings.ToLower(text)
	switch {
	case strings.Contains(text, "NOPERM"), strings.Contains(lower, "acl failure"), strings.Contains(lower, "no permission"),
		strings.Contains(lower, "can't run this command"), strings.Contains(lower, "can't access at least one of the keys"),
		strings.Contains(lower, "cannot access"):
		return "NOPERM"
	case strings.Contains(text, "READONLY"), strings.Contains(lower, "read-only replica"), strings.Contains(lower, "write against a read only"):
		return "READONLY"
	}
	return ""
}

// refusal is a reason in words, "" where the code is no refusal.
func (c *Client) refusal(code, name, key string) string {
	switch code {
	case "READONLY":
		return "the server is a replica: it takes no changes"
	case "NOPERM":
		return "no permission: " + name + " on " + safe.Text(key) + c.byUser()
	}
	return ""
}

func (c *Client) byUser() string {
	if c.target.User == "" {
		return ""
	}
	return " (user " + safe.Text(c.target.User) + ")"
}
