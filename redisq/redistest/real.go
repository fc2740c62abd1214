package redistest

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Process is a real server with arguments of the test's own.
type Process struct {
	Addr string // host and port
	cmd  *exec.Cmd
}

// Kill ends the server at once (SIGKILL).
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

// Start starts a real server with these arguments, on a port that is free now; nil where there is none, which is a
// failure where servers are required. %PORT% in the arguments is that port, %BUS% another. It is killed at the end of
// the test.
func Start(t testing.TB, args ...string) *Process {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		path, err = exec.LookPath("valkey-server")
	}
	if err != nil && len(required()) > 0 {
		t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	port := unusedPort(t)
	bus := unusedPort(t)
	for bus == port {
		bus = unusedPort(t)
	}
	words := strings.NewReplacer("%PORT%", port, "%BUS%", bus)
	for i := range args {
		args[i] = words.Replace(args[i])
	}
	p := &Process{Addr: "127.0.0.1:" + port, cmd: exec.Command(path, args...)}
	p.cmd.Dir = t.TempDir()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		_ = p.cmd.Wait() // killed
	})
	return p
}

// unusedPort returns a random port on which nothing listens. It is below those that the system gives to listeners and
// connections that name none, so that nobody else is given it before the server has it, and not among those of package
// server.
func unusedPort(t testing.TB) string {
	t.Helper()
	for {
		port := strconv.Itoa(10000 + rand.IntN(10000))
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
}

// within waits for a condition, also on a machine that has much else to do.
func within(t testing.TB, what string, condition func(context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !condition(ctx) {
		select {
		case <-ctx.Done():
			t.Fatal("not within a minute: " + what)
		case <-tick.C:
		}
	}
}

// Node starts a Cluster of one node, which has every slot, and returns its address; "" where there is no real server.
func Node(t testing.TB) (addr string) {
	t.Helper()
	p := Start(t, "--bind", "127.0.0.1", "--port", "%PORT%", "--save", "", "--cluster-enabled", "yes", "--cluster-port", "%BUS%")
	if p == nil {
		return ""
	}
	c := redis.NewClient(&redis.Options{Addr: p.Addr})
	defer c.Close()
	within(t, "it takes its slots", func(ctx context.Context) bool { return c.ClusterAddSlotsRange(ctx, 0, 16383).Err() == nil })
	within(t, "the Cluster is up", func(ctx context.Context) bool {
		info, _ := c.ClusterInfo(ctx).Result()
		return strings.Contains(info, "cluster_state:ok")
	})
	return p.Addr
}

// Watched is a master with a replica, and a Sentinel that has the replica take over when the master is away for a
// moment.
type Watched struct {
	URL             string // of the Sentinel, with the name of the master
	Sentinel        *redis.SentinelClient
	Master, Replica *Process
}

// watchedName is that of the master at the Sentinel.
const watchedName = "orders"

// StartWatched starts all three; nil where there is no real server.
func StartWatched(t testing.TB) *Watched {
	t.Helper()
	plain := func(more ...string) *Process {
		return Start(t, append([]string{"--bind", "127.0.0.1", "--port", "%PORT%", "--save", "", "--repl-diskless-sync-delay", "0"}, more...)...)
	}
	w := &Watched{Master: plain()}
	if w.Master == nil {
		return nil
	}
	host, port, _ := strings.Cut(w.Master.Addr, ":")
	w.Replica = plain("--replicaof", host+" "+port)
	replica := redis.NewClient(&redis.Options{Addr: w.Replica.Addr})
	defer replica.Close()
	within(t, "the replica has a master", func(ctx context.Context) bool {
		info, _ := replica.Info(ctx, "replication").Result()
		return strings.Contains(info, "master_link_status:up")
	})
	config := filepath.Join(t.TempDir(), "sentinel.conf")
	text := "sentinel monitor NAME " + host + " " + port + " 1\nsentinel down-after-milliseconds NAME 500\nsentinel failover-timeout NAME 5000\n"
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(text, "NAME", watchedName)), 0o600); err != nil {
		t.Fatal(err)
	}
	sentinel := Start(t, config, "--sentinel", "--bind", "127.0.0.1", "--port", "%PORT%")
	w.URL = "redis+sentinel://" + sentinel.Addr + "/" + watchedName
	w.Sentinel = redis.NewSentinelClient(&redis.Options{Addr: sentinel.Addr})
	t.Cleanup(func() { _ = w.Sentinel.Close() })
	within(t, "the Sentinel knows the replica", func(ctx context.Context) bool {
		replicas, err := w.Sentinel.Replicas(ctx, watchedName).Result()
		return err == nil && len(replicas) == 1
	})
	return w
}

// TookOver says that the replica is the master by the Sentinel's word.
func (w *Watched) TookOver(ctx context.Context) bool {
	addr, err := w.Sentinel.GetMasterAddrByName(ctx, watchedName).Result()
	return err == nil && strings.Join(addr, ":") == w.Replica.Addr
}
