package experiment

import (
	"context"
	"fmt"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/producer"
)

// readTimeout bounds one reading of Redis.
const readTimeout = 5 * time.Second

// reading is where all orders are at one moment.
type reading struct {
	at       time.Time
	accepted []producer.Order // by number
	checkout producer.Count
	standing redisq.Standing
	mails    map[string]int // that arrived, by order
	lost     []string       // accepted, no mail, and nothing in Redis knows of them
}

// read looks in the direction in which orders flow, so that one that moves on meanwhile is met at least once: the
// checkout's book, Redis, the mail sink.
func (s *stage) read(ctx context.Context) (*reading, error) {
	r := &reading{at: time.Now(), accepted: s.witness.accepted(), checkout: s.lab.Checkouts()}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	var err error
	if r.standing, err = s.group.Standing(ctx); err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	r.mails = s.witness.arrived()
	known := r.inRedis()
	for _, o := range r.accepted {
		if r.mails[o.Name] == 0 && !known[o.Name] {
			r.lost = append(r.lost, o.Name)
		}
	}
	return r, nil
}

// finish takes the last reading. What seems lost then may be in the hand of a worker: a list, and a stream that was cut,
// do not know that. So the sink is asked again when every hand must be empty.
func (s *stage) finish(ctx context.Context) error {
	r, err := s.read(ctx)
	if err != nil {
		return err
	}
	s.end = r
	if len(r.lost) == 0 || s.o.SMTP != "" {
		return nil
	}
	if err := sleep(ctx, time.Now().Add(2*s.setup.Service+300*time.Millisecond)); err != nil {
		return err
	}
	mails := s.witness.arrived()
	var lost []string
	for _, order := range r.lost {
		if mails[order] == 0 {
			lost = append(lost, order)
		}
	}
	r.lost = lost
	return nil
}

// inRedis are the orders that something in Redis knows of: the stream's backlog, the dead letters, the list.
func (r *reading) inRedis() map[string]bool {
	known := make(map[string]bool)
	note := func(fields []redisq.Field) {
		if order, ok := (redisq.Entry{Fields: fields}).Get("order"); ok {
			known[order] = true
		}
	}
	for _, e := range r.standing.Undelivered {
		note(e.Fields)
	}
	ids := make(map[string]string)
	for _, o := range r.accepted {
		ids[o.ID] = o.Name
	}
	for _, e := range r.standing.Pending {
		if order, ok := ids[e.ID]; ok { // its body may have been cut
			known[order] = true
		}
	}
	for _, d := range r.standing.Dead {
		note(d.Fields)
	}
	for _, e := range r.standing.List {
		note(e.Fields)
	}
	return known
}
