package ui

import (
	"errors"
	"math"
	"slices"
	"strconv"
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

// lettersText is "letter 1-0", "3 marked letters", "all letters".
func lettersText(letters []redisq.DeadLetter, marked bool) string {
	switch {
	case len(letters) == 0:
		return "all dead letters"
	case marked:
		return strings.Replace(many(int64(len(letters)), "letter"), " ", " marked ", 1)
	case len(letters) == 1:
		return "letter " + clean(letters[0].ID)
	}
	return many(int64(len(letters)), "letter")
}

func (m *Model) letterItems(t target) []actItem {
	var items []actItem
	none := ""
	if n := m.d.good.Dead.Length; n.Known && n.Value == 0 {
		none = "there are no dead letters"
	}
	extra := lost(t.gone, "letter")
	each := func(letters []redisq.DeadLetter, what string) {
		ids := letterIDs(letters)
		if len(letters) == 0 {
			ids = nil
		}
		items = append(items, actItem{deed: desk.Replay, name: "replay " + what, line: "back to work, with options: dry run, rate, keep, force, another stream, one group only", off: none, do: func(m *Model) tea.Cmd {
			m.dialog = m.replayForm(letters, what, extra)
			return nil
		}})
		if len(letters) == 1 {
			letter := letters[0]
			items = append(items, actItem{deed: desk.Replay, name: "edit it, then replay", line: "its fields as JSON in $EDITOR; a file left as it was is no edit", off: m.noEditor(), do: func(m *Model) tea.Cmd {
				return m.edit(letter)
			}})
		}
		items = append(items,
			actItem{deed: desk.Discard, name: "discard " + what, line: "delete and not put back to work; " + keyOf(m.keys.Undo, "u") + " brings back, until you quit", off: none, do: func(m *Model) tea.Cmd {
				return m.wish(desk.Wish{Deed: desk.Discard, Letters: ids}, extra...)
			}},
			actItem{deed: desk.Move, name: "move " + what, line: "to another stream, metadata and all", off: none, do: func(m *Model) tea.Cmd {
				m.dialog = moveForm(ids, what, extra)
				return nil
			}})
	}
	if len(t.letters) > 0 {
		each(t.letters, lettersText(t.letters, t.marked))
		if len(t.listed) > 0 && len(t.listed) != len(t.letters) {
			what := "all " + itoa(len(t.listed)) + " shown"
			letters := t.listed
			items = append(items, actItem{deed: desk.Replay, name: "replay " + what, line: "those that the filter shows, with options", do: func(m *Model) tea.Cmd {
				m.dialog = m.replayForm(letters, what, nil)
				return nil
			}})
		}
	}
	if len(t.letters) == 0 || len(t.letters) > 0 && len(t.listed) == 0 {
		if len(t.letters) > 0 {
			items = append(items, actItem{deed: desk.Replay, name: "replay all dead letters", line: "all that are there now, with options", do: func(m *Model) tea.Cmd {
				m.dialog = m.replayForm(nil, "all dead letters", nil)
				return nil
			}})
		} else {
			each(nil, "all dead letters")
		}
	}
	return append(items, actItem{deed: desk.BringBack, name: "bring discarded letters back", line: "all that were discarded since the program began; also " + keyOf(m.keys.Undo, "u"), do: func(m *Model) tea.Cmd {
		return m.wish(desk.Wish{Deed: desk.BringBack})
	}})
}

func moveForm(ids []string, what string, extra []string) *formDialog {
	return &formDialog{
		head: "Move " + what, do: "shows what would be done",
		fields: []formField{textField("to the stream", "", "its key; on a Cluster one in the same slot")},
		submit: func(m *Model, f *formDialog) (tea.Cmd, error) {
			to := f.fields[0].in.text()
			if to == "" {
				return nil, errNoName
			}
			m.dialog = nil
			return m.wish(desk.Wish{Deed: desk.Move, Letters: ids, To: to}, extra...), nil
		},
	}
}

// The fields of the replay form.
const (
	repDry = iota
	repRate
	repLimit
	repKeep
	repForce
	repTo
	repGroup
	repLeading
	repNames
	repOriginal
)

// replayForm asks how letters are put back; none are all.
func (m *Model) replayForm(letters []redisq.DeadLetter, what string, extra []string) *formDialog {
	f := &formDialog{
		head: "Replay " + what, do: "shows what would be done",
		fields: []formField{
			repDry:   switchField("dry run", "look at every letter and say what would be done, change nothing"),
			repRate:  textField("letters a second", "", "at most so many; empty is as fast as the server answers"),
			repLimit: textField("at most", "", "put back so many letters and stop; empty is no limit"),
			repKeep:  switchField("keep the letters", "each stays, marked, so that it is not replayed again unforced"),
			repForce: switchField("force", "also those that were replayed "+itoa(redisq.DefaultMaxReplays)+" times and came back, or were replayed and kept"),
			repTo:    textField("to another stream", "", "its key; empty is the stream that they came from"),
			repGroup: textField("to one group only", "", "the original entry becomes pending again for that group alone, where it still exists; empty is every group"),
		},
	}
	if first, ok := foreignAmong(m.d, letters); ok {
		f.intro = []string{"Written by another tool among them: " + fieldsText(first.Fields)}
		f.fields = append(
			f.fields,
			textField("metadata: first fields", "0", "of letters by other tools: so many leading fields are metadata and stay behind; 0 puts all back"),
			textField("metadata: by name", "", "of letters by other tools: fields of these names stay behind too, names divided by commas"),
			textField("original id in", "", "of letters by other tools: the field that holds the id of the original entry, so that replays are counted"),
		)
	}
	f.submit = func(m *Model, f *formDialog) (tea.Cmd, error) {
		o, err := f.replayOptions()
		if err != nil {
			return nil, err
		}
		if len(letters) > 0 {
			o.IDs = letterIDs(letters)
		}
		q := m.d.good.Queue
		if err := o.Check(q); err != nil {
			var e *redisq.Error
			if errors.As(err, &e) {
				err = e.Err
			}
			return nil, err
		}
		m.dialog = nil
		return m.wish(desk.Wish{Deed: desk.Replay, Replay: o, DryRun: f.fields[repDry].on()}, extra...), nil
	}
	return f
}

// foreignAmong finds a letter by another tool among those, or among all that were read.
func foreignAmong(d *data, letters []redisq.DeadLetter) (redisq.DeadLetter, bool) {
	if len(letters) == 0 && d.good != nil {
		letters = d.good.Dead.Rows
	}
	for i := range letters {
		if letters[i].Foreign {
			return letters[i], true
		}
	}
	return redisq.DeadLetter{}, false
}

// replayOptions reads the form.
func (f *formDialog) replayOptions() (o redisq.ReplayOptions, err error) {
	text := func(i int) string { return strings.TrimSpace(f.fields[i].in.text()) }
	wrong := func(at int, what string) (redisq.ReplayOptions, error) {
		f.at = at
		return o, errors.New(f.fields[at].label + ": " + what)
	}
	if s := text(repRate); s != "" {
		if o.Rate, err = strconv.ParseFloat(s, 64); err != nil || !(o.Rate > 0) || math.IsInf(o.Rate, 0) {
			return wrong(repRate, "a number above 0, like 5 or 0.5")
		}
	}
	if s := text(repLimit); s != "" {
		if o.Limit, err = strconv.Atoi(s); err != nil || o.Limit < 1 {
			return wrong(repLimit, "1 or more")
		}
	}
	o.Keep, o.Force = f.fields[repKeep].on(), f.fields[repForce].on()
	o.To, o.Group = f.fields[repTo].in.text(), f.fields[repGroup].in.text()
	if len(f.fields) <= repLeading {
		return o, nil
	}
	if s := text(repLeading); s != "" {
		if o.Foreign.Leading, err = strconv.Atoi(s); err != nil || o.Foreign.Leading < 0 {
			return wrong(repLeading, "0 or more")
		}
	}
	if s := f.fields[repNames].in.text(); s != "" {
		o.Foreign.Names = strings.Split(s, ",")
	}
	o.Foreign.Original = f.fields[repOriginal].in.text()
	return o, nil
}

// replay puts the marked dead letters back to work, or the one under the cursor.
func (m *Model) replay() tea.Cmd {
	t, ok := m.lettersAimed()
	if !ok {
		return nil
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
	case len(t.letters) > 0:
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
	o := redisq.ReplayOptions{}
	if a, ok := m.focused().(aimer); ok {
		if t := a.aim(m.d); len(t.listed) > 0 {
			o.IDs = letterIDs(t.listed)
		}
	}
	return m.wish(desk.Wish{Deed: desk.Replay, Replay: o})
}
