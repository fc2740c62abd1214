package ui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

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

// allMatching is what the menu calls all that the filters are for.
const allMatching = "all that match"

// every says what those are: not only what is on the screen.
func every(what, text string) string { return "every " + what + " " + text + ", read or not: " }

// entryItems is what can be done to pending entries.
func (m *Model) entryItems(t target) []actItem {
	var items []actItem
	each := func(what, line string, of redisq.PendingChoice, extra []string) {
		matching := line != ""
		items = append(items,
			m.claimItem("claim "+what, line+"hand it to another consumer; its idle time begins again", of, extra),
			actItem{deed: desk.Ack, name: "acknowledge " + what, line: line + "it counts as done: nobody will do this work", do: func(m *Model) tea.Cmd {
				return m.wish(desk.Wish{Deed: desk.Ack, Pending: of}, append([]string{"nobody will do this work"}, extra...)...)
			}},
			actItem{deed: desk.Bury, name: "dead-letter " + what, line: line + "to the dead letters with a reason: it counts as done, and can be replayed", do: func(m *Model) tea.Cmd {
				m.dialog = buryForm("Dead-letter "+what, "by hand", of, extra)
				return nil
			}})
		if matching && m.d.whyNot(desk.Release) != "" {
			return // it was said once already
		}
		items = append(items, actItem{deed: desk.Release, name: "release " + what, line: line + "nobody holds it then, and any consumer may claim it at once (XNACK)", do: func(m *Model) tea.Cmd {
			m.dialog = releaseForm("Release "+what, of, extra)
			return nil
		}})
	}
	if len(t.rows) > 0 {
		each(rowsText(t.rows, t.marked), "", redisq.PendingChoice{Rows: t.rows}, lost(t.gone, "entry"))
	}
	if t.matching != nil {
		each(allMatching, every("pending entry", t.matching.text), t.matching.choice, []string{"chosen are those " + t.matching.text})
	}
	if lease := m.d.lease(); lease > 0 {
		items = append(items, m.claimItem("claim all past the lease", "every entry of the group that is idle for "+durText(lease)+" or longer, to one consumer",
			redisq.PendingChoice{Idle: lease}, nil))
	}
	return append(items, actItem{deed: desk.AckGhosts, name: "acknowledge the ghosts", line: "pending entries whose body is gone: nobody can do their work", do: func(m *Model) tea.Cmd {
		return m.wish(desk.Wish{Deed: desk.AckGhosts})
	}})
}

// claimItem asks which consumer gets the entries.
func (m *Model) claimItem(name, line string, of redisq.PendingChoice, extra []string) actItem {
	return actItem{deed: desk.Claim, name: name, line: line, do: func(m *Model) tea.Cmd {
		m.dialog = newPick(m, upper(name)+": which consumer gets it?", onlyOwner(of), true, func(m *Model, to string, count bool) tea.Cmd {
			return m.wish(desk.Wish{Deed: desk.Claim, Pending: of, To: to, Count: count}, extra...)
		})
		return nil
	}}
}

// upper makes the first letter of one of our own texts a capital.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// onlyOwner is who holds all of the entries, "" where they may be several.
func onlyOwner(of redisq.PendingChoice) string {
	if len(of.Consumers) == 1 {
		return of.Consumers[0]
	}
	rows := of.Rows
	if len(rows) == 0 || slices.ContainsFunc(rows, func(r redisq.PendingEntry) bool { return r.Consumer != rows[0].Consumer }) {
		return ""
	}
	return rows[0].Consumer
}

func releaseForm(head string, of redisq.PendingChoice, extra []string) *formDialog {
	return &formDialog{
		head: head, do: "shows what would be done",
		fields: []formField{choiceField("deliveries", "as they are (FAIL), counted down by one (SILENT), or the largest number, which marks it as poison (FATAL)",
			string(redisq.ReleaseFail), string(redisq.ReleaseSilent), string(redisq.ReleaseFatal))},
		submit: func(m *Model, f *formDialog) (tea.Cmd, error) {
			m.dialog = nil
			mode := redisq.ReleaseMode(f.fields[0].choices[f.fields[0].chosen])
			return m.wish(desk.Wish{Deed: desk.Release, Pending: of, Mode: mode}, extra...), nil
		},
	}
}

// buryForm asks for the reason that the letters get.
func buryForm(head, reason string, of redisq.PendingChoice, extra []string) *formDialog {
	return &formDialog{
		head: head, do: "shows what would be done",
		fields: []formField{textField("reason", reason, "stands in the letters, and is what they are put together by")},
		submit: func(m *Model, f *formDialog) (tea.Cmd, error) {
			m.dialog = nil
			return m.wish(desk.Wish{Deed: desk.Bury, Pending: of, Reason: f.fields[0].in.text()}, extra...), nil
		},
	}
}

// consumerItems is what can be done to a consumer, or to those that a row stands for.
func (m *Model) consumerItems(t target) []actItem {
	if n := len(t.consumers); n > 0 {
		names := t.consumers
		return []actItem{{deed: desk.RemoveIdle, name: "remove " + many(int64(n), "consumer"), line: "those of this row, which hold nothing; one that holds something by then stays", do: func(m *Model) tea.Cmd {
			return m.wish(desk.Wish{Deed: desk.RemoveIdle, Consumers: names})
		}}}
	}
	if t.consumer == "" {
		return nil
	}
	name, holds := t.consumer, t.holds
	var items []actItem
	line := "it holds nothing; while its worker runs, its next read makes it again"
	if holds > 0 {
		of := redisq.PendingChoice{Consumers: []string{name}}
		items = append(items, m.claimItem("claim all that "+clean(name)+" holds", "for another consumer, whatever the idle time", of, nil))
		if lease := m.d.lease(); lease > 0 {
			of.Idle = lease
			items = append(items, m.claimItem("claim what "+clean(name)+" holds past the lease", "what is idle for "+durText(lease)+" or longer", of, nil))
		}
		line = "first what it holds (" + many(holds, "entry") + ") goes to a consumer of your choice; without that it would be lost"
	}
	return append(items, actItem{deed: desk.RemoveConsumer, name: "remove the consumer " + clean(name), line: line, do: func(m *Model) tea.Cmd {
		if holds == 0 {
			return m.wish(desk.Wish{Deed: desk.RemoveConsumer, Consumer: name})
		}
		m.dialog = newPick(m, "Who gets what "+clean(name)+" holds?", name, false, func(m *Model, to string, _ bool) tea.Cmd {
			return m.wish(desk.Wish{Deed: desk.RemoveConsumer, Consumer: name, To: to})
		})
		return nil
	}})
}
