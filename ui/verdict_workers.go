package ui

import (
	"example.com/unacked/workers"
)

func noWorkers(d *data) (string, bool) {
	all := d.state().Workers
	for _, w := range all {
		if w.Alive() || w.Phase == workers.PhaseStarting {
			return "", false
		}
	}
	n, r := d.waiting(), d.rates.In
	comesIn := r.Known && r.PerSecond >= 0.05
	if d.state().Decisions.Workers == 0 && n.Known && n.Value == 0 && !comesIn {
		return "", false // none was asked for, and there is nothing to do
	}
	text := "no worker runs"
	if len(all) == 0 && d.state().Decisions.Workers > 0 {
		text = "no worker was started yet"
	}
	if n.Known && n.Value > 0 {
		text += ": " + manyOf(n, "message") + " wait"
		if n.Value == 1 {
			text += "s"
		}
	}
	if comesIn {
		text += ", " + perSecond(r.PerSecond) + " more come in"
	}
	return text + d.hint(keyOf(d.keys.AddWorker, "a")+" adds one"), true
}

func backingOff(d *data) (names []string, reason string) {
	for _, w := range d.state().Workers {
		if w.Phase == workers.PhaseBackingOff {
			names = append(names, clean(w.Name))
			reason = w.Reason
		}
	}
	return names, clean(reason)
}

func backingOffAll(d *data) (string, bool) {
	names, reason := backingOff(d)
	if len(names) == 0 || len(names) < len(d.alive()) {
		return "", false
	}
	return "every worker pauses after an error and tries again: " + reason, true
}

func backingOffSome(d *data) (string, bool) {
	names, reason := backingOff(d)
	if len(names) == 0 {
		return "", false
	}
	verb := " pause"
	if len(names) == 1 {
		verb = " pauses"
	}
	return oneOf(names, "and", fewNames) + verb + " after an error and tries again: " + reason, true
}
