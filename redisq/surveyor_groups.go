package redisq

import (
	"cmp"
	"slices"
	"time"
)

// askSecond asks for what the first answers showed to be needed: pending entries, consumers, a count of undelivered
// entries, dead letters, the type of a key that is no stream.
func (w *streamWork) askSecond(a *asks) {
	if w.Stream.WrongType != "" {
		a.add(1, func(r result) {
			if r.err == nil {
				w.Stream.WrongType = asString(r.reply)
			}
		}, "TYPE", w.Name)
	}
	w.readLetters(a)
	for i := range w.Groups {
		if g := &w.Groups[i]; !g.Missing && g.LastDelivered != "" {
			w.askGroup(a, g, w.groupsFacts[i])
		}
	}
}

// readLetters takes in the lengths and asks for the newest dead letters.
func (w *streamWork) readLetters(a *asks) {
	if w.DeadLetterOf != "" || w.Err != nil {
		return
	}
	w.DeadLetter = DeadLetterKey(w.Name)
	if w.s.o.DeadLetter != "" {
		w.DeadLetter = w.s.o.DeadLetter
	}
	w.Dead.Length, w.Dead.Missing = Exact(0, FromServer), true
	for i, key := range w.letterKeys {
		length, _ := asInt(w.letters[i].reply)
		if err := w.letters[i].err; err != nil && key == w.DeadLetter {
			// Under another name there may be anything; under this one there is to be a stream.
			p := problemOf("dead", err, key, "", w.s.c.target.User)
			w.Problems = append(w.Problems, p)
			w.Dead.Length, w.Dead.Missing = Unknown(p.Text), false
			if p.Code == ProblemWrongType {
				a.add(1, func(r result) { w.Dead.WrongType = asString(r.reply) }, "TYPE", key)
			}
		}
		if length == 0 {
			continue
		}
		w.DeadLetter, w.Dead = key, DeadPage{Length: Exact(length, FromServer)}
		// They are about as large as the entries that they come from.
		if rows := affordable(w.bodiesSize, 1, w.s.o.DeadRows); rows > 0 {
			a.add(rows, w.takeLetters, "XREVRANGE", key, "+", "-", "COUNT", rows)
		}
		return
	}
	if w.letterKeys == nil && w.s.known == nil {
		w.Dead.Length = Unknown("this is the dead-letter stream itself")
	}
}

func (w *streamWork) takeLetters(r result) {
	if r.err != nil {
		w.Problems = append(w.Problems, problemOf("dead", r.err, w.DeadLetter, "", w.s.c.target.User))
		return
	}
	for _, e := range asEntries(r.reply) {
		w.Dead.Rows = append(w.Dead.Rows, ParseDeadLetter(e))
	}
	slices.Reverse(w.Dead.Rows)
	w.Dead.More = w.Dead.Length.Value > int64(len(w.Dead.Rows))
}

func (w *streamWork) wanted(g *GroupReading) bool { return w.Wanted == "" || w.Wanted == g.Name }

func (w *streamWork) track(g *GroupReading) *surveyTrack {
	key := [2]string{w.Name, g.Name}
	t := w.s.tracks[key]
	if t == nil {
		t = &surveyTrack{}
		w.s.tracks[key] = t
	}
	t.at = w.At
	return t
}

func (w *streamWork) askGroup(a *asks, g *GroupReading, facts groupFacts) {
	rows := w.s.o.PendingRows
	if !w.wanted(g) {
		rows = 1
	}
	if pending := g.Pending; pending.Known && pending.Value == 0 {
		g.All, g.OldestIdle, g.MaxDeliveries = true, Exact(0, Derived), Exact(0, Derived)
	} else {
		a.add(5+rows/3, func(r result) { w.takeRows(g, r, rows) }, "XPENDING", w.Name, g.Name, "-", "+", rows)
	}
	w.askUndelivered(a, g, facts)
	t := w.track(g)
	switch {
	case !w.s.o.Consumers || !w.wanted(g):
	case g.Members.Known && g.Members.Value > manyConsumers && w.At.Sub(t.consumersTime) < consumersEvery:
		g.Consumers = t.consumers
	default:
		a.add(5+int(g.Members.Value)/3, func(r result) {
			if r.err != nil {
				w.groupProblem(g, "consumers", r.err)
				return
			}
			g.Consumers = parseConsumers(r.reply, w.Server.Embedded)
			t.consumers, t.consumersTime = g.Consumers, w.At
		}, "XINFO", "CONSUMERS", w.Name, g.Name)
	}
}

func (w *streamWork) groupProblem(g *GroupReading, panel string, err error) string {
	p := problemOf(panel, err, w.Name, g.Name, w.s.c.target.User)
	if !slices.Contains(g.Problems, p) {
		g.Problems = append(g.Problems, p)
	}
	return p.Text
}

func (w *streamWork) takeRows(g *GroupReading, r result, asked int) {
	if r.err != nil {
		reason := w.groupProblem(g, "pending", r.err)
		g.OldestIdle, g.MaxDeliveries = Unknown(reason), Unknown(reason)
		return
	}
	g.Rows = pendingRows(r.reply, w.now)
	g.All = len(g.Rows) < asked || g.Pending.Known && int64(len(g.Rows)) >= g.Pending.Value
}

// askUndelivered applies the rules, and asks for a count where none of them gives an answer.
func (w *streamWork) askUndelivered(a *asks, g *GroupReading, facts groupFacts) {
	t := w.track(g)
	if !w.have {
		reason := "the stream is not known"
		if len(w.Problems) > 0 {
			reason = w.Problems[0].Text
		}
		for _, n := range []*Number{&g.Undelivered, &g.Backlog, &g.TrimmedUnread} {
			*n = Unknown(reason)
		}
		t.tracker = tracker{losses: t.losses + 1}
		return
	}
	if text := t.replaced(w.facts, facts, true); text != "" {
		*t = surveyTrack{at: w.At, replacedAt: w.At, replacedText: text, tracker: tracker{losses: t.losses + 1}}
	}
	if t.replacedText != "" && w.At.Sub(t.replacedAt) < replacedShown {
		g.Problems = append(g.Problems, Problem{Panel: "stream", Code: ProblemReplaced, Text: t.replacedText})
	}
	learn := func(undelivered Number) {
		g.Undelivered = undelivered
		g.Backlog = undelivered.Add(g.Pending)
		g.TrimmedUnread = t.learn(w.facts, facts, undelivered)
		g.RemovedUnread, g.Losses = t.removed, t.losses
		if n := g.TrimmedUnread; n.Known && n.Value > 0 {
			g.Problems = append(g.Problems, Problem{
				Panel: "group", Code: ProblemUnread, Text: n.String() + " entries were trimmed before the group read them",
			})
		}
	}
	undelivered, count := t.undelivered(w.facts, facts)
	switch {
	case !count:
		learn(undelivered)
		return
	case !w.wanted(g):
		learn(Unknown("not counted: another group was asked for"))
		return
	}
	most := affordable(w.bodiesSize, leastCounted, w.s.o.CountAtMost)
	a.add(5+most/2, func(r result) {
		if r.err != nil {
			learn(Unknown(w.groupProblem(g, "group", r.err)))
			return
		}
		n := int64(len(asList(r.reply)))
		if n > int64(most) {
			learn(AtLeast(int64(most), Counted))
			return
		}
		learn(Exact(n, Counted))
	}, "XRANGE", w.Name, facts.lastDelivered.beyond(), "+", "COUNT", most+1)
}

// askThird asks for bodies and for the oldest entries of single consumers.
func (w *streamWork) askThird(a *asks) {
	for i := range w.Groups {
		g := &w.Groups[i]
		if !w.wanted(g) {
			continue
		}
		w.askBodies(a, g)
		if !g.All {
			w.askHeld(a, g)
		}
	}
}

func (w *streamWork) askHeld(a *asks, g *GroupReading) {
	holders := slices.DeleteFunc(slices.Clone(g.Consumers), func(c Consumer) bool { return c.Pending == 0 })
	slices.SortStableFunc(holders, func(a, b Consumer) int { return cmp.Compare(b.Pending, a.Pending) })
	holders = holders[:min(len(holders), w.s.o.Held)]
	g.Held = make([]ConsumerPage, 0, len(holders))
	for _, c := range holders {
		a.add(5+heldPage/3, func(r result) {
			if r.err != nil {
				w.groupProblem(g, "pending", r.err)
				return
			}
			rows := pendingRows(r.reply, w.now)
			g.Held = append(g.Held, ConsumerPage{Consumer: c.Name, Rows: rows, All: len(rows) < heldPage})
		}, "XPENDING", w.Name, g.Name, "-", "+", heldPage, c.Name)
	}
}

// finish takes the figures from all rows that were read.
func (w *streamWork) finish() {
	for i := range w.Groups {
		g := &w.Groups[i]
		if g.Missing || g.LastDelivered == "" || g.Rows == nil {
			continue
		}
		var oldest time.Duration
		var most int64
		look := func(rows []PendingEntry) {
			for _, e := range rows {
				oldest, most = max(oldest, e.Idle), max(most, e.Deliveries)
			}
		}
		look(g.Rows)
		for _, page := range g.Held {
			look(page.Rows)
		}
		g.OldestIdle, g.MaxDeliveries = Exact(oldest.Milliseconds(), Derived), Exact(most, Derived)
		g.OldestIdle.AtLeast, g.MaxDeliveries.AtLeast = !g.All, !g.All
	}
}
