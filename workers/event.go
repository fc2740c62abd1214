package workers

import "time"

// EventKind says what a worker reports.
type EventKind string

// What a worker reports. The comment names the fields of Event that it fills beside Worker, PID and At.
const (
	EventStarted      EventKind = "started"       //
	EventWaiting      EventKind = "waiting"       // nothing to do; said when it begins, not repeated
	EventDelivered    EventKind = "delivered"     // ID, Order, Deliveries, Via, From (previous owner where claimed)
	EventWorking      EventKind = "working"       // ID, Order, Deliveries: the handler begins
	EventDone         EventKind = "done"          // ID, Order, Took: the handler succeeded ("sent" for smtp)
	EventRecorded     EventKind = "recorded"      // ID, Order: the idempotent consumer's record was written
	EventDuplicate    EventKind = "duplicate"     // ID, Order: skipped, the record was there
	EventAcked        EventKind = "acked"         // ID, Order
	EventNotOurs      EventKind = "not-ours"      // ID, Order, From (owner, or "" when no longer pending), Reason: heartbeat, ack or dead letter refused
	EventFailed       EventKind = "failed"        // ID, Order, Deliveries, Reason: stays pending
	EventDeadLettered EventKind = "dead-lettered" // ID, Order, Deliveries, Reason
	EventVanished     EventKind = "vanished"      // ID: claimed, but the body is gone; the claim dropped it from the PEL
	EventBackingOff   EventKind = "backing-off"   // Reason: the loop's last error; Took: the pause
	EventGroupCreated EventKind = "group-created" // the group was missing and was created at 0
	EventArmed        EventKind = "armed"         // Point, Order: the Crash of a Control is in force; Point "" is disarmed
	EventAtPoint      EventKind = "at-point"      // ID, Order, Point: waits there to be killed
	EventHeld         EventKind = "held"          // ID, Order, Took: heartbeat renewed the lease; Took since the work began
	EventLog          EventKind = "log"           // Reason: a line of a library's log
	EventStopped      EventKind = "stopped"       // Reason: "" after a graceful stop

	// EventExited is the supervisor's own: the process is gone and was reaped. ID, Order: the message that it held,
	// if any; Reason: "killed" after our SIGKILL, "" after a stop as told, else how it ended.
	EventExited EventKind = "exited"
)

// Ways by which a message came to a worker, in Event.Via.
const (
	ViaNew     = "new"     // XREADGROUP >
	ViaOwn     = "own"     // its own pending entries, found at start or after a read error
	ViaClaimed = "claimed" // past the lease of another consumer
	ViaPopped  = "popped"  // from the list
)

// What Event.Reason of EventNotOurs says was refused.
const (
	reasonLeaseLost  = "the lease was lost while the work went on"
	reasonAckRefused = "the ack was refused"
	reasonDeadLetter = "the move to the dead letters was refused"
)

// Event is one thing that a worker did or met, a JSON object a line.
type Event struct {
	At         time.Time     `json:"at"`
	Worker     string        `json:"worker"`
	PID        int           `json:"pid"`
	Kind       EventKind     `json:"event"`
	ID         string        `json:"id,omitempty"`
	Order      string        `json:"order,omitempty"` // the entry's field "order"
	Deliveries int64         `json:"deliveries,omitempty"`
	Via        string        `json:"via,omitempty"`
	From       string        `json:"from,omitempty"`
	Point      CrashPoint    `json:"point,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	Took       time.Duration `json:"took_ns,omitempty"`
}

// Control is what a supervisor tells a worker, a JSON object a line.
type Control struct {
	Settings *Settings  `json:"settings,omitempty"`
	Crash    CrashPoint `json:"crash,omitempty"` // wait at this point of the message in hand, or of the next one
	Order    string     `json:"order,omitempty"` // with Crash: only when handling this order, "" is any
	Disarm   bool       `json:"disarm,omitempty"`
	Stop     bool       `json:"stop,omitempty"` // finish the message in hand, then end
}
