package workers

import (
	"encoding/json"
	"io"
)

// readControls takes controls until the input closes.
func (w *worker) readControls(in io.Reader) {
	lines := newLines(in)
	for lines.next() {
		var c Control
		switch err := json.Unmarshal(lines.line, &c); {
		case lines.long:
			w.say(Event{Kind: EventLog, Reason: "a control was ignored: its line is too long"})
		case err != nil:
			w.say(Event{Kind: EventLog, Reason: "a control was ignored: " + err.Error()})
		default:
			w.control(c)
		}
		w.firstOnce.Do(func() { close(w.first) })
	}
	w.end(errInputClosed)
}

func (w *worker) control(c Control) {
	if c.Settings != nil {
		w.configure(*c.Settings)
	}
	switch {
	case c.Crash != CrashNone:
		if !c.Crash.known() {
			w.say(Event{Kind: EventLog, Reason: "a control was ignored: no such crash point: " + string(c.Crash)})
			break
		}
		w.crash.Store(&crash{at: c.Crash, order: c.Order})
		w.say(Event{Kind: EventArmed, Point: c.Crash, Order: c.Order})
	case c.Disarm:
		w.crash.Store(nil)
		w.say(Event{Kind: EventArmed})
	}
	if c.Stop {
		w.stopOnce.Do(func() { close(w.stop) })
	}
}

func (w *worker) configure(s Settings) {
	if err := s.Check(); err != nil {
		w.say(Event{Kind: EventLog, Reason: "new settings were ignored: " + err.Error()})
		return
	}
	w.settings.Store(&s)
	w.keeper.shorten(s.Lease)
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

func (p CrashPoint) known() bool {
	return p == CrashBeforeWork || p == CrashAfterWork || p == CrashAfterRecord
}
