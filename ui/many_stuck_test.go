package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/watch"
)

// A finding that stands for many consumers counts for as many, and each of them is shown as it is.
func TestManyStuckConsumers(t *testing.T) {
	s := watchStage(t, 120, 36, mailers)
	u := watchUpdate(sampleNow)
	u.Snapshot.Group.Consumers = nil
	var names []string
	for i := range 500 {
		names = append(names, fmt.Sprintf("w-%03d", i))
		idle := redisq.Exact((10 * time.Minute).Milliseconds(), redisq.FromServer)
		u.Snapshot.Group.Consumers = append(u.Snapshot.Group.Consumers, redisq.Consumer{Name: names[i], Pending: 1, Idle: idle, Inactive: idle})
	}
	u.Doctor = &watch.Diagnosis{At: sampleNow, Findings: []doctor.Finding{
		{Code: doctor.StuckConsumer, Severity: doctor.Critical, Consumer: "w-000", Text: "w-000 holds 1 entry."},
		{Code: doctor.StuckConsumer, Severity: doctor.Critical, Others: names[1:], Text: "499 more consumers hold 499 entries."},
	}}
	s.send(watchMsg{u})
	s.press("3")
	screen := s.text()
	if !strings.Contains(screen, "One of 500: w-000 holds 1 entry.") {
		t.Errorf("the verdict counts findings, not consumers:\n%s", screen)
	}
	if strings.Contains(screen, "quiet, holds some") {
		t.Errorf("a stuck consumer is called quiet:\n%s", screen)
	}
}

// The doctor looks every few seconds; what a newer reading sees is not contradicted by what it said before.
func TestTheVerdictBelievesTheNewerReading(t *testing.T) {
	s := watchStage(t, 160, 36, mailers)
	missing := doctor.Finding{Code: doctor.StreamMissing, Severity: doctor.Critical, Stream: "orders", Text: "The stream does not exist."}
	wrong := func(key string) doctor.Finding {
		return doctor.Finding{
			Code: doctor.WrongType, Severity: doctor.Critical, Stream: "orders", Text: "The key " + key + " is no stream.",
			Evidence: []doctor.Fact{{Name: "key", Value: key}, {Name: "type", Value: "list"}},
		}
	}
	u := watchUpdate(sampleNow)
	u.Doctor = &watch.Diagnosis{At: sampleNow.Add(-2 * time.Second), Findings: []doctor.Finding{missing, wrong("orders")}}
	s.send(watchMsg{u})
	s.lacks("STREAM MISSING", "WRONG TYPE")

	u = watchUpdate(sampleNow.Add(time.Second))
	u.Doctor = &watch.Diagnosis{At: sampleNow, Findings: []doctor.Finding{wrong("{orders}:dead")}}
	s.send(watchMsg{u})
	s.wants("WRONG TYPE") // that of the dead letters is not in the reading of the stream

	u = watchUpdate(sampleNow.Add(2 * time.Second))
	u.Snapshot.Stream.Missing = true
	u.Doctor = &watch.Diagnosis{At: sampleNow, Findings: []doctor.Finding{
		{Code: doctor.NoConsumers, Severity: doctor.Critical, Stream: "orders", Group: "mailers", Text: "mailers has no consumer."},
	}}
	s.send(watchMsg{u})
	s.wants("NOT THERE")
	s.lacks("NO CONSUMERS")
}
