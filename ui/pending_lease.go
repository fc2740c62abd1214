package ui

import (
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
)

// leaseState is where a pending entry's idle time stands against the lease.
type leaseState int

const (
	leaseUnknown  leaseState = iota // no lab told its lease
	leaseRuns                       // nobody else may claim it yet
	leasePast                       // any consumer may claim it
	leaseReleased                   // given back by its consumer (XNACK): ready now
)

func leaseOf(d *data, e redisq.PendingEntry) leaseState {
	lease := d.lease()
	switch {
	case e.Idle < 0:
		return leaseReleased
	case lease <= 0:
		return leaseUnknown
	case d.idleNow(e) >= lease:
		return leasePast
	}
	return leaseRuns
}

// leaseText is what is left of the lease, "▰▰▰▱▱ 0.9s", and "claimable" after it.
func leaseText(d *data, e redisq.PendingEntry) (string, cell.Style) {
	t := d.look.theme
	switch leaseOf(d, e) {
	case leaseReleased, leasePast:
		if d.watch != nil && e.Idle >= 0 {
			return "late", t.Warn // when others claim it is not told
		}
		return "claimable", t.Warn
	case leaseUnknown:
		return "?", t.Dim
	}
	lease := d.lease()
	idle := d.idleNow(e)
	// Rounded down: a full meter means that the lease is over.
	share := float64(int(float64(idle)/float64(lease)*leaseMeter)) / leaseMeter
	return cell.Meter(share, leaseMeter, d.look.glyphs) + " " + durShort(roundUp(lease-idle)), t.Text
}

// leaseMeter is the cells of the meter of a lease.
const leaseMeter = 5

// roundUp keeps what is left of a lease from reading as nothing before it is over.
func roundUp(d time.Duration) time.Duration {
	const step = 100 * time.Millisecond
	return (d + step - 1) / step * step
}

// stopped says that the worker ended because it was told to.
func stopped(w workers.State) bool { return w.Phase == workers.PhaseStopped }
