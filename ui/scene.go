package ui

import (
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/watch"
	"example.com/unacked/workers/lab"
)

// scene is what the screen shows of one lab: its readings, and the panes that were made of them. The demonstration has
// one, and each experiment that is played has one of its own, so that nothing of the one is ever seen in the other.
type scene struct {
	number  uint64 // 0 is the demonstration; what comes for a scene that is not shown any more is stale
	source  Source // lab or watcher
	lab     Lab    // nil where streams of others are watched
	actor   Actor  // nil where nothing may be changed
	late    *late  // lab, where that is still to come, else nil
	updates <-chan lab.Update
	watcher Watcher             // nil in a lab
	found   <-chan watch.Update // what the watcher brings

	d        *data
	interval int // index into intervals, -1 for one that is not in it

	workers *workersPane
	sink    *sinkPane
	figures *figuresPane
	events  *eventsPane
	chooser *chooserPane // nil in a lab
	first   pane         // of the overview, at the upper left: who works
	second  pane         // below it: what became of the work
	pending pane         // compact
	dead    pane         // compact
	views   []pane
	view    int  // 0 is the overview, else views[view-1]
	focus   pane // of the overview
	detail  pane // an opened message over the view, nil for none

	detailOf openMsg // what detail shows

	waits   map[string]kill
	want    *lab.Decisions // decided here and not seen in a reading yet, nil for none
	wantEnd time.Time

	kept   []*redisq.Snapshot // readings while the screen is held, without their rows
	latest *lab.Update        // the newest of them
	heard  *watch.Update      // likewise, where streams of others are watched
}

// newScene returns the scene of a lab before its first reading. d has what stays the same: look, keys, clipboard.
func newScene(l Lab, every time.Duration, d data) scene {
	d.history, d.every = &redisq.History{}, every
	s := scene{
		source: l, lab: l, actor: l, d: &d, interval: intervalIndex(every), waits: make(map[string]kill),
		workers: &workersPane{}, sink: &sinkPane{}, figures: &figuresPane{}, events: &eventsPane{},
		pending: newPendingPane(true, l), dead: newDeadPane(true),
		views: []pane{newPendingPane(false, l), newConsumersPane(), newDeadPane(false), newCommandsPane(), newDoctorPane(false), newLogPane()},
	}
	s.first, s.second = s.workers, s.sink
	s.focus = s.first
	return s
}

// panes lists every pane that wants data.
func (s *scene) panes() []pane {
	all := []pane{s.workers, s.sink, s.figures, s.events, s.pending, s.dead}
	if s.chooser != nil {
		all = append(all, s.chooser, s.first, s.second)
	}
	all = append(all, s.views...)
	if s.detail != nil {
		all = append(all, s.detail)
	}
	return all
}

// focused is the pane that gets the keys.
func (s *scene) focused() pane {
	switch {
	case s.browsing():
		return s.chooser
	case s.detail != nil:
		return s.detail
	case s.view > 0:
		return s.views[s.view-1]
	}
	return s.focus
}
