package redisq

// bodiesOver is how many rows with many deliveries are read with their bodies.
const bodiesOver = 5

// askBodies tells the ghosts among the pending rows: by their ids and the stream's counters where these are enough, else
// by asking for bodies, of the first rows all, of the others some.
func (w *streamWork) askBodies(a *asks, g *GroupReading) {
	g.Ghosts = Exact(0, Derived)
	if g.Rows == nil {
		if !g.All {
			g.Ghosts = Unknown("the pending entries are not known")
		}
		return
	}
	if !w.have {
		g.Ghosts = Unknown("the stream is not known")
		return
	}
	intact := w.facts.added.Known && w.facts.added.Value == w.facts.length // nothing was ever removed
	known := len(g.Rows)
	var open []int // rows of which only their body tells
	for i := range g.Rows {
		row := &g.Rows[i]
		id, _ := parseID(row.ID)
		switch {
		case intact:
		case w.facts.length == 0, id.compare(w.facts.first) < 0:
			row.Gone = true
			g.Ghosts.Value++
		default:
			open = append(open, i)
			known--
		}
	}
	ask := func(i int, counts bool) {
		a.add(2+w.bodiesSize/1000, func(r result) {
			if r.err != nil {
				w.groupProblem(g, "pending", r.err)
				return
			}
			g.Rows[i].Entry = found(g.Rows[i].ID, r.reply)
			if counts {
				known++
				if g.Rows[i].Gone {
					g.Ghosts.Value++
				}
				g.Ghosts.AtLeast = known < len(g.Rows) || !g.All
			}
		}, "XRANGE", w.Name, g.Rows[i].ID, g.Rows[i].ID)
	}
	g.Ghosts.AtLeast = known < len(g.Rows) || !g.All
	if intact {
		open = nil
		if g.Ghosts.AtLeast {
			g.Ghosts = Exact(0, Derived)
		}
	}
	asked := map[int]bool{}
	for i := range g.Rows[:min(len(g.Rows), w.s.o.Bodies)] {
		if !g.Rows[i].Gone {
			asked[i] = true
			ask(i, !intact)
		}
	}
	for i, often := 0, 0; w.s.o.BodiesOver > 0 && i < len(g.Rows) && often < affordable(w.bodiesSize, 1, bodiesOver); i++ {
		if g.Rows[i].Deliveries >= w.s.o.BodiesOver {
			often++
			if !g.Rows[i].Gone && !asked[i] {
				asked[i] = true
				ask(i, !intact)
			}
		}
	}
	sample := affordable(w.bodiesSize, 5, min(len(open), w.s.o.Ghosts))
	for k := range sample { // spread over the page
		if i := open[k*len(open)/sample]; !asked[i] {
			ask(i, true)
		}
	}
}
