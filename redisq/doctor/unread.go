package doctor

import (
	"strconv"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// unread finds what was removed before the group read it: by trimming, or one by one.
func (g *group) unread() {
	s := g.Stream
	deletedAhead := s.MaxDeleted != "" && before(g.LastDelivered, s.MaxDeleted)
	tail := s.MaxDeleted == "" && s.TopID != "" && before(s.TopID, s.LastID) && before(g.LastDelivered, s.LastID) // no trimming does that
	lost := g.TrimmedUnread
	if deletedAhead || tail {
		g.holes(deletedAhead)
	}
	switch {
	case lost.Known && lost.Value > 0:
		g.trimmed(lost)
	case lost.Known:
	case s.FirstID == "" && s.LastID != "" && before(g.LastDelivered, s.LastID) && !deletedAhead:
		g.trimmed(lost) // the stream is empty, and the group had not come to its end
	case lost.Reason == redisq.LostSome && !deletedAhead:
		g.trimmed(lost)
	case lost.Reason == redisq.LostSome && before(g.LastDelivered, s.FirstID) && before(s.MaxDeleted, s.FirstID) && s.Added.Value-s.Length.Value > 1:
		g.trimmed(lost) // more was removed before the first entry than one XDEL explains
	case g.sawTrimming(), lost.Reason == redisq.LossReason && g.atTheCut():
		g.trimmed(lost)
	}
}

// atTheCut says that the group has been given little of what the stream still holds, so that a stream that is being
// trimmed past where the group was loses what it has not read.
func (g *group) atTheCut() bool {
	left, length := g.Undelivered, g.Stream.Length
	return left.Known && length.Known && length.Value > 0 && 4*left.Value >= 3*length.Value
}

// sawTrimming says that an entry which the group had not read was the first one in an earlier reading and is gone now,
// while the group stood still: for servers that do not count.
func (g *group) sawTrimming() bool {
	for _, r := range g.all[:len(g.all)-1] {
		b := r.Group(g.name())
		if b != nil && b.LastDelivered == g.LastDelivered && r.Stream.FirstID != "" &&
			before(g.LastDelivered, r.Stream.FirstID) && before(r.Stream.FirstID, g.Stream.FirstID) {
			return true
		}
	}
	return false
}

func (g *group) trimmed(lost redisq.Number) {
	f := g.finding(TrimmedUnread, Critical)
	f.Text = g.trimmedText(lost) + ". The cap of the stream (MAXLEN or MINID) is below the group's backlog."
	f.Evidence = []Fact{
		{"trimmed_unread", lost},
		{"length", g.Stream.Length},
		{"entries_added", g.Stream.Added},
		{"entries_read", g.Read},
		{"last_delivered_id", g.LastDelivered},
		{"first_id", g.Stream.FirstID},
	}
	remedy := Remedy{Text: "They cannot be brought back from Redis: add them again from where they came. Raise the cap of XADD or XTRIM above " +
		"the largest backlog, or let the producer wait"}
	if point := g.safePoint(); before(g.Stream.FirstID, point) {
		remedy.Text += "; a trim that keeps what the groups still need is:"
		remedy.Commands = [][]string{{"XTRIM", g.key(), "MINID", "~", point}}
	} else {
		remedy.Text += "."
	}
	f.Remedies = []Remedy{remedy}
	g.add(f)
}

// trimmedText says what was lost, and how certain that is.
func (g *group) trimmedText(lost redisq.Number) string {
	from := " trimmed from " + g.key() + " before " + g.name() + " read them"
	switch {
	case lost.Known && lost.AtLeast:
		return "At least " + entries(lost.Value) + " " + were(lost.Value) + from +
			", and perhaps far more: this server forgets them when the group reads on. They are lost to this group"
	case lost.Known:
		return entries(lost.Value) + " " + were(lost.Value) + from + ": they are lost to this group"
	case lost.Reason == redisq.LossReason:
		return "Entries are trimmed from " + g.key() + " past where " + g.name() + " was, and of the " + g.Stream.Length.String() +
			" that are left it has yet to be given " + g.Undelivered.String() +
			": all but certainly some are cut before it reads them, and are lost to this group; how many, this server does not tell"
	}
	return "Entries were" + from + ": they are lost to this group; how many is not known"
}

// safePoint is the id below which no group of the stream needs anything, "" where that is not known.
func (s *stream) safePoint() string {
	if s.Partial || len(s.Groups) == 0 {
		return ""
	}
	point := ""
	for i := range s.Groups {
		g := &s.Groups[i]
		at := g.LastDelivered
		if len(g.Rows) > 0 {
			at = g.Rows[0].ID
		} else if g.Missing || !g.Pending.Known || g.Pending.Value > 0 {
			return ""
		}
		if before(at, point) || point == "" {
			point = at
		}
	}
	return point
}

func (g *group) holes(told bool) {
	f := g.finding(Holes, Warning)
	f.Text = "Entries that " + g.name() + " had not been given were deleted from " + g.key()
	if told {
		f.Text += " (XDEL; the last of them is " + g.Stream.MaxDeleted + ", and the group is at " + g.LastDelivered + ")"
	} else {
		f.Text += " (the last one added was " + g.Stream.LastID + ", the last one there is " + g.Stream.TopID + ")"
	}
	f.Text += ": this group never sees them, and until it is past them the server cannot tell its lag."
	f.Evidence = []Fact{
		{"max_deleted_id", g.Stream.MaxDeleted},
		{"last_delivered_id", g.LastDelivered},
		{"last_id", g.Stream.LastID},
		{"undelivered", g.Undelivered},
	}
	f.Remedies = []Remedy{{
		Text:     "They are gone. Where entries are deleted by hand, delete only what every group has acknowledged. This is where the group goes on:",
		Commands: [][]string{{"XRANGE", g.key(), "(" + g.LastDelivered, "+", "COUNT", "10"}},
	}}
	g.add(f)
}

// lag compares the server's own lag with what is there.
func (g *group) lag() {
	switch {
	case g.Server.Role == "replica":
	case !g.Lag.Known && g.Lag.Reason == redisq.LagNil:
		g.lagUnknown()
	case g.Lag.Known && g.lagDiffers():
		f := g.finding(LagWrong, Info)
		why := "It counts what was trimmed"
		if g.Lag.Value < g.Undelivered.Value {
			why = "Its count of what the group has read is too high (XGROUP … ENTRIESREAD sets it)"
		}
		f.Text = "The server says a lag of " + number(g.Lag.Value) + " for " + g.name() + ", and " + counted(g.Undelivered) + " " +
			verb(g.Undelivered) + " undelivered. " + why + "; alarms and scaling that use the server's figure are wrong."
		f.Evidence = []Fact{{"lag", g.Lag.Value}, {"undelivered", g.Undelivered}, {"length", g.Stream.Length}}
		f.Remedies = g.setCounter()
		g.add(f)
	}
}

// lagDiffers compares them in every reading: while entries come and go, two commands never see quite the same.
func (g *group) lagDiffers() bool {
	sign := 0
	for _, b := range append(g.before[:len(g.before):len(g.before)], g.GroupReading) {
		u := b.Undelivered
		if !b.Lag.Known || !u.Known || u.Source == redisq.FromServer {
			return false
		}
		d := b.Lag.Value - u.Value
		if u.AtLeast {
			d = min(d, 0) // it may be as large as it likes
		}
		least := int64(1)
		if !g.quiet() {
			least = max(10, g.Stream.Length.Value/100)
		}
		now := 0
		switch {
		case d >= least:
			now = 1
		case d <= -least:
			now = -1
		}
		if now == 0 || sign != 0 && now != sign {
			return false
		}
		sign = now
	}
	return true
}

func (g *group) lagUnknown() {
	f := g.finding(LagUnknown, Info)
	truth := "how many entries are undelivered is not known here either"
	if g.Undelivered.Known {
		truth = counted(g.Undelivered) + " " + verb(g.Undelivered) + " undelivered, by our own count"
	}
	cause, because := "", ""
	mend := false
	switch {
	case before(g.Stream.LastID, g.LastDelivered):
		f.Severity = Warning
		cause, because = "beyond-end", "the group stands at "+g.LastDelivered+", beyond the last id "+g.Stream.LastID+": what is added below that is never delivered to it"
	case g.Stream.MaxDeleted != "" && before(g.LastDelivered, g.Stream.MaxDeleted):
		cause, because = "deleted-ahead", "entries ahead of the group were deleted, and the server does not count over holes"
	case !g.Read.Known:
		cause, because, mend = "entries-read-unknown", "the group was created or set inside the stream, and nobody told how many entries it has read", true
	default:
		cause, because, mend = "counters", "the stream was emptied and filled again, and this server's counters do not get over that", true
	}
	f.Text = "The server does not know the lag of " + g.name() + " (nil), because " + because + "; " + truth + ". A client that shows nil as 0 makes it look healthy."
	f.Evidence = []Fact{
		{"cause", cause},
		{"undelivered", g.Undelivered},
		{"last_delivered_id", g.LastDelivered},
		{"last_id", g.Stream.LastID},
		{"max_deleted_id", g.Stream.MaxDeleted},
		{"entries_read", g.Read},
	}
	switch {
	case cause == "beyond-end":
		f.Remedies = []Remedy{{
			Text:     "Set the group to the end of the stream, so that it gets what is added from now on:",
			Commands: [][]string{{"XGROUP", "SETID", g.key(), g.name(), "$"}},
			Wish:     desk.Wish{Deed: desk.SetID, Start: "$"},
		}}
	case mend:
		f.Remedies = g.setCounter()
	default:
		f.Remedies = []Remedy{{Text: "Nothing: the server knows it again once the group has read past the holes."}}
	}
	g.add(f)
}

// setCounter is the command that makes the server's lag right, where it can be told.
func (g *group) setCounter() []Remedy {
	u, added := g.Undelivered, g.Stream.Added
	if !u.Known || u.AtLeast || !added.Known || added.Value < u.Value {
		return []Remedy{{Text: "Use our figure, which is checked against the ids and the length."}}
	}
	return []Remedy{{
		Text: "Use our figure. To set the server's counter right, stop the workers of this group (SETID would take them back to where the " +
			"group was when this was read), and send:",
		Commands: [][]string{{
			"XGROUP", "SETID", g.key(), g.name(), g.LastDelivered, "ENTRIESREAD", strconv.FormatInt(added.Value-u.Value, 10),
		}},
		Wish: desk.Wish{Deed: desk.SetCounter},
	}}
}

// skippedStart finds a group that was created past entries that were stored then. Once it was given one, nothing shows
// that any more.
func (g *group) skippedStart() {
	s := g.Stream
	if g.Server.Role == "replica" || g.Read.Known || g.Pending.Value > 0 || !g.Pending.Known || s.FirstID == "" ||
		g.LastDelivered == "0-0" || before(g.LastDelivered, s.FirstID) ||
		s.MaxDeleted != "" && before(g.LastDelivered, s.MaxDeleted) {
		return
	}
	if !g.Members.Known || g.Members.Value > 0 && len(g.Consumers) == 0 {
		return
	}
	for _, c := range g.Consumers {
		if c.Inactive.Reason != redisq.NeverActive {
			return // it was given something
		}
	}
	f := g.finding(SkippedStart, Warning)
	skipped := redisq.Unknown("not counted")
	n := "stored entries"
	if g.Undelivered.Known && !g.Undelivered.AtLeast && s.Length.Known {
		skipped = redisq.Exact(s.Length.Value-g.Undelivered.Value, redisq.Derived)
		n = count(skipped.Value, "stored entry", "stored entries")
	}
	f.Text = g.name() + " was created at " + g.LastDelivered + ", past " + n + " ($ or an id instead of 0): it is never given them."
	if before(s.LastID, g.LastDelivered) {
		f.Text = g.name() + " was created at " + g.LastDelivered + ", beyond the last id " + s.LastID + ": it is never given the " + n +
			", nor what is added until the ids are past that."
	}
	if g.Lag.Reason != redisq.LagNil && !g.Lag.Known { // such a server does not tell it from a group that read them
		f.Severity = Info
		f.Text = g.name() + " has no consumer and stands past " + n + ": it was created there and is never given them, or all its " +
			"consumers were deleted after they were done."
	}
	f.Evidence = []Fact{
		{"skipped", skipped}, {"last_delivered_id", g.LastDelivered}, {"first_id", s.FirstID}, {"length", s.Length}, {"entries_read", g.Read},
	}
	f.Remedies = []Remedy{
		{
			Text:     "If they are to be worked on, set the group to the beginning; it is then given all that is stored:",
			Commands: [][]string{{"XGROUP", "SETID", g.key(), g.name(), "0"}},
			Wish:     desk.Wish{Deed: desk.SetID, Start: "0"},
		},
		{Text: "If it was meant, nothing."},
	}
	g.add(f)
}
