package redisq

import "context"

// batch is the commands of one round trip.
type batch struct {
	commands [][]any
	results  []result
	bytes    int64 // about what the results had on their way
}

// add returns the place of the command's result.
func (b *batch) add(args ...any) int {
	b.commands = append(b.commands, args)
	return len(b.commands) - 1
}

func (b *batch) send(ctx context.Context, c *Client) error {
	var err error
	b.results, err = c.pipeline(ctx, b.commands)
	for _, r := range b.results {
		b.bytes += weight(r.reply)
	}
	return err
}

// at returns a result, nil for a place below 0.
func (b *batch) at(i int) *result {
	if i < 0 {
		return nil
	}
	return &b.results[i]
}
