package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// rightsTimeout bounds the asking for rights.
const rightsTimeout = 10 * time.Second

// Plan plans what a person wants done with the lab's queue; q tells the group, the keys are always the lab's own. It
// reads, to say what it would do; nothing is changed before the plan is run.
func (l *Lab) Plan(ctx context.Context, q redisq.Queue, w desk.Wish) (desk.Plan, error) {
	if l.ended.Load() {
		return desk.Plan{}, errEnded
	}
	l.mu.Lock()
	list := l.decisions.Worker.Kind == redisq.List
	l.mu.Unlock()
	if list {
		return desk.Plan{}, errors.New("a list carries the messages now: there are no pending entries, groups or dead letters to act on")
	}
	for _, key := range []string{w.To, w.Replay.To} {
		if (w.Deed == desk.Move || w.Deed == desk.Replay) && key != "" && !strings.HasPrefix(key, l.prefix) {
			return desk.Plan{}, fmt.Errorf("the lab touches its own keys only: name a stream that begins with %s", l.prefix)
		}
	}
	ours := l.queue
	if q.Group != "" {
		ours.Group = q.Group
	}
	plan, err := l.desk.Plan(ctx, ours, w)
	if run := plan.Run; run != nil {
		plan.Run = func(ctx context.Context) redisq.Outcome {
			outcome := run(ctx)
			l.acted(w, outcome)
			return outcome
		}
	}
	return plan, err
}

// Rights is empty: on the lab's own keys everything may be done that the server can.
func (l *Lab) Rights(ctx context.Context, _ redisq.Queue) (desk.Rights, error) {
	ctx, cancel := context.WithTimeout(ctx, rightsTimeout)
	defer cancel()
	return l.desk.Rights(ctx, l.queue)
}

// acted keeps the lab's own count of what is in the stream, and says what was done.
func (l *Lab) acted(w desk.Wish, o redisq.Outcome) {
	if o.Done > 0 {
		text := o.Text
		if w.Deed == desk.Replay {
			text = fmt.Sprintf("replayed %d", o.Done)
			if w.Replay.Group == "" && (w.Replay.To == "" || w.Replay.To == l.queue.Stream) {
				l.witness.mu.Lock()
				l.witness.added += int64(o.Done)
				l.witness.mu.Unlock()
			}
		}
		l.journal.mark(text, "")
	}
	l.hurry()
}
