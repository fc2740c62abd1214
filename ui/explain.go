package ui

import (
	"strconv"
	"strings"
	"time"

	"example.com/unacked/redisq"
)

// explanations is what a figure means and where it has its value from, by the figure's name.
var explanations = map[string]func(d *data) []string{
	"backlog":     explainBacklog,
	"undelivered": explainUndelivered,
	"pending":     explainPending,
	"in":          explainIn,
	"done":        explainDone,
	"oldest":      explainOldest,
	"dead":        explainDead,
	"drain":       explainDrain,
	"deliveries":  explainDeliveries,
	"idle":        explainIdle,
	"lag":         explainLag,
}

// explain tells of a figure what it means, its formula with the present numbers, and the commands that they came from.
// what is its name, or a title that begins with it: "oldest idle". An unknown figure gives nil.
func explain(d *data, what string) []string {
	name, _, _ := strings.Cut(what, " ")
	say, ok := explanations[name]
	if !ok {
		return nil
	}
	if d.good == nil {
		return []string{"Nothing was read yet: no figure is known."}
	}
	lines := say(d)
	if d.stale {
		lines = append(lines, "The numbers are of the last reading that went well, "+durText(d.sinceReading())+" ago.")
	}
	return lines
}

// numText is a figure in a formula, with the reason where it is not known.
func numText(n redisq.Number) string {
	if !n.Known && n.Reason != "" {
		return "? (" + clean(n.Reason) + ")"
	}
	return n.String()
}

// from lists the commands that a figure came from, on one line each.
func from(d *data, cmds ...[]string) []string {
	var out []string
	for _, c := range cmds {
		out = append(out, "From: "+clean(redisq.RedisCLI(c)))
	}
	return out
}

func explainBacklog(d *data) []string {
	q, g := d.good.Queue, d.good.Group
	if d.isList() {
		return append([]string{
			"backlog: messages that no worker has taken yet. What a worker took is out of Redis at once.",
			"backlog = length of the list = " + numText(d.good.ListLen),
		}, from(d, []string{"LLEN", q.List})...)
	}
	return append([]string{
		"backlog: what is still to do: entries that the group was not given yet, and those given and not acknowledged.",
		"backlog = undelivered + pending = " + numText(g.Undelivered) + " + " + numText(g.Pending) + " = " + numText(g.Backlog),
		"XLEN is no backlog: an acknowledged entry stays in the stream (XLEN now " + numText(d.good.Stream.Length) + ").",
	}, from(d, []string{"XINFO", "GROUPS", q.Stream}, []string{"XINFO", "STREAM", q.Stream})...)
}

func explainUndelivered(d *data) []string {
	s, g, q := d.good.Stream, d.good.Group, d.good.Queue
	how := "it is not known: " + clean(g.Undelivered.Reason)
	if g.Undelivered.Known {
		switch g.Undelivered.Source {
		case redisq.FromServer:
			how = "the server's lag, which agrees with the ids and with XLEN"
		case redisq.Counted:
			how = "counted here, entry by entry after last-delivered-id, because the server's lag is not told or not right"
		default:
			how = "it follows from the ids: 0 when the last entry was delivered, XLEN when the first was not"
		}
	}
	return append([]string{
		"undelivered: entries in the stream that the group was not given yet.",
		"undelivered = " + numText(g.Undelivered) + ": " + how,
		"last-delivered-id " + idText(g.LastDelivered) + ", last entry " + idText(s.TopID) + ", first entry " +
			idText(s.FirstID) + ", XLEN " + numText(s.Length),
	}, from(d, []string{"XINFO", "GROUPS", q.Stream}, []string{"XINFO", "STREAM", q.Stream})...)
}

// idText is an id of a stream, "none" where there is none.
func idText(id string) string {
	if id == "" {
		return "none"
	}
	return clean(id)
}

func explainLag(d *data) []string {
	return append([]string{
		"lag: what the server says is undelivered. It is nil or wrong after deletions and trimming, so it is checked first.",
		"lag = " + numText(d.good.Group.Lag) + " as told",
	}, explainUndelivered(d)[1:]...)
}

func explainPending(d *data) []string {
	q, g := d.good.Queue, d.good.Group
	sum := "nobody holds any"
	var parts []string
	for i, c := range d.good.Pending.ByConsumer {
		if i == 6 {
			parts = append(parts, many(int64(len(d.good.Pending.ByConsumer)-i), "other"))
			break
		}
		parts = append(parts, holder(c)+" "+strconv.FormatInt(c.Pending, 10))
	}
	if len(parts) > 0 {
		sum = "held by " + strings.Join(parts, " + ")
	}
	return append([]string{
		"pending: entries that were delivered to a consumer and that nobody has acknowledged (XACK) yet.",
		"pending = " + numText(g.Pending) + ": " + sum,
	}, from(d, []string{"XPENDING", q.Stream, q.Group})...)
}

// perSecondText is a rate in a formula, with the reason where it is not known.
func perSecondText(r redisq.Rate) string {
	if !r.Known && r.Reason != "" {
		return "? (" + clean(r.Reason) + ")"
	}
	return rateText(r)
}

// window is the time that the rates are taken over.
func window(d *data) string {
	if d.rates.Window <= 0 {
		return ""
	}
	return ", over the last " + durText(d.rates.Window) + " of readings"
}

func explainIn(d *data) []string {
	out := []string{
		"in: messages added a second" + window(d) + ".",
		"in = growth of entries-added / time = " + perSecondText(d.rates.In) + " (entries-added now " + numText(d.good.Stream.Added) + ")",
	}
	if d.isList() {
		out[1] = "in = growth of the orders put into the list / time = " + perSecondText(d.rates.In) + " (put in ever " +
			numText(d.good.Pushed) + ")"
		return append(out, "From: the orders that the checkout saw accepted, as no server counts what is put into a list.")
	}
	if d.good.Stream.Added.Source == redisq.Counted {
		return append(out, "From: the orders that the checkout saw accepted, as this server does not count what was added.")
	}
	return append(out, from(d, []string{"XINFO", "STREAM", d.good.Queue.Stream})...)
}

func explainDone(d *data) []string {
	if d.isList() {
		return append([]string{
			"done: messages a second that a worker took out of the list" + window(d) + ": what became of them then Redis does not know.",
			"done = in - growth of the list = " + perSecondText(d.rates.Done) + " (in " + perSecondText(d.rates.In) +
				", length now " + numText(d.good.ListLen) + ")",
		}, from(d, []string{"LLEN", d.good.Queue.List})...)
	}
	out := []string{
		"done: messages a second that left the backlog by being acknowledged or dead-lettered" + window(d) + ".",
		"done = in - growth of the backlog - trimmed unread = " + perSecondText(d.rates.Done) + " (in " + perSecondText(d.rates.In) +
			", backlog now " + numText(d.waiting()) + ")",
	}
	if over := d.rates.DoneOver; d.rates.Done.Known && over < d.rates.Window {
		out = append(out, "It rests on "+durText(over)+" of these: in the rest entries were removed past where the group was, and nobody tells how many it had read.")
	}
	q := d.good.Queue
	return append(out, from(d, []string{"XINFO", "STREAM", q.Stream}, []string{"XINFO", "GROUPS", q.Stream})...)
}

func explainOldest(d *data) []string {
	n := d.good.Group.OldestIdle
	value := numText(n)
	if n.Known {
		value = durText(time.Duration(n.Value)*time.Millisecond) + " at the reading, " + durText(d.sinceReading()) + " ago"
		if n.AtLeast {
			value += "; at least, as only some of the entries were looked at"
		}
	}
	return append([]string{
		"oldest idle: the longest time since a pending entry was last delivered, claimed or renewed.",
		"oldest = largest idle of the rows = " + value + leaseNote(d),
	}, fromPage(d)...)
}

// leaseNote says what the lease is, where it is known.
func leaseNote(d *data) string {
	if lease := d.lease(); lease > 0 {
		return "; past the lease of " + durText(lease) + " another consumer may claim it"
	}
	return ""
}

// fromPage is the XPENDING that the rows came from.
func fromPage(d *data) []string {
	if cmd := d.good.Pending.Command; len(cmd) > 0 {
		return from(d, cmd)
	}
	return from(d, redisq.PendingCommand(d.good.Queue, d.good.Pending.Filter, usualCount))
}

func explainDead(d *data) []string {
	dead := numText(d.good.Dead.Length)
	if d.good.Dead.Missing {
		dead = "0, there is no such key"
	}
	limit := "there is no limit of deliveries now"
	if n := d.limit(); n > 0 {
		limit = "a message gets there after " + deliveriesCount(n)
	}
	return append([]string{
		"dead: messages that were given up, kept with their reason until somebody replays or deletes them; " + limit + ".",
		"dead = length of the dead-letter stream = " + dead,
	}, from(d, []string{"XLEN", d.good.Queue.DeadLetter})...)
}

func explainDrain(d *data) []string {
	in, done, alive := d.rates.In, d.rates.Done, d.crew()
	out := []string{"drain: when the backlog is empty if all goes on as it does now."}
	formula := "drain = backlog / (done - in) = " + numText(d.waiting()) + " / (" + perSecondText(done) + " - " + perSecondText(in) + ")"
	switch {
	case !in.Known || !done.Known:
		formula += ": not known yet"
	case d.drain.Stalled:
		formula += ": stalled, nothing is done"
	case d.drain.Never:
		formula += ": never at this rate"
	case d.drain.In > 0:
		formula += " = " + durText(d.drain.In)
	}
	out = append(out, formula)
	if d.drain.Workers > 0 && alive > 0 && done.Known && in.Known {
		out = append(out, "workers that would do = in / (done / workers) = "+perSecond(in.PerSecond)+" / ("+perSecond(done.PerSecond)+
			" / "+strconv.Itoa(alive)+"), rounded up = "+strconv.Itoa(d.drain.Workers))
	}
	if d.drain.Never && allGiven(d) {
		out = append(out, "undelivered = 0: each message of the backlog was "+givenWords+".")
	}
	return append(out, "From: the rates in and done, and the backlog; e on them tells theirs.")
}

func explainDeliveries(d *data) []string {
	limit := "no limit is set"
	if n := d.limit(); n > 0 {
		limit = "at " + strconv.FormatInt(n, 10) + " the message is dead-lettered instead of being worked on"
	}
	return append([]string{
		"deliveries: how often an entry was handed to a consumer, by XREADGROUP or a claim. A delivery is not a failure: a " +
			"killed worker leaves one behind too.",
		"largest of the pending entries = " + numText(d.good.Group.MaxDeliveries) + "; " + limit,
	}, fromPage(d)...)
}

func explainIdle(d *data) []string {
	return append([]string{
		"idle: time since an entry was last delivered, claimed, or renewed by its worker's heartbeat (XCLAIM to itself).",
		"shown = idle of the reading + time since the reading = idle + " + durText(d.sinceReading()) + leaseNote(d),
	}, fromPage(d)...)
}
