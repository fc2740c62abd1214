package lab

import (
	"strconv"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
)

// environment hands the server's URL to the workers: it may hold a password, which must not stand on a command line. A
// password that this process was given for another server must not reach them.
func environment(target redisq.Target) []string {
	return []string{"REDIS_URL=" + target.URL(), "REDISCLI_AUTH="}
}

// argv is the command line of a worker. settings are those at its start; it is told when they change.
func argv(self []string, queue redisq.Queue, settings workers.Settings, smtp string, embedded bool, name string) []string {
	args := append([]string(nil), self...)
	args = append(args,
		"--controlled",
		"--stream", queue.Stream,
		"--group", queue.Group,
		"--dead-letter", queue.DeadLetter,
		"--consumer", name,
		"--kind", string(settings.Kind),
		"--lease", settings.Lease.String(),
		"--max-deliveries", strconv.FormatInt(settings.MaxDeliveries, 10),
		"--batch", strconv.Itoa(settings.Batch),
		"--idempotent", string(settings.Idempotent),
		"--handler", "smtp",
		"--smtp", smtp,
	)
	if embedded {
		args = append(args, "--embedded")
	}
	if settings.AckBefore {
		args = append(args, "--ack-before")
	}
	return args
}
