package redisq

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Slot returns the Cluster slot of a key, 0 to 16383.
func Slot(key string) int {
	if tag, ok := hashTag(key); ok {
		key = tag
	}
	// CRC16 as XMODEM has it: polynomial 0x1021, start 0.
	var crc uint16
	for i := range len(key) {
		crc ^= uint16(key[i]) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc % 16384)
}

func (c *Client) clustered() bool {
	_, ok := c.universal().(*redis.ClusterClient)
	return ok
}

type doer func(ctx context.Context, args ...any) (any, error)

// eachMaster runs f for every server that holds keys of its own: SCAN sees those of one server only.
func (c *Client) eachMaster(ctx context.Context, f func(context.Context, doer) error) error {
	cluster, ok := c.universal().(*redis.ClusterClient)
	if !ok {
		return f(ctx, c.Do)
	}
	err := cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		return f(ctx, func(ctx context.Context, args ...any) (any, error) { return c.onNode(ctx, node, args) })
	})
	return wrap("reach every master", c.target.Addr(), err, false, nil)
}

// onNode sends one command to one node. The hooks of a Cluster client do not see what is sent to a node by name, so what
// they do is done here.
func (c *Client) onNode(ctx context.Context, node *redis.Client, args []any) (any, error) {
	if c.opts.ReadOnly && !isRead(args) {
		return nil, refused(args)
	}
	at := time.Now()
	cmd := redis.NewCmd(ctx, args...)
	err := node.Process(ctx, once{cmd})
	c.hook.sent(at, cmd, err)
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	return cmd.Val(), wrap(commandName(args), c.target.Addr(), err, !isRead(args), nil)
}
