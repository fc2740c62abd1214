package desk

import (
	"slices"

	"example.com/unacked/redisq"
)

// Deed is a kind of action.
type Deed string

// The deeds.
const (
	Claim          Deed = "claim"           // hand pending entries to another consumer: Take
	Ack            Deed = "ack"             // acknowledge pending entries: Rows
	AckGhosts      Deed = "ack-ghosts"      // acknowledge pending entries without a body: Rows, nil is all
	Release        Deed = "release"         // give pending entries back (XNACK): Rows, Mode
	RemoveConsumer Deed = "remove-consumer" // Consumer, To gets what it holds
	CreateGroup    Deed = "create-group"    // Group, Start
	SetID          Deed = "set-id"          // rewind the group of the queue, or skip: Start
	DestroyGroup   Deed = "destroy-group"
	Trim           Deed = "trim"       // to what every group has finished
	Replay         Deed = "replay"     // dead letters back to work: Replay, DryRun
	Discard        Deed = "discard"    // delete dead letters: Letters
	BringBack      Deed = "bring-back" // undo the discards
	Move           Deed = "move"       // dead letters to another stream: Letters, To
)

// Wish is what a person wants done. Only the fields that its Deed names are used.
type Wish struct {
	Deed     Deed
	Take     redisq.TakeOptions
	Rows     []redisq.PendingEntry // as the person saw them
	Mode     redisq.ReleaseMode
	Consumer string
	Group    string // of CreateGroup
	To       string
	Start    string
	Letters  []string // ids; nil is all that are there when the plan is made
	Replay   redisq.ReplayOptions
	DryRun   bool // look at all letters and say what would be done; the plan cannot be run
}

// Touches says whether what is wished may change the entry, letter or consumer of that id.
func (w Wish) Touches(id string) bool {
	held := func(e redisq.PendingEntry) bool { return e.ID == id }
	switch w.Deed {
	case Claim:
		return w.Take.Rows == nil || slices.ContainsFunc(w.Take.Rows, held)
	case Ack, Release:
		return slices.ContainsFunc(w.Rows, held)
	case AckGhosts:
		return w.Rows == nil || slices.ContainsFunc(w.Rows, held)
	case RemoveConsumer:
		return w.Consumer == id
	case DestroyGroup:
		return true
	case Replay:
		return w.Replay.IDs == nil || slices.Contains(w.Replay.IDs, id)
	case Discard, Move:
		return w.Letters == nil || slices.Contains(w.Letters, id)
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
	RemoveConsumer: {stream: []string{"XCLAIM", "XGROUP DELCONSUMER"}},
	CreateGroup:    {stream: []string{"XGROUP CREATE"}},
	SetID:          {stream: []string{"XGROUP SETID"}},
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
		Claim, Ack, AckGhosts, Release, RemoveConsumer, CreateGroup, SetID, DestroyGroup, Trim, Replay, Discard, BringBack, Move,
	}
}
