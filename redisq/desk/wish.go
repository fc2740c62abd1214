package desk

import (
	"slices"

	"example.com/unacked/redisq"
)

// Deed is a kind of action.
type Deed string

// The deeds.
const (
	Claim          Deed = "claim"           // hand pending entries to another consumer: Pending, To, Count
	Ack            Deed = "ack"             // acknowledge pending entries: Pending
	AckGhosts      Deed = "ack-ghosts"      // acknowledge those of the pending entries that have no body: Pending
	Release        Deed = "release"         // give pending entries back (XNACK): Pending, Mode
	Bury           Deed = "dead-letter"     // move pending entries to the dead letters: Pending, Reason
	RemoveConsumer Deed = "remove-consumer" // Consumer, To gets what it holds
	RemoveIdle     Deed = "remove-idle"     // consumers that hold nothing: Consumers
	CreateGroup    Deed = "create-group"    // Group, Start
	SetID          Deed = "set-id"          // rewind the group of the queue, or skip: Start
	SetCounter     Deed = "set-counter"     // set the server's count of what the group has read right
	DestroyGroup   Deed = "destroy-group"
	Trim           Deed = "trim"       // to what every group has finished
	Replay         Deed = "replay"     // dead letters back to work: Replay, DryRun
	Discard        Deed = "discard"    // delete dead letters: Letters
	BringBack      Deed = "bring-back" // undo the discards
	Move           Deed = "move"       // dead letters to another stream: Letters, To
)

// Wish is what a person wants done. Only the fields that its Deed names are used.
type Wish struct {
	Deed      Deed
	Pending   redisq.PendingChoice
	To        string // a consumer; of Move a stream
	Count     bool   // a claim counts as a delivery
	Mode      redisq.ReleaseMode
	Reason    string
	Consumer  string
	Consumers []string
	Group     string // of CreateGroup
	Start     string
	Letters   redisq.LetterChoice
	Replay    redisq.ReplayOptions
	DryRun    bool // look at all letters and say what would be done; the plan cannot be run
}

// Touches says whether what is wished may change the entry, letter or consumer of that id.
func (w Wish) Touches(id string) bool {
	switch w.Deed {
	case Claim, Ack, AckGhosts, Release, Bury:
		rows := w.Pending.Rows
		return rows == nil || slices.ContainsFunc(rows, func(e redisq.PendingEntry) bool { return e.ID == id })
	case RemoveConsumer:
		return w.Consumer == id
	case RemoveIdle:
		return slices.Contains(w.Consumers, id)
	case DestroyGroup:
		return true
	case Replay:
		return w.Replay.IDs == nil || slices.Contains(w.Replay.IDs, id)
	case Discard, Move:
		return w.Letters.IDs == nil || slices.Contains(w.Letters.IDs, id)
	}
	return false
}

// Plan is what would be done.
type Plan struct {
	redisq.Plan
	Wish    Wish
	DryRun  bool             // nothing is to be run: Run is nil
	Skipped []redisq.Skipped // of a replay: what will be left alone, with the reason
}

// Rights says why deeds cannot be done, as far as that can be told before: the server is a replica, or the user may not
// send a command. What is not in it may be tried.
type Rights map[Deed]string

// needs are the commands that a deed sends to the stream, and to the dead letters.
var needs = map[Deed]struct{ stream, letters []string }{
	Claim:          {stream: []string{"XCLAIM"}},
	Ack:            {stream: []string{"XACK"}},
	AckGhosts:      {stream: []string{"XACK"}},
	Bury:           {stream: []string{"XACK"}, letters: []string{"XADD"}},
	RemoveConsumer: {stream: []string{"XCLAIM", "XGROUP DELCONSUMER"}},
	RemoveIdle:     {stream: []string{"XGROUP DELCONSUMER"}},
	CreateGroup:    {stream: []string{"XGROUP CREATE"}},
	SetID:          {stream: []string{"XGROUP SETID"}},
	SetCounter:     {stream: []string{"XGROUP SETID"}},
	DestroyGroup:   {stream: []string{"XGROUP DESTROY"}},
	Trim:           {stream: []string{"XTRIM"}},
	Replay:         {stream: []string{"XADD"}, letters: []string{"XDEL"}},
	Discard:        {letters: []string{"XDEL"}},
	BringBack:      {letters: []string{"XADD"}},
	Move:           {letters: []string{"XDEL"}},
}

// Deeds lists every deed.
func Deeds() []Deed {
	return []Deed{
		Claim, Ack, AckGhosts, Release, Bury, RemoveConsumer, RemoveIdle, CreateGroup, SetID, SetCounter, DestroyGroup, Trim,
		Replay, Discard, BringBack, Move,
	}
}
