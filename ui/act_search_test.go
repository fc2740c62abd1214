package ui

import (
	"errors"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// searching is a screen that waits for a plan.
func searching(t *testing.T) (*stage, *search) {
	t.Helper()
	s := acting(t, 80, 24, nil)
	s.press("2")
	s.menu("claim all past")
	s.later = func(tea.Cmd) {} // the plan is still to come
	s.press("enter")
	return s, s.m.search
}

func TestALongSearchSaysHowFarItIs(t *testing.T) {
	s, search := searching(t)
	s.send(searchMsg{search, looking{redisq.Looked{Looked: 1000, Of: 90_000, Found: 12}, 100 * time.Millisecond}})
	s.lacks("Looking")
	s.send(searchMsg{search, looking{redisq.Looked{Looked: 40_000, Of: 90_000, Found: 512}, time.Second}})
	s.wants("Looking", "looked at 40000 of 90000, found 512 entries", "enter goes on with at least those", "esc leaves everything")
	s.check()
	if !search.tell(redisq.Looked{}) {
		t.Error("the looking was ended by nobody")
	}
	s.press("enter")
	if search.tell(redisq.Looked{}) {
		t.Error("the looking goes on though the person has enough")
	}
	plan := desk.Plan{Plan: redisq.Plan{Title: "Claim at least 512 pending entries", Count: 512, AtLeast: true, Destructive: true, Run: noRun}, Wish: desk.Wish{Deed: desk.Claim}}
	s.send(planMsg{s.m.asked, plan, nil})
	s.wants("Claim at least 512 pending entries?", "does it to at least 512 entries")
	s.check()
}

func TestALongSearchCanBeLeft(t *testing.T) {
	s, search := searching(t)
	generation := s.m.asked
	s.send(searchMsg{search, looking{redisq.Looked{Looked: 40_000, Of: 90_000}, time.Second}})
	s.wants("Looking")
	s.press("esc")
	s.lacks("Looking")
	s.send(planMsg{generation, desk.Plan{}, errors.New("canceled")})
	s.lacks("canceled")
	s.send(searchMsg{search, looking{redisq.Looked{Looked: 80_000, Of: 90_000}, 2 * time.Second}})
	s.lacks("Looking")
}
