package redisq

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Times of a Client. A blocked read is the longest that a command may take; see [Options].
const (
	dialTimeout     = time.Second
	replyTimeout    = 3 * time.Second
	maxBlock        = 2 * time.Second
	maxReaderBlock  = 10 * time.Second
	defaultPoolSize = 10
)

// Options are how a Client behaves. The zero value is a client for any command, without a log.
type Options struct {
	Name     string      // who it is in the log: "observer", "producer", "action", "worker"; also its name on the server
	Log      *CommandLog // or nil
	PoolSize int         // connections at most, 0 is 10
	Reader   bool        // its reads may block for up to 10 s instead of 2 s
	Private  bool        // the server was started by this program
	Embedded bool        // the server is in this process
	ReadOnly bool        // refuse every command that is not known to read, before it is sent
}

// Client sends commands to one server, Cluster or Sentinel-watched master. It never sends a command twice by itself:
// after a lost reply the caller decides. It is safe for concurrent use; a goroutine that blocks in a read wants a
// Client of its own, so that Close can end the read.
type Client struct {
	target Target
	opts   Options
	hook   *hook

	mu     sync.Mutex
	rdb    redis.UniversalClient // guarded by mu; replaced once when the server turns out to be a Cluster
	old    []redis.UniversalClient
	closed bool
}

// Connect makes a Client. It does no network I/O: the first command connects, and every later one connects again where
// the connection was lost. The error is one of the target's certificate files.
func Connect(t Target, o Options) (*Client, error) {
	if o.PoolSize <= 0 {
		o.PoolSize = defaultPoolSize
	}
	c := &Client{target: t, opts: o, hook: &hook{client: o.Name, log: o.Log, readOnly: o.ReadOnly}}
	rdb, err := c.open(len(t.Addrs) > 1 && t.Master == "")
	if err != nil {
		return nil, err
	}
	c.rdb = rdb
	return c, nil
}

// Target returns where the client connects to.
func (c *Client) Target() Target { return c.target }

func (c *Client) open(cluster bool) (redis.UniversalClient, error) {
	tlsConfig, err := c.target.tlsConfig()
	if err != nil {
		return nil, err
	}
	t := c.target
	addrs := strings.Split(t.Addr(), ",")
	patience := replyTimeout + c.longestBlock() - maxBlock
	quiet := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	dial := patient(redis.NewDialer(&redis.Options{DialTimeout: dialTimeout, TLSConfig: tlsConfig}))
	var rdb redis.UniversalClient
	switch {
	case cluster:
		rdb = redis.NewClusterClient(&redis.ClusterOptions{
			Addrs: addrs, OnConnect: c.setName, Dialer: dial,
			Protocol: 2, Username: t.User, Password: t.Pass, MaxRetries: -1,
			DialTimeout: dialTimeout, DialerRetries: 1, ReadTimeout: patience, WriteTimeout: replyTimeout,
			ContextTimeoutEnabled: true, PoolSize: c.opts.PoolSize, PipelinePoolSize: -1,
			DisableIdentity: true, TLSConfig: tlsConfig, MaintNotificationsConfig: quiet,
		})
	case t.Master != "":
		rdb = redis.NewFailoverClient(&redis.FailoverOptions{
			MasterName: t.Master, SentinelAddrs: addrs, OnConnect: c.setName,
			SentinelUsername: t.SentinelUser, SentinelPassword: t.SentinelPass,
			Protocol: 2, Username: t.User, Password: t.Pass, DB: t.DB, MaxRetries: -1,
			DialTimeout: dialTimeout, DialerRetries: 1, ReadTimeout: patience, WriteTimeout: replyTimeout,
			ContextTimeoutEnabled: true, PoolSize: c.opts.PoolSize, PipelinePoolSize: -1,
			DisableIdentity: true, TLSConfig: tlsConfig,
		})
	default:
		network := "tcp"
		if t.Socket != "" {
			network, addrs = "unix", []string{t.Socket}
		}
		rdb = redis.NewClient(&redis.Options{
			Network: network, Addr: addrs[0], OnConnect: c.setName, Dialer: dial,
			Protocol: 2, Username: t.User, Password: t.Pass, DB: t.DB, MaxRetries: -1,
			DialTimeout: dialTimeout, DialerRetries: 1, ReadTimeout: patience, WriteTimeout: replyTimeout,
			ContextTimeoutEnabled: true, PoolSize: c.opts.PoolSize, PipelinePoolSize: -1,
			DisableIdentity: true, TLSConfig: tlsConfig, MaintNotificationsConfig: quiet,
		})
	}
	rdb.AddHook(c.hook)
	return rdb, nil
}

// longestBlock is how long one of its commands may block.
func (c *Client) longestBlock() time.Duration {
	if c.opts.Reader {
		return maxReaderBlock
	}
	return maxBlock
}

// setName names the connection, for CLIENT LIST. A user without the right to CLIENT just has no name: as an option of
// the library it would fail every command instead.
func (c *Client) setName(ctx context.Context, cn *redis.Conn) error {
	if c.opts.Name != "" {
		name := strings.Map(func(r rune) rune {
			if r <= ' ' || r > '~' {
				return '-'
			}
			return r
		}, "unacked-"+c.opts.Name)
		_ = cn.Process(context.WithValue(ctx, ownKey{}, true), redis.NewCmd(ctx, "CLIENT", "SETNAME", name))
	}
	return nil
}

// Close ends the client and every read that blocks in it. It may be called more than once.
func (c *Client) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	all := append(c.old, c.rdb)
	c.mu.Unlock()
	var first error
	for _, rdb := range all {
		if err := rdb.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (c *Client) universal() redis.UniversalClient {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rdb
}

// becomeCluster goes on as a Cluster client: the server named itself a node of one.
func (c *Client) becomeCluster() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, already := c.rdb.(*redis.ClusterClient); already || c.closed || c.target.Socket != "" || c.target.Master != "" {
		return
	}
	rdb, err := c.open(true)
	if err != nil {
		return // the files were readable a moment ago; the next MOVED tries again
	}
	c.old = append(c.old, c.rdb) // others may be using it: it is closed with the client
	c.rdb = rdb
}

// once is a command that the library must not send again by itself, whatever kind of client sends it.
type once struct{ *redis.Cmd }

func (once) NoRetry() bool { return true }

// Do sends one command and returns its raw reply: nil, int64, string or []any of these. A nil reply is not an error.
func (c *Client) Do(ctx context.Context, args ...any) (any, error) {
	if len(args) == 0 {
		return nil, &Error{Op: "send a command", Code: "ERR", Err: errorString("it is empty")}
	}
	a := &attempt{}
	ctx = context.WithValue(ctx, attemptKey{}, a)
	reply, err := c.send(ctx, args)
	if isMoved(err) {
		c.becomeCluster()
		reply, err = c.send(ctx, args)
	}
	if err != nil {
		return nil, wrap(commandName(args), c.target.Addr(), err, !isRead(args), a)
	}
	return reply, nil
}

func (c *Client) send(ctx context.Context, args []any) (any, error) {
	cmd := redis.NewCmd(ctx, args...)
	err := c.universal().Process(ctx, once{cmd})
	if isNil(err) {
		return nil, nil
	}
	if err != nil {
		return nil, c.noMaster(err)
	}
	return cmd.Val(), nil
}

// isNil says that err is the library's word for a nil reply, and not one that wraps it: with that a Sentinel says that
// it does not know the master.
func isNil(err error) bool { return err == redis.Nil }

// noMaster is err in words where the Sentinels answered and know no master of that name; any other error as it is.
func (c *Client) noMaster(err error) error {
	if c.target.Master == "" || !errors.Is(err, redis.Nil) {
		return err
	}
	return &Error{
		Op: "ask the Sentinels at " + c.target.Addr(), On: c.target.Master, Code: CodeNoMaster,
		Hint: hint(CodeNoMaster), Err: errorString("they know no master of that name"),
	}
}

// result is one reply of a pipeline.
type result struct {
	reply any
	err   error // of this command alone, already an *Error
}

// pipeline sends commands in one go; on a Cluster only reading ones, for its client may send a pipeline again. err is
// set when no answer came at all.
func (c *Client) pipeline(ctx context.Context, commands [][]any) (results []result, err error) {
	if len(commands) == 0 {
		return nil, nil
	}
	results = make([]result, len(commands))
	pipe := c.universal().Pipeline()
	cmds := make([]*redis.Cmd, len(commands))
	for i, args := range commands {
		cmds[i] = pipe.Do(ctx, args...)
	}
	a := &attempt{}
	_, _ = pipe.Exec(context.WithValue(ctx, attemptKey{}, a)) // each command keeps its own error
	failed := 0
	for i, cmd := range cmds {
		reply, cmdErr := cmd.Result()
		switch {
		case isNil(cmdErr):
		case cmdErr != nil:
			cmdErr = c.noMaster(cmdErr)
			if isMoved(cmdErr) {
				c.becomeCluster()
			}
			results[i].err = wrap(commandName(commands[i]), c.target.Addr(), cmdErr, !isRead(commands[i]), a)
			var fromServer redis.Error
			if !errors.As(cmdErr, &fromServer) {
				failed++
				err = results[i].err
			}
		default:
			results[i].reply = reply
		}
	}
	if failed < len(commands) {
		return results, nil
	}
	return results, err
}

func isMoved(err error) bool {
	return err != nil && (redis.HasErrorPrefix(err, "MOVED ") || redis.HasErrorPrefix(err, "ASK "))
}

// commandName is the command with its subcommand, as messages name it: "XINFO GROUPS".
func commandName(args []any) string {
	name := strings.ToUpper(word(args[0]))
	switch name {
	case "XINFO", "XGROUP", "CLIENT", "CONFIG":
		if len(args) > 1 {
			return name + " " + strings.ToUpper(word(args[1]))
		}
	}
	return name
}

type (
	attemptKey struct{} // *attempt of the command on its way
	ownKey     struct{} // set for what belongs to making a connection
)

// hook refuses what a read-only client may not send, and logs the rest.
type hook struct {
	client   string
	log      *CommandLog
	readOnly bool
}

func (h *hook) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (h *hook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		args := cmd.Args()
		own := ctx.Value(ownKey{}) != nil
		if h.readOnly && !own && !isRead(args) {
			err := refused(args)
			cmd.SetErr(err)
			return err
		}
		at := time.Now()
		err := next(ctx, cmd)
		if err != nil && isHandshake(args) {
			if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
				a.handshakeFailed = true
			}
		}
		if !own {
			h.sent(at, cmd, err)
		}
		return err
	}
}

func (h *hook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if h.readOnly {
			for _, cmd := range cmds {
				if args := cmd.Args(); !isRead(args) {
					err := refused(args)
					for _, all := range cmds {
						all.SetErr(err)
					}
					return err
				}
			}
		}
		at := time.Now()
		err := next(ctx, cmds)
		if err != nil && !slices.ContainsFunc(cmds, func(cmd redis.Cmder) bool { return cmd.Err() != nil }) {
			// The server refused the connection, as with a wrong password or too many clients: the library leaves each
			// command without its error then, as if the reply had been nil.
			for _, cmd := range cmds {
				cmd.SetErr(err)
			}
		}
		for _, cmd := range cmds {
			h.sent(at, cmd, cmd.Err())
		}
		return err
	}
}

func (h *hook) sent(at time.Time, cmd redis.Cmder, err error) {
	if h.log == nil {
		return
	}
	switch {
	case isNil(err):
		err = nil
	case redis.HasErrorPrefix(err, "NOSCRIPT"):
		return // the script follows as a whole, and is logged then
	}
	var reply any
	switch c := cmd.(type) {
	case once:
		reply = c.Val()
	case *redis.Cmd:
		reply = c.Val()
	}
	h.log.sent(h.client, at, time.Since(at), cmd.Args(), reply, err)
}

func isHandshake(args []any) bool {
	if len(args) == 0 {
		return false
	}
	name := strings.ToUpper(word(args[0]))
	return name == "HELLO" || name == "AUTH"
}
