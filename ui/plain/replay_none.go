package plain

import (
	"context"
	"fmt"
	"strings"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
)

// noLetters says why there is nothing to replay: none are there, none matches, or they are under another of the usual
// names.
func noLetters(ctx context.Context, client *redisq.Client, o ReplayOptions) error {
	length := func(key string) redisq.Number {
		n, err := client.Do(ctx, "XLEN", key)
		count, _ := n.(int64)
		if err != nil {
			count = 0 // no stream, or no right to look: it is no place to point at
		}
		return redisq.Exact(count, redisq.FromServer)
	}
	if n := length(o.Queue.DeadLetter); n.Value > 0 {
		_, err := fmt.Fprintf(o.Out, "none of the %s in %s was chosen: nothing to replay\n", letters(n), safe.Text(o.Queue.DeadLetter))
		return err
	}
	var elsewhere []string
	for _, key := range redisq.DeadLetterKeys(o.Queue.Stream) {
		if n := length(key); key != o.Queue.DeadLetter && n.Value > 0 {
			elsewhere = append(elsewhere, fmt.Sprintf("%s has %s: name it with --dead-letter", safe.Text(key), letters(n)))
		}
	}
	_, err := fmt.Fprintln(o.Out, strings.Join(append([]string{
		"there are no dead letters in " + safe.Text(o.Queue.DeadLetter) + ": nothing to replay",
	}, elsewhere...), "\n"))
	return err
}
