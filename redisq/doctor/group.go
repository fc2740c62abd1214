package doctor

import (
	"time"

	"example.com/unacked/redisq"
)

// group is one group while it is looked at.
type group struct {
	*stream
	*redisq.GroupReading
	before []*redisq.GroupReading // of the earlier readings that have it, in order
	times  []time.Time            // of these readings
}

func (s *stream) examineGroup(now *redisq.GroupReading) {
	if now.Missing {
		s.groupMissing(now.Name)
		return
	}
	g := &group{stream: s, GroupReading: now}
	for _, r := range s.all[:len(s.all)-1] {
		if earlier := r.Group(now.Name); earlier != nil && !earlier.Missing {
			if r.Stream.Missing || replacedSince(now) {
				continue // it was another one
			}
			g.before, g.times = append(g.before, earlier), append(g.times, r.At)
		}
	}
	g.unread()
	g.lag()
	g.skippedStart()
	g.noConsumers()
	g.consumers()
	g.idleConsumers()
	g.poison()
	g.ghosts()
	g.released()
	g.fallingBehind()
}

// replacedSince says that the readings before are of another stream or group of the same name.
func replacedSince(g *redisq.GroupReading) bool {
	for _, p := range g.Problems {
		if p.Code == redisq.ProblemReplaced {
			return true
		}
	}
	return false
}

// finding begins a finding about the group.
func (g *group) finding(code Code, severity Severity) Finding {
	return Finding{Code: code, Severity: severity, Stream: g.Reading.Name, Group: g.GroupReading.Name}
}

// name is the group's.
func (g *group) name() string { return g.GroupReading.Name }

// key is the stream's.
func (g *group) key() string { return g.Reading.Name }

// watched is the time from the first reading to the last, 0 with one reading.
func (g *group) watched() time.Duration {
	if len(g.times) == 0 {
		return 0
	}
	return g.At.Sub(g.times[0])
}

// quiet says that from the first reading to the last nothing was added or delivered.
func (g *group) quiet() bool {
	for _, b := range g.before {
		if b.LastDelivered != g.LastDelivered {
			return false
		}
	}
	for _, r := range g.all {
		if r.Stream.LastID != g.Stream.LastID {
			return false
		}
	}
	return true
}

// tellsCalls says that the server tells when a consumer last asked for something (7.2), not only when it last got
// something.
func tellsCalls(c redisq.Consumer) bool {
	return c.Idle.Known && (c.Inactive.Known || c.Inactive.Reason == redisq.NeverActive)
}

// looked are all pending rows that were read, each once.
func (g *group) looked() []redisq.PendingEntry {
	rows := g.Rows[:len(g.Rows):len(g.Rows)]
	seen := make(map[string]bool, len(rows))
	for _, r := range rows {
		seen[r.ID] = true
	}
	for _, page := range g.Held {
		for _, r := range page.Rows {
			if !seen[r.ID] {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// bound is n as a Number: a bound where not all pending entries were looked at.
func (g *group) bound(n int) redisq.Number {
	if g.All {
		return redisq.Exact(int64(n), redisq.Derived)
	}
	return redisq.AtLeast(int64(n), redisq.Derived)
}

func ids(rows []redisq.PendingEntry) []string {
	all := make([]string, 0, min(len(rows), mostIDs))
	for _, r := range rows[:min(len(rows), mostIDs)] {
		all = append(all, r.ID)
	}
	return all
}

// fallingBehind looks whether the backlog grows from reading to reading.
func (g *group) fallingBehind() {
	if len(g.before) == 0 || g.watched() < time.Second || !g.Backlog.Known || g.Backlog.AtLeast {
		return
	}
	first := g.before[0].Backlog
	if !first.Known || first.AtLeast {
		return
	}
	grew, rising, steps := g.Backlog.Value-first.Value, 0, 0
	last := first.Value
	for _, b := range append(g.before[1:len(g.before):len(g.before)], g.GroupReading) {
		if b.Backlog.Known {
			steps++
			if b.Backlog.Value > last {
				rising++
			}
			last = b.Backlog.Value
		}
	}
	if grew < 5 || 2*rising <= steps {
		return // a burst, or the noise of counting whole entries
	}
	history := redisq.History{Window: 24 * time.Hour}
	for _, r := range g.all {
		history.Add(r.Snapshot(g.name()))
	}
	rates, workers := history.Rates(), g.working()
	drain := history.Drain(workers)
	if drain.Known && !drain.Never && rates.In.Known {
		return
	}
	seconds := g.watched().Seconds()
	f := g.finding(FallingBehind, Warning)
	f.Text = "The backlog of " + g.name() + " grew by " + number(grew) + " in " + span(g.watched()) + ", to " + number(g.Backlog.Value)
	f.Evidence = []Fact{
		{"backlog", g.Backlog.Value},
		{"grew_by", grew},
		{"grew_per_s", round(float64(grew) / seconds)},
		{"watched_ms", g.watched().Milliseconds()},
		{"workers", int64(workers)},
	}
	if rates.In.Known && rates.Done.Known {
		f.Text += ": " + rate(rates.In.PerSecond) + " come in and " + rate(rates.Done.PerSecond) + " are done"
		f.Evidence = append(f.Evidence, Fact{"in_per_s", round(rates.In.PerSecond)}, Fact{"done_per_s", round(rates.Done.PerSecond)})
	}
	f.Text += ". It never drains at this rate"
	remedy := "Add workers, or make each faster"
	if drain.Workers > 0 {
		f.Text += "; " + count(int64(drain.Workers), "worker", "workers") + " like the present " + number(int64(workers)) + " would do"
		f.Evidence = append(f.Evidence, Fact{"workers_needed", int64(drain.Workers)})
		remedy = "Start " + count(int64(drain.Workers-workers), "more worker", "more workers") + ", or make each faster"
	}
	f.Text += "."
	f.Remedies = []Remedy{{Text: remedy + "; until then let the producer wait when the backlog has reached a limit."}}
	g.add(f)
}

// working is how many consumers have done something within the lease, as far as the server tells.
func (g *group) working() int {
	n := 0
	for _, c := range g.Consumers {
		if c.Idle.Known && millis(c.Idle) < g.t.Lease || !c.Idle.Known && c.Pending > 0 {
			n++
		}
	}
	return n
}
