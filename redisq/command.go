package redisq

import "time"

// Command is one command that this program sent, for the command log. Passwords are not in it.
type Command struct {
	At     time.Time
	Client string   // who sent it: "observer", "producer", "action"
	Args   []string // as sent; a long argument is cut
	Took   time.Duration
	Err    string // what the server said, "" when it went well
}
