package lab

// Pause sets the lab aside: no checkout begins, those that wait for room wait on, no worker takes a message (one in hand
// is finished), and next to nothing is read any more. The decisions stay as they are, and those made meanwhile are in
// force after Resume. Pausing twice is pausing once.
func (l *Lab) Pause() { l.setAside(true) }

// Resume ends a Pause: everything goes on from where it was.
func (l *Lab) Resume() { l.setAside(false) }

func (l *Lab) setAside(paused bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended.Load() || l.paused.Load() == paused {
		return
	}
	l.paused.Store(paused)
	l.enforce()
	l.hurry()
}

// enforce tells the workers and the checkout what holds for them now. l.mu is held.
func (l *Lab) enforce() {
	settings, checkout := l.decisions.Worker, l.decisions.checkout()
	if l.paused.Load() {
		settings.Paused, checkout.Closed = true, true
	}
	l.settings.Store(&settings)
	l.supervisor.Configure(settings)
	l.producer.Configure(checkout)
}
