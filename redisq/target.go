package redisq

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// Target is where a server is and how to talk to it. The zero value is 127.0.0.1:6379. String is safe to print; only
// URL holds the password.
type Target struct {
	Addrs  []string // host:port, IPv6 in brackets; several are nodes of one Cluster, or Sentinels with Master
	Socket string   // path of a Unix socket, instead of Addrs
	User   string   // ACL user, "" is the default user
	Pass   string   // never printed
	DB     int      // database number, 0 on a Cluster
	Master string   // name of the master that the Sentinels at Addrs watch, "" without Sentinel

	TLS      bool
	CAFile   string // PEM of the authorities to trust, "" is the system's
	CertFile string // PEM of our certificate, with KeyFile
	KeyFile  string
	Insecure bool // do not verify the server's certificate

	// Sentinels may want a user and password of their own.
	SentinelUser string
	SentinelPass string
}

const (
	defaultPort         = "6379"
	defaultSentinelPort = "26379"
)

// ParseTarget reads a URL, or host:port, or host:port,host:port for a Cluster. It knows these schemes:
//
//	redis:// valkey://                  TCP
//	rediss:// valkeys://                TLS
//	unix:///path/to/socket?db=1
//	redis+sentinel://host:port,…/MASTER  also redis://…?master_name=MASTER
//
// Query parameters: db, user, password, master_name, sentinel_user, sentinel_password, tls (true), tls_ca, tls_cert,
// tls_key, tls_insecure (true). An error never shows the password.
func ParseTarget(raw string) (Target, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return Target{}, badTarget("it is empty")
	}
	scheme, rest, hasScheme := strings.Cut(raw, "://")
	if !hasScheme {
		if strings.Contains(raw, "@") {
			return Target{}, badTarget("with a user or password it needs its scheme: redis://…")
		}
		scheme, rest = "redis", raw
	}
	var t Target
	sentinel := false
	switch strings.ToLower(scheme) {
	case "redis", "valkey":
	case "rediss", "valkeys":
		t.TLS = true
	case "redis+sentinel", "valkey+sentinel", "redis-sentinel":
		sentinel = true
	case "rediss+sentinel", "valkeys+sentinel":
		sentinel, t.TLS = true, true
	case "unix", "redis+unix", "redis+socket":
		return parseSocket(rest)
	default:
		return Target{}, badTarget("its scheme is none of redis, rediss, valkey, valkeys, unix, redis+sentinel")
	}

	authority, query, _ := strings.Cut(rest, "?")
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		if err := t.userinfo(authority[:at]); err != nil {
			return Target{}, err
		}
		authority = authority[at+1:]
	}
	hosts, path, _ := strings.Cut(authority, "/")
	if err := t.query(query); err != nil {
		return Target{}, err
	}
	if err := t.path(path, sentinel); err != nil {
		return Target{}, err
	}
	if sentinel && t.Master == "" {
		return Target{}, badTarget("a Sentinel needs the name of the master: redis+sentinel://HOST:PORT/MASTER")
	}
	for host := range strings.SplitSeq(hosts, ",") {
		addr, err := hostPort(host, t.Master != "")
		if err != nil {
			return Target{}, err
		}
		t.Addrs = append(t.Addrs, addr)
	}
	if len(t.Addrs) > 1 && t.Master == "" && t.DB != 0 {
		return Target{}, badTarget("a Cluster has database 0 only")
	}
	return t, nil
}

func badTarget(why string) error {
	// What was given is not repeated: it may hold a password in a place where nobody expects one.
	return &Error{
		Op: "read the server's address", Code: "bad-url", Err: errorString(why),
		Hint: "an address is like redis://user:password@127.0.0.1:6379/0, or 127.0.0.1:6379",
	}
}

type errorString string

func (e errorString) Error() string { return string(e) }

func (t *Target) userinfo(raw string) error {
	user, pass, hasPass := strings.Cut(raw, ":")
	var err error
	if t.User, err = url.PathUnescape(user); err != nil {
		return badTarget("the user is not escaped as a URL wants it")
	}
	if hasPass {
		if t.Pass, err = url.PathUnescape(pass); err != nil {
			return badTarget("the password is not escaped as a URL wants it (% is %25, @ is %40)")
		}
	}
	return nil
}

func (t *Target) path(path string, sentinel bool) error {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	if sentinel && len(parts) > 0 {
		master, err := url.PathUnescape(parts[0])
		if err != nil {
			return badTarget("the master's name is not escaped as a URL wants it")
		}
		t.Master, parts = master, parts[1:]
	}
	switch {
	case len(parts) > 1:
		return badTarget("its path is more than a database number")
	case len(parts) == 1:
		return t.setDB(parts[0])
	}
	return nil
}

func (t *Target) setDB(s string) error {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return badTarget("its database is not a number")
	}
	t.DB = int(n)
	return nil
}

func (t *Target) query(raw string) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return badTarget("what follows the ? is not escaped as a URL wants it")
	}
	texts := map[string]*string{
		"user": &t.User, "username": &t.User, "password": &t.Pass, "master_name": &t.Master,
		"sentinel_user": &t.SentinelUser, "sentinel_password": &t.SentinelPass,
		"tls_ca": &t.CAFile, "tls_cert": &t.CertFile, "tls_key": &t.KeyFile,
	}
	flags := map[string]*bool{"tls": &t.TLS, "tls_insecure": &t.Insecure, "skip_verify": &t.Insecure}
	for name, all := range values {
		value := all[len(all)-1]
		if text := texts[name]; text != nil {
			*text = value
			continue
		}
		if flag := flags[name]; flag != nil {
			if *flag, err = strconv.ParseBool(value); err != nil {
				return badTarget(name + " is neither true nor false")
			}
			continue
		}
		if name != "db" {
			return badTarget("it has a parameter that this program does not know")
		}
		if err := t.setDB(value); err != nil {
			return err
		}
	}
	return nil
}

func parseSocket(rest string) (Target, error) {
	var t Target
	path, query, _ := strings.Cut(rest, "?")
	if at := strings.IndexByte(path, '@'); at >= 0 && !strings.Contains(path[:at], "/") {
		if err := t.userinfo(path[:at]); err != nil {
			return Target{}, err
		}
		path = path[at+1:]
	}
	if err := t.query(query); err != nil {
		return Target{}, err
	}
	var err error
	if t.Socket, err = url.PathUnescape(path); err != nil || t.Socket == "" {
		return Target{}, badTarget("it has no path of a socket: unix:///run/redis.sock")
	}
	return t, nil
}

func hostPort(raw string, sentinel bool) (string, error) {
	port := defaultPort
	if sentinel {
		port = defaultSentinelPort
	}
	host := raw
	if h, p, err := net.SplitHostPort(raw); err == nil {
		host = h
		if p != "" {
			port = p
		}
	} else if strings.HasPrefix(raw, "[") && strings.HasSuffix(raw, "]") {
		host = raw[1 : len(raw)-1]
	} else if strings.ContainsAny(raw, "[]") || strings.Contains(raw, ":") && !isIPv6(raw) {
		return "", badTarget("its host and port cannot be told apart")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if strings.ContainsAny(host, " \t@/?#%\\") {
		return "", badTarget("its host has a character that no host has; in a password % is %25, @ is %40, / is %2F, # is %23")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", badTarget("its port is not a number from 1 to 65535")
	}
	return net.JoinHostPort(host, port), nil
}

func isIPv6(s string) bool {
	ip, err := netip.ParseAddr(s)
	return err == nil && ip.Is6()
}

// WithPassword returns t with that user and password; an empty one leaves what is there.
func (t Target) WithPassword(user, password string) Target {
	if user != "" {
		t.User = user
	}
	if password != "" {
		t.Pass = password
	}
	return t
}

// Addr is host:port, several joined by commas, or the socket's path. It holds no user or password.
func (t Target) Addr() string {
	if t.Socket != "" {
		return t.Socket
	}
	if len(t.Addrs) == 0 {
		return "127.0.0.1:" + defaultPort
	}
	return strings.Join(t.Addrs, ",")
}

// String returns the URL without user and password.
func (t Target) String() string {
	t.User, t.Pass, t.SentinelUser, t.SentinelPass = "", "", "", ""
	return t.URL()
}

// GoString is String: a Target printed with %#v shows no password either.
func (t Target) GoString() string { return t.String() }

// URL returns the whole target, with its password, as ParseTarget reads it. It is for the environment of a child
// process and for nothing that a person sees.
func (t Target) URL() string {
	u := url.URL{Scheme: "redis", Host: t.Addr()}
	query := url.Values{}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	if t.TLS {
		u.Scheme = "rediss"
	}
	switch {
	case t.Socket != "":
		u.Scheme, u.Host, u.Path = "unix", "", t.Socket
		if t.TLS {
			set("tls", "true")
		}
		if t.DB != 0 {
			set("db", strconv.Itoa(t.DB))
		}
	case t.DB != 0:
		u.Path = "/" + strconv.Itoa(t.DB)
	}
	switch {
	case t.Pass != "":
		u.User = url.UserPassword(t.User, t.Pass)
	case t.User != "":
		u.User = url.User(t.User)
	}
	set("master_name", t.Master)
	set("sentinel_user", t.SentinelUser)
	set("sentinel_password", t.SentinelPass)
	set("tls_ca", t.CAFile)
	set("tls_cert", t.CertFile)
	set("tls_key", t.KeyFile)
	if t.Insecure {
		set("tls_insecure", "true")
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// tlsConfig reads the certificate files; nil without TLS.
func (t Target) tlsConfig() (*tls.Config, error) {
	if !t.TLS {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: t.Insecure}
	if len(t.Addrs) == 1 {
		config.ServerName, _, _ = net.SplitHostPort(t.Addrs[0])
	}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, &Error{Op: "read the authorities' certificates", On: t.CAFile, Code: CodeTLS, Err: err}
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &Error{
				Op: "read the authorities' certificates", On: t.CAFile, Code: CodeTLS,
				Err: errorString("there is no certificate in PEM form in it"),
			}
		}
	}
	if t.CertFile != "" || t.KeyFile != "" {
		pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, &Error{Op: "read our certificate", On: t.CertFile, Code: CodeTLS, Err: err}
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
