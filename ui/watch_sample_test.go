package ui

import (
	"fmt"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/watch"
	"example.com/unacked/ui/cell"
)

// fakeWatcher writes down what it is asked, as fakeLab does.
type fakeWatcher struct{ *fakeLab }

func (f fakeWatcher) Choose(stream, group string) { _ = f.note("Choose " + stream + " " + group) }
func (f fakeWatcher) Browse(on bool)              { _ = f.note("Browse " + fmt.Sprint(on)) }

// watchStage is a screen that watches, before its first update.
func watchStage(t *testing.T, width, height int, chosen watch.Choice) *stage {
	t.Helper()
	return watchStageWith(t, width, height, chosen, false)
}

// watchStageWith is watchStage, with changes allowed where write is set.
func watchStageWith(t *testing.T, width, height int, chosen watch.Choice, write bool) *stage {
	t.Helper()
	s := &stage{t: t, lab: &fakeLab{t: t}}
	keys := testKeys()
	keys.Streams = bindNamed("c", "streams", "c")
	keys.Experiments = bindNamed("m", "experiments", "m")
	keys.Views = append(keys.Views, bindNamed("6", "doctor", "6"))
	o := &WatchOptions{
		Watcher: fakeWatcher{s.lab}, Chosen: chosen, Address: "redis.example:6379", Thresholds: doctor.Defaults(),
	}
	if write {
		o.Actor = s.lab
	}
	s.m = New(Options{
		Keys: keys, Still: true, Theme: cell.NewTheme(true, termenv.Ascii), Interval: 500 * time.Millisecond,
		Now: func() time.Time { return sampleNow }, Watch: o,
	})
	t.Cleanup(s.m.Close)
	s.run(s.m.Init())
	s.send(tea.WindowSizeMsg{Width: width, Height: height})
	return s
}

var mailers = watch.Choice{Stream: "orders", Group: "mailers"}

// watchUpdate is a group with a stuck consumer, one that works, and dead letters, read at a time, with a backlog that
// grows by 2 a second.
func watchUpdate(at time.Time) watch.Update {
	row := func(n int64, consumer string, idle time.Duration, deliveries int64) redisq.PendingEntry {
		e := sampleEntry(at, fmt.Sprint(n), consumer, idle+time.Second, idle, deliveries)
		e.ID = fmt.Sprintf("%d-%d", sampleNow.Add(-10*time.Minute).UnixMilli(), n)
		return e
	}
	stuck := []redisq.PendingEntry{row(1, "worker-1", 9*time.Minute, 1), row(2, "worker-1", 9*time.Minute, 1)}
	rows := append(stuck, row(3, "worker-2", 40*time.Millisecond, 1))
	since := int64(at.Sub(sampleNow.Add(-time.Minute)).Seconds() * 5)
	added, backlog := 1000+since, 40+since*2/5
	s := &redisq.Snapshot{
		At: at, Generation: uint64(at.UnixMilli()), Took: 400 * time.Microsecond,
		Server: redisq.ServerInfo{Product: "valkey", Version: "8.1.1", Role: "master", Mode: "standalone", Addr: "redis.example:6379"},
		Queue:  redisq.Queue{Stream: "orders", Group: "mailers", DeadLetter: "orders:dlq"},
		Stream: redisq.StreamFigures{Length: known(added), Added: known(added), LastID: "9-0", FirstID: "1-0", TopID: "9-0"},
		Group: redisq.GroupFigures{
			LastDelivered: rows[2].ID, Pending: known(3), Undelivered: known(backlog - 3), Backlog: known(backlog),
			Read: known(900), TrimmedUnread: known(0), OldestIdle: known(540_000), MaxDeliveries: known(1), Members: known(3),
			Consumers: []redisq.Consumer{
				{Name: "worker-1", Pending: 2, Idle: known(540_000), Inactive: known(540_000)},
				{Name: "worker-2", Pending: 1, Idle: known(40), Inactive: known(40)},
				{Name: "worker-3", Idle: known(3_600_000), Inactive: redisq.Unknown(redisq.NeverActive)},
			},
		},
		Pending: redisq.PendingPage{
			Command: []string{"XPENDING", "orders", "mailers", "-", "+", "50"}, Rows: rows,
			ByConsumer: []redisq.Consumer{{Name: "worker-1", Pending: 2}, {Name: "worker-2", Pending: 1}}, Histogram: []int64{3},
		},
		Dead: redisq.DeadPage{Length: known(1), Rows: []redisq.DeadLetter{{
			ID: fmt.Sprintf("%d-0", sampleNow.Add(-time.Hour).UnixMilli()), Foreign: true, Fields: mails("7"),
		}}},
		ListLen: redisq.Unknown("this queue has no list"),
	}
	return watch.Update{
		Chosen: mailers, Snapshot: s, Streams: sampleStreams(at),
		Doctor: &watch.Diagnosis{At: at, Watched: 6 * time.Second, Findings: []doctor.Finding{
			{
				Code: doctor.StuckConsumer, Severity: doctor.Critical, Stream: "orders", Group: "mailers", Consumer: "worker-1",
				IDs:      []string{rows[0].ID, rows[1].ID},
				Text:     "worker-1 holds 2 entries past the lease of 60 s (the oldest for 9 min) and takes nothing.",
				Evidence: []doctor.Fact{{Name: "pending", Value: int64(2)}, {Name: "oldest_idle_ms", Value: known(540_000)}},
				Remedies: []doctor.Remedy{{
					Text:     "Give them to a consumer that works:",
					Commands: [][]string{{"XCLAIM", "orders", "mailers", "worker-2", "60000", rows[0].ID, rows[1].ID}},
				}},
			},
			{
				Code: doctor.DeadLetters, Severity: doctor.Warning, Stream: "orders", Text: "1 dead letter waits in orders:dlq.",
				Remedies: []doctor.Remedy{{Text: "Look at them:", Commands: [][]string{{"XRANGE", "orders:dlq", "-", "+"}}}},
			},
		}},
		Commands: []redisq.Command{{At: at, Client: "watch", Args: []string{"XINFO", "GROUPS", "orders"}, Took: 200 * time.Microsecond}},
		Cost:     900 * time.Microsecond,
		Events: []watch.Event{
			{At: sampleNow.Add(-20 * time.Second), Text: "consumer worker-2 came", Mark: true},
			{At: sampleNow.Add(-9 * time.Second), Text: "1-2 claimed by worker-2 from worker-1 (delivery 2)", ID: "1-2"},
		},
	}
}

// sampleStreams is a list of five groups.
func sampleStreams(at time.Time) *watch.Streams {
	row := func(stream, group string, trouble redisq.Trouble, undelivered, pending, oldest, members int64) watch.Row {
		return watch.Row{
			Choice: watch.Choice{Stream: stream, Group: group}, Trouble: trouble, Length: known(100), Undelivered: known(undelivered),
			Pending: known(pending), Backlog: known(undelivered + pending), OldestIdle: known(oldest), Members: known(members),
			Dead: known(0), In: redisq.Rate{PerSecond: 5, Known: true}, Done: redisq.Rate{PerSecond: 3, Known: true},
			Trend: []float64{10, 12, 14, 16, 18, 20},
		}
	}
	denied := row("secret", "g", redisq.TroubleUnknown, 0, 0, 0, 0)
	denied.Note = "no permission: XPENDING (user ro)"
	denied.Undelivered, denied.Pending, denied.Backlog = redisq.Unknown("no"), redisq.Unknown("no"), redisq.Unknown("no")
	denied.OldestIdle, denied.Trend = redisq.Unknown("no"), nil
	none := watch.Row{Choice: watch.Choice{Stream: "orders:dlq"}, Length: known(1), DeadLetterOf: "orders"}
	return &watch.Streams{
		At: at, Found: 5, Looked: 5, Ended: true, Server: redisq.ServerInfo{Product: "valkey", Version: "8.1.1", Role: "master"},
		Rows: []watch.Row{
			row("clicks", "count", redisq.TroubleLost, 12, 0, 0, 2), row("orders", "mailers", redisq.TroubleLate, 157, 3, 540_000, 3),
			denied, row("pictures", "thumbs", redisq.TroubleNone, 0, 0, 0, 4), none,
		},
	}
}

// watchedMinute is a stage that has watched orders for a minute.
func watchedMinute(t *testing.T, width, height int) *stage {
	t.Helper()
	s := watchStage(t, width, height, mailers)
	s.lab.inside = true
	for at := sampleNow.Add(-time.Minute); !at.After(sampleNow); at = at.Add(500 * time.Millisecond) {
		s.m.Update(watchMsg{watchUpdate(at)})
	}
	s.m.View()
	s.lab.inside = false
	s.lab.expect()
	return s
}

// listed is a stage that shows the list of streams.
func listedStreams(t *testing.T, width, height int) *stage {
	t.Helper()
	s := watchStage(t, width, height, watch.Choice{})
	s.send(watchMsg{watch.Update{Streams: sampleStreams(sampleNow)}})
	return s
}
