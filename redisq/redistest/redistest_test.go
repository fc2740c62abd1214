package redistest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"example.com/unacked/redisq/server"
)

func TestMain(m *testing.M) { Main(m) }

// dial returns a client that has nothing to do with the one under test.
func dial(t *testing.T, url string) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(o)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestEachRunsForEveryServer(t *testing.T) {
	var got []string
	Each(t, func(t *testing.T, s Server) {
		if !strings.HasSuffix(t.Name(), "/"+s.Name) {
			t.Errorf("subtest %s for server %s", t.Name(), s.Name)
		}
		if s.Embedded != (s.Name == "embedded") {
			t.Errorf("%s: embedded %v", s.Name, s.Embedded)
		}
		if err := dial(t, s.URL).Ping(t.Context()).Err(); err != nil {
			t.Errorf("%s does not answer: %v", s.Name, err)
		}
		got = append(got, s.Name)
	})
	if len(got) == 0 || got[0] != "embedded" {
		t.Errorf("ran for %v, want embedded first", got)
	}
	if !slices.Equal(got, Names()) {
		t.Errorf("ran for %v, Names says %v", got, Names())
	}
	for _, name := range strings.Fields(os.Getenv("UNACKED_TEST_REQUIRE")) {
		if !slices.Contains(got, name) {
			t.Errorf("did not run for %s", name)
		}
	}
}

func TestKeysAreApartAndRemoved(t *testing.T) {
	Each(t, func(t *testing.T, s Server) {
		c := dial(t, s.URL)
		foreign := s.Key(t, "foreign")
		set := func(key string) {
			t.Helper()
			if err := c.Set(t.Context(), key, "v", 0).Err(); err != nil {
				t.Fatal(err)
			}
		}
		set(foreign)
		var keys []string
		t.Run("uses keys", func(t *testing.T) {
			a, b := s.Key(t, "orders"), s.Key(t, "orders")
			if a == b {
				t.Errorf("twice the same key %s", a)
			}
			if !strings.HasPrefix(a, "unacked:test:") || !strings.HasSuffix(a, ":orders") {
				t.Errorf("key %s", a)
			}
			keys = []string{a, b, a + ":seen:1-0", "{" + a + "}:dead"}
			for _, k := range keys {
				set(k)
			}
		})
		if n, err := c.Exists(t.Context(), keys...).Result(); err != nil || n != 0 {
			t.Errorf("%d of the keys are left, %v", n, err)
		}
		if n, err := c.Exists(t.Context(), foreign).Result(); err != nil || n != 1 {
			t.Errorf("a key of another test: exists %d, %v; want 1", n, err)
		}
	})
}

func TestPrivateIsNotShared(t *testing.T) {
	s := Private(t)
	if slices.ContainsFunc(Servers(t), func(o Server) bool { return o.URL == s.URL() }) {
		t.Errorf("%s is one of the shared servers", s.URL())
	}
	if _, err := exec.LookPath("redis-server"); err == nil && s.Embedded() {
		t.Error("it is embedded, though redis-server is on PATH")
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// fill makes a pool of its own from the two environment variables' values.
func fill(t *testing.T, list string, required ...string) (*pool, error) {
	t.Helper()
	p := &pool{}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	return p, p.fill(t.Context(), list, required)
}

func TestRequiredServerMissing(t *testing.T) {
	_, err := fill(t, "", "embedded", "redis-99.0")
	if err == nil || !strings.Contains(err.Error(), "redis-99.0") {
		t.Errorf("got %v, want an error that names redis-99.0", err)
	}
}

func TestNothingOnPath(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	p, err := fill(t, "", "embedded")
	if err != nil {
		t.Fatal(err)
	}
	if got := names(p.servers); !slices.Equal(got, []string{"embedded"}) {
		t.Errorf("servers %v, want only embedded", got)
	}
}

func TestListedServers(t *testing.T) {
	other := Private(t)
	p, err := fill(t, "mine="+other.URL(), "mine")
	if err != nil {
		t.Fatal(err)
	}
	if got := names(p.servers); !slices.Equal(got, []string{"embedded", "mine"}) {
		t.Errorf("servers %v, want embedded and mine: what is on PATH does not count beside a list", got)
	}
	if p.servers[1].URL != other.URL() {
		t.Errorf("URL %s, want %s", p.servers[1].URL, other.URL())
	}
}

func TestListedServerIsNotWhatItsNameSays(t *testing.T) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Logf("nothing to test: %v", err)
		return
	}
	s, err := server.StartBinary(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := fill(t, "valkey-1.2="+s.URL()); err == nil || !strings.Contains(err.Error(), "valkey-1.2") {
		t.Errorf("got %v, want an error that names valkey-1.2", err)
	}
}

func TestBadLists(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string]string{
		"no URL":           "redis-7.0",
		"no name":          "=redis://127.0.0.1:1",
		"reserved name":    "embedded=redis://127.0.0.1:1",
		"no server":        "gone=redis://:hush@" + closed,
		"URL that is none": "odd=redis://u:hush@127.0.0.1:port",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := fill(t, list)
			if err == nil {
				t.Fatal("no error")
			}
			if strings.Contains(err.Error(), "hush") {
				t.Errorf("%q shows the password", err)
			}
		})
	}
}

func TestNameFromInfo(t *testing.T) {
	for _, s := range Servers(t) {
		if !versioned.MatchString(s.Name) {
			continue
		}
		info, err := dial(t, s.URL).Info(context.Background(), "server").Result()
		if err != nil {
			t.Fatal(err)
		}
		product, version, _ := strings.Cut(s.Name, "-")
		if !strings.Contains(info, product+"_version:"+version+".") {
			t.Errorf("%s is not what INFO says:\n%s", s.Name, info)
		}
	}
}
