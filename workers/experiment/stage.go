package experiment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
	"example.com/unacked/workers/producer"
)

// stage is an experiment that is being played. It belongs to the goroutine of Run.
type stage struct {
	experiment Experiment
	o          Options
	scale      float64
	setup      lab.Decisions // scaled
	lab        *lab.Lab
	client     *redisq.Client
	group      *redisq.Group
	server     redisq.ServerInfo
	witness    *witness

	killed  *reading // after the kill; nil without one
	end     *reading
	samples []sample // of the backlog, while orders came
}

// open starts the experiment's lab.
func open(ctx context.Context, e Experiment, o Options) (*stage, error) {
	s := &stage{experiment: e, o: o, scale: o.scale(e), witness: newWitness()}
	s.setup = e.Setup
	s.setup.Service = s.span(s.setup.Service)
	s.setup.Worker.Lease = s.span(s.setup.Worker.Lease)
	var err error
	s.lab, err = lab.Start(ctx, lab.Options{
		Target: o.Target, Server: o.Server, SMTP: o.SMTP, Self: o.Self, Decisions: s.setup,
		Interval: o.Interval, LogTo: o.LogTo, Go: o.Go,
		OnOrder: s.witness.onOrder, OnMail: s.witness.onMail, OnEvent: s.witness.onEvent,
		Checkout: func(q producer.Queue, smtp string) producer.Queue {
			if e.Direct {
				return direct{workers.SMTP(smtp)}
			}
			return till{q, s.witness}
		},
	})
	if err != nil {
		return nil, err
	}
	s.client, err = redisq.Connect(s.lab.Target(), redisq.Options{Name: "experiment", PoolSize: 3})
	if err == nil {
		s.group = redisq.NewGroup(s.client, s.lab.Queue())
		s.server, err = s.client.Identify(ctx)
	}
	if err != nil {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
		defer cancel()
		return nil, errors.Join(err, s.close(end))
	}
	s.server.Embedded = s.server.Embedded || s.lab.Embedded()
	return s, nil
}

// close ends the lab, which removes its keys.
func (s *stage) close(ctx context.Context) error {
	var err error
	if s.client != nil {
		err = s.client.Close()
	}
	return errors.Join(err, s.lab.Close(ctx))
}

// span is a time at the scale of this run.
func (s *stage) span(d time.Duration) time.Duration { return time.Duration(float64(d) * s.scale) }

// patience is how long what takes d at full scale is waited for: a machine may be busy.
func (s *stage) patience(d time.Duration) time.Duration { return s.span(d) + 20*time.Second }

// ready waits until every worker of the setup waits for work.
func (s *stage) ready(ctx context.Context) error {
	return s.await(ctx, "the workers wait for work", s.patience(0), func() bool {
		waiting := make(map[string]bool)
		for _, e := range s.witness.told(workers.EventWaiting) {
			waiting[e.Worker] = true
		}
		return len(waiting) >= s.setup.Workers
	})
}

// errLate is what await gives up with.
var errLate = errors.New("gave up waiting")

// await waits until a condition holds.
func (s *stage) await(ctx context.Context, what string, most time.Duration, holds func() bool) error {
	const look = 2 * time.Millisecond
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline.C:
			return fmt.Errorf("%w: %s, not within %v", errLate, what, most.Round(time.Second))
		}
	}
	return nil
}

// sleep waits until a time has come.
func sleep(ctx context.Context, until time.Time) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
