package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq/desk"
	"example.com/unacked/redisq/doctor"
)

// ours says that a finding is about the group that is shown: an action goes to that one.
func (d *data) ours(f *doctor.Finding) bool {
	return d.good != nil && (f.Stream == "" || f.Stream == d.good.Queue.Stream) && (f.Group == "" || f.Group == d.good.Queue.Group)
}

// remedyItems are the remedies of a finding: first those that a plan can do, then those that are only to be copied.
func (m *Model) remedyItems(f *doctor.Finding) []actItem {
	var plans, others []actItem
	for _, r := range f.Remedies {
		line := strings.TrimSuffix(cleanLong(r.Text), ":")
		if other, ok := strings.CutPrefix(line, "Or "); ok { // it need not stand behind the one that it is the other to
			line = strings.ToUpper(other[:1]) + other[1:]
		}
		if r.Wish.Deed == "" || !m.d.ours(f) {
			name := "not from here"
			if len(r.Commands) > 0 {
				name = "copy the commands"
			}
			others = append(others, actItem{name: name, line: line, do: func(m *Model) tea.Cmd {
				if len(r.Commands) == 0 {
					m.say(line)
					return nil
				}
				return copied(m.d, commandLines(r.Commands))
			}})
			continue
		}
		plans = append(plans, actItem{deed: r.Wish.Deed, name: remedyName(r.Wish), line: line, do: func(m *Model) tea.Cmd {
			return m.fulfil(r.Wish)
		}})
	}
	return append(plans, others...)
}

// remedyName is a remedy in a few words; the finding says what they are about.
func remedyName(w desk.Wish) string {
	switch w.Deed {
	case desk.Claim:
		return "claim them for a consumer"
	case desk.Ack:
		return "acknowledge them"
	case desk.AckGhosts:
		return "acknowledge the ghosts"
	case desk.Bury:
		return "dead-letter them"
	case desk.RemoveIdle:
		return "remove these consumers"
	case desk.CreateGroup:
		return "create the group at " + w.Start
	case desk.SetID:
		return "set the group to " + w.Start
	case desk.SetCounter:
		return "set the server's counter right"
	case desk.Trim:
		return "trim the stream"
	case desk.Replay:
		return "replay them all"
	}
	return string(w.Deed)
}

// fulfil asks for what is still to be chosen of a wish, then for its plan.
func (m *Model) fulfil(w desk.Wish) tea.Cmd {
	switch {
	case w.Deed == desk.Claim && w.To == "":
		m.dialog = newPick(m, "Which consumer gets them?", onlyOwner(w.Pending), true, func(m *Model, to string, count bool) tea.Cmd {
			w.To, w.Count = to, count
			return m.wish(w)
		})
	case w.Deed == desk.CreateGroup && w.Group == "":
		m.dialog = &formDialog{
			head: "Create the group", do: "shows what would be done",
			fields: []formField{textField("name", "", "as your workers name it")},
			submit: func(m *Model, f *formDialog) (tea.Cmd, error) {
				if w.Group = f.fields[0].in.text(); w.Group == "" {
					return nil, errNoName
				}
				m.dialog = nil
				return m.wish(w), nil
			},
		}
	case w.Deed == desk.Replay:
		if _, foreign := foreignAmong(m.d, nil); !foreign {
			return m.wish(w)
		}
		m.dialog = m.replayForm(letterAim{what: "all dead letters"}) // which of their fields are metadata
	case w.Deed == desk.Bury:
		m.dialog = buryForm("Move them to the dead letters", w.Reason, w.Pending, nil)
	default:
		return m.wish(w)
	}
	return nil
}

// doesIt says behind a remedy that a key does it, or why none does. "" is that nothing here does it.
func (d *data) doesIt(f *doctor.Finding, r doctor.Remedy) string {
	if r.Wish.Deed == "" || !d.ours(f) || d.keyless {
		return ""
	}
	act := keyOf(d.keys.Act, ".")
	switch off := d.whyNot(r.Wish.Deed); {
	case d.permits.readOnly:
		return act + " does it where --write allows it"
	case off != "":
		return "off: " + off
	}
	return act + " does it"
}

// onDoctor says that a pane of the doctor has the focus.
func (m *Model) onDoctor() bool {
	_, ok := m.focused().(*doctorPane)
	return ok
}

// openFinding opens the finding under the cursor: from the overview in the view of the doctor, there what can be done.
func (m *Model) openFinding() tea.Cmd {
	small := m.focused().(*doctorPane)
	if !small.compact {
		return m.askAct()
	}
	for i, p := range m.views {
		if full, ok := p.(*doctorPane); ok {
			full.list.sel, full.touched = small.list.sel, true
			full.Data(m.d)
			return m.show(i + 1)
		}
	}
	return nil
}
