package redisq

import (
	"slices"
	"strings"
	"testing"

	"example.com/unacked/redisq/redistest"
)

// command is one that a server says it has, with its subcommand.
type command struct {
	words []string
	flags []string
}

// commandsOf asks a server for all of its commands. Subcommands are listed since 7.0.
func commandsOf(t *testing.T, c *Client) []command {
	t.Helper()
	var all []command
	var take func(before []string, rows []any)
	take = func(before []string, rows []any) {
		for _, row := range rows {
			parts := asList(row)
			if len(parts) < 3 {
				t.Fatalf("COMMAND tells %v", row)
			}
			name := asString(parts[0])
			if _, sub, ok := strings.Cut(name, "|"); ok {
				name = sub
			}
			one := command{words: append(before[:len(before):len(before)], name)}
			for _, f := range asList(parts[2]) {
				one.flags = append(one.flags, asString(f))
			}
			all = append(all, one)
			if len(parts) > 9 {
				take(one.words, asList(parts[9]))
			}
		}
	}
	take(nil, asList(ok[any](t)(c.Do(t.Context(), "COMMAND"))))
	return all
}

// Every command that a server has and calls a write, and every one that would change anything else, is refused before
// it is sent: alone, in any spelling, with arguments or without, and in a pipeline.
func TestReadOnlyClientRefusesEveryWrite(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		if s.Embedded {
			return // it has no COMMAND
		}
		all := commandsOf(t, connect(t, s.URL, Options{}))
		p := s.NewProxy(t)
		var sent []string // guarded by the proxy
		p.CutReply(1, func(words []string) bool {
			sent = append(sent, strings.Join(words[:min(len(words), 2)], " "))
			return false
		})
		c := connect(t, p.URL(), Options{ReadOnly: true})
		if _, err := c.Do(t.Context(), "PING"); err != nil {
			t.Fatal(err)
		}
		writes := 0
		for _, one := range all {
			changes := slices.Contains(one.flags, "write") || slices.Contains([]string{
				"eval", "evalsha", "eval_ro", "fcall", "fcall_ro", "script", "function", "publish", "spublish", "multi", "exec", "shutdown", "replicaof",
				"slaveof", "failover", "debug", "acl", "save", "bgsave", "bgrewriteaof", "swapdb", "monitor", "subscribe", "psubscribe",
				"reset", "module", "wait", "latency", "pfselftest", "pfdebug", "restore-asking", "watch", "sync", "psync", "quit",
			}, one.words[0])
			if !changes {
				continue
			}
			writes++
			for _, tail := range [][]any{{}, {"k"}, {"k", "v", "w"}} {
				args := append(anys(one.words), tail...)
				args[0] = strings.ToUpper(one.words[0][:1]) + one.words[0][1:]
				if _, err := c.Do(t.Context(), args...); CodeOf(err) != CodeReadOnly {
					t.Errorf("%v: %v", args, err)
				}
			}
			results, err := c.pipeline(t.Context(), [][]any{{"PING"}, append(anys(one.words), "k")})
			if CodeOf(err) != CodeReadOnly && (len(results) != 2 || CodeOf(results[1].err) != CodeReadOnly) {
				t.Errorf("%v in a pipeline: %v, %v", one.words, err, results)
			}
		}
		if writes < 100 {
			t.Errorf("%s lists %d writes only", s.Name, writes)
		}
		for _, args := range [][]any{
			{"CONFIG", "SET", "maxmemory", "1"},
			{"CONFIG", "RESETSTAT"},
			{"CONFIG"},
			{"CLIENT", "KILL", "x"},
			{"CLIENT", "PAUSE", "1000"},
			{"SLOWLOG", "RESET"},
			{"CLUSTER", "RESET"},
			{"MEMORY", "PURGE"},
			{"XINFO"},
			{"SORT", "k", "STORE", "other"},
			{"GETEX", "k", "PERSIST"},
			{"NEVER-HEARD-OF"},
		} {
			if _, err := c.Do(t.Context(), args...); CodeOf(err) != CodeReadOnly {
				t.Errorf("%v: %v", args, err)
			}
		}
		if _, err := c.Do(t.Context(), "PING"); err != nil {
			t.Fatal(err)
		}
		p.CutReply(0, nil)
		for _, words := range sent {
			if word, _, _ := strings.Cut(words, " "); word != "PING" && word != "HELLO" && word != "CLIENT" {
				t.Errorf("sent %s", words)
			}
		}
	})
}

// What a read-only client may send, no server calls a write.
func TestWhatIsReadIsNoWrite(t *testing.T) {
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		if s.Embedded {
			return
		}
		for _, one := range commandsOf(t, connect(t, s.URL, Options{})) {
			if isRead(anys(one.words)) && slices.Contains(one.flags, "write") {
				t.Errorf("%v has the flags %v", one.words, one.flags)
			}
		}
	})
}
