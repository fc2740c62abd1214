package redistest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"example.com/unacked/redisq/server"
)

// The environment variables that choose the servers.
const (
	serversEnv = "UNACKED_TEST_SERVERS"
	requireEnv = "UNACKED_TEST_REQUIRE"
)

// embeddedName is the name of the server in this process.
const embeddedName = "embedded"

// startTimeout is how long one server may take until it answers.
const startTimeout = 20 * time.Second

// Server is a server that tests share: each works on keys of its own, see Key.
type Server struct {
	Name     string // "embedded", or product and version as in "redis-7.0"
	URL      string
	Embedded bool

	client *redis.Client
}

// pool is what one test process uses.
type pool struct {
	servers []Server
	owned   []*server.Server // started by this pool
}

// shared is opened by the first that asks and closed by Main.
var shared struct {
	mu   sync.Mutex
	pool *pool // guarded by mu, nil before it was opened
	err  error // guarded by mu
}

func open() ([]Server, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.pool == nil && shared.err == nil {
		p := &pool{}
		if shared.err = p.fill(context.Background(), os.Getenv(serversEnv), required()); shared.err != nil {
			shared.err = errors.Join(shared.err, p.close())
		} else {
			shared.pool = p
		}
	}
	if shared.err != nil {
		return nil, shared.err
	}
	return shared.pool.servers, nil
}

// closeShared returns the names of the servers that were used, nil if none was.
func closeShared() ([]string, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.pool == nil {
		return nil, shared.err
	}
	p := shared.pool
	shared.pool, shared.err = nil, nil
	return names(p.servers), p.close()
}

func required() []string { return strings.Fields(os.Getenv(requireEnv)) }

// fill finds the servers: list has the form of UNACKED_TEST_SERVERS.
func (p *pool) fill(ctx context.Context, list string, required []string) error {
	if err := p.own(ctx, embeddedName, func(ctx context.Context) (*server.Server, error) {
		return server.Start(ctx, server.Embedded)
	}); err != nil {
		return err
	}
	fill := p.addPath
	if list != "" {
		fill = func(ctx context.Context) error { return p.addListed(ctx, list) }
	}
	if err := fill(ctx); err != nil {
		return err
	}
	for _, name := range required {
		if !slices.Contains(names(p.servers), name) {
			return fmt.Errorf("%s wants the server %s; there are: %s", requireEnv, name, strings.Join(names(p.servers), " "))
		}
	}
	return nil
}

// addListed adds the servers of a list in the form of UNACKED_TEST_SERVERS.
func (p *pool) addListed(ctx context.Context, list string) error {
	for _, item := range strings.Fields(list) {
		name, url, ok := strings.Cut(item, "=")
		if !ok || name == "" || name == embeddedName || slices.Contains(names(p.servers), name) {
			return fmt.Errorf("%s: want NAME=URL with a name of its own, have one named %q", serversEnv, name)
		}
		if err := p.add(ctx, name, url); err != nil {
			return err
		}
	}
	return nil
}

// addPath starts those found on PATH. One program may stand there under two names.
func (p *pool) addPath(ctx context.Context) error {
	for _, program := range []string{"redis-server", "valkey-server"} {
		path, err := exec.LookPath(program)
		if err != nil {
			continue
		}
		if err := p.own(ctx, "", func(ctx context.Context) (*server.Server, error) {
			return server.StartBinary(ctx, path)
		}); err != nil {
			return err
		}
	}
	return nil
}

// own starts a server and adds it.
func (p *pool) own(ctx context.Context, name string, start func(context.Context) (*server.Server, error)) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	s, err := start(ctx)
	if err != nil {
		return err
	}
	p.owned = append(p.owned, s)
	return p.add(ctx, name, s.URL())
}

// versioned is the form of a name that says what the server is.
var versioned = regexp.MustCompile(`^(redis|valkey)-\d+\.\d+$`)

// add connects to the server at url. Without a name it goes by what the server says that it is, and is left out when
// there is one like it already; a name that says what the server is has to be right.
func (p *pool) add(ctx context.Context, name, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	o, err := redis.ParseURL(url)
	if err != nil {
		// The library's message repeats the URL, and with it a password.
		return fmt.Errorf("%s: the URL of %s cannot be understood", serversEnv, name)
	}
	o.MaxRetries = -1
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	s := Server{Name: name, URL: url, Embedded: name == embeddedName, client: redis.NewClient(o)}
	var is string
	if name == "" || versioned.MatchString(name) {
		is, err = identify(ctx, s.client)
	} else { // the embedded one among them: miniredis 2.40 knows no INFO server
		err = s.client.Ping(ctx).Err()
	}
	switch {
	case err != nil:
		err = fmt.Errorf("test server %s at %s: %w", name, o.Addr, err)
	case versioned.MatchString(name) && is != name:
		err = fmt.Errorf("test server %s at %s says that it is %s", name, o.Addr, is)
	case name == "" && slices.Contains(names(p.servers), is):
		return s.client.Close()
	case name == "":
		s.Name = is
	}
	if err != nil {
		return errors.Join(err, s.client.Close())
	}
	p.servers = append(p.servers, s)
	return nil
}

// identify returns a name like "redis-7.0" from what INFO tells: Valkey has a valkey_version beside the
// redis_version with which it claims to be compatible.
func identify(ctx context.Context, c *redis.Client) (string, error) {
	info, err := c.Info(ctx, "server").Result()
	if err != nil {
		return "", err
	}
	found := map[string]string{}
	for line := range strings.Lines(info) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		found[key] = value
	}
	for _, product := range []string{"valkey", "redis"} {
		if version := found[product+"_version"]; version != "" {
			major, rest, _ := strings.Cut(version, ".")
			minor, _, _ := strings.Cut(rest, ".")
			return product + "-" + major + "." + minor, nil
		}
	}
	return "", errors.New("INFO tells no version")
}

func (p *pool) close() error {
	var errs []error
	for _, s := range p.servers {
		errs = append(errs, s.client.Close())
	}
	for _, s := range p.owned {
		errs = append(errs, s.Close())
	}
	p.servers, p.owned = nil, nil
	return errors.Join(errs...)
}

func names(servers []Server) []string {
	out := make([]string, len(servers))
	for i, s := range servers {
		out[i] = s.Name
	}
	return out
}
