package redisq

import (
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// startNode starts a Cluster of one node, and returns its address; "" where there is no real server.
func startNode(t *testing.T) string {
	t.Helper()
	if redistest.Private(t).Embedded() {
		return ""
	}
	path, err := exec.LookPath("redis-server")
	if err != nil {
		path, err = exec.LookPath("valkey-server")
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		cmd := exec.Command(path, "--bind", "127.0.0.1", "--port", fmt.Sprint(port), "--save", "", "--appendonly", "no",
			"--dir", t.TempDir(), "--cluster-enabled", "yes", "--cluster-port", fmt.Sprint(40_000+port%20_000))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		addr := fmt.Sprintf("127.0.0.1:%d", port)
		c := connect(t, addr, Options{})
		deadline := time.Now().Add(3 * time.Second)
		for time.Now().Before(deadline) {
			if _, err := c.Do(t.Context(), "CLUSTER", "ADDSLOTSRANGE", 0, 16383); err == nil || CodeOf(err) == "ERR" {
				within(t, 10*time.Second, "the cluster is up", func() bool {
					reply, _ := c.Do(t.Context(), "CLUSTER", "INFO")
					return strings.Contains(asString(reply), "cluster_state:ok")
				})
				return addr
			}
		}
	}
	t.Fatal("no Cluster node came up")
	return ""
}

func TestCluster(t *testing.T) {
	addr := startNode(t)
	if addr == "" {
		return
	}
	for _, target := range []string{addr, addr + "," + addr} { // found out, and told
		c := connect(t, target, Options{Name: "test"})
		info := ok[ServerInfo](t)(c.Identify(t.Context()))
		same(t, "mode", info.Mode, "cluster")
		same(t, "it is a Cluster client", c.clustered(), true)
		q := NewQueue(fmt.Sprintf("unacked:lab:%d:q", time.Now().UnixNano()), "g")
		b := &bed{t: t, c: c, q: q, g: NewGroup(c, q)}
		if err := b.g.CheckKeys(t.Context()); err != nil {
			t.Fatal(err)
		}
		_ = ok[bool](t)(b.g.Ensure(t.Context()))
		b.bury(2)
		letters := b.letters()
		same(t, "letters", len(letters), 2)
		out := b.g.PlanReplay(b.snapshot(), nil).Run(t.Context())
		same(t, "replayed", out.Text, "replayed 2")
		same(t, "backlog", b.snapshot().Group.Backlog.String(), "2")
		_ = ok[string](t)(b.g.Add(t.Context(), []Field{{"a", "1"}}, AddOptions{Limit: 9}))
		same(t, "record", ok[bool](t)(b.g.Record(t.Context(), "1-0", time.Minute)), true)

		apart := q
		apart.DeadLetter = q.Stream + ":dead" // no hash tag
		err := NewGroup(c, apart).CheckKeys(t.Context())
		same(t, "another slot", CodeOf(err), CodeSlot)
		if want := "like {" + q.Stream + "}:dead"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it does not name the key to use: %v", err)
		}
		b.read("w1", 1)
		id := strings.Fields(b.pending()[0])[0]
		_, err = NewGroup(c, apart).DeadLetter(t.Context(), "w1", Held{id, 1}, "why")
		same(t, "no silent fallback", CodeOf(err), "CROSSSLOT")
		same(t, "it stays pending", len(b.pending()), 1)

		if err := c.RemoveKeys(t.Context(), "unacked:lab:"); err != nil {
			t.Fatal(err)
		}
		same(t, "removed", b.do("EXISTS", q.Stream), any(int64(0)))
	}
}
