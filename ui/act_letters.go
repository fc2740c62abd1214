package ui

import (
	"math"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// letterIDs are the ids of letters, oldest first: what goes back to work keeps its order.
func letterIDs(letters []redisq.DeadLetter) []string {
	ids := make([]string, len(letters))
	for i := range letters {
		ids[i] = letters[i].ID
	}
	slices.SortFunc(ids, func(a, b string) int {
		order, _ := redisq.CompareIDs(a, b)
		return order
	})
	return ids
}

// lettersText is "letter 1-0", "3 marked letters".
func lettersText(letters []redisq.DeadLetter, marked bool) string {
	switch {
	case marked:
		return strings.Replace(many(int64(len(letters)), "letter"), " ", " marked ", 1)
	case len(letters) == 1:
		return "letter " + clean(letters[0].ID)
	}
	return many(int64(len(letters)), "letter")
}

// letterAim is the letters that an item of the menu is about.
type letterAim struct {
	what  string              // "letter 1-0", "3 marked letters", "all dead letters"
	named []redisq.DeadLetter // nil: not just these
	of    redisq.LetterChoice // the same for a plan
	line  string              // what the item begins with, "" is nothing
	extra []string            // what the plan says besides
}

// lettersNamed is about these letters.
func lettersNamed(t target) letterAim {
	return letterAim{
		what: lettersText(t.letters, t.marked), named: t.letters, of: redisq.LetterChoice{IDs: letterIDs(t.letters)},
		extra: lost(t.gone, "letter"),
	}
}

// lettersThat is about all letters for which a filter is, read or not.
func lettersThat(l *letterMatch) letterAim {
	return letterAim{
		what: allMatching, of: redisq.LetterChoice{Only: l.only}, line: every("dead letter", l.text),
		extra: []string{"chosen are those " + l.text},
	}
}

// letterItems is what can be done to dead letters: those selected, those that a filter is for, else all.
func (m *Model) letterItems(t target) []actItem {
	var items []actItem
	none := ""
	if n := m.d.good.Dead.Length; n.Known && n.Value == 0 {
		none = "there are no dead letters"
	}
	each := func(l letterAim) {
		items = append(items, actItem{deed: desk.Replay, name: "replay " + l.what, line: l.line + "back to work, with options: dry run, rate, keep, force, another stream, one group only", off: none, do: func(m *Model) tea.Cmd {
			m.dialog = m.replayForm(l)
			return nil
		}})
		if len(l.named) > 0 {
			items = append(items, m.editItem(l.named))
		}
		items = append(items,
			actItem{deed: desk.Discard, name: "discard " + l.what, line: l.line + "delete and not put back to work; " + keyOf(m.keys.Undo, "u") + " brings back, until you quit", off: none, do: func(m *Model) tea.Cmd {
				return m.wish(desk.Wish{Deed: desk.Discard, Letters: l.of}, l.extra...)
			}},
			actItem{deed: desk.Move, name: "move " + l.what, line: l.line + "to another stream, metadata and all", off: none, do: func(m *Model) tea.Cmd {
				m.dialog = moveForm(l)
				return nil
			}})
	}
	all := letterAim{what: "all dead letters"}
	switch {
	case len(t.letters) > 0:
		each(lettersNamed(t))
	case t.reasons != nil:
		each(lettersThat(t.reasons))
	}
	switch {
	case t.lettersMatching != nil:
		each(lettersThat(t.lettersMatching))
	case len(t.letters) > 0 && m.d.good.Dead.Length.Known && m.d.good.Dead.Length.Value <= int64(len(t.letters)): // these are all
	default:
		each(all)
	}
	return append(items, actItem{deed: desk.BringBack, name: "bring discarded letters back", line: "all that were discarded since the program began; also " + keyOf(m.keys.Undo, "u"), do: func(m *Model) tea.Cmd {
		return m.wish(desk.Wish{Deed: desk.BringBack})
	}})
}

func (m *Model) editItem(letters []redisq.DeadLetter) actItem {
	if len(letters) == 1 {
		return actItem{deed: desk.Replay, name: "edit it, then replay", line: "its fields as JSON in $EDITOR; a file left as it was is no edit", off: m.noEditor(), do: func(m *Model) tea.Cmd {
			return m.edit(letters)
		}}
	}
	return actItem{deed: desk.Replay, name: "edit them, then replay", line: "all in one file of JSON in $EDITOR; one that is taken out of it is not replayed", off: m.noEditor(), do: func(m *Model) tea.Cmd {
		return m.edit(letters)
	}}
}

func moveForm(l letterAim) *formDialog {
	return &formDialog{
		head: "Move " + l.what, do: "shows what would be done",
		fields: []formField{textField("to the stream", "", "its key; on a Cluster one in the same slot")},
		submit: func(m *Model, f *formDialog) (tea.Cmd, error) {
			to := f.fields[0].in.text()
			if to == "" {
				return nil, errNoName
			}
			m.dialog = nil
			return m.wish(desk.Wish{Deed: desk.Move, Letters: l.of, To: to}, l.extra...), nil
		},
	}
}

// replay puts the marked dead letters back to work, or the one under the cursor.
func (m *Model) replay() tea.Cmd {
	t, ok := m.lettersAimed()
	if !ok {
		return nil
	}
	if t.reasons != nil {
		l := lettersThat(t.reasons)
		return m.wish(desk.Wish{Deed: desk.Replay, Replay: redisq.ReplayOptions{Only: l.of.Only}}, l.extra...)
	}
	o := redisq.ReplayOptions{IDs: letterIDs(t.letters)}
	if !t.marked && len(t.letters) == 1 {
		o.MaxReplays = math.MaxInt64 // whoever chooses a letter has seen how often it came back
	}
	return m.wish(desk.Wish{Deed: desk.Replay, Replay: o}, lost(t.gone, "letter")...)
}

// lettersAimed is the dead letters that a key is about: those of the pane with the focus, else of the overview's.
func (m *Model) lettersAimed() (target, bool) {
	if !m.mayAct(desk.Replay) {
		return target{}, false
	}
	if m.view == 0 && m.detail == nil && m.focus != m.dead {
		t, l := m.dead.(aimer).aim(m.d), m.dead.(leaver)
		if left := m.leftByItself(l); left != "" && !t.marked {
			m.complain("the dead letter " + clean(left) + " left meanwhile: nothing was done")
			return t, false
		}
		if len(t.letters) == 0 {
			m.complain("there is no dead letter to replay")
		}
		return t, len(t.letters) > 0
	}
	t, ok := m.aimed()
	switch {
	case !ok:
		return t, false
	case len(t.letters) > 0 || t.reasons != nil:
		return t, true
	case m.view > 0 && m.views[m.view-1].Name() != m.dead.Name() || m.detail != nil:
		m.complain("no dead letter is selected here: choose one in the view of dead letters")
	default:
		m.complain("there is no dead letter to replay")
	}
	return t, false
}

// replayAll puts all dead letters back to work, or those that a filter shows.
func (m *Model) replayAll() tea.Cmd {
	if !m.mayAct(desk.Replay) {
		return nil
	}
	if m.d.good == nil || m.d.good.Dead.Length.Known && m.d.good.Dead.Length.Value == 0 {
		m.complain("there is no dead letter to replay")
		return nil
	}
	if a, ok := m.focused().(aimer); ok {
		if t := a.aim(m.d); t.lettersMatching != nil {
			l := lettersThat(t.lettersMatching)
			return m.wish(desk.Wish{Deed: desk.Replay, Replay: redisq.ReplayOptions{Only: l.of.Only}}, l.extra...)
		}
	}
	return m.wish(desk.Wish{Deed: desk.Replay})
}
