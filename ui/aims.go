package ui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"example.com/unacked/redisq"
)

// aim is what an action on the pending entries is about.
func (p *pendingPane) aim(d *data) target {
	var t target
	at, gone := p.list.marked()
	t.gone, t.marked = gone, len(at)+gone > 0
	if row, ok := p.list.at(); ok && !t.marked {
		at = []int{row}
	}
	for _, row := range at {
		t.rows = append(t.rows, p.rows[row])
	}
	t.matching = p.matching(d)
	return t
}

func (p *pendingPane) unmark() { p.list.marks = nil }

// aim is what an action on the dead letters is about. A row of the same reason stands for all letters of that reason,
// also those that were not read.
func (p *deadPane) aim(d *data) target {
	var t target
	at, gone := p.list.marked()
	t.gone, t.marked = gone, len(at)+gone > 0
	if row, ok := p.list.at(); ok && !t.marked {
		at = []int{row}
	}
	if p.groups != nil && len(at) > 0 && d.good != nil && (d.good.Dead.More || d.letters != nil) {
		t.reasons = p.reasons(at)
	} else {
		for _, row := range at {
			t.letters = append(t.letters, p.lettersOf(row)...)
		}
	}
	t.lettersMatching = p.matching(d)
	return t
}

func (p *deadPane) unmark() { p.list.marks = nil }

func (p *consumersPane) aim(*data) target {
	row, ok := p.list.at()
	if !ok || !p.rows[row].listed {
		return target{}
	}
	return target{consumer: p.rows[row].name, holds: p.rows[row].consumer.Pending}
}

func (p *membersPane) aim(d *data) target {
	row, ok := p.list.at()
	switch {
	case !ok:
		return target{}
	case p.rows[row].prefix != "":
		return target{consumers: p.standFor(d, p.rows[row].prefix)}
	}
	return target{consumer: p.rows[row].Name, holds: p.rows[row].Pending}
}

// standFor are the consumers that a row stands for: none of them holds anything.
func (p *membersPane) standFor(d *data, prefix string) (names []string) {
	all, _ := members(d)
	for i := range all {
		if all[i].rank() == 0 && strings.HasPrefix(all[i].Name, prefix) {
			names = append(names, all[i].Name)
		}
	}
	return names
}

// aim is the message that is opened, while it is there.
func (v *detail) aim(*data) target {
	switch {
	case !v.seen || !v.leftAt.IsZero():
		return target{}
	case v.kind == detailDead:
		return target{letters: []redisq.DeadLetter{v.letter}}
	}
	return target{rows: []redisq.PendingEntry{v.pending}}
}

// aim is the finding under the cursor, with its consumer.
func (p *doctorPane) aim(d *data) target {
	var t target
	row, ok := p.list.at()
	if !ok || d.good == nil {
		return t
	}
	f := p.rows[row]
	t.finding = &f
	if !d.ours(&f) {
		return t
	}
	for i := range d.good.Group.Consumers {
		if c := &d.good.Group.Consumers[i]; f.Consumer != "" && c.Name == f.Consumer {
			t.consumer, t.holds = c.Name, c.Pending
		}
	}
	return t
}

// actHelp is the keys of actions for the key bar: none where nothing may be changed.
func actHelp(d *data, keys ...key.Binding) []key.Binding {
	if d.permits.readOnly {
		return nil
	}
	return keys
}
