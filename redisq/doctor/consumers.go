package doctor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// mostConsumers is how many consumers of a group get a finding of their own; the rest is said in one.
const mostConsumers = 20

// holder is a consumer that holds entries, as far as it was looked at.
type holder struct {
	redisq.Consumer
	rows []redisq.PendingEntry // with a body, oldest first
	all  bool                  // these are all
	late []redisq.PendingEntry // idle for the lease or longer

	oldest time.Duration
	active bool // it asked for something, or got something, within the lease
	acked  bool // of what it held in the first reading something is gone
	grew   int64
	rises  int // how often it held more than in the reading before
}

// noConsumers finds work that nobody reads.
func (g *group) noConsumers() {
	if !g.Undelivered.Known || g.Undelivered.Value == 0 && !g.Undelivered.AtLeast || !g.Members.Known {
		return
	}
	f := g.finding(NoConsumers, Critical)
	read := [][]string{{"XREADGROUP", "GROUP", g.name(), "worker-1", "COUNT", "10", "BLOCK", "1000", "STREAMS", g.key(), ">"}}
	waits := counted(g.Undelivered) + " wait"
	if g.Undelivered.Value == 1 && !g.Undelivered.AtLeast {
		waits += "s"
	}
	if g.Members.Value == 0 {
		for _, b := range g.before {
			if b.Members.Value > 0 {
				return // one went while we looked: the next reading tells
			}
		}
		f.Text = g.name() + " has no consumer, and " + waits + " to be delivered."
	} else {
		quiet := g.silentFor()
		if quiet < g.t.Lease {
			return
		}
		f.Text = "Nobody reads from " + g.name() + ": " + waits + " to be delivered, and of its " +
			count(g.Members.Value, "consumer", "consumers") + " none has asked for anything in the last " + span(quiet) + "."
	}
	f.Evidence = []Fact{
		{"consumers", g.Members.Value}, {"undelivered", g.Undelivered}, {"pending", g.Pending}, {"last_delivered_id", g.LastDelivered},
	}
	f.Remedies = []Remedy{{
		Text:     "Start the workers, or look why they cannot read. Each of them reads like this (whoever sends it gets the entries, and has to work on them and XACK):",
		Commands: read,
	}}
	g.add(f)
}

// silentFor is for how long no consumer has asked for anything, 0 when that is not known.
func (g *group) silentFor() time.Duration {
	if len(g.Consumers) == 0 {
		return 0
	}
	watched := len(g.before) > 0 && g.watched() >= time.Second
	for _, b := range g.before {
		watched = watched && b.LastDelivered == g.LastDelivered && b.Undelivered.Known && b.Undelivered.Value > 0
	}
	quiet := time.Duration(1<<63 - 1)
	for _, c := range g.Consumers {
		if !c.Idle.Known || !tellsCalls(c) && !watched {
			return 0
		}
		quiet = min(quiet, millis(c.Idle))
	}
	return quiet
}

// consumers finds those that hold entries too long.
func (g *group) consumers() {
	all := g.holders()
	var stuck, leaking []holder
	for _, h := range all {
		switch {
		case !h.active && (len(h.late) > 0 || len(h.rows) == 0 && h.Idle.Known && millis(h.Idle) >= g.t.Lease):
			stuck = append(stuck, h)
		case len(h.late) > 0, h.rises >= 3 && h.grew >= 10 && !h.acked:
			leaking = append(leaking, h)
		}
	}
	for _, h := range stuck[:min(len(stuck), mostConsumers)] {
		g.stuck(h, all)
	}
	if more := stuck[min(len(stuck), mostConsumers):]; len(more) > 0 {
		g.moreStuck(more, all)
	}
	for _, h := range leaking[:min(len(leaking), mostConsumers)] {
		g.notAcking(h, len(leaking))
	}
}

// holders are the consumers that hold entries, those with most first.
func (g *group) holders() []holder {
	known := g.Consumers
	if known == nil { // no right to ask for them: the rows tell who holds something
		counts := map[string]int64{}
		for _, r := range g.looked() {
			if r.Consumer != "" {
				counts[r.Consumer]++
			}
		}
		for name, n := range counts {
			known = append(known, redisq.Consumer{
				Name: name, Pending: n, Idle: redisq.Unknown("not told"), Inactive: redisq.Unknown("not told"),
			})
		}
	}
	past := g.past()
	var all []holder
	for _, c := range known {
		if c.Pending == 0 {
			continue
		}
		h := holder{Consumer: c}
		var rows []redisq.PendingEntry
		rows, h.all = past.now(c.Name)
		newest := time.Duration(-1)
		for _, r := range rows {
			if newest < 0 || r.Idle < newest {
				newest = r.Idle
			}
			if r.Gone {
				continue
			}
			h.rows = append(h.rows, r)
			h.oldest = max(h.oldest, r.Idle)
			if r.Idle >= g.t.Lease {
				h.late = append(h.late, r)
			}
		}
		if len(rows) > 0 && len(h.rows) == 0 {
			continue // ghosts only: they are a finding of their own
		}
		past.compare(&h)
		switch {
		case tellsCalls(c):
			h.active = millis(c.Idle) < g.t.Lease || c.Inactive.Known && millis(c.Inactive) < g.t.Lease
		case c.Idle.Known:
			h.active = millis(c.Idle) < g.t.Lease
		default:
			h.active = newest >= 0 && newest < g.t.Lease
		}
		h.active = h.active || h.rises > 0
		all = append(all, h)
	}
	slices.SortStableFunc(all, func(a, b holder) int { return cmp.Or(cmp.Compare(b.Pending, a.Pending), cmp.Compare(a.Name, b.Name)) })
	return all
}

// lateIDs are the ids of the late entries.
func (h holder) lateIDs() []string { return ids(h.late) }

// holds says how many of its entries are late: "holds 3 entries, 2 of them for longer than the lease of 60 s".
func (h holder) holds(lease time.Duration) string {
	text := "holds " + entries(h.Pending)
	late := int64(len(h.late))
	switch {
	case late == 0 && len(h.rows) == 0:
		text += " past the lease of " + span(lease)
	case late == h.Pending:
		text += " past the lease of " + span(lease) + " (the oldest for " + span(h.oldest) + ")"
	default:
		most := number(late)
		if !h.all {
			most = "at least " + most
		}
		text += ", " + most + " of them past the lease of " + span(lease) + " (the oldest for " + span(h.oldest) + ")"
	}
	return text
}

func (g *group) stuck(h holder, all []holder) {
	f := g.finding(StuckConsumer, Critical)
	f.Consumer, f.IDs = h.Name, h.lateIDs()
	f.Text = h.Name + " " + h.holds(g.t.Lease) + " and takes nothing"
	switch {
	case tellsCalls(h.Consumer):
		f.Text += ": it last asked for something " + span(millis(h.Idle)) + " ago. It is dead, or hangs."
	case h.Idle.Known:
		f.Text += ": it last got something " + span(millis(h.Idle)) + " ago (when it last asked is not told before Redis 7.2). It is dead, hangs, or forgot them."
	default:
		f.Text += ", as far as this server tells. It is dead, hangs, or forgot them."
	}
	f.Evidence = []Fact{
		{"pending", h.Pending},
		{"late", int64(len(h.late))},
		{"oldest_idle_ms", h.oldest.Milliseconds()},
		{"idle_ms", h.Idle},
		{"inactive_ms", h.Inactive},
		{"lease_ms", g.t.Lease.Milliseconds()},
	}
	f.Remedies = []Remedy{{
		Text:     "Start " + h.Name + " again under its name: a worker reads its own history first, and these are in it:",
		Commands: [][]string{{"XREADGROUP", "GROUP", g.name(), h.Name, "COUNT", "10", "STREAMS", g.key(), "0"}},
	}}
	f.Remedies = append(f.Remedies, g.giveAway([]string{h.Name}, h.lateIDs(), !h.all || len(h.late) > mostIDs, g.rescuer(all, h.Name))...)
	g.add(f)
}

// giveAway is the remedies that give entries of consumers to another one. XCLAIM looks at the idle time again, so what
// was touched meanwhile stays where it is.
func (g *group) giveAway(of, ids []string, more bool, to string) []Remedy {
	lease := strconv.FormatInt(g.t.Lease.Milliseconds(), 10)
	who := "Or give them to " + to + ", which is alive; "
	if to == rescue {
		who = "Or give them to a new consumer; "
	}
	var commands [][]string
	if len(ids) > 0 {
		commands = append(commands, append([]string{"XCLAIM", g.key(), g.name(), to, lease}, ids...))
	}
	if more || len(ids) == 0 {
		commands = append(commands, []string{"XAUTOCLAIM", g.key(), g.name(), to, lease, "0-0", "COUNT", "100"})
		who += "XAUTOCLAIM again from the cursor that it returns, until that is 0-0; "
	}
	commands = append(commands, []string{"XREADGROUP", "GROUP", g.name(), to, "COUNT", "10", "STREAMS", g.key(), "0"})
	return []Remedy{{
		Text: who + "it finds them in its own history:", Commands: commands,
		Wish: desk.Wish{Deed: desk.Claim, Pending: redisq.PendingChoice{Consumers: of, Idle: g.t.Lease}},
	}}
}

// rescue is the consumer that remedies name where none is alive.
const rescue = "rescue"

// rescuer is a consumer that is alive, other than the one in trouble: one that works, else one that waits for work.
func (g *group) rescuer(all []holder, not string) string {
	for _, h := range all {
		if h.Name != not && h.active && len(h.late) == 0 {
			return h.Name
		}
	}
	for _, c := range g.Consumers {
		if c.Name != not && c.Pending == 0 && tellsCalls(c) && millis(c.Idle) < g.t.Lease {
			return c.Name
		}
	}
	return rescue
}

func (g *group) moreStuck(more, all []holder) {
	f := g.finding(StuckConsumer, Critical)
	var pending int64
	names := make([]string, 0, len(more))
	for _, h := range more {
		pending += h.Pending
		f.IDs = append(f.IDs, h.lateIDs()...)
		names = append(names, h.Name)
	}
	f.Text = count(int64(len(more)), "more consumer", "more consumers") + " of " + g.name() + " (" + strings.Join(prefixes(names, 3), ", ") +
		") hold " + entries(pending) + " past the lease of " + span(g.t.Lease) + " and take nothing."
	f.Others = names
	f.Evidence = []Fact{{"consumers", int64(len(more))}, {"pending", pending}, {"lease_ms", g.t.Lease.Milliseconds()}}
	f.Remedies = g.giveAway(names, nil, true, g.rescuer(all, ""))
	g.add(f)
}

func (g *group) notAcking(h holder, others int) {
	f := g.finding(NotAcking, Critical)
	f.Consumer, f.IDs = h.Name, h.lateIDs()
	alive := "it is alive"
	if h.Idle.Known {
		alive = "it last did something " + span(millis(h.Idle)) + " ago"
	}
	switch {
	case len(h.late) == 0:
		f.Text = h.Name + " took " + entries(h.grew) + " in " + span(g.watched()) + " and acknowledged none: it holds " + entries(h.Pending) +
			". Its XACK is missing, or fails."
		f.IDs = ids(h.rows)
	case len(g.before) > 0 && h.acked:
		f.Severity = Warning
		f.Text = h.Name + " " + h.holds(g.t.Lease) + ", while it acknowledges others: these were forgotten, as after a lost reply to " +
			"XREADGROUP, or its work takes longer than the lease."
	default:
		f.Text = h.Name + " " + h.holds(g.t.Lease) + ", though " + alive + ": it takes entries and does not acknowledge them, " +
			"or its work takes longer than the lease."
		if h.rises == 0 { // it was not seen to take others
			f.Severity = Warning
		}
	}
	f.Evidence = []Fact{
		{"pending", h.Pending},
		{"late", int64(len(h.late))},
		{"oldest_idle_ms", h.oldest.Milliseconds()},
		{"idle_ms", h.Idle},
		{"grew_by", h.grew},
		{"watched_ms", g.watched().Milliseconds()},
		{"acked_others", h.acked},
		{"consumers_like_it", int64(others)},
	}
	look := []string{"XPENDING", g.key(), g.name(), "-", "+", "10", h.Name}
	f.Remedies = []Remedy{
		{Text: "Look at what it holds, and at its log for an XACK that fails or is never reached:", Commands: [][]string{look}},
		{
			Text:     "Restart it, so that it reads its own history:",
			Commands: [][]string{{"XREADGROUP", "GROUP", g.name(), h.Name, "COUNT", "10", "STREAMS", g.key(), "0"}},
		},
	}
	if len(h.late) > 0 {
		f.Remedies = append(f.Remedies, Remedy{
			Text:     "Where they are known to be done, acknowledge them (a worker that is still at one of them does it twice otherwise):",
			Commands: [][]string{append([]string{"XACK", g.key(), g.name()}, f.IDs...)},
			Wish:     desk.Wish{Deed: desk.Ack, Pending: redisq.PendingChoice{Rows: h.late[:len(f.IDs)]}},
		})
	}
	g.add(f)
}
