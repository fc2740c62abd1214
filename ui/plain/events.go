package plain

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"example.com/unacked/redisq/safe"
	"example.com/unacked/workers"
)

// Events returns a writer that takes a worker's events, one JSON object a Write as [workers.Run] writes them, and
// writes each as a line of text to w. The lines that come with every message, delivered and working, are one.
func Events(w io.Writer) io.Writer { return events{w} }

type events struct{ w io.Writer }

func (e events) Write(line []byte) (int, error) {
	var event workers.Event
	if err := json.Unmarshal(line, &event); err != nil {
		return 0, fmt.Errorf("read a worker's event: %w", err)
	}
	if text := Event(event); text != "" {
		if _, err := fmt.Fprintf(e.w, "%s %s %s\n", event.At.Format("15:04:05.000"), safe.Text(event.Worker), text); err != nil {
			return 0, err
		}
	}
	return len(line), nil
}

// Event says in words what a worker did, "" for an event that a person need not read.
func Event(e workers.Event) string {
	message := safe.Text(e.ID)
	if e.Order != "" {
		message += " order " + safe.Text(e.Order)
	}
	reason := safe.Text(e.Reason)
	switch e.Kind {
	case workers.EventStarted:
		return fmt.Sprintf("started, process %d", e.PID)
	case workers.EventWaiting:
		return "waiting for messages"
	case workers.EventDelivered:
		switch e.Via {
		case workers.ViaClaimed:
			return fmt.Sprintf("claimed %s from %s (delivery %d)", message, safe.Text(e.From), e.Deliveries)
		case workers.ViaOwn:
			return fmt.Sprintf("took up its own %s again (delivery %d)", message, e.Deliveries)
		case workers.ViaPopped:
			return "popped " + message + " from the list"
		}
		return "got " + message
	case workers.EventDone:
		return fmt.Sprintf("did %s in %v", message, e.Took.Round(time.Millisecond))
	case workers.EventDuplicate:
		return "skipped " + message + ": it was done before"
	case workers.EventAcked:
		return "acked " + message
	case workers.EventNotOurs:
		if e.From == "" {
			return message + " was not pending any more: nothing acked"
		}
		return message + " belongs to " + safe.Text(e.From) + " now: nothing acked"
	case workers.EventFailed:
		return fmt.Sprintf("failed %s (delivery %d), it stays pending: %s", message, e.Deliveries, reason)
	case workers.EventDeadLettered:
		return fmt.Sprintf("dead-lettered %s after %d deliveries: %s", message, e.Deliveries, reason)
	case workers.EventVanished:
		return message + " vanished: its body is gone from the stream"
	case workers.EventBackingOff:
		return fmt.Sprintf("waits %v: %s", e.Took.Round(time.Millisecond), reason)
	case workers.EventGroupCreated:
		return "created the group at the beginning of the stream"
	case workers.EventAtPoint:
		return "waits at " + string(e.Point) + " with " + message
	case workers.EventLog:
		return reason
	case workers.EventStopped:
		if reason == "" {
			return "stopped"
		}
		return "stopped: " + reason
	}
	return ""
}
