package desk

import (
	"context"
	"errors"
	"fmt"

	"example.com/unacked/redisq"
)

// Desk makes the plans, through a client that may write. What is discarded through it can be brought back through it as
// long as it lives. Its methods are safe for concurrent use, and wait for the server.
type Desk struct {
	client *redisq.Client
	trash  redisq.Trash
}

// NewDesk returns a desk that acts through a client, which stays the caller's to close.
func NewDesk(c *redisq.Client) *Desk { return &Desk{client: c} }

// Discarded returns how many letters can be brought back to the dead letters of a queue.
func (d *Desk) Discarded(q redisq.Queue) int {
	n := 0
	for _, letter := range d.trash.Letters() {
		if letter.DeadLetter == q.DeadLetter {
			n++
		}
	}
	return n
}

// Plan looks at the queue and plans what is wished. It sends reading commands only; nothing is changed before the plan
// is run.
func (d *Desk) Plan(ctx context.Context, q redisq.Queue, w Wish) (Plan, error) {
	p := Plan{Wish: w}
	if q.Stream == "" {
		return p, errors.New("there is no stream to act on")
	}
	if w.Deed == CreateGroup {
		q.Group = w.Group
	}
	g := redisq.NewGroup(d.client, q)
	if (w.letters() || w.Deed == Bury) && q.DeadLetter == "" {
		return p, errors.New("the stream has no dead letters of its own")
	}
	if !w.letters() && w.Deed != Trim && q.Group == "" {
		return p, errors.New("a group has to be named")
	}
	var err error
	switch w.Deed {
	case Claim:
		p.Plan, err = g.PlanClaim(ctx, redisq.TakeOptions{PendingChoice: w.Pending, To: w.To, Count: w.Count})
	case Ack:
		p.Plan, err = g.PlanAck(ctx, w.Pending)
	case AckGhosts:
		p.Plan, err = g.PlanAckGhosts(ctx, w.Pending)
	case Release:
		p.Plan, err = g.PlanRelease(ctx, w.Pending, w.Mode)
	case Bury:
		p.Plan, err = g.PlanBury(ctx, w.Pending, w.Reason)
	case RemoveIdle:
		p.Plan, err = g.PlanRemoveIdle(ctx, w.Consumers)
	case SetCounter:
		p.Plan, err = g.PlanSetCounter(ctx)
	case RemoveConsumer:
		p.Plan, err = g.PlanRemoveConsumer(ctx, w.Consumer, w.To)
	case CreateGroup:
		p.Plan, err = g.PlanCreateGroup(ctx, w.Start)
	case SetID:
		p.Plan, err = g.PlanSetID(ctx, w.Start)
	case DestroyGroup:
		p.Plan, err = g.PlanDestroyGroup(ctx)
	case Trim:
		p.Plan, err = g.PlanTrim(ctx)
	case Replay:
		p, err = replay(ctx, g, w)
	case Discard:
		p.Plan, err = g.PlanDiscard(ctx, w.Letters, &d.trash)
	case BringBack:
		if d.Discarded(q) == 0 {
			return p, errors.New("nothing was discarded here that could be brought back")
		}
		p.Plan = g.PlanBringBack(&d.trash)
	case Move:
		p.Plan, err = g.PlanMoveLetters(ctx, w.Letters, w.To)
	default:
		err = fmt.Errorf("nobody knows how to %q", w.Deed)
	}
	return p, err
}

func (w Wish) letters() bool {
	switch w.Deed {
	case Replay, Discard, BringBack, Move:
		return true
	}
	return false
}

func replay(ctx context.Context, g *redisq.Group, w Wish) (Plan, error) {
	if w.DryRun {
		w.Replay.LookAtMost = -1
	}
	r, err := g.PlanReplayOf(ctx, w.Replay)
	p := Plan{Plan: r.Plan, Wish: w, Skipped: r.Skipped}
	if w.DryRun {
		p.DryRun, p.Run, p.Destructive = true, nil, false
	}
	return p, err
}

// Rights asks the server what of all this may be done to a queue. It sends commands that cannot change anything,
// whether they are allowed or not. An error is that nobody could tell.
func (d *Desk) Rights(ctx context.Context, q redisq.Queue) (Rights, error) {
	stream, err := d.client.Refused(ctx, q.Stream)
	if err != nil {
		return nil, err
	}
	letters := map[string]string{}
	if q.DeadLetter != "" {
		if letters, err = d.client.Refused(ctx, q.DeadLetter); err != nil {
			return nil, err
		}
	}
	rights := Rights{} // empty is that all may be tried
	for _, deed := range Deeds() {
		for _, command := range needs[deed].stream {
			rights.refuse(deed, stream[command])
		}
		for _, command := range needs[deed].letters {
			rights.refuse(deed, letters[command])
		}
	}
	if has, err := d.client.HasCommand(ctx, "XNACK"); err == nil && !has {
		rights.refuse(Release, "the server has no XNACK, which came with Redis 8.8")
	}
	return rights, nil
}

func (r Rights) refuse(deed Deed, why string) {
	if why != "" && r[deed] == "" {
		r[deed] = why
	}
}

// Refuses says that the user lacks a right, not only that the server lacks a command.
func (r Rights) Refuses() bool {
	for deed := range r {
		if deed != Release {
			return true
		}
	}
	return false
}

// All is why nothing at all may be done, "" where something may.
func (r Rights) All() string {
	why := ""
	for _, deed := range Deeds() {
		if len(needs[deed].stream)+len(needs[deed].letters) == 0 {
			continue
		}
		if why = r[deed]; why == "" {
			return ""
		}
	}
	return why
}
