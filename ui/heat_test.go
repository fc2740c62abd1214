package ui

import (
	"testing"
	"time"

	"example.com/unacked/redisq"
)

func TestHeat(t *testing.T) {
	u := sampleUpdate(sampleNow) // a lease of 5 s
	hold := func(consumer string, idle time.Duration, n int) {
		for range n {
			u.Snapshot.Pending.Rows = append(u.Snapshot.Pending.Rows, redisq.PendingEntry{Consumer: consumer, Idle: idle})
		}
	}
	u.Snapshot.Pending.Rows = nil
	hold("w1", 0, 8)
	hold("w1", 999*time.Millisecond, 0)
	hold("w2", 5*time.Second, 1)
	hold("w2", 4999*time.Millisecond, 4)
	hold("w3", time.Hour, 2)
	hold("w3", -1, 5) // released
	s := newStage(t, 160, 46)
	s.send(updateMsg{u})
	for name, want := range map[string]string{"w1": "█··········", "w2": "····▄▁·····", "w3": "··········▂", "w4": ""} {
		if got := heats(s.m.d)[name]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	s.press("3")
	s.wants(heatTitle, "█··········", "····▄▁·····")
	s.check()

	for name, change := range map[string]func(*redisq.PendingPage){
		"more":   func(p *redisq.PendingPage) { p.More = true },
		"idle":   func(p *redisq.PendingPage) { p.Filter.MinIdle = time.Second },
		"one's":  func(p *redisq.PendingPage) { p.Filter.Consumer = "w1" },
		"a part": func(p *redisq.PendingPage) { p.Filter.Start = "5-0" },
	} {
		part := u
		snapshot := *u.Snapshot
		snapshot.Generation++
		change(&snapshot.Pending)
		part.Snapshot = &snapshot
		p := newStage(t, 160, 46)
		p.send(updateMsg{part})
		if got := heats(p.m.d); len(got) > 0 {
			t.Errorf("%s: of a part of the entries there is a heat: %q", name, got)
		}
	}
}
