package ui

import (
	"fmt"
	"math"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// sampleNow is the end of the sample, as a reading's time.
var sampleNow = time.Date(2026, 11, 29, 14, 2, 11, 0, time.UTC)

func known(n int64) redisq.Number { return redisq.Exact(n, redisq.FromServer) }

// sampleEntry is a pending entry of an order that was added age ago.
func sampleEntry(at time.Time, order string, consumer string, age, idle time.Duration, deliveries int64) redisq.PendingEntry {
	return redisq.PendingEntry{
		Entry: redisq.Entry{
			ID: fmt.Sprintf("%d-0", at.Add(-age).UnixMilli()),
			Fields: []redisq.Field{
				{Name: "order", Value: order},
				{Name: "to", Value: "customer" + order + "@shop.example"},
				{Name: "at", Value: fmt.Sprint(at.Add(-age).UnixMilli())},
			},
		},
		Consumer: consumer, Idle: idle, Deliveries: deliveries, Age: known(age.Milliseconds()),
	}
}

// sampleUpdate is a lab in which w2 was killed 4.1 s ago with order 30 in its hand.
func sampleUpdate(at time.Time) lab.Update {
	killed := sampleEntry(at, "30", "w2", 4200*time.Millisecond, 4100*time.Millisecond, 1)
	sending := sampleEntry(at, "41", "w1", 200*time.Millisecond, 180*time.Millisecond, 1)
	poison := sampleEntry(at, "17", "w3", 8200*time.Millisecond, 2100*time.Millisecond, 2)
	poison.Fields[1].Value = "customer17@nowhere.invalid"
	decisions := lab.Defaults()
	dead := func(order string, deliveries int64, ago time.Duration) redisq.DeadLetter {
		return redisq.DeadLetter{
			ID: fmt.Sprintf("%d-0", at.Add(-ago).UnixMilli()), Stream: "unacked:lab:{emails}", Group: "mailers",
			Original: fmt.Sprintf("%d-0", at.Add(-ago-20*time.Second).UnixMilli()), Deliveries: deliveries, Consumer: "w1",
			Reason: "550 5.1.1 no such user", At: at.Add(-ago),
			Fields: []redisq.Field{{Name: "order", Value: order}, {Name: "to", Value: "customer" + order + "@nowhere.invalid"}},
		}
	}
	s := &redisq.Snapshot{
		At: at, Generation: uint64(at.UnixMilli()), Took: 300 * time.Microsecond,
		Server: redisq.ServerInfo{Product: "redis", Version: "8.0.2", Role: "master", Mode: "standalone", Addr: "127.0.0.1:41233", Private: true},
		Queue:  redisq.NewQueue("unacked:lab:{emails}", "mailers"),
		Stream: redisq.StreamFigures{Length: known(41), Added: known(41), LastID: sending.ID, FirstID: "1-0", TopID: sending.ID},
		Group: redisq.GroupFigures{
			LastDelivered: sending.ID, Pending: known(3), Undelivered: known(0), Backlog: known(3), Read: known(41),
			TrimmedUnread: known(0), OldestIdle: known(4100), MaxDeliveries: known(2),
			Consumers: []redisq.Consumer{
				{Name: "w1", Pending: 1, Idle: known(180), Inactive: known(180)},
				{Name: "w2", Pending: 1, Idle: known(4100), Inactive: known(4100)},
				{Name: "w3", Pending: 1, Idle: known(50), Inactive: known(2100)},
			},
		},
		Pending: redisq.PendingPage{
			Command: []string{"XPENDING", "unacked:lab:{emails}", "mailers", "-", "+", "50"},
			Rows:    []redisq.PendingEntry{poison, killed, sending},
			ByConsumer: []redisq.Consumer{
				{Name: "w1", Pending: 1}, {Name: "w2", Pending: 1}, {Name: "w3", Pending: 1},
			},
			Histogram: []int64{2, 1},
		},
		Dead: redisq.DeadPage{Length: known(2), Rows: []redisq.DeadLetter{
			dead("4", 5, 25*time.Second), dead("9", 5, 14*time.Second),
		}},
		ListLen: known(0),
	}
	return lab.Update{
		Snapshot: s,
		State: &lab.State{
			At: at, Decisions: decisions,
			Workers: []workers.State{
				{Name: "w1", PID: 4711, Phase: workers.PhaseWorking, Since: at.Add(-180 * time.Millisecond), ID: sending.ID, Order: "41", Deliveries: 1, WorkSince: at.Add(-180 * time.Millisecond), Done: 20},
				{Name: "w2", PID: 4712, Phase: workers.PhaseKilled, Since: at.Add(-4100 * time.Millisecond), ID: killed.ID, Order: "30", Deliveries: 1, Done: 9},
				{Name: "w3", PID: 4713, Phase: workers.PhaseWaiting, Since: at.Add(-time.Second), Done: 7, Failed: 11},
			},
			Producer: lab.Producer{Offered: 41, Accepted: 41, P50: 400 * time.Microsecond, P99: 1200 * time.Microsecond, Max: 3 * time.Millisecond},
			Sink:     lab.Sink{Known: true, Mails: 37, Refused: 11, Once: 35, Twice: 1, TwiceIDs: []string{"22"}},
			Books:    lab.Books{At: at, Known: true, Orders: 41, Once: 35, Twice: 1, NotYet: 5, Dead: 2, Balanced: true},
			Marks: []lab.Mark{
				{At: at.Add(-40 * time.Second), Text: "killed w1"},
				{At: at.Add(-31 * time.Second), Text: "started w1"},
				{At: at.Add(-20 * time.Second), Text: "+20"},
				{At: at.Add(-4100 * time.Millisecond), Text: "killed w2", ID: killed.ID},
			},
			Notices: []lab.Mark{{At: at.Add(-30 * time.Second), Text: "w3 claimed order 22 from w1"}},
		},
		Commands: []redisq.Command{
			{At: at.Add(-time.Second), Client: "producer", Args: []string{"XADD", "unacked:lab:{emails}", "*", "order", "41", "to", "customer41@shop.example"}, Took: 200 * time.Microsecond},
			{At: at, Client: "observer", Args: []string{"XPENDING", "unacked:lab:{emails}", "mailers", "-", "+", "50"}, Took: 100 * time.Microsecond},
		},
		Cost: 400 * time.Microsecond,
	}
}

// sampleRun is a minute of readings four times a second that ends with sampleUpdate: 2 orders a second, a burst of 20
// twenty seconds before the end, a gap of three seconds.
func sampleRun(end time.Time) []lab.Update {
	var run []lab.Update
	for at := end.Add(-time.Minute); !at.After(end); at = at.Add(250 * time.Millisecond) {
		before := end.Sub(at)
		if before > 50*time.Second && before < 53*time.Second {
			continue
		}
		u := sampleUpdate(at)
		s := u.Snapshot
		t := 60 - before.Seconds()
		added := int64(2 * t)
		backlog := int64(2 + math.Round(1.5*math.Sin(t/2)))
		pending := min(backlog, 3)
		if before <= 20*time.Second {
			added += 20
			backlog = max(backlog, 22-int64(1.2*(20-before.Seconds())))
			pending = 3
		}
		s.Stream.Added, s.Stream.Length = known(added), known(added)
		s.Group.Pending, s.Group.Backlog, s.Group.Undelivered = known(pending), known(backlog), known(max(backlog-pending, 0))
		s.Group.OldestIdle = known(int64(math.Mod(t, 5.2) * 1000))
		s.Dead.Length = known(int64(t / 25))
		if before == 0 {
			s = sampleUpdate(at).Snapshot
			s.Stream.Added, s.Stream.Length = known(added), known(added)
			u.Snapshot = s
		}
		run = append(run, u)
	}
	return run
}
