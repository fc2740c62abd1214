package ui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/ui/cell"
)

// watchHeader is the left part of the header: what is watched, on which server, and that nothing is written.
func (m *Model) watchHeader(left *parts, room int) {
	d, t := m.d, m.d.look.theme
	var server redisq.ServerInfo
	switch {
	case d.good != nil:
		server = d.good.Server
	case d.watch.streams != nil:
		server = d.watch.streams.Server
	}
	badge, style := "READ-ONLY", t.VerdictGood
	if !d.permits.readOnly {
		badge, style = "WRITE", t.VerdictWarn
	}
	if d.plain {
		badge = "[" + badge + "]"
	} else {
		badge = " " + badge + " "
	}
	left.add(badge, style)
	c := d.watch.chosen
	if !d.watch.browsing && c.Stream != "" {
		queue := "  " + clean(c.Stream)
		if c.Group != "" {
			queue += " " + d.look.glyphs.Into + " " + clean(c.Group)
		}
		left.add(cell.Cut(queue, max(room-left.width, 0)), t.Accent)
	}
	product := "  connecting"
	if server.Product != "" {
		product = "  " + serverText(server)
		if server.Role == "master" {
			product += " master"
		}
		if server.Mode == "cluster" || server.Mode == "sentinel" {
			product += " " + server.Mode
		}
	}
	for _, piece := range []string{product, " at " + clean(d.watch.address)} {
		if left.fits(piece, room) {
			left.add(piece, t.Dim)
		}
	}
}

// watchBindings lists what means something now where streams of others are watched.
func (m *Model) watchBindings(p pane) []key.Binding {
	k := m.keys
	all := p.Help(m.d)
	if m.browsing() {
		if m.d.watch.chosen.Stream != "" {
			all = append(all, k.Back)
		}
		return append(all, k.Pause)
	}
	all = append([]key.Binding{k.Streams}, all...)
	if m.view == 0 && m.detail == nil {
		all = append(all, k.NextPane)
	} else {
		all = append(all, k.Back)
	}
	all = append(all, viewsBinding(k)...)
	return append(all, k.Palette, k.Explain, k.Pause, k.Interval)
}

// watchKeyGroups are the keys of the help without those of the lab.
func watchKeyGroups(k KeyMap) []keyGroup {
	groups := slices.DeleteFunc(keyGroups(k), func(g keyGroup) bool {
		return slices.Contains([]string{"The selected worker", "Load", "Decisions", "Experiments"}, g.name)
	})
	streams := keyGroup{"Streams", []keyLine{
		{keys: []key.Binding{k.Streams}, does: "the list of streams and groups"},
		{keys: []key.Binding{k.Open}, does: "watch the one under the cursor"},
		{keys: []key.Binding{k.Sort}, does: "the worst first, or by name"},
	}}
	return append([]keyGroup{streams}, groups...)
}

// watchConditions are the states of the verdict where streams of others are watched, for the help: how the figures move,
// and what the doctor looks for.
func watchConditions(t doctor.Thresholds) []condition {
	late := "past the lease of " + durText(t.Lease)
	all := []condition{
		{level: levelBad, word: "NO ANSWER", when: "the server did not answer the last reading"},
		{level: levelBad, word: "NOT THERE", when: "the stream or the group is missing, or the key holds something else"},
		{level: levelBad, word: "WENT BACK", when: "ids or counters are lower than before: a stream was replaced, a group set back, or a failover lost some"},
	}
	when := map[doctor.Code]string{
		doctor.NoPermission:    "the user may not send a command that a figure needs",
		doctor.Replica:         "the server is a replica: it can be watched, not changed",
		doctor.TrimmedUnread:   "entries were cut off the stream before the group read them",
		doctor.NoConsumers:     "there is work and nobody reads",
		doctor.StuckConsumer:   "a consumer holds entries " + late + " and takes nothing",
		doctor.NotAcking:       "a consumer takes entries and never acks",
		doctor.Poison:          "an entry has " + many(t.MaxDeliveries, "delivery") + " or more",
		doctor.FallingBehind:   "the backlog grows from reading to reading",
		doctor.GhostEntries:    "pending entries whose body is gone",
		doctor.Holes:           "entries were deleted that the group had not read",
		doctor.ReleasedEntries: "entries were given back by XNACK and wait for a claim",
		doctor.SkippedStart:    "the group was created past stored entries",
		doctor.DeadLetters:     "there are dead letters",
		doctor.LagUnknown:      "the server does not know the lag",
		doctor.LagWrong:        "the server's lag is not what is there",
		doctor.IdleConsumers:   "many consumers hold nothing and have been quiet for long",
		doctor.Unbounded:       "handled entries are never trimmed",
	}
	for _, code := range doctor.Codes() {
		if text := when[code]; text != "" {
			all = append(all, condition{level: levelWarn, word: codeWord(code), when: text})
		}
	}
	return append(
		all,
		condition{level: levelWarn, word: "STALLED", when: "messages wait, and nothing was done in the last 10 s"},
		condition{level: levelGood, word: "DRAINING", when: "backlog of " + some + " or more, and more is done than comes in"},
		condition{level: levelGood, word: "IDLE", when: "nothing waits, nothing comes in"},
		condition{level: levelGood, word: "FLOWING", when: "none of the above"},
	)
}

// conditionsOf are the states of the verdict for the help.
func conditionsOf(d *data) []condition {
	if d.watch == nil {
		return conditions
	}
	return watchConditions(d.watch.thresholds)
}
