package workers

import (
	"testing"
	"time"
)

// What a worker says makes its state.
func TestHand(t *testing.T) {
	on := func(kind EventKind) Event { return Event{Kind: kind, PID: 9, ID: "7-0", Order: "7", Deliveries: 2} }
	with := func(e Event, f func(*Event)) Event { f(&e); return e }
	delivered := on(EventDelivered)
	popped := with(delivered, func(e *Event) { e.ID, e.Via = "", ViaPopped })
	list := func(kind EventKind) Event { return with(on(kind), func(e *Event) { e.ID = "" }) }
	other := with(delivered, func(e *Event) { e.ID, e.Order = "8-0", "8" })
	tests := []struct {
		name   string
		events []Event
		phase  Phase
		order  string // in hand
		begun  bool
		done   int64
		failed int64
	}{
		{name: "new", phase: PhaseStarting},
		{name: "started", events: []Event{{Kind: EventStarted, PID: 9}}, phase: PhaseWaiting},
		{name: "delivered", events: []Event{delivered}, phase: PhaseWorking, order: "7"},
		{name: "working", events: []Event{delivered, on(EventWorking)}, phase: PhaseWorking, order: "7", begun: true},
		{
			name: "done, not acked yet", events: []Event{delivered, on(EventWorking), on(EventDone)},
			phase: PhaseWorking, order: "7", begun: true, done: 1,
		},
		{
			name: "acked", events: []Event{delivered, on(EventWorking), on(EventDone), on(EventAcked)},
			phase: PhaseWaiting, done: 1,
		},
		{
			name: "acked before the work", events: []Event{delivered, on(EventAcked), on(EventWorking)},
			phase: PhaseWorking, order: "7", begun: true,
		},
		{
			name: "acked before the work, done", events: []Event{delivered, on(EventAcked), on(EventWorking), on(EventDone)},
			phase: PhaseWaiting, done: 1,
		},
		{name: "popped", events: []Event{popped, list(EventWorking)}, phase: PhaseWorking, order: "7", begun: true},
		{name: "popped, done", events: []Event{popped, list(EventWorking), list(EventDone)}, phase: PhaseWaiting, done: 1},
		{
			name: "failed", events: []Event{delivered, on(EventWorking), on(EventFailed), on(EventDeadLettered)},
			phase: PhaseWaiting, failed: 1,
		},
		{name: "a duplicate", events: []Event{delivered, on(EventDuplicate)}, phase: PhaseWorking, order: "7"},
		{name: "a duplicate, acked", events: []Event{delivered, on(EventDuplicate), on(EventAcked)}, phase: PhaseWaiting},
		{
			name: "a duplicate that was acked before", events: []Event{delivered, on(EventAcked), on(EventDuplicate)},
			phase: PhaseWaiting,
		},
		{
			name: "lease lost", phase: PhaseWorking, order: "7", begun: true,
			events: []Event{delivered, on(EventWorking), with(on(EventNotOurs), func(e *Event) { e.Reason = reasonLeaseLost })},
		},
		{
			name: "ack refused", phase: PhaseWaiting, done: 1,
			events: []Event{delivered, on(EventWorking), on(EventDone), with(on(EventNotOurs), func(e *Event) { e.Reason = reasonAckRefused })},
		},
		{name: "a batch", events: []Event{delivered, other}, phase: PhaseWorking, order: "7"},
		{
			name: "the second of a batch", phase: PhaseWorking, order: "8", begun: true, done: 1,
			events: []Event{delivered, other, on(EventWorking), on(EventDone), on(EventAcked), with(other, func(e *Event) { e.Kind = EventWorking })},
		},
		{
			name: "backing off with the message in hand", phase: PhaseBackingOff, order: "7", begun: true, done: 1,
			events: []Event{delivered, on(EventWorking), on(EventDone), {Kind: EventBackingOff, Reason: "gone"}},
		},
		{
			name: "at a point", phase: PhaseAtPoint, order: "7",
			events: []Event{{Kind: EventArmed, Point: CrashBeforeWork}, delivered, on(EventAtPoint)},
		},
		{name: "vanished", events: []Event{{Kind: EventWaiting}, {Kind: EventVanished, ID: "6-0"}}, phase: PhaseWaiting},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var h hand
			now := time.Unix(1764365984, 0)
			h.began(9, now)
			for i, e := range tt.events {
				h.apply(e, now.Add(time.Duration(i)*time.Second))
			}
			s := h.state
			if s.Phase != tt.phase || s.Order != tt.order || s.WorkSince.IsZero() == tt.begun || s.Done != tt.done || s.Failed != tt.failed {
				t.Errorf("state %+v", s)
			}
			if s.Armed != CrashNone {
				t.Errorf("still armed: %s", s.Armed)
			}
			if s.Order == "7" && s.Deliveries != 2 {
				t.Errorf("%d deliveries, want 2", s.Deliveries)
			}
			h.ended(PhaseKilled, "", now)
			if h.state.Order != tt.order || h.state.Alive() {
				t.Errorf("killed it is %+v, want it to hold order %q", h.state, tt.order)
			}
		})
	}
}
