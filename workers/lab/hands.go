package lab

import (
	"sync"

	"example.com/unacked/workers"
)

// hands are the orders that workers have been given and not finished, as they say themselves. A queue that forgets a
// message when it hands it out leaves no other trace of it. Safe from any goroutine.
type hands struct {
	mu   sync.Mutex
	held map[string]map[string]bool // worker, order
}

// take notes what a worker reports.
func (h *hands) take(e workers.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held == nil {
		h.held = make(map[string]map[string]bool)
	}
	switch e.Kind {
	case workers.EventDelivered:
		if e.Order == "" {
			return
		}
		if h.held[e.Worker] == nil {
			h.held[e.Worker] = make(map[string]bool)
		}
		h.held[e.Worker][e.Order] = true
	case workers.EventDone, workers.EventFailed, workers.EventDuplicate, workers.EventDeadLettered:
		delete(h.held[e.Worker], e.Order)
	case workers.EventStarted, workers.EventStopped, workers.EventExited, workers.EventWaiting:
		delete(h.held, e.Worker) // a new process, or one that says that it has nothing
	}
}

// living returns the orders in the hands of workers whose process runs.
func (h *hands) living(states []workers.State) map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	orders := make(map[string]bool)
	for _, s := range states {
		if !s.Alive() {
			continue
		}
		if s.Order != "" {
			orders[s.Order] = true
		}
		for order := range h.held[s.Name] {
			orders[order] = true
		}
	}
	return orders
}
