package redisq

import (
	"context"
)

// Plan is an action before it is done: the commands that it would send, as redis-cli takes them, and what they change.
// Nothing is sent before Do.
type Plan struct {
	Title       string     // "Replay 3 dead letters"
	Commands    [][]string // what would be sent; a script stands as the commands that it runs
	Effects     []string   // what changes, one sentence each
	Destructive bool       // wants a confirmation with Count
	Count       int        // messages touched
	AtLeast     bool       // not all were looked at: Count is a lower bound, and Effects say why
	Run         func(context.Context) Outcome
}

// Outcome is what became of a Plan.
type Outcome struct {
	Text    string // one line for the person
	Done    int
	Skipped []Skipped // left alone, with the reason: "left the dead letters", "owned by w2"
	Unknown int       // reply lost, and looking again did not tell either
	Failed  []Skipped
	Unclear []string // ids of the Unknown ones
	Matched int      // of a replay: letters that were chosen, before any was left alone
	Notes   []string // what the person may want to keep, as the ids of what is gone
	Stopped bool     // it was cancelled before all was done; what was begun was brought to its end
	Err     error    // the first failure, nil if none

	names bool     // collect the ids of what is done
	named []string // those
}

// Skipped is a message that an action left alone.
type Skipped struct {
	ID     string
	Reason string
}
