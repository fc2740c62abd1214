package ui

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/ui/cell"
)

// search is a plan that is being made: what it is about is looked for, which takes a while where there is much.
type search struct {
	deed   desk.Deed
	began  time.Time
	cancel context.CancelFunc
	enough atomic.Bool // the person goes on with what was found so far
	told   newest[looking]
	shown  looking // of the screen
}

// looking is how far a search is.
type looking struct {
	at  redisq.Looked
	ran time.Duration // since it began
}

// searchMsg brings news of a search.
type searchMsg struct {
	of   *search
	news looking
}

// wish asks for the plan of what a person wants. extra is said in it besides.
func (m *Model) wish(w desk.Wish, extra ...string) tea.Cmd {
	if !m.mayAct(w.Deed) {
		return nil
	}
	if m.d.good == nil {
		m.complain("nothing was read yet")
		return nil
	}
	m.drop()
	ctx, cancel := context.WithCancel(m.ctx)
	s := &search{deed: w.Deed, began: m.now(), cancel: cancel, told: newNewest[looking]()}
	m.search = s
	actor, generation, q := m.actor, m.asked, m.d.good.Queue
	plan := func() tea.Msg {
		defer cancel()
		defer close(s.told)
		plan, err := actor.Plan(redisq.WithLooking(ctx, s.tell), q, w)
		plan.Effects = append(plan.Effects[:len(plan.Effects):len(plan.Effects)], extra...)
		return planMsg{generation, plan, err}
	}
	return tea.Batch(plan, s.listen())
}

// drop forgets the plan that was asked for and is still to come.
func (m *Model) drop() {
	m.asked++
	if m.search != nil {
		m.search.cancel()
		m.search = nil
	}
}

// tell replaces what the screen has not taken yet. The goroutine that makes the plan calls it; false ends the looking.
func (s *search) tell(l redisq.Looked) bool {
	s.told.tell(looking{l, time.Since(s.began)})
	return !s.enough.Load()
}

func (s *search) listen() tea.Cmd {
	return func() tea.Msg {
		news, ok := <-s.told
		if !ok {
			return nil
		}
		return searchMsg{s, news}
	}
}

// searched shows how far a search is, where it takes a while.
func (m *Model) searched(msg searchMsg) tea.Cmd {
	s := msg.of
	if s != m.search {
		return nil
	}
	s.shown = msg.news
	if m.dialog == nil && s.shown.ran > slow {
		m.dialog = &searchDialog{s}
	}
	return s.listen()
}

// planned shows a plan, unless another was asked for since, or something else was opened.
func (m *Model) planned(msg planMsg) {
	p := msg.plan
	if msg.generation != m.asked {
		return
	}
	m.search = nil
	if _, ok := m.dialog.(*searchDialog); ok {
		m.dialog = nil
	}
	switch {
	case m.dialog != nil:
	case msg.err != nil:
		m.doubt(msg.err)
		m.complain(clean(msg.err.Error()))
	case p.DryRun:
		m.dialog = newTold(p.Title+", a dry run: nothing is changed", dryLines(p))
	case p.Run == nil:
		m.complain(clean(p.Title))
	case p.Count == 0 && len(p.Commands) == 0 && !p.AtLeast:
		m.complain(clean(p.Title) + ": there is nothing to do" + leftAlone(p.Skipped))
	default:
		m.dialog = newPlanDialog(p)
	}
}

// searchDialog is how far a search is.
type searchDialog struct{ *search }

func (*searchDialog) title(*Model) string { return "Looking" }

func (*searchDialog) size(_ *Model, width, _ int) (int, int) { return min(width, 70), 5 }

func (d *searchDialog) lines(m *Model, width, _ int) []string {
	t, n := m.d.look.theme, &d.shown.at
	share, of := 0.0, ""
	if n.Of > 0 {
		share = min(float64(n.Looked)/float64(n.Of), 1)
		of = " of " + itoa(int(n.Of))
	}
	return []string{
		t.Accent.On(cell.Meter(share, min(width, 60), m.d.look.glyphs)),
		"looked at " + itoa(int(n.Looked)) + of + ", found " + many(int64(n.Found), countedIn(d.deed)),
		"",
		t.Dim.On(keyOf(m.keys.Open, "enter") + " goes on with at least those"),
		t.Dim.On(keyOf(m.keys.Back, "esc") + " leaves everything as it is"),
	}
}

func (d *searchDialog) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	if key.Matches(k, m.keys.Open) {
		d.enough.Store(true)
	}
	return nil, false
}

// closed ends the looking; nothing was changed.
func (*searchDialog) closed(m *Model) { m.drop() }

func (*searchDialog) help(k KeyMap) []key.Binding {
	return []key.Binding{says(k.Open, "enough"), says(k.Back, "leave it")}
}
