package ui

import (
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/lab"
)

// keptMost bounds what is kept while the screen is held: longer than the time axis is not looked at again.
const keptMost = 2000

// keep keeps a reading for when the screen goes on: the newest whole, of the others only the figures.
func (s *scene) keep(u lab.Update) {
	if old := s.latest; old != nil && old.Snapshot != nil {
		thin := *old.Snapshot
		thin.Pending, thin.Dead.Rows, thin.Problems = redisq.PendingPage{}, nil, nil
		s.kept = append(s.kept, &thin)
		if len(s.kept) > keptMost {
			s.kept = append(s.kept[:0:0], s.kept[len(s.kept)-keptMost/2:]...)
		}
	}
	s.latest = &u
}

// hold stops the screen, or lets it go on with the newest reading.
func (m *Model) hold() {
	m.d.held = !m.d.held
	if m.d.held {
		m.say("held still: the work goes on, " + keyOf(m.keys.Pause, "space") + " shows it again")
		return
	}
	m.note, m.noteEnd = notice{}, time.Time{}
	m.catchUp()
}

// catchUp shows what was kept.
func (m *Model) catchUp() {
	for _, s := range m.kept {
		m.remember(s)
	}
	heard := m.heard == nil || m.d.hear(*m.heard)
	if m.latest != nil && heard {
		m.take(*m.latest)
	}
	m.kept, m.latest, m.heard = nil, nil, nil
	m.clock(m.d.now)
}
