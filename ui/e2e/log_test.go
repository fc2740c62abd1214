package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	fake "github.com/alicebob/miniredis/v2/server"
)

// sentinel is one that answers the question for the master with reply.
func sentinel(t *testing.T, reply func(c *fake.Peer)) (addr string) {
	t.Helper()
	s, err := fake.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	err = s.Register("SENTINEL", func(c *fake.Peer, _ string, args []string) {
		if strings.EqualFold(args[0], "get-master-addr-by-name") {
			reply(c)
			return
		}
		c.WriteLen(0) // no other sentinels
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.Addr().String()
}

// What the Redis library logs, with whatever a server puts into it, goes to the file that is named and to its view, and
// nowhere else.
func TestLog(t *testing.T) {
	t.Parallel()
	s, client := given(t)
	trouble(t, client)
	const evil = "\x1b]0;own\x07\u009b31m"
	bad := sentinel(t, func(c *fake.Peer) { c.WriteRaw("-ERR never heard of it " + evil + "\r\n") })
	host, port, _ := strings.Cut(s.Addr(), ":")
	good := sentinel(t, func(c *fake.Peer) { c.WriteStrings([]string{host, port}) })

	path := filepath.Join(t.TempDir(), "log")
	p := start(t, 160, 36, nil, "watch", "redis+sentinel://"+bad+","+good+"/mymaster", "--stream", "orders", "--group", "mailers", "--log", path)
	p.waitLine("READ-ONLY", "orders ▸ mailers")
	p.Type("7")
	p.waitLine("Log ", "of libraries and workers")
	p.waitLine("never heard of it ␛]0;own␇")
	p.waitLine("mymaster", s.Addr())
	p.leave()
	if raw := p.Raw(); strings.Contains(raw, "\x1b]0;") || strings.Contains(raw, "\u009b") {
		t.Error("bytes of a log line reached the terminal as a control")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"never heard of it ␛]0;own␇", strconv.Quote(s.Addr())} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file does not say %q:\n%s", want, text)
		}
	}
	for _, c := range string(text) {
		if c < ' ' && c != '\n' || c == 0x7f || 0x80 <= c && c < 0xa0 {
			t.Fatalf("the file has %U:\n%q", c, text)
		}
	}
}
