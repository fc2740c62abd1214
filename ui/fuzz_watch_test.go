package ui

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/watch"
)

// FuzzWatch is FuzzLab where streams of others are watched: the list of streams, a group, the doctor, and with --write
// the menu of acts with its dialogs.
func FuzzWatch(f *testing.F) {
	for seed := range uint64(anySeeds) {
		f.Add(seed)
	}
	keys := append([]string{"c", "c", "6", "x", "d"}, anyKeys...)
	f.Fuzz(func(t *testing.T, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		chosen := watch.Choice{}
		if rnd.IntN(2) == 0 {
			chosen = mailers
		}
		s := watchStageWith(t, 80, 24, chosen, rnd.IntN(3) > 0)
		s.m.d.look.theme, s.m.d.look.glyphs = anyLook(rnd)
		s.lab.plan = anyPlan(rnd)
		if rnd.IntN(4) == 0 {
			s.lab.fail = errors.New(anyNames[rnd.IntN(len(anyNames))])
		}
		anything(t, rnd, s, keys, func(now time.Time) tea.Msg { return watchMsg{randomWatch(rnd, now, s.m.d.watch.chosen)} })
	})
}

// randomWatch is what watching may bring: of the group that was chosen, of another that was chosen before, or of none.
func randomWatch(rnd *rand.Rand, now time.Time, chosen watch.Choice) watch.Update {
	name := func() string { return anyNames[rnd.IntN(len(anyNames))] }
	names := func() (all []string) {
		for range rnd.IntN(5) {
			all = append(all, name())
		}
		return all
	}
	number := func() redisq.Number {
		switch rnd.IntN(4) {
		case 0:
			return redisq.Unknown(name())
		case 1:
			return redisq.AtLeast(rnd.Int64N(5000), redisq.Counted)
		}
		return known(rnd.Int64N(1 << uint(rnd.IntN(50))))
	}
	rate := func() redisq.Rate {
		return redisq.Rate{PerSecond: rnd.Float64() * 1e5, Known: rnd.IntN(3) > 0, Reason: name()}
	}

	u := watchUpdate(now)
	u.Chosen = chosen
	if rnd.IntN(5) == 0 {
		u.Chosen = watch.Choice{Stream: name(), Group: name()}
	}
	lab := randomUpdate(rnd, now, anyNames)
	if lab.Snapshot != nil {
		u.Snapshot.Pending, u.Snapshot.Dead, u.Snapshot.Group.Backlog = lab.Snapshot.Pending, lab.Snapshot.Dead, lab.Snapshot.Group.Backlog
	}
	g := &u.Snapshot.Group
	for range rnd.IntN(60) {
		g.Consumers = append(g.Consumers, redisq.Consumer{Name: name() + name(), Pending: rnd.Int64N(9), Idle: number(), Inactive: number()})
	}
	g.Members, g.Pending, g.OldestIdle, u.Snapshot.Stream.Length = number(), number(), number(), number()
	u.Snapshot.Stream.Missing, g.Missing = rnd.IntN(9) == 0, rnd.IntN(9) == 0
	u.Snapshot.Queue = redisq.Queue{Stream: u.Chosen.Stream, Group: u.Chosen.Group, DeadLetter: name()}
	for range rnd.IntN(3) {
		u.Snapshot.Problems = append(u.Snapshot.Problems, redisq.Problem{
			Panel: []string{"stream", "pending", "dead", "consumers", name()}[rnd.IntN(5)], Code: name(), Text: name(),
		})
	}
	codes := doctor.Codes()
	u.Doctor.Findings = nil
	for range rnd.IntN(12) {
		u.Doctor.Findings = append(u.Doctor.Findings, doctor.Finding{
			Code: codes[rnd.IntN(len(codes))], Severity: []doctor.Severity{doctor.Critical, doctor.Warning, doctor.Info}[rnd.IntN(3)],
			Stream: u.Chosen.Stream, Group: u.Chosen.Group, Consumer: name(), Others: names(), IDs: names(), Text: name(),
			Evidence: []doctor.Fact{{Name: "a", Value: number()}, {Name: name(), Value: name()}, {Name: "b_ms", Value: rnd.Int64()}, {Name: "c", Value: names()}},
			Remedies: []doctor.Remedy{{Text: name(), Commands: [][]string{names(), {"XACK", name()}}}},
		})
	}
	for range rnd.IntN(30) {
		u.Events = append(u.Events, watch.Event{At: now, Text: name(), ID: name(), Mark: rnd.IntN(2) == 0})
		u.Commands = append(u.Commands, redisq.Command{At: now, Client: name(), Args: append(names(), name()), Err: name(), Took: time.Duration(rnd.Int64N(1e10))})
	}
	s := u.Streams
	s.Rows = nil
	for range rnd.IntN(120) {
		row := watch.Row{
			Choice: watch.Choice{Stream: name() + name(), Group: name()}, Trouble: redisq.Trouble(rnd.IntN(int(redisq.TroubleNotThere) + 1)), Note: name(),
			Length: number(), Undelivered: number(), Pending: number(), Backlog: number(), OldestIdle: number(), Members: number(), Dead: number(),
			In: rate(), Done: rate(), DeadLetterOf: name(),
		}
		for range rnd.IntN(40) {
			row.Trend = append(row.Trend, []float64{0, 1, rnd.Float64() * 1e9, math.NaN()}[rnd.IntN(4)])
		}
		s.Rows = append(s.Rows, row)
	}
	s.Found, s.Looked, s.Ended, s.More = rnd.IntN(1e5), rnd.IntN(1e5), rnd.IntN(2) == 0, rnd.IntN(2) == 0
	if rnd.IntN(5) == 0 {
		s.Err = errors.New(name())
	}
	switch rnd.IntN(8) {
	case 0:
		u.Snapshot = nil
	case 1:
		u.Doctor = nil
	case 2:
		u.Streams = nil
	case 3:
		u.Snapshot = &redisq.Snapshot{At: now, Generation: u.Snapshot.Generation, Err: errors.New(name())}
	}
	return u
}
