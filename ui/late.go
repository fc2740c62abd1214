package ui

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// Opener starts the lab, or connects to one. It is called once, in a command, after the first frame was drawn: the
// screen is there before the server is. An error ends the program, after the terminal was restored.
type Opener func(ctx context.Context) (Lab, <-chan lab.Update, error)

// errStarting is what an action gets that was asked for before the lab was up.
var errStarting = errors.New("the lab is still starting")

// late is a Lab that is not there yet: the panes hold it from the beginning, and it forwards once the real one came.
type late struct {
	mu sync.Mutex // guards to
	to Lab        // nil until open
}

func (l *late) open(to Lab) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to = to
}

func (l *late) lab() Lab {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to
}

func (l *late) Kill(worker string, at workers.CrashPoint) error {
	if to := l.lab(); to != nil {
		return to.Kill(worker, at)
	}
	return errStarting
}

func (l *late) AddWorker() (string, error) {
	if to := l.lab(); to != nil {
		return to.AddWorker()
	}
	return "", errStarting
}

func (l *late) StopWorker(name string) error {
	if to := l.lab(); to != nil {
		return to.StopWorker(name)
	}
	return errStarting
}

func (l *late) StartWorker(name string) error {
	if to := l.lab(); to != nil {
		return to.StartWorker(name)
	}
	return errStarting
}

func (l *late) AddLoad(orders int, bad bool) lab.Load {
	if to := l.lab(); to != nil {
		return to.AddLoad(orders, bad)
	}
	return lab.Load{}
}

func (l *late) Decide(d lab.Decisions) {
	if to := l.lab(); to != nil {
		to.Decide(d)
	}
}

func (l *late) Plan(ctx context.Context, q redisq.Queue, w desk.Wish) (desk.Plan, error) {
	if to := l.lab(); to != nil {
		return to.Plan(ctx, q, w)
	}
	return desk.Plan{}, errStarting
}

func (l *late) Rights(ctx context.Context, q redisq.Queue) (desk.Rights, error) {
	if to := l.lab(); to != nil {
		return to.Rights(ctx, q)
	}
	return nil, errStarting
}

func (l *late) Watch(id string) {
	if to := l.lab(); to != nil {
		to.Watch(id)
	}
}

func (l *late) SetFilter(f redisq.PendingFilter) {
	if to := l.lab(); to != nil {
		to.SetFilter(f)
	}
}

func (l *late) SetInterval(d time.Duration) {
	if to := l.lab(); to != nil {
		to.SetInterval(d)
	}
}
