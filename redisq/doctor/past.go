package doctor

import "example.com/unacked/redisq"

// past is what the consumers of a group held in the earlier readings, by name: a group may have 50,000 of them.
type past struct {
	held       []map[string]int64 // pending entries by consumer, a reading each; nil where that was not read
	first, now func(consumer string) (rows []redisq.PendingEntry, all bool)
}

// past indexes the readings of the group.
func (g *group) past() *past {
	p := &past{now: g.ByConsumer()}
	if len(g.before) > 0 {
		p.first = g.before[0].ByConsumer()
	}
	for _, b := range g.before {
		var held map[string]int64
		if b.Consumers != nil {
			held = make(map[string]int64, len(b.Consumers))
			for _, c := range b.Consumers {
				held[c.Name] = c.Pending
			}
		}
		p.held = append(p.held, held)
	}
	return p
}

// compare looks at what the consumer held in the earlier readings.
func (p *past) compare(h *holder) {
	if len(p.held) == 0 || p.held[0] == nil {
		return
	}
	last := p.held[0][h.Name]
	h.grew = h.Pending - last
	for _, held := range p.held[1:] {
		if held == nil {
			continue
		}
		now := held[h.Name]
		if now > last {
			h.rises++
		}
		last = now
	}
	if h.Pending > last {
		h.rises++
	}
	first, _ := p.first(h.Name)
	if len(first) == 0 {
		return
	}
	rows, all := p.now(h.Name)
	has := make(map[string]bool, len(rows))
	for _, r := range rows {
		has[r.ID] = true
	}
	for _, r := range first {
		if !has[r.ID] && (all || len(rows) > 0 && before(r.ID, rows[len(rows)-1].ID)) {
			h.acked = true
			return
		}
	}
}
