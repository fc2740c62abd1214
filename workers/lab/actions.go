package lab

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
	"example.com/unacked/workers"
	"example.com/unacked/workers/producer"
)

var errEnded = errors.New("the lab has ended")

// Kill ends a worker by SIGKILL: now for CrashNone, else when it comes to that point of the message in hand or of the
// next one. A name "" is whichever worker comes to the point first. It is an error when no such worker runs.
func (l *Lab) Kill(name string, at workers.CrashPoint) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if name != "" || at == workers.CrashNone {
		if _, err := l.alive(name); err != nil {
			return err
		}
	}
	if at == workers.CrashAfterRecord && l.decisions.Worker.Kind == redisq.List {
		return errors.New("a list has no records: its messages have no id that would tell one delivery from another")
	}
	if err := l.supervisor.Kill(name, at, ""); err != nil {
		return err
	}
	if at == workers.CrashNone {
		s, _ := l.worker(name)
		l.journal.mark("killed "+name+holding(s.Order), s.ID)
	}
	l.hurry()
	return nil
}

// AddWorker starts one more worker, under a name of its own.
func (l *Lab) AddWorker() (name string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.decisions.Workers >= MaxWorkers {
		return "", fmt.Errorf("%d workers are the most that the lab keeps", MaxWorkers)
	}
	if name, err = l.hire(); err != nil {
		return "", err
	}
	l.decisions.Workers = len(l.counted)
	l.journal.mark("added "+name, "")
	l.hurry()
	return name, nil
}

// StopWorker tells a worker to finish the message in hand and end.
func (l *Lab) StopWorker(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.worker(name)
	switch {
	case err != nil:
		return err
	case s.Phase == workers.PhaseStopping:
		return fmt.Errorf("%s is stopping already", name)
	case !s.Alive() && s.Phase != workers.PhaseDied: // one that died is about to be started again
		return notRunning(name)
	}
	if err := l.supervisor.Stop(name); err != nil {
		return err
	}
	delete(l.counted, name)
	l.decisions.Workers = len(l.counted)
	l.journal.mark("stopped "+name, "")
	l.hurry()
	return nil
}

// StartWorker starts a worker that was stopped or killed again, under its name.
func (l *Lab) StartWorker(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended.Load() {
		return errEnded
	}
	s, err := l.worker(name)
	switch {
	case err != nil:
		return err
	case s.Phase == workers.PhaseStopping:
		return fmt.Errorf("%s still finishes its message", name)
	case s.Alive():
		return fmt.Errorf("%s runs already", name)
	case !l.counted[name] && len(l.counted) >= MaxWorkers:
		return fmt.Errorf("%d workers are the most that the lab keeps", MaxWorkers)
	}
	if err := l.supervisor.Start(name); err != nil {
		return err
	}
	l.counted[name] = true
	l.decisions.Workers = len(l.counted)
	l.journal.mark("started "+name, "")
	l.hurry()
	return nil
}

// Decide switches decisions at once; values out of their range are brought into it.
func (l *Lab) Decide(d Decisions) {
	d = d.clean()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended.Load() {
		return
	}
	for _, t := range differences(l.decisions, d) {
		l.journal.turn(t.name, t.from, t.to)
	}
	l.apply(d)
	l.decisions = d
	l.enforce()
	if err := l.staff(d.Workers); err != nil {
		l.journal.notice(err.Error(), "")
	}
	l.decisions.Workers = len(l.counted)
	l.hurry()
}

// apply puts into force what is read without the lock.
func (l *Lab) apply(d Decisions) {
	l.service.Store(int64(d.Service))
	settings := d.Worker
	l.settings.Store(&settings)
}

// staff brings the number of workers to n: those that were stopped come back first, and the highest-numbered go first.
// l.mu is held.
func (l *Lab) staff(n int) error {
	for len(l.counted) > n {
		var last string
		for name := range l.counted {
			if last == "" || numberOf(name) > numberOf(last) {
				last = name
			}
		}
		delete(l.counted, last)
		s, err := l.worker(last)
		if err == nil && (s.Alive() || s.Phase == workers.PhaseDied) {
			if err := l.supervisor.Stop(last); err != nil {
				return err
			}
		}
	}
	for _, s := range l.supervisor.States() {
		if len(l.counted) >= n {
			return nil
		}
		if s.Phase == workers.PhaseStopped && !l.counted[s.Name] {
			if err := l.supervisor.Start(s.Name); err != nil {
				return err
			}
			l.counted[s.Name] = true
		}
	}
	for len(l.counted) < n {
		if _, err := l.hire(); err != nil {
			return err
		}
	}
	return nil
}

// hire starts a worker under a new name. l.mu is held.
func (l *Lab) hire() (string, error) {
	if l.ended.Load() {
		return "", errEnded
	}
	last := 0
	for _, s := range l.supervisor.States() {
		last = max(last, numberOf(s.Name))
	}
	name := "w" + strconv.Itoa(last+1)
	if err := l.supervisor.Start(name); err != nil {
		return "", err
	}
	l.counted[name] = true
	return name, nil
}

func numberOf(worker string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(worker, "w"))
	return n
}

// worker returns the state of a worker of the lab.
func (l *Lab) worker(name string) (workers.State, error) {
	states := l.supervisor.States()
	i := slices.IndexFunc(states, func(s workers.State) bool { return s.Name == name })
	if i < 0 {
		return workers.State{}, fmt.Errorf("there is no worker %q", safe.TextN(name, maxReason))
	}
	return states[i], nil
}

// alive is worker, and an error where its process does not run.
func (l *Lab) alive(name string) (workers.State, error) {
	s, err := l.worker(name)
	if err == nil && !s.Alive() {
		err = notRunning(name)
	}
	return s, err
}

func notRunning(name string) error { return fmt.Errorf("%s is not running", name) }

// checkoutFigures are the producer's, for a State.
func checkoutFigures(c producer.Count) Producer {
	p := Producer{
		Offered: c.Offered, Accepted: c.Accepted, Refused: c.Refused, Unknown: c.Unknown, Failed: c.Failed,
		Waiting: c.Waiting, P50: c.P50, P99: c.P99, Max: c.Max,
	}
	if c.Err != nil {
		p.Error = safe.TextN(c.Err.Error(), maxReason)
	}
	return p
}
