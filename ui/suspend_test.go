package ui

import (
	"errors"
	"io"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq/watch"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers"
)

// noCommand does nothing with the terminal.
type noCommand struct{}

func (noCommand) Run() error          { return nil }
func (noCommand) SetStdin(io.Reader)  {}
func (noCommand) SetStdout(io.Writer) {}
func (noCommand) SetStderr(io.Writer) {}

// Before the shell has the terminal the person is told what becomes of the messages in hand.
func TestSuspendTellsOfMessagesInHand(t *testing.T) {
	var word string
	aside := func(text string) tea.ExecCommand {
		word = text
		return noCommand{}
	}
	s := newStageWith(t, 120, 36, Options{Theme: &cell.Theme{}, Suspend: aside})
	for _, c := range []struct {
		inHand     int
		word, back string
	}{
		{0, "unacked is suspended: the lab stands still, 0 messages in hand stay claimed. fg goes on.", "back; 0 messages in hand stayed claimed meanwhile"},
		{1, "unacked is suspended: the lab stands still, 1 message in hand stays claimed. fg goes on.", "back; 1 message in hand stayed claimed meanwhile"},
		{2, "unacked is suspended: the lab stands still, 2 messages in hand stay claimed. fg goes on.", "back; 2 messages in hand stayed claimed meanwhile"},
	} {
		u := sampleUpdate(sampleNow)
		for i := range u.State.Workers {
			w := &u.State.Workers[i]
			w.Phase, w.ID = workers.PhaseWaiting, ""
			if i < c.inHand {
				w.Phase, w.ID = workers.PhaseWorking, "1-1"
			}
		}
		s.send(updateMsg{u})
		s.press("ctrl+z")
		if word != c.word {
			t.Errorf("%d in hand: it says %q, want %q", c.inHand, word, c.word)
		}
		s.send(resumedMsg{})
		s.wants(c.back)
	}
	s.send(resumedMsg{errors.New("no shell\x1b[2J")})
	s.wants("not suspended: no shell␛[2J")
	s.check()

	word = ""
	w := watchStage(t, 120, 36, watch.Choice{})
	w.m.aside = aside
	w.press("ctrl+z")
	if want := "unacked is suspended: it reads nothing meanwhile. fg goes on."; word != want {
		t.Errorf("watching, it says %q, want %q", word, want)
	}
	w.send(resumedMsg{})
	w.wants("back: nothing was read meanwhile")
}
