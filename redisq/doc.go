// Package redisq is the queue as the Redis server sees it: it connects, observes a stream and its consumer group (or
// a list), and carries out what a worker or a person wants done to them.
//
// It knows nothing of screens or worker processes. Everything that it reports comes from a command's reply; a figure
// that no reply gives is an unknown [Number] with its reason, never a zero.
package redisq
