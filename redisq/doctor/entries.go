package doctor

import (
	"slices"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// shownCommands is how many entries a remedy spells out where each needs a command of its own.
const shownCommands = 3

// poison finds entries that were delivered too often.
func (g *group) poison() {
	if g.t.MaxDeliveries <= 0 {
		return
	}
	var rows []redisq.PendingEntry
	var most int64
	for _, r := range g.looked() {
		if r.Deliveries >= g.t.MaxDeliveries && r.Deliveries != redisq.FatalDeliveries && !r.Gone {
			rows = append(rows, r)
			most = max(most, r.Deliveries)
		}
	}
	if len(rows) == 0 {
		return
	}
	f := g.finding(Poison, Warning)
	f.IDs = ids(rows)
	n := g.bound(len(rows))
	f.Text = counted(n) + " of " + g.name() + " " + verb(n) + " at or over the limit of " + count(g.t.MaxDeliveries, "delivery", "deliveries") +
		": delivered up to " + count(most, "time", "times") + " and never acknowledged. Each goes round again for ever, and may take its worker with it."
	f.Evidence = []Fact{{"entries", n}, {"max_deliveries", most}, {"limit", g.t.MaxDeliveries}, {"consumers", owners(rows)}}
	f.Remedies = append([]Remedy{{Text: "Look at one:", Commands: [][]string{{"XRANGE", g.key(), f.IDs[0], f.IDs[0]}}}},
		g.bury(rows, redisq.PendingChoice{Deliveries: g.t.MaxDeliveries, Idle: g.t.Lease}, "delivered too often")...)
	g.add(f)
}

// bury is the remedy that moves entries to the dead letters, for the first of them in full; of is all of them. What is
// within the lease may be in a worker's hand for the last time: it is not taken from it.
func (g *group) bury(rows []redisq.PendingEntry, of redisq.PendingChoice, reason string) []Remedy {
	dead := g.DeadLetter
	if dead == "" {
		dead = redisq.DeadLetterKey(g.key())
	}
	q := redisq.Queue{Stream: g.key(), Group: g.name(), DeadLetter: dead}
	var commands [][]string
	for _, r := range rows {
		if len(commands) == 2*shownCommands {
			break
		}
		if move, ok := redisq.DeadLetterCommands(q, r, reason, g.At); ok {
			commands = append(commands, move...)
		}
	}
	if len(commands) == 0 {
		return nil
	}
	text := "Move it to the dead letters, XADD first and XACK only when that went well:"
	if len(rows) > 1 {
		text = "Move them to the dead letters, XADD first and XACK only when that went well:"
		if n := len(commands) / 2; n < len(rows) {
			text = "Move them to the dead letters, each like the " + number(int64(n)) + " here, XADD first and XACK only when that went well:"
		}
	}
	return []Remedy{{Text: text, Commands: commands, Wish: desk.Wish{Deed: desk.Bury, Pending: of, Reason: reason}}}
}

// owners are the consumers that hold the rows, five at most.
func owners(rows []redisq.PendingEntry) []string {
	all := []string{}
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen[r.Consumer] && len(all) < 5 {
			seen[r.Consumer] = true
			all = append(all, r.Consumer)
		}
	}
	return all
}

// ghosts finds pending entries whose body is gone.
func (g *group) ghosts() {
	if !g.Ghosts.Known || g.Ghosts.Value == 0 {
		return
	}
	var rows []redisq.PendingEntry
	for _, r := range g.looked() {
		if r.Gone {
			rows = append(rows, r)
		}
	}
	f := g.finding(GhostEntries, Warning)
	f.IDs = ids(rows)
	f.Text = counted(g.Ghosts) + " of " + g.name() + " " + verb(g.Ghosts) + " pending without a body, which was deleted or trimmed before it was acknowledged. " +
		"That work cannot be done any more; clients get an empty message for such an entry, and XCLAIM and XAUTOCLAIM (7.0) drop it without a word."
	f.Evidence = []Fact{{"ghosts", g.Ghosts}, {"pending", g.Pending}, {"first_id", g.Stream.FirstID}, {"consumers", owners(rows)}}
	if len(f.IDs) > 0 {
		f.Remedies = []Remedy{{
			Text:     "Write the ids down (they are what was lost), then acknowledge the ghosts; nothing else is touched:",
			Commands: [][]string{append([]string{"XACK", g.key(), g.name()}, f.IDs...)},
			Wish:     desk.Wish{Deed: desk.AckGhosts},
		}}
	}
	g.add(f)
}

// released finds entries that nobody holds (XNACK, Redis 8.8).
func (g *group) released() {
	var rows, fatal, ready []redisq.PendingEntry
	for _, r := range g.looked() {
		if r.Consumer != "" && r.Idle >= 0 {
			continue
		}
		rows = append(rows, r)
		if r.Deliveries == redisq.FatalDeliveries {
			fatal = append(fatal, r)
		} else {
			ready = append(ready, r)
		}
	}
	if len(rows) == 0 {
		return
	}
	f := g.finding(ReleasedEntries, Info)
	f.IDs = ids(rows)
	n := g.bound(len(rows))
	f.Text = counted(n) + " of " + g.name() + " " + verb(n) + " pending under nobody: a worker gave them back (XNACK). They are ready to be claimed at once"
	f.Evidence = []Fact{{"entries", n}, {"fatal", int64(len(fatal))}}
	if len(ready) > 0 {
		to := g.rescuer(g.holders(), "")
		f.Remedies = []Remedy{{
			Text:     "Have them claimed by a consumer that works:",
			Commands: [][]string{append([]string{"XCLAIM", g.key(), g.name(), to, "0"}, ids(ready)...)},
			Wish:     desk.Wish{Deed: desk.Claim, Pending: redisq.PendingChoice{Rows: ready}},
		}}
	}
	if marked := int64(len(fatal)); marked > 0 {
		f.Severity = Warning
		f.Text += "; " + number(marked) + " of them " + were(marked) + " marked fatal, and are not to be tried again"
		f.Remedies = append(g.bury(fatal, redisq.PendingChoice{Deliveries: redisq.FatalDeliveries}, "marked fatal (XNACK FATAL)"), f.Remedies...)
	}
	f.Text += "."
	g.add(f)
}

// deadLetters says what was given up.
func (s *stream) deadLetters() {
	n := s.Dead.Length
	if !n.Known || n.Value == 0 {
		return
	}
	f := Finding{Code: DeadLetters, Severity: Warning, Stream: s.Name, Group: s.Wanted}
	f.Text = count(n.Value, "dead letter waits", "dead letters wait") + " in " + s.DeadLetter
	grew := int64(0)
	if first := s.all[0].Dead.Length; first.Known && s.all[0].DeadLetter == s.DeadLetter {
		grew = n.Value - first.Value
	}
	if grew > 0 {
		f.Text += ", " + number(grew) + " of them new in the last " + span(s.At.Sub(s.all[0].At))
	}
	newest, replayed, reason := "", int64(0), ""
	var own []string
	for _, letter := range s.Dead.Rows {
		f.IDs = append(f.IDs, letter.ID)
		newest, reason = letter.ID, letter.Reason
		if letter.Replays > 0 {
			replayed++
		}
		large := slices.ContainsFunc(letter.Fields, func(f redisq.Field) bool { return len(f.Name) > 1000 || len(f.Value) > 1000 })
		if !letter.Foreign && letter.Stream == s.Name && !large {
			own = append(own, letter.ID)
		}
	}
	if reason != "" {
		f.Text += "; the newest: " + reason
	}
	if replayed > 0 {
		f.Text += ". " + number(replayed) + " of the newest " + were(replayed) + " replayed before and came back: the cause is not mended"
	}
	f.Text += "."
	f.Evidence = []Fact{
		{"key", s.DeadLetter}, {"dead_letters", n}, {"grew_by", grew}, {"newest_id", newest}, {"newest_reason", reason}, {"replayed", replayed},
	}
	f.Remedies = []Remedy{{Text: "Look at the newest, and mend the cause first:", Commands: [][]string{{"XREVRANGE", s.DeadLetter, "+", "-", "COUNT", "10"}}}}
	f.Remedies = append(f.Remedies, s.replay(own)...)
	s.add(f)
}

// replay is the remedy that puts letters back to work, as the plan has it.
func (s *stream) replay(own []string) []Remedy {
	if len(own) == 0 {
		if !slices.ContainsFunc(s.Dead.Rows, func(l redisq.DeadLetter) bool { return l.Foreign }) {
			return nil
		}
		return []Remedy{{
			Text: "Then put them back to work. Another tool wrote them: all their fields go back, but those that are named as metadata " +
				"(unacked replay --metadata-fields).",
			Wish: desk.Wish{Deed: desk.Replay},
		}}
	}
	shown := own[:min(len(own), shownCommands)]
	group := redisq.NewGroup(nil, redisq.Queue{Stream: s.Name, Group: s.Wanted, DeadLetter: s.DeadLetter})
	plan := group.PlanReplay(s.Snapshot(s.Wanted), shown) // which sends nothing before it is run
	text := "Then put them back to work (unacked replay does it in one step each); as commands"
	if len(shown) < len(own) {
		text += ", for the first " + number(int64(len(shown)))
	}
	return []Remedy{{Text: text + ":", Commands: plan.Commands, Wish: desk.Wish{Deed: desk.Replay}}}
}
