package producer

import "time"

// schedule begins the orders of the rate. The n-th is due n periods after the first, however long the answers take.
func (p *Producer) schedule() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	last := time.Now().Add(-time.Hour) // when the last order was due: the first is due at once
	rate := 0.0
	for {
		settings, changed := p.current()
		if settings.Rate <= 0 || settings.Closed {
			select {
			case <-changed:
				continue
			case <-p.stop.Done():
				return
			}
		}
		due := last.Add(time.Duration(float64(time.Second) / settings.Rate))
		// What another rate would have made by now is not made up for either.
		if now := time.Now(); now.Sub(due) > maxBehind || (settings.Rate != rate && now.After(due)) {
			due = now
		}
		rate = settings.Rate
		timer.Reset(time.Until(due))
		select {
		case <-timer.C:
		case <-changed:
			continue // another rate makes another due time
		case <-p.stop.Done():
			return
		}
		if !p.take() {
			return
		}
		last = due
		p.begin(false)
	}
}

// burst begins the orders of bursts, each as soon as there is a place for it.
func (p *Producer) burst() {
	for {
		bad, ok, changed := p.next()
		if !ok {
			select {
			case <-changed:
				continue
			case <-p.stop.Done():
				return
			}
		}
		if !p.take() {
			return
		}
		p.begin(bad)
	}
}

// next takes one order off the bursts.
func (p *Producer) next() (bad, ok bool, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.bursts) == 0 || p.settings.Closed {
		return false, false, p.changed
	}
	first := &p.bursts[0]
	bad = first.bad
	p.count.Queued--
	if first.orders--; first.orders == 0 {
		p.bursts = p.bursts[1:]
	}
	return bad, true, p.changed
}

// take waits for a place among the checkouts under way; false when the producer ends.
func (p *Producer) take() bool {
	select {
	case p.slots <- struct{}{}:
		return true
	case <-p.stop.Done():
		return false
	}
}

// begin starts a checkout, which holds a place already.
func (p *Producer) begin(bad bool) {
	p.mu.Lock()
	p.count.Offered++
	number := uint64(p.count.Offered)
	bad = bad || Bad(number, p.settings.BadShare)
	p.mu.Unlock()
	p.spawn(func() {
		defer func() { <-p.slots }()
		p.checkout(number, bad)
	})
}
