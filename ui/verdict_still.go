package ui

import (
	"strings"
	"time"

	"example.com/unacked/workers"
)

func stalled(d *data) (string, bool) {
	done, n := d.rates.Done, d.waiting()
	if !done.Known || done.PerSecond >= 0.05 || !n.Known || n.Value == 0 {
		return "", false
	}
	for _, w := range d.state().Workers {
		if w.Phase == workers.PhaseWorking {
			return "", false
		}
	}
	if _, waits := leaseLeft(d); waits {
		return "", false // that is how it is meant to be
	}
	text := manyOf(n, "message") + " not acked and nothing is done"
	if idle, known := oldest(d); known && idle > 0 {
		text += "; the oldest pending one is idle for " + seconds(idle) + " of a lease of " + durText(d.lease())
	}
	return text, true
}

// leaseLeft says that every message that waits was given to a worker and is not past its lease, and how long it is at
// the least until one of them may be claimed.
func leaseLeft(d *data) (time.Duration, bool) {
	pending := d.good.Group.Pending
	if d.isList() || !pending.Known || pending.Value == 0 || pending.Value != d.waiting().Value {
		return 0, false
	}
	idle, known := oldest(d)
	left := d.lease() - idle
	return left, known && left >= 0
}

// whyNothingIsDone tells what stands in the way where workers run and nothing comes out: each is at one message for too
// long, or the last thing that was noticed is a failure. "" where neither is so.
func whyNothingIsDone(d *data) string {
	var longest time.Duration
	var busy []string
	for _, w := range d.state().Workers {
		if !w.Alive() {
			continue
		}
		at := d.now.Sub(w.WorkSince)
		if w.Phase != workers.PhaseWorking || w.WorkSince.IsZero() || at < max(d.lease(), 5*d.state().Decisions.Service) {
			busy = nil
			break
		}
		busy, longest = append(busy, clean(w.Name)), max(longest, at)
	}
	if len(busy) > 0 {
		has := " have"
		if len(busy) == 1 {
			has = " has"
		}
		return oneOf(busy, "and", fewNames) + has + " been at one message for " + durText(longest) + ": what the work waits for does not answer"
	}
	all := d.state().Notices
	if len(all) == 0 || !d.recent(all[len(all)-1].At) || !strings.Contains(all[len(all)-1].Text, " failed at ") {
		return ""
	}
	return clean(all[len(all)-1].Text)
}
