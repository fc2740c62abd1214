package ui

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/workers/experiment"
	"example.com/unacked/workers/lab"
)

func TestMenuOfExperiments(t *testing.T) {
	for _, size := range []struct{ width, height int }{{60, 15}, {80, 24}, {120, 36}} {
		inTheatre(t, size.width, size.height, func(th *theatre) {
			th.press("m", "down")
			th.golden(fmt.Sprintf("experiments_%dx%d", size.width, size.height))
			th.press("home")
			seen := make(map[string]bool)
			for range 20 {
				for _, e := range experiment.All() {
					for line := range strings.Lines(th.text()) {
						seen[e.Name] = seen[e.Name] || strings.Contains(line, "> "+e.Name+" ")
					}
				}
				th.press("down")
			}
			if len(seen) != 16 {
				t.Fatalf("%d experiments, there are sixteen", len(seen))
			}
			for name, ok := range seen {
				if !ok {
					t.Errorf("the cursor never comes to %s", name)
				}
			}
			th.press("esc")
			th.lacks("Experiments")
			th.fake.expect()
		})
	}
}

func TestPlayScreens(t *testing.T) {
	for _, size := range []struct{ width, height int }{{60, 15}, {80, 24}, {120, 36}} {
		inTheatre(t, size.width, size.height, func(th *theatre) {
			th.plays()
			th.press("space")
			th.golden(fmt.Sprintf("play_%dx%d", size.width, size.height))
			th.press("space", "space")
			th.golden(fmt.Sprintf("verdict_%dx%d", size.width, size.height))
		})
	}
}

// The presenter steps from the first line to the verdict and is back where the demonstration was left.
func TestPlayToTheVerdict(t *testing.T) {
	inTheatre(t, 120, 36, func(th *theatre) {
		th.press("tab", "down") // the second pending entry of the demonstration
		before := th.m.pending.(selectable).Selected()
		th.plays()
		th.fake.expect("play stream-crash-after every 250ms", "step 1")
		th.wants("stream-crash-after", "step 1 of 4", "It will be killed at order 4", "space goes on", "esc ends", "order=4", "killed, holds #4")
		th.lacks("order=30", "order=41") // nothing of the demonstration
		th.press("space")
		th.fake.expect("step 2")
		th.wants("step 2 of 4", "Ten customers order", "Its mail is out, and Redis cannot know.")
		th.press("enter")
		th.fake.expect("step 3")
		th.wants("step 3 of 4", "eleven mails for ten orders")
		th.press("right")
		th.fake.expect("verdict")
		th.wants("stream-crash-after holds", "expected", "measured", "mails for ten orders", "11", "order 4", "yes", "done twice?")
		th.tick(time.Hour) // the verdict stays until a key
		th.press("x", "2", "l")
		th.wants("mails for ten orders")
		th.fake.expect()
		th.press("space")
		th.fake.expect("taken down")
		th.lacks("step 4", "mails for ten orders", "order=4 ")
		th.wants("order=30", "order=41", "stream-crash-after holds; the demonstration goes on")
		if after := th.m.pending.(selectable).Selected(); after != before || th.m.focus != th.m.pending {
			t.Errorf("the cursor is at %q, it was at %q", after, before)
		}
		th.lab.expect()
		th.fake.lab.expect()
		th.m.Update(tickMsg{sampleNow.Add(time.Hour + 4*time.Second)}) // the time of the experiment has passed
		th.wants("the demonstration goes on")
		th.press("m")
		th.wants("✓") // it was played, and held
	})
}

func TestVerdictThatIsOff(t *testing.T) {
	inTheatre(t, 80, 24, func(th *theatre) {
		th.fake.result.Rows[1].Measured, th.fake.result.Rows[1].Holds = counted(10), experiment.No
		th.fake.result.Rows[2] = experiment.Row{Name: "mailed twice", Expected: "order 4", Reason: "not ours to\x1b[2J know"}
		th.plays()
		th.press("space", "space", "space")
		th.wants("does not hold", "NO", "not ours to", "?")
		th.check()
		th.press("q") // closes what is open, as everywhere
		th.wants("stream-crash-after does not hold; the demonstration goes on")
		if th.quit {
			t.Error("q quits out of the verdict")
		}
	})
}

func TestPlayGoesOnByItself(t *testing.T) {
	inTheatre(t, 120, 36, func(th *theatre) {
		th.plays()
		th.fake.expect("play stream-crash-after every 250ms", "step 1")
		th.tick(time.Hour)
		th.fake.expect() // it waits
		th.press("p")
		th.wants("by itself in")
		th.tick(2 * time.Second)
		th.fake.expect() // nobody reads 79 characters in that time
		th.press("tab")  // and who looks around has the whole pause again
		th.tick(6 * time.Second)
		th.fake.expect()
		th.press("?")
		th.tick(time.Hour)
		th.fake.expect() // the help is open
		th.press("esc")
		th.tick(12 * time.Second)
		th.fake.expect("step 2")
		th.press("p")
		th.tick(time.Hour)
		th.fake.expect()
		th.press("p")
		th.tick(12 * time.Second)
		th.fake.expect("step 3")
		th.tick(12 * time.Second)
		th.fake.expect("verdict")
		th.tick(12 * time.Second)
		th.fake.expect()
	})
}

func TestEscEndsAnExperiment(t *testing.T) {
	inTheatre(t, 120, 36, func(th *theatre) {
		th.plays()
		th.press("2", "esc") // out of the view first
		th.fake.expect("play stream-crash-after every 250ms", "step 1")
		th.press("esc")
		th.fake.expect("taken down")
		th.wants("order=30", "stream-crash-after was ended; the demonstration goes on")
		th.lacks("step 1")
	})
}

// A step that takes its time can be looked at, held and ended.
func TestWhileAStepIsDone(t *testing.T) {
	inTheatre(t, 120, 36, func(th *theatre) {
		th.fake.doing = func(ctx context.Context, step int) error {
			if step == 2 {
				<-ctx.Done()
			}
			return ctx.Err()
		}
		th.plays()
		th.press("space")
		th.fake.expect("play stream-crash-after every 250ms", "step 1")
		th.wants("being done", "Ten customers order")
		th.press("space")
		th.wants("HELD")
		th.press("space")
		th.lacks("HELD")
		th.press("enter", "right")
		th.wants("step 2 of 4")
		th.press("esc")
		th.fake.expect("taken down")
		th.wants("was ended")
	})
}

func TestWhatIsLeftIsSaid(t *testing.T) {
	inTheatre(t, 120, 36, func(th *theatre) {
		th.fake.left = fmt.Errorf("%w: keys unacked:lab:ab:*", experiment.ErrLeft)
		th.plays()
		th.press("esc")
		th.wants("something of the experiment may be left: keys unacked:lab:ab:*")
	})
}

func TestExperimentThatCannotBePlayed(t *testing.T) {
	inTheatre(t, 120, 36, func(th *theatre) {
		th.fake.fail = errors.New("start the lab: no server\x1b[2J")
		th.press("m", "enter")
		th.wants("start the lab: no server", "order=30")
		th.check()
	})
}

func TestKeysThatWouldDisturbAreOff(t *testing.T) {
	inTheatre(t, 120, 36, func(th *theatre) {
		th.plays()
		for _, k := range []string{"x", "X", "a", "s", "l", "b", "+", "-", "r", "R", "d", "m", "ctrl+z"} {
			th.press(k)
			th.wants("is off while stream-crash-after plays: it would disturb it; esc ends it")
			if th.m.dialog != nil {
				t.Errorf("%s opened something", k)
			}
			th.tick(noticeFor + time.Second)
			th.lacks("is off while")
		}
		th.lab.expect()
		th.fake.lab.expect()
		th.press("i") // looking is not disturbing
		th.fake.lab.expect("SetInterval 500ms")
		th.press("tab", "enter") // an entry opens, and the step waits
		th.wants("step 1 of 4", "order", "customer4@shop.example")
		th.press("esc")
		th.press("?", "esc", "tab", "3", "1")
		th.wants("step 1 of 4")
		th.fake.lab.expect("Watch "+th.m.pending.(selectable).Selected(), "Watch ")
		th.lab.expect()
	})
}

func TestQuitWhileAnExperimentPlays(t *testing.T) {
	for _, keys := range [][]string{{"q"}, {"ctrl+c"}, {"?", "ctrl+c"}, {"space", "space", "ctrl+c"}} {
		inTheatre(t, 120, 36, func(th *theatre) {
			th.plays()
			th.press(keys...)
			if !th.quit {
				t.Errorf("%q does not quit", keys)
			}
			th.fake.mu.Lock()
			defer th.fake.mu.Unlock()
			if last := th.fake.log[len(th.fake.log)-1]; last != "taken down" {
				t.Errorf("the stage came to %q, it should be told to end", th.fake.log)
			}
		})
	}
}

// What comes late from a scene that is not shown is not shown either.
func TestScenesAreKeptApart(t *testing.T) {
	inTheatre(t, 120, 36, func(th *theatre) {
		th.plays()
		shown := th.text()
		u := sampleUpdate(sampleNow.Add(2 * time.Second))
		u.Snapshot.Group.Pending = known(77)
		th.send(sceneMsg{0, updateMsg{u}}) // of the demonstration
		if th.text() != shown {
			t.Errorf("the demonstration's reading is seen while an experiment plays:\n%s", th.text())
		}
		old := sceneMsg{th.m.number, updateMsg{actUpdate(sampleNow.Add(3 * time.Second))}}
		th.press("esc")
		th.wants("pending             77")
		shown = th.text()
		for _, stale := range []tea.Msg{
			old.msg, closedMsg{}, endCue{errors.New("late")}, sayCue{}, paceCue{}, verdictCue{}, runningCue{},
		} {
			th.send(sceneMsg{old.number, stale})
		}
		if th.text() != shown {
			t.Errorf("what was left of the experiment is seen:\n%s", th.text())
		}
	})
}

func TestNoStage(t *testing.T) {
	s := filled(t, 120, 36)
	s.press("m")
	s.wants("experiments are played in the lab")
	s.lacks("m experiments")
}

// TestAnythingWhilePlaying presses random keys at random sizes while experiments come and go.
func TestAnythingWhilePlaying(t *testing.T) {
	keys := []string{
		"x", "l", "d", "m", "m", "p", "1", "2", "4", "tab", "up", "down", "left", "right", "enter", "enter", "esc", "space",
		"space", "space", "?", "i", "e", "/", "home", "end", "pgdown", "f", "y",
	}
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for round := range rounds {
		inTheatre(t, 80, 24, func(th *theatre) {
			rnd := rand.New(rand.NewPCG(uint64(round), 2))
			for range 150 {
				if th.m.play == nil {
					select {
					case <-th.fake.updates: // it was closed with the last experiment
						th.fake.updates = make(chan lab.Update, 1)
					default:
					}
				}
				switch rnd.IntN(8) {
				case 0:
					th.send(tea.WindowSizeMsg{Width: 55 + rnd.IntN(150), Height: 12 + rnd.IntN(50)})
				case 1:
					th.tick(time.Duration(rnd.IntN(20)) * time.Second)
				default:
					th.press(keys[rnd.IntN(len(keys))])
				}
				if err := frameFault(th.m.View(), th.m.width, th.m.height); err != nil {
					t.Fatalf("round %d: %v\n%s", round, err, th.text())
				}
				if th.quit {
					t.Fatalf("round %d: it quit by itself", round)
				}
			}
		})
	}
}

// The verdict on an experiment's lab does not name keys that are off.
func TestTheVerdictNamesNoKeyThatIsOff(t *testing.T) {
	inTheatre(t, 120, 36, func(th *theatre) {
		th.plays()
		u := actUpdate(sampleNow.Add(2 * time.Second))
		u.Snapshot.Generation = 2
		u.Snapshot.Pending.Rows = nil
		u.Snapshot.Group.Pending, u.Snapshot.Group.Backlog, u.Snapshot.Group.Undelivered = known(0), known(0), known(0)
		th.reading(u)
		th.wants("NOT ACKING", "no other worker is there to")
		th.lacks("adds one")
		th.press("esc")
		th.settle()
	})
}
