package redisq

import "strings"

// reads are the commands that change nothing on the server, with the subcommands that do so. A read-only client sends
// these and no other. XREAD is there, XREADGROUP is not: it delivers.
var reads = map[string][]string{
	"XINFO":    {"STREAM", "GROUPS", "CONSUMERS"},
	"XPENDING": nil, "XRANGE": nil, "XREVRANGE": nil, "XLEN": nil, "XREAD": nil,
	"LLEN": nil, "LRANGE": nil, "TYPE": nil, "EXISTS": nil, "GET": nil, "MGET": nil, "PTTL": nil, "SCAN": nil,
	"INFO": nil, "PING": nil, "TIME": nil, "ROLE": nil, "COMMAND": nil, "ECHO": nil, "MEMORY": {"USAGE"},
	"SLOWLOG": {"GET", "LEN"}, "CONFIG": {"GET"}, "CLIENT": {"ID", "LIST", "INFO"},
	"CLUSTER": {"SLOTS", "SHARDS", "NODES", "INFO", "MYID", "KEYSLOT"},
	// Parts of making a connection. READONLY lets a Cluster's replica answer; it changes the connection only.
	"HELLO": nil, "AUTH": nil, "SELECT": nil, "READONLY": nil, "ASKING": nil,
}

// isRead says that a command is known to change nothing.
func isRead(args []any) bool {
	if len(args) == 0 {
		return false
	}
	subcommands, ok := reads[strings.ToUpper(word(args[0]))]
	if !ok || subcommands == nil {
		return ok
	}
	if len(args) < 2 {
		return false
	}
	sub := strings.ToUpper(word(args[1]))
	for _, s := range subcommands {
		if s == sub {
			return true
		}
	}
	return false
}

func refused(args []any) error {
	return &Error{
		Op: commandName(args), Code: CodeReadOnly,
		Err:  errorString("this connection only reads, and the command may change something: it was not sent"),
		Hint: "start with --write to allow changes",
	}
}
