package redisq

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq/redistest"
)

// startReal starts a real server with these arguments and returns its address; "" where there is none. %PORT% in them is
// its port, %BUS% another.
func startReal(t *testing.T, args ...string) (addr string) {
	t.Helper()
	if p := redistest.Start(t, args...); p != nil {
		return p.Addr
	}
	return ""
}

func TestCluster(t *testing.T) {
	addr := redistest.Node(t)
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
