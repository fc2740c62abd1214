package workers

import "time"

// hand follows one worker's events: what it is at, and which message it holds.
type hand struct {
	state State
	// acked says that the message in hand needs no ack after its work: it came from the list, or was acked before.
	acked bool
	// skipped says that the message in hand is a duplicate: its ack ends it though no work began.
	skipped bool
}

// apply takes one event of the worker's into account.
func (h *hand) apply(e Event, now time.Time) {
	s := &h.state
	switch e.Kind {
	case EventStarted:
		s.PID = e.PID
		h.phase(PhaseWaiting, now)
	case EventWaiting:
		h.drop()
		h.phase(PhaseWaiting, now)
	case EventDelivered:
		// Of a batch the first is in hand; the others are taken up by their EventWorking.
		if s.ID == "" && s.Order == "" {
			h.take(e)
			h.phase(PhaseWorking, now)
		}
	case EventWorking:
		if !h.holds(e) {
			h.take(e)
		}
		s.WorkSince = now
		h.phase(PhaseWorking, now)
	case EventDuplicate:
		h.skipped = h.holds(e)
		if h.skipped && h.acked {
			h.free(now)
		}
	case EventDone:
		s.Done++
		if h.holds(e) && h.acked {
			h.free(now)
		}
	case EventAcked:
		switch {
		case !h.holds(e):
		case s.WorkSince.IsZero() && !h.skipped:
			h.acked = true
		default:
			h.free(now)
		}
	case EventNotOurs:
		if h.holds(e) && e.Reason != reasonLeaseLost {
			h.free(now)
		}
	case EventFailed:
		s.Failed++
		if h.holds(e) {
			h.free(now)
		}
	case EventDeadLettered, EventVanished:
		if h.holds(e) {
			h.free(now)
		}
	case EventBackingOff:
		s.Reason = e.Reason
		h.phase(PhaseBackingOff, now)
	case EventAtPoint:
		if !h.holds(e) {
			h.take(e)
		}
		s.Armed = CrashNone
		h.phase(PhaseAtPoint, now)
	case EventArmed:
		s.Armed = e.Point
	}
}

// ended takes the end of the process into account. The message in hand stays as the one that it held.
func (h *hand) ended(p Phase, reason string, now time.Time) {
	h.state.Armed = CrashNone
	h.state.Reason = reason
	h.state.Phase, h.state.Since = p, now
}

// began makes the state that of a new process.
func (h *hand) began(pid int, now time.Time) {
	h.drop()
	h.state.PID, h.state.Reason, h.state.Armed = pid, "", CrashNone
	h.state.Phase, h.state.Since = PhaseStarting, now
}

func (h *hand) holds(e Event) bool { return h.state.ID == e.ID && h.state.Order == e.Order }

func (h *hand) take(e Event) {
	s := &h.state
	s.ID, s.Order, s.Deliveries, s.WorkSince = e.ID, e.Order, e.Deliveries, time.Time{}
	h.acked, h.skipped = e.Via == ViaPopped, false
}

func (h *hand) drop() { h.take(Event{}) }

func (h *hand) free(now time.Time) {
	h.drop()
	h.phase(PhaseWaiting, now)
}

// phase changes what the worker is at; one that is told to stop stays so until its process ends.
func (h *hand) phase(p Phase, now time.Time) {
	s := &h.state
	if s.Phase == PhaseStopping {
		return
	}
	if p != PhaseBackingOff {
		s.Reason = ""
	}
	if p != s.Phase || p == PhaseWorking {
		s.Phase, s.Since = p, now
	}
}
