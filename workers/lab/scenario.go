package lab

import (
	"errors"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
	"example.com/unacked/workers/producer"
)

// What a scenario that plays in a lab needs beside what a person at the keys has.

// Target is the server that the lab runs on.
func (l *Lab) Target() redisq.Target { return l.target }

// Queue names the lab's keys.
func (l *Lab) Queue() redisq.Queue { return l.queue }

// Embedded says whether the lab's server is in this process.
func (l *Lab) Embedded() bool { return l.embedded() }

// Workers are the workers as they are now.
func (l *Lab) Workers() []workers.State { return l.supervisor.States() }

// Checkouts is what became of the checkouts so far.
func (l *Lab) Checkouts() producer.Count { return l.producer.Count() }

// Place is AddLoad that waits for nothing and sets no mark on the time axis.
func (l *Lab) Place(orders int, bad bool) { _ = l.producer.AddLoad(orders, bad) }

// Mark sets a mark on the time axis.
func (l *Lab) Mark(text string) { l.journal.mark(text, "") }

// KillAt has whichever worker comes to that point of the given order killed there, by SIGKILL. It returns when every
// worker that runs has confirmed that it will wait at the point.
func (l *Lab) KillAt(at workers.CrashPoint, order string) error {
	if at == workers.CrashNone || order == "" {
		return errors.New("kill at a point: name the point and the order")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.supervisor.Kill("", at, order)
}
