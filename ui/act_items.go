package ui

import (
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// actItems lists what can be done: first to what is selected, then to the whole group.
func (m *Model) actItems(t target) []actItem {
	var items []actItem
	if m.busy != nil {
		b := m.busy
		items = append(items, actItem{name: "stop what runs now", line: clean(b.plan.Title) + ": it stops after what is in hand", do: func(m *Model) tea.Cmd {
			b.cancel()
			m.say("stopping after what is in hand …")
			return nil
		}})
	}
	if t.finding != nil {
		items = append(items, m.remedyItems(t.finding)...)
	}
	rest := []func(target) []actItem{m.entryItems, m.consumerItems, m.letterItems}
	has := []bool{
		len(t.rows) > 0 || t.matching != nil, t.consumer != "" || len(t.consumers) > 0,
		len(t.letters) > 0 || t.reasons != nil || t.lettersMatching != nil,
	}
	for i, of := range rest { // what the pane with the focus is about comes first
		if has[i] {
			items = append(items, of(t)...)
		}
	}
	for i, of := range rest {
		if !has[i] {
			items = append(items, of(target{})...)
		}
	}
	return append(items, m.groupItems()...)
}

// lost is what a plan says of marked ones that are not there any more.
func lost(n int, noun string) []string {
	if n == 0 {
		return nil
	}
	return []string{many(int64(n), "marked "+noun) + " left meanwhile, or " + isAre(int64(n)) + " not among the rows read: nothing is done to " + them(int64(n))}
}

var errNoName = errors.New("a name is needed")

func (m *Model) groupItems() []actItem {
	q := m.d.good.Queue
	create := actItem{deed: desk.CreateGroup, name: "create a group", line: "at the beginning, at the end (skips what is stored), or after an id", do: func(m *Model) tea.Cmd {
		name := ""
		if m.d.good.Group.Missing {
			name = q.Group
		}
		m.dialog = &formDialog{
			head: "Create a group of " + clean(q.Stream), do: "shows what would be done",
			fields: []formField{textField("name", name, "of the new group"), textField("begins at", "0", startHint)},
			submit: func(m *Model, f *formDialog) (tea.Cmd, error) {
				if f.fields[0].in.text() == "" {
					return nil, errNoName
				}
				start, err := startOf(f.fields[1].in.text())
				if err != nil {
					f.at = 1
					return nil, err
				}
				m.dialog = nil
				return m.wish(desk.Wish{Deed: desk.CreateGroup, Group: f.fields[0].in.text(), Start: start}), nil
			},
		}
		return nil
	}}
	trim := actItem{deed: desk.Trim, name: "trim the stream", line: "delete the entries that every group has finished", do: func(m *Model) tea.Cmd {
		return m.wish(desk.Wish{Deed: desk.Trim})
	}}
	if q.Group == "" || m.d.good.Group.Missing {
		return []actItem{create, trim}
	}
	return []actItem{
		create,
		{deed: desk.SetID, name: "rewind the group, or skip", line: "set from where it is given entries: what was done is done again, or what waits is skipped", do: func(m *Model) tea.Cmd {
			m.dialog = &formDialog{
				head: "Set from where " + clean(q.Group) + " reads", do: "shows what would be done",
				fields: []formField{textField("to", "", startHint)},
				submit: func(m *Model, f *formDialog) (tea.Cmd, error) {
					start, err := startOf(f.fields[0].in.text())
					if err != nil {
						return nil, err
					}
					m.dialog = nil
					return m.wish(desk.Wish{Deed: desk.SetID, Start: start}), nil
				},
			}
			return nil
		}},
		{deed: desk.DestroyGroup, name: "destroy the group", line: "with everything that is pending in it: nobody is given that again", do: func(m *Model) tea.Cmd {
			return m.wish(desk.Wish{Deed: desk.DestroyGroup})
		}},
		trim,
	}
}

// startOf reads where a group is to begin.
func startOf(text string) (string, error) {
	start := strings.TrimSpace(text)
	if _, id := redisq.CompareIDs(start, start); !id && start != "$" {
		return "", errors.New("0, $ or an id like 1764365984740-0 is needed")
	}
	return start, nil
}

const startHint = "0 is the beginning, $ is the end (what is stored is skipped), or the id after which it goes on"
