package ui

import (
	"errors"
	"slices"
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
		items = append(items, actItem{name: "stop what runs now", line: clean(b.plan.Title) + ": it stops after the message in hand", do: func(m *Model) tea.Cmd {
			b.cancel()
			m.say("stopping after the message in hand …")
			return nil
		}})
	}
	rest := []func(target) []actItem{m.entryItems, m.consumerItems, m.letterItems}
	has := []bool{len(t.rows) > 0, t.consumer != "", len(t.letters) > 0}
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

// rowsText is "entry 1-0", "3 marked entries".
func rowsText(rows []redisq.PendingEntry, marked bool) string {
	switch {
	case marked:
		return strings.Replace(many(int64(len(rows)), "entry"), " ", " marked ", 1)
	case len(rows) == 1:
		return clean(rows[0].ID)
	}
	return many(int64(len(rows)), "entry")
}

// lost is what a plan says of marked ones that are not there any more.
func lost(n int, noun string) []string {
	if n == 0 {
		return nil
	}
	return []string{many(int64(n), "marked "+noun) + " left meanwhile, or " + isAre(int64(n)) + " not among the rows read: nothing is done to " + them(int64(n))}
}

func (m *Model) entryItems(t target) []actItem {
	var items []actItem
	claim := func(name, line string, take redisq.TakeOptions, extra []string) actItem {
		return actItem{deed: desk.Claim, name: name, line: line, do: func(m *Model) tea.Cmd {
			m.dialog = newPick(m, name+": which consumer gets it?", onlyOwner(take.Rows), true, func(m *Model, to string, count bool) tea.Cmd {
				take.To, take.Count = to, count
				return m.wish(desk.Wish{Deed: desk.Claim, Take: take}, extra...)
			})
			return nil
		}}
	}
	extra := lost(t.gone, "entry")
	if len(t.rows) > 0 {
		what := rowsText(t.rows, t.marked)
		items = append(items, claim("claim "+what, "hand it to another consumer; its idle time begins again", redisq.TakeOptions{Rows: t.rows}, extra))
		if len(t.shown) > 0 && len(t.shown) != len(t.rows) {
			items = append(items, claim("claim all "+itoa(len(t.shown))+" shown", "those that the filter shows", redisq.TakeOptions{Rows: t.shown}, nil))
		}
		rows := t.rows
		items = append(items,
			actItem{deed: desk.Ack, name: "acknowledge " + what, line: "it counts as done: nobody will do this work", do: func(m *Model) tea.Cmd {
				return m.wish(desk.Wish{Deed: desk.Ack, Rows: rows}, append([]string{"nobody will do this work"}, extra...)...)
			}},
			actItem{deed: desk.Release, name: "release " + what, line: "nobody holds it then, and any consumer may claim it at once (XNACK)", do: func(m *Model) tea.Cmd {
				m.dialog = releaseForm(rows, extra)
				return nil
			}})
	}
	if lease := m.d.lease(); lease > 0 {
		items = append(items, claim("claim all past the lease", "every entry of the group that is idle for "+durText(lease)+" or longer, to one consumer",
			redisq.TakeOptions{Lease: lease}, nil))
	}
	return append(items, actItem{deed: desk.AckGhosts, name: "acknowledge the ghosts", line: "pending entries whose body is gone: nobody can do their work", do: func(m *Model) tea.Cmd {
		return m.wish(desk.Wish{Deed: desk.AckGhosts})
	}})
}

// onlyOwner is who holds all of the rows, "" where they are several.
func onlyOwner(rows []redisq.PendingEntry) string {
	if len(rows) == 0 || slices.ContainsFunc(rows, func(r redisq.PendingEntry) bool { return r.Consumer != rows[0].Consumer }) {
		return ""
	}
	return rows[0].Consumer
}

func releaseForm(rows []redisq.PendingEntry, extra []string) *formDialog {
	return &formDialog{
		head: "Release " + many(int64(len(rows)), "entry"), do: "shows what would be done",
		fields: []formField{choiceField("deliveries", "as they are (FAIL), counted down by one (SILENT), or the largest number, which marks it as poison (FATAL)",
			string(redisq.ReleaseFail), string(redisq.ReleaseSilent), string(redisq.ReleaseFatal))},
		submit: func(m *Model, f *formDialog) (tea.Cmd, error) {
			m.dialog = nil
			mode := redisq.ReleaseMode(f.fields[0].choices[f.fields[0].chosen])
			return m.wish(desk.Wish{Deed: desk.Release, Rows: rows, Mode: mode}, extra...), nil
		},
	}
}

func (m *Model) consumerItems(t target) []actItem {
	if t.consumer == "" {
		return nil
	}
	name, holds := t.consumer, t.holds
	line := "it holds nothing; while its worker runs, its next read makes it again"
	if holds > 0 {
		line = "first what it holds (" + many(holds, "entry") + ") goes to a consumer of your choice; without that it would be lost"
	}
	return []actItem{{deed: desk.RemoveConsumer, name: "remove the consumer " + clean(name), line: line, do: func(m *Model) tea.Cmd {
		if holds == 0 {
			return m.wish(desk.Wish{Deed: desk.RemoveConsumer, Consumer: name})
		}
		m.dialog = newPick(m, "Who gets what "+clean(name)+" holds?", name, false, func(m *Model, to string, _ bool) tea.Cmd {
			return m.wish(desk.Wish{Deed: desk.RemoveConsumer, Consumer: name, To: to})
		})
		return nil
	}}}
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
				m.dialog = nil
				return m.wish(desk.Wish{Deed: desk.CreateGroup, Group: f.fields[0].in.text(), Start: strings.TrimSpace(f.fields[1].in.text())}), nil
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
					start := strings.TrimSpace(f.fields[0].in.text())
					if start == "" {
						return nil, errors.New("0, $ or an id is needed")
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

const startHint = "0 is the beginning, $ is the end (what is stored is skipped), or the id after which it goes on"
