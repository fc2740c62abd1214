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
		if p.begin(func() (*Load, bool) { return nil, true }) {
			last = due
		}
	}
}

// burst begins the orders of bursts, each as soon as there is a place for it.
func (p *Producer) burst() {
	for {
		some, changed := p.some()
		if !some {
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
		p.begin(p.next)
	}
}

// some says whether there is an order of a burst that may begin.
func (p *Producer) some() (bool, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.bursts) > 0 && !p.settings.Closed, p.changed
}

// next takes one order off the bursts and returns the one that it is of; false when there is none. p.mu is held.
func (p *Producer) next() (*Load, bool) {
	if len(p.bursts) == 0 {
		return nil, false
	}
	load := p.bursts[0]
	p.count.Queued--
	if load.left--; load.left == 0 {
		p.bursts = p.bursts[1:]
	}
	return load, true
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

// begin starts a checkout, which holds a place already, of the load that next gives, nil for one of the rate; next is
// called with p.mu held. It gives the place back and returns false when there is none, or the shop was closed meanwhile.
func (p *Producer) begin(next func() (*Load, bool)) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	var load *Load
	open := !p.settings.Closed
	if open {
		load, open = next()
	}
	if !open {
		<-p.slots
		return false
	}
	p.count.Offered++
	number := uint64(p.count.Offered)
	bad := load != nil && load.bad || Bad(number, p.settings.BadShare)
	p.spawn(func() {
		defer func() { <-p.slots }()
		p.checkout(number, bad, load)
	})
	return true
}
