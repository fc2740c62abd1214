package redisq

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// unusedPort returns a random port on which nothing listens. It is below those that the system gives to listeners and
// connections that name none, so that nobody else is given it before the server has it, and not among those of package
// server.
func unusedPort(t *testing.T) string {
	t.Helper()
	for {
		port := strconv.Itoa(10000 + mathrand.IntN(10000))
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

// startReal starts a real server with these arguments, on a port that is free now; "" where there is none. %PORT% in them
// is that port, %BUS% another.
func startReal(t *testing.T, args ...string) (addr string) {
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
	port := unusedPort(t)
	bus := unusedPort(t)
	for bus == port {
		bus = unusedPort(t)
	}
	addr = "127.0.0.1:" + port
	for i := range args {
		args[i] = strings.NewReplacer("%PORT%", port, "%BUS%", bus).Replace(args[i])
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	})
	return addr
}

// startNode starts a Cluster of one node and returns its address; "" where there is no real server.
func startNode(t *testing.T) (addr string) {
	t.Helper()
	addr = startReal(t, "--bind", "127.0.0.1", "--port", "%PORT%", "--save", "", "--cluster-enabled", "yes", "--cluster-port", "%BUS%")
	if addr == "" {
		return ""
	}
	c := connect(t, addr, Options{})
	within(t, "it takes its slots", func() bool {
		_, err := c.Do(t.Context(), "CLUSTER", "ADDSLOTSRANGE", 0, 16383)
		return err == nil
	})
	within(t, "the Cluster is up", func() bool {
		reply, _ := c.Do(t.Context(), "CLUSTER", "INFO")
		return strings.Contains(asString(reply), "cluster_state:ok")
	})
	return addr
}

func TestCluster(t *testing.T) {
	addr := startNode(t)
	if addr == "" {
		return
	}
	for _, target := range []string{addr, addr + "," + addr} { // found out, and told
		apart := NewQueue("q", "g")
		apart.DeadLetter = "q:dead" // no hash tag
		err := NewGroup(connect(t, target, Options{}), apart).CheckKeys(t.Context())
		same(t, "another slot", CodeOf(err), CodeSlot)
		if want := "like {q}:dead"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it does not name the key to use: %v", err)
		}

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
		same(t, "letters", len(b.letters()), 2)
		out := b.g.PlanReplay(b.snapshot(), nil).Run(t.Context())
		same(t, "replayed", out.Text, "replayed 2")
		same(t, "backlog", b.snapshot().Group.Backlog.String(), "2")
		_ = ok[string](t)(b.g.Add(t.Context(), []Field{{"a", "1"}}, AddOptions{Limit: 9}))
		same(t, "record", ok[bool](t)(b.g.Record(t.Context(), "1-0", time.Minute)), true)

		apart = q
		apart.DeadLetter = q.Stream + ":dead"
		results, entries, err := b.g.AckRead(t.Context(), "w1", nil, 1)
		if err != nil || len(entries) != 1 || len(results) != 0 {
			t.Fatal(results, entries, err)
		}
		_, err = NewGroup(c, apart).DeadLetter(t.Context(), "w1", Held{entries[0].ID, 1}, "why")
		same(t, "no silent fallback", CodeOf(err), "CROSSSLOT")
		same(t, "it stays pending", len(b.pending()), 1)

		if err := c.RemoveKeys(t.Context(), "unacked:lab:"); err != nil {
			t.Fatal(err)
		}
		same(t, "removed", b.do("EXISTS", q.Stream), any(int64(0)))
	}
}

func TestSentinel(t *testing.T) {
	master := redistest.Private(t)
	if master.Embedded() {
		return // it has none
	}
	host, port, _ := strings.Cut(master.Addr(), ":")
	config := filepath.Join(t.TempDir(), "sentinel.conf")
	if err := os.WriteFile(config, []byte("sentinel monitor orders "+host+" "+port+" 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := startReal(t, config, "--sentinel", "--bind", "127.0.0.1", "--port", "%PORT%")
	c := connect(t, "redis+sentinel://"+addr+"/orders", Options{})
	within(t, "the master is found", func() bool {
		_, err := c.Do(t.Context(), "SET", "found", "1")
		return err == nil
	})
	direct := connect(t, master.URL(), Options{})
	same(t, "it is that one", asString(ok[any](t)(direct.Do(t.Context(), "GET", "found"))), "1")
	info := ok[ServerInfo](t)(c.Identify(t.Context()))
	same(t, "role", info.Role, "master")

	other := connect(t, "redis+sentinel://"+addr+"/letters", Options{})
	_, err := other.Identify(t.Context())
	same(t, "a master that they do not know", CodeOf(err), CodeNoMaster)
	same(t, "does not pass", Passing(err), false)
	_, err = other.pipeline(t.Context(), [][]any{{"XLEN", "q"}})
	same(t, "nor in a pipeline", CodeOf(err), CodeNoMaster)
	_, err = connect(t, "redis+sentinel://"+master.Addr()+"/orders", Options{}).Identify(t.Context())
	if err == nil || !strings.Contains(err.Error(), "sentinel") {
		t.Errorf("a server that is no Sentinel: %v", err)
	}
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCertificate(t, cert, key)
	addr := startReal(t, "--bind", "127.0.0.1", "--port", "0", "--tls-port", "%PORT%", "--save", "",
		"--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert)
	if addr == "" {
		return
	}
	good := Target{Addrs: []string{addr}, TLS: true, CAFile: cert, CertFile: cert, KeyFile: key}
	identify := func(target Target) (err error) {
		t.Helper()
		c := ok[*Client](t)(Connect(target, Options{}))
		defer c.Close()
		within(t, "an answer in time", func() bool {
			_, err = c.Identify(t.Context())
			return CodeOf(err) != CodeTimeout
		})
		return err
	}
	within(t, "it is up", func() bool { return identify(good) == nil })
	again := ok[Target](t)(ParseTarget(good.URL()))
	same(t, "from its URL", identify(again), nil)

	stranger := good
	stranger.CAFile = ""
	same(t, "an authority that is not trusted", CodeOf(identify(stranger)), CodeTLS)
	stranger.Insecure = true
	same(t, "not verified", identify(stranger), nil)

	for what, change := range map[string]func(*Target){
		"no such file":        func(x *Target) { x.CAFile = filepath.Join(dir, "none") },
		"a file without PEM":  func(x *Target) { x.CAFile = os.DevNull },
		"a key without paper": func(x *Target) { x.CertFile = os.DevNull },
	} {
		bad := good
		change(&bad)
		_, err := Connect(bad, Options{})
		same(t, what, CodeOf(err), CodeTLS)
	}
}

// writeCertificate makes one for 127.0.0.1 that signs itself.
func writeCertificate(t *testing.T, cert, key string) {
	t.Helper()
	private := ok[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der := ok[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private))
	keyDER := ok[[]byte](t)(x509.MarshalECPrivateKey(private))
	for path, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: keyDER},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
