package redisq

import (
	"context"
	"errors"
	"strings"
)

// Identify asks the server what it is: HELLO, one round trip, or INFO where HELLO is not known or not allowed; where
// neither is, Product is "unknown". A server that is a node of a Cluster makes this client a Cluster client. The Error
// is clear about what is wrong: refused, timeout, NOAUTH, WRONGPASS, LOADING, ….
func (c *Client) Identify(ctx context.Context) (ServerInfo, error) {
	info := ServerInfo{
		Product: "unknown", Addr: c.target.Addr(), Private: c.opts.Private, Embedded: c.opts.Embedded,
	}
	reply, err := c.Do(ctx, "HELLO", "2")
	if err == nil {
		c.fromHello(&info, reply)
		return info, nil
	}
	var e *Error
	if !errors.As(err, &e) || !refusedOnly(e.Code) {
		return info, c.mindTLS(on(err, "connect to "+c.target.String(), ""))
	}
	reply, again := c.Do(ctx, "INFO", "server")
	switch {
	case again == nil:
		fromInfo(&info, asString(reply))
	case sameAnswer(err, again):
		// It is no answer to the command: the connection is refused, as for a database that is not there (SELECT).
		return info, on(err, "connect to "+c.target.String(), "")
	}
	return info, nil
}

// sameAnswer says that a server answered two commands alike, other than with a missing right.
func sameAnswer(a, b error) bool {
	var e, f *Error
	return errors.As(a, &e) && errors.As(b, &f) && e.Code == f.Code && e.Code != "NOPERM" &&
		e.Err != nil && f.Err != nil && e.Err.Error() == f.Err.Error()
}

// mindTLS adds to the hint what a first connection often fails of: one side speaks TLS, and the other does not.
func (c *Client) mindTLS(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	more := ""
	switch {
	case c.target.TLS && (e.Code == CodeTimeout || e.Code == CodeLost):
		more = "or the port does not speak TLS (redis://)"
	case !c.target.TLS && e.Code == CodeLost:
		more = "the port may want TLS (rediss://)"
	default:
		return err
	}
	said := *e
	if said.Hint != "" {
		more = said.Hint + ", " + more
	}
	said.Hint = strings.TrimPrefix(more, "or ")
	return &said
}

// refusedOnly says that the server answered, but not to this command.
func refusedOnly(code string) bool { return code == "NOPERM" || code == "ERR" || code == "NOPROTO" }

func (c *Client) fromHello(info *ServerInfo, reply any) {
	m := asMap(reply)
	info.Version = asString(m["version"])
	info.Mode = asString(m["mode"])
	info.Role = roleName(asString(m["role"]))
	switch server := strings.ToLower(asString(m["server"])); server {
	case "redis", "valkey":
		info.Product = server
	case "miniredis":
		info.Embedded = true
	}
	if info.Embedded {
		// What it says of its version is whose commands it imitates.
		info.Product, info.Version = "embedded", ""
	}
	if info.Mode == "cluster" {
		c.becomeCluster()
	}
}

func roleName(role string) string {
	if role == "slave" {
		return "replica"
	}
	return role
}

// fromInfo reads INFO's sections server and, where it is there, replication.
func fromInfo(info *ServerInfo, text string) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch name {
		case "redis_version":
			if info.Product == "unknown" {
				info.Product, info.Version = "redis", value
			}
		case "valkey_version":
			info.Product, info.Version = "valkey", value
		case "redis_mode", "server_mode":
			info.Mode = value
		case "role":
			info.Role = roleName(value)
		}
	}
}
