package lab

import (
	"context"
	"crypto/rand"
	"fmt"
	"math/big"
	"time"

	"example.com/unacked/redisq"
)

// The names of the lab's keys: all begin with keyPrefix, and on a given server with a random part of their own, so that
// two labs do not meet.
const (
	keyPrefix  = "unacked:lab:"
	streamName = "{emails}"
	groupName  = "mailers"
)

// randomPart is what tells the keys of labs on one server apart.
func randomPart() (string, error) {
	const letters, length = "abcdefghijklmnopqrstuvwxyz0123456789", 4
	part := make([]byte, length)
	for i := range part {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(letters))))
		if err != nil {
			return "", fmt.Errorf("name the lab's keys: %w", err)
		}
		part[i] = letters[n.Int64()]
	}
	return string(part), nil
}

// leftovers counts the keys of other labs on a given server: crashed ones, or ones that run. It looks at a part of a
// large keyspace only, for a fifth of a second.
func leftovers(ctx context.Context, client redisClient, now func() time.Time) (keys int, all bool) {
	deadline := now().Add(200 * time.Millisecond)
	cursor := "0"
	for now().Before(deadline) {
		reply, err := client.Do(ctx, "SCAN", cursor, "MATCH", keyPrefix+"*", "COUNT", page)
		parts, _ := reply.([]any)
		if err != nil || len(parts) != 2 {
			return keys, false // SCAN may be forbidden; it is only for a hint
		}
		found, _ := parts[1].([]any)
		keys += len(found)
		if cursor, _ = parts[0].(string); cursor == "0" {
			return keys, true
		}
	}
	return keys, false
}

// warning says which keys of a given server the lab uses and removes.
func warning(target redisq.Target, prefix string, found int, all bool) string {
	text := fmt.Sprintf("the lab uses the keys %s* on %s and removes them when it ends; it touches no others", prefix, target)
	if found == 0 {
		return text
	}
	more := ""
	if !all {
		more = " or more"
	}
	if found == 1 && all {
		return text + ". 1 key of another lab (a crashed one, or one that runs) is there and stays: " + keyPrefix + "*"
	}
	return fmt.Sprintf("%s. %d%s keys of other labs (crashed ones, or ones that run) are there and stay: %s*",
		text, found, more, keyPrefix)
}

// The times that the removal of keys may take: of those with a known name, so that a server that is silent does not hold
// up the end and one that is far away or busy is cleaned up all the same, and of the others, which are looked for in the
// whole keyspace.
const (
	removeNamed = 1500 * time.Millisecond
	removeRest  = 2 * time.Second
)

// remove deletes the lab's keys: first those that are known by name, which are in one Cluster slot, in one command; then
// whatever else has the prefix.
func remove(ctx context.Context, client *redisq.Client, queue redisq.Queue, prefix string) error {
	named, cancel := context.WithTimeout(ctx, removeNamed)
	defer cancel()
	if _, err := client.Do(named, "UNLINK", queue.Stream, queue.DeadLetter, queue.List); err != nil {
		return err
	}
	rest, cancel := context.WithTimeout(ctx, removeRest)
	defer cancel()
	return client.RemoveKeys(rest, prefix)
}
