package lab

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/unacked/workers"
	"example.com/unacked/workers/producer"
)

func TestStoriesAreBounded(t *testing.T) {
	s := newStories(func() time.Duration { return time.Second })
	for i := range 20_000 {
		s.checkedOut(producer.Order{Name: fmt.Sprint(i), ID: fmt.Sprintf("%d-0", i), At: noon})
	}
	if len(s.told) > 5000 || len(s.byOrder) > 5000 || len(s.ages) > 5000 {
		t.Errorf("%d stories, %d orders, %d ages; want 5,000 at most", len(s.told), len(s.byOrder), len(s.ages))
	}
	if s.tell("19999-0", noon) == nil || s.tell("0-0", noon) != nil {
		t.Error("the newest story must be there, and the oldest not")
	}
	for i := range 10_000 {
		s.take(workers.Event{
			Kind: workers.EventFailed, ID: "19999-0", Order: "19999", Worker: "w1", At: noon.Add(time.Duration(i) * time.Second),
		})
	}
	lines := s.tell("19999-0", noon)
	if len(lines) != 200 || !strings.HasPrefix(lines[0].Text, "added as order") || lines[199].At != noon.Add(9999*time.Second) {
		t.Errorf("%d lines from %+v to %+v; want 200, with the beginning and the end", len(lines), lines[0], lines[len(lines)-1])
	}
}

func TestRenewedLeasesAreOneLine(t *testing.T) {
	s := newStories(func() time.Duration { return 5 * time.Second })
	at := func(seconds int, kind workers.EventKind) {
		s.take(workers.Event{Kind: kind, ID: "1-0", Order: "1", Worker: "w1", Deliveries: 1, At: noon.Add(time.Duration(seconds) * time.Second)})
	}
	at(0, workers.EventDelivered)
	at(0, workers.EventWorking)
	for seconds := 1; seconds <= 30; seconds++ {
		at(seconds, workers.EventHeld)
	}
	lines := s.tell("1-0", noon.Add(31*time.Second))
	if len(lines) != 3 || lines[2].Text != "w1 renewed its lease (30 times)" || lines[2].At != noon.Add(30*time.Second) {
		t.Errorf("got %+v, want one line of 30 renewals: the last was a second ago", lines)
	}
	lines = s.tell("1-0", noon.Add(36*time.Second))
	if len(lines) != 4 || lines[3].At != noon.Add(35*time.Second) {
		t.Errorf("got %+v, want the end of the lease 5 s after the last renewal", lines)
	}
}

func TestStoriesHoldNoControls(t *testing.T) {
	s := newStories(func() time.Duration { return time.Second })
	evil := "\x1b]0;own\x07\x9b2J\u202e"
	for _, kind := range []workers.EventKind{
		workers.EventDelivered, workers.EventWorking, workers.EventFailed, workers.EventNotOurs, workers.EventDeadLettered,
	} {
		s.take(workers.Event{
			Kind: kind, ID: evil, Order: evil, Worker: evil, From: evil, Reason: evil, Via: workers.ViaClaimed, At: noon,
		})
	}
	s.mailed(noon, evil, 2)
	lines := s.tell(evil, noon)
	if len(lines) != 6 {
		t.Errorf("%d lines, want 6", len(lines))
	}
	for _, line := range lines {
		for _, r := range line.Text {
			if r < ' ' || (r >= 0x7f && r < 0xa0) || r == '\u202e' || r == '\uFFFD' {
				t.Errorf("%q holds %U", line.Text, r)
			}
		}
	}
}

func TestJournalIsBounded(t *testing.T) {
	j := &journal{now: func() time.Time { return noon }}
	for i := range 1000 {
		j.mark(fmt.Sprint(i), "")
		j.notice(fmt.Sprint(i), "")
	}
	marks, notices := j.all()
	if len(marks) != 300 || len(notices) != 300 || marks[299].Text != "999" || notices[0].Text != "700" {
		t.Errorf("%d marks and %d notices, want the last 300 of each", len(marks), len(notices))
	}
	shared := marks[299]
	j.turn("rate", "1", "2")
	j.turn("rate", "2", "3")
	j.turn("rate", "3", "1") // back where it was
	after, _ := j.all()
	if marks[299] != shared || after[len(after)-1].Text != "999" {
		t.Errorf("last mark %q, want 999: a knob that was turned back leaves none", after[len(after)-1].Text)
	}
}
