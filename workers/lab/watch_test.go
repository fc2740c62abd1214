package lab_test

import (
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/redisq/redistest"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
	"example.com/unacked/workers/mail"
)

// texts is the story, one line each.
func texts(u lab.Update) string {
	var lines []string
	for _, line := range u.Story {
		lines = append(lines, line.Text)
	}
	return strings.Join(lines, "\n")
}

// inOrder says that each part is in text, after the one before.
func inOrder(text string, parts ...string) bool {
	for _, part := range parts {
		_, rest, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

func TestTheStoryOfAMessage(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		d := quick()
		d.Worker.Lease = 2 * time.Second // by the end of which w1 is killed also on a busy machine
		l := start(t, on(t, s, d))
		arm(t, l, workers.CrashAfterWork)
		l.AddLoad(1, false)
		held := await(t, l, "w1 killed and its entry pending", func(u lab.Update) bool {
			_, alive := find(t, u, "w1")
			return !alive && len(u.Snapshot.Pending.Rows) == 1
		})
		l.Watch(held.Snapshot.Pending.Rows[0].ID)
		await(t, l, "the lease over, in the story", func(u lab.Update) bool {
			return strings.Contains(texts(u), "idle for 2s: the lease is over; it may be claimed")
		})
		if _, err := l.AddWorker(); err != nil {
			t.Fatal(err)
		}
		u := await(t, l, "the whole story", func(u lab.Update) bool { return strings.Contains(texts(u), "acked by w2") })
		if !inOrder(texts(u), "added as order 1; the checkout took", "delivered to w1", "w1 begins the work", "the mail arrived",
			"w1 waits after the work, before the ack to be killed", "w1 was killed, holding it", "idle for 2s: the lease is over",
			"claimed by w2 from w1 (delivery 2)", "w2 begins the work", "the mail arrived again: mail 2 of order 1", "acked by w2") {
			t.Errorf("story:\n%s", texts(u))
		}
		for i, line := range u.Story {
			if line.At.IsZero() || (i > 0 && line.At.Before(u.Story[i-1].At)) {
				t.Errorf("line %d is out of order: %+v", i, u.Story)
			}
		}
		if u.Watched != held.Snapshot.Pending.Rows[0].ID {
			t.Errorf("watched %q", u.Watched)
		}
		l.Watch("1-1")
		await(t, l, "nothing known", func(u lab.Update) bool { return u.Watched == "1-1" && u.Story == nil })
	})
}

func TestAReplayGoesOnWithTheStory(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, s redistest.Server) {
		t.Parallel()
		d := quick()
		d.Worker.MaxDeliveries, d.Worker.Lease = 2, 100*time.Millisecond
		l := start(t, on(t, s, d))
		l.AddLoad(1, true)
		dead := await(t, l, "a dead letter", func(u lab.Update) bool { return len(u.Snapshot.Dead.Rows) == 1 })
		letter := dead.Snapshot.Dead.Rows[0]
		await(t, l, "the dead letter in the books", func(u lab.Update) bool {
			b := u.State.Books
			return b.Orders == 1 && b.NotYet == 1 && b.Dead == 1 && b.Never == 0
		})
		plan := planReplay(t, l, letter.ID)
		if plan.Count != 1 || len(plan.Commands) == 0 {
			t.Fatalf("plan %+v, want one letter and its commands", plan)
		}
		if got := plan.Run(t.Context()); got.Done != 1 || got.Err != nil {
			t.Fatalf("outcome %+v", got)
		}
		await(t, l, "the mark", marked("replayed 1"))
		again := await(t, l, "dead-lettered again, by its new id", func(u lab.Update) bool {
			return len(u.Snapshot.Dead.Rows) == 1 && u.Snapshot.Dead.Rows[0].ID != letter.ID
		}).Snapshot.Dead.Rows[0]
		if again.Original != letter.Original || again.Replays != 1 {
			t.Errorf("letter %+v, want original %s and one replay", again, letter.Original)
		}
		l.Watch(letter.Original)
		u := await(t, l, "the story of the original", func(u lab.Update) bool {
			return u.Watched == letter.Original && strings.Contains(texts(u), "put back to work as ")
		})
		if !inOrder(texts(u), "added as order 1", "the address is bad", "delivered to w1", "failed: 550 5.1.1 no such user",
			"taken up again by w1 (delivery 2)", "failed: 550", "dead-lettered after 2 deliveries: 550", "put back to work as ") {
			t.Errorf("story:\n%s", texts(u))
		}
		_, next, _ := strings.Cut(texts(u), "put back to work as ")
		l.Watch(strings.TrimSpace(next))
		v := await(t, l, "the story of the replay", func(u lab.Update) bool { return strings.Count(texts(u), "dead-lettered") == 2 })
		if !strings.HasPrefix(texts(v), texts(u)) || !inOrder(texts(v), "put back to work as", "delivered to w1", "dead-lettered") {
			t.Errorf("story of the replay:\n%s\nwant it to begin with that of the original:\n%s", texts(v), texts(u))
		}
		all := planReplay(t, l)
		if got := all.Run(t.Context()); got.Done != 1 || all.Count != 1 {
			t.Errorf("replay of all: plan %+v, outcome %+v", all, got)
		}
		gone := planReplay(t, l, letter.ID)
		if got := gone.Run(t.Context()); got.Done != 0 || len(got.Skipped) != 1 {
			t.Errorf("replay of a letter that left: %+v", got)
		}
		await(t, l, "books with the order dead again", func(u lab.Update) bool {
			return u.State.Books.Dead == 1 && len(u.Snapshot.Dead.Rows) == 1 && u.Snapshot.Dead.Rows[0].Replays == 2
		})
	})
}

func TestMailThatGoesElsewhereIsNotCountedHere(t *testing.T) {
	t.Parallel()
	sink, err := mail.Start(mail.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	o := embedded(quick())
	o.SMTP = sink.Addr()
	l := start(t, o)
	l.AddLoad(3, false)
	until(t, "three mails at the other server", func() bool { return sink.Count().Once == 3 })
	u := await(t, l, "three orders", func(u lab.Update) bool { return u.State.Producer.Accepted == 3 })
	if s := u.State.Sink; s.Known || !strings.Contains(s.Reason, sink.Addr()) {
		t.Errorf("sink %+v, want unknown, with the server that knows", s)
	}
	if b := u.State.Books; b.Known || !strings.Contains(b.Reason, sink.Addr()) {
		t.Errorf("books %+v, want unknown, with the server that knows", b)
	}
}

// planReplay plans to put letters back to work, all that are there where none is named.
func planReplay(t *testing.T, l *lab.Lab, ids ...string) desk.Plan {
	t.Helper()
	o := redisq.ReplayOptions{IDs: ids, MaxReplays: 100}
	plan, err := l.Plan(t.Context(), redisq.Queue{}, desk.Wish{Deed: desk.Replay, Replay: o})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
