package ui

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/workers/experiment"
	"example.com/unacked/workers/lab"
)

// fakeStage plays a script, and writes down how far it came.
type fakeStage struct {
	t       *testing.T
	steps   []experiment.Step
	result  experiment.Result
	fail    error                                     // it cannot be played
	doing   func(ctx context.Context, step int) error // of a step; nil is at once
	left    error                                     // of the cleaning up
	lab     *fakeLab                                  // the experiment's
	updates chan lab.Update

	mu  sync.Mutex // guards log
	log []string
}

func (*fakeStage) Experiments() []experiment.Experiment { return experiment.All() }

func (f *fakeStage) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, what)
}

func (f *fakeStage) Play(ctx context.Context, name string, cues Cues) (err error) {
	f.note("play " + name + " every " + cues.Interval.String())
	defer func() {
		close(f.updates)
		if f.left != nil {
			err = f.left
		}
		f.note("taken down")
	}()
	if f.fail != nil {
		return f.fail
	}
	cues.Running(f.lab, f.updates)
	of := len(f.steps) + 1
	for i, step := range f.steps {
		step.N, step.Of = i+1, of
		cues.Narrate(step)
		if f.doing != nil {
			if err := f.doing(ctx, i+1); err != nil {
				return err
			}
		}
		f.note("step " + strconv.Itoa(i+1))
		if err := cues.Pace(ctx, step); err != nil {
			return err
		}
	}
	cues.Verdict(f.result)
	f.note("verdict")
	last := experiment.Step{N: of, Of: of, Say: f.result.Verdict()}
	cues.Narrate(last)
	return cues.Pace(ctx, last)
}

// expect checks what happened since the last time, and forgets it.
func (f *fakeStage) expect(what ...string) {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.log, what) {
		f.t.Errorf("the stage did %q, should have %q", f.log, what)
	}
	f.log = nil
}

// theatre is a dashboard with a stage. Its commands run beside the test, which goes on when all of them wait.
type theatre struct {
	*stage
	fake *fakeStage
	came chan tea.Msg
}

const enough = 1 << 12 // messages that nobody took yet

// inTheatre runs a test with a dashboard that has seen the sample's minute.
func inTheatre(t *testing.T, width, height int, test func(*theatre)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		th := &theatre{came: make(chan tea.Msg, enough)}
		th.fake = &fakeStage{
			t: t, lab: &fakeLab{t: t}, updates: make(chan lab.Update, 1),
			steps: []experiment.Step{
				{Say: "One worker. It will be killed at order 4, after it has sent and before it acks."},
				{
					Say:  "Ten customers order; the worker sends mails until it is killed with order 4 in hand.",
					Look: "One message is pending, as before. Its mail is out, and Redis cannot know.",
				},
				{
					Say:  "A new worker starts and does the rest.",
					Look: "Order 4 was claimed and sent again: eleven mails for ten orders.",
				},
			},
			result: experiment.Result{
				Name: "stream-crash-after", Decision: "What happens to your customer when the work is done twice?", Scale: 1,
				Rows: []experiment.Row{
					{Name: "pending after the kill", Expected: "1", Measured: counted(1), Holds: experiment.Yes},
					{Name: "mails for ten orders", Unit: "mails", Expected: "11", Measured: counted(11), Holds: experiment.Yes},
					{Name: "mailed twice", Expected: "order 4", Measured: theOrders("4"), Holds: experiment.Yes},
					{Name: "lost", Expected: "none", Measured: theOrders(), Holds: experiment.Yes},
					{Name: "pending at the end", Expected: "0", Measured: counted(0), Holds: experiment.Yes},
				},
			},
		}
		th.stage = newStageWith(t, width, height, Options{Stage: th.fake})
		th.lab.inside = true
		for _, u := range sampleRun(sampleNow) {
			th.m.Update(updateMsg{u})
		}
		th.m.View()
		th.lab.inside = false
		th.lab.expect()
		th.later = func(cmd tea.Cmd) { go func() { th.came <- cmd() }() }
		test(th)
		th.m.Close()
		th.settle()
	})
}

func counted(n float64) experiment.Measured { return experiment.Measured{Known: true, Value: n} }

func theOrders(names ...string) experiment.Measured {
	return experiment.Measured{Known: true, Value: float64(len(names)), Named: true, Orders: names}
}

// settle takes what commands came back with until all of them wait.
func (th *theatre) settle() {
	th.t.Helper()
	for {
		synctest.Wait()
		select {
		case msg := <-th.came:
			th.did(msg)
		default:
			return
		}
	}
}

func (th *theatre) press(names ...string) {
	th.t.Helper()
	for _, name := range names {
		th.stage.press(name)
		th.settle()
	}
}

// tick moves the screen's clock, once.
func (th *theatre) tick(after time.Duration) {
	th.t.Helper()
	th.m.Update(tickMsg{th.m.d.now.Add(after)})
	th.settle()
}

// reading has the experiment's lab tell a reading.
func (th *theatre) reading(u lab.Update) {
	th.t.Helper()
	th.fake.updates <- u
	th.settle()
}

// plays begins stream-crash-after, stepwise, and shows a reading of its lab.
func (th *theatre) plays() {
	th.t.Helper()
	th.m.stepwise = true
	th.press("m")
	for th.m.dialog.(*experimentsMenu).at < 5 {
		th.press("down")
	}
	th.press("enter")
	th.reading(actUpdate(sampleNow.Add(time.Second)))
}

// actUpdate is a reading of the experiment's lab: one worker, killed with order 4, and no dead letters.
func actUpdate(at time.Time) lab.Update {
	u := sampleUpdate(at)
	u.Snapshot.Generation = 1
	u.Snapshot.Dead.Rows, u.Snapshot.Dead.Length = nil, known(0)
	held := sampleEntry(at, "4", "w1", 900*time.Millisecond, 600*time.Millisecond, 1)
	u.Snapshot.Pending.Rows = u.Snapshot.Pending.Rows[:0]
	u.Snapshot.Pending.Rows = append(u.Snapshot.Pending.Rows, held)
	u.Snapshot.Group.Pending, u.Snapshot.Group.Backlog = known(1), known(7)
	u.State.Workers = u.State.Workers[1:2]
	u.State.Workers[0].Name, u.State.Workers[0].Order, u.State.Workers[0].ID = "w1", "4", held.ID
	u.State.Decisions.Workers, u.State.Decisions.Rate = 1, 0
	u.State.Marks, u.State.Notices = nil, nil
	return u
}
