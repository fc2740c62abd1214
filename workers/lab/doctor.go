package lab

import (
	"context"
	"time"

	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/watch"
)

// examineEvery is how often the doctor looks at the queue.
const examineEvery = 3 * time.Second

// examine has the doctor look at the queue until the lab ends. What counts as late or as poison goes by the decisions
// in force.
func (l *Lab) examine() {
	var (
		examiner *watch.Examiner
		by       doctor.Thresholds
	)
	tick := time.NewTicker(examineEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-l.stop.Done():
			return
		}
		if l.paused.Load() {
			continue
		}
		settings := l.settings.Load()
		t := doctor.Defaults()
		t.Lease, t.MaxDeliveries = settings.Lease, settings.MaxDeliveries
		if examiner == nil || t != by {
			chosen := watch.Choice{Stream: l.queue.Stream, Group: l.queue.Group}
			examiner, by = watch.NewExaminer(l.counting, chosen, l.queue.DeadLetter, t, l.o.Clock), t
		}
		ctx, cancel := context.WithTimeout(l.stop, callTimeout)
		found, _, took := examiner.Look(ctx)
		cancel()
		if l.stop.Err() != nil {
			return
		}
		l.cost.Add("doctor", l.o.Clock(), took, found.Err)
		if before := l.doctor.Load(); found.Err != nil && before != nil {
			kept := *before
			kept.Err = found.Err
			found = &kept
		}
		l.doctor.Store(found)
	}
}
