package ui

import (
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/watch"
)

func chooserCells(d *data, r *chooserRow) []string {
	cells := make([]string, chDead+1)
	cells[chStream], cells[chGroup] = clean(r.Stream), clean(r.Group)
	cells[chState] = stateOf(&r.Row)
	cells[chIn], cells[chDone] = rateText(r.In), rateText(r.Done)
	if r.prefix != "" {
		cells[chStream], cells[chGroup] = clean(r.prefix)+"*", strconv.Itoa(r.count)
		cells[chIn], cells[chDone] = "", ""
	}
	if r.Group == "" && r.prefix == "" {
		cells[chGroup], cells[chIn], cells[chDone] = "none", "", ""
		if r.Trouble == redisq.TroubleUnknown {
			cells[chGroup] = "?" // it may have some
		}
	} else {
		cells[chUndelivered], cells[chPending] = r.Undelivered.String(), r.Pending.String()
		cells[chOldest], cells[chMembers] = idleOf(r.OldestIdle, r.Pending), r.Members.String()
		cells[chTrend] = trendText(d, r.Trend)
	}
	cells[chDead] = r.Dead.String()
	if r.DeadLetterOf != "" {
		cells[chDead] = ""
	}
	return cells
}

// idleOf is the oldest idle time of a group: none where nothing is pending.
func idleOf(n, pending redisq.Number) string {
	switch {
	case !n.Known:
		return "?"
	case pending.Known && pending.Value == 0:
		return "0"
	}
	text := durShort(time.Duration(n.Value) * time.Millisecond)
	if n.AtLeast {
		text += "+"
	}
	return text
}

// stateOf says in words how a group is.
func stateOf(r *watch.Row) string {
	switch r.Trouble {
	case redisq.TroubleNotThere:
		return "MISSING"
	case redisq.TroubleLost:
		return "TRIMMED UNREAD"
	case redisq.TroubleNobody:
		return "NO CONSUMERS"
	case redisq.TroubleLate:
		return "PAST THE LEASE"
	case redisq.TroubleUnknown:
		if r.Note != "" {
			return "? " + clean(r.Note)
		}
		return "NOT KNOWN"
	case redisq.TroubleWaiting:
		return "has work"
	}
	switch {
	case r.DeadLetterOf != "":
		return "dead letters"
	case r.Group == "":
		return "no group"
	}
	return "nothing waits"
}

// trendText is the backlog at the last passes.
func trendText(d *data, trend []float64) string {
	g := d.look.glyphs
	if over := len(trend) - trendCells; over > 0 {
		trend = trend[over:]
	}
	high := 1.0
	for _, v := range trend {
		if !math.IsNaN(v) {
			high = max(high, v)
		}
	}
	var b strings.Builder
	for _, v := range trend {
		if math.IsNaN(v) {
			b.WriteString(g.Gap)
			continue
		}
		b.WriteString(g.Spark[min(int(v/(high*headroom)*float64(len(g.Spark)-1)+0.5), len(g.Spark)-1)])
	}
	return b.String()
}

// troubleText is the state of a row in a sentence.
func troubleText(d *data, r *watch.Row) string {
	switch r.Trouble {
	case redisq.TroubleLost:
		return "entries were trimmed before the group read them"
	case redisq.TroubleNobody:
		return manyOf(r.Backlog, "entry") + " to do, and the group has no consumer"
	case redisq.TroubleLate:
		return "an entry is pending for " + idleOf(r.OldestIdle, r.Pending) + ", past the lease of " + durText(d.lease())
	case redisq.TroubleWaiting:
		return manyOf(r.Backlog, "entry") + " to do"
	}
	switch {
	case r.DeadLetterOf != "":
		return "dead letters of " + clean(r.DeadLetterOf)
	case r.Group == "" && r.Note == "":
		return "no group, " + manyOf(r.Length, "entry")
	}
	if r.Note != "" {
		return clean(r.Note)
	}
	return strings.TrimPrefix(stateOf(r), "? ")
}
