package workers

import "time"

// Phase is what a worker process is at.
type Phase string

// The phases of a worker.
const (
	PhaseStarting   Phase = "starting"
	PhaseWaiting    Phase = "waiting"
	PhaseWorking    Phase = "working"
	PhaseAtPoint    Phase = "at-point" // waits at a crash point for its SIGKILL
	PhaseBackingOff Phase = "backing off"
	PhaseStopping   Phase = "stopping" // told to stop, finishes the message in hand
	PhaseStopped    Phase = "stopped"  // ended as told
	PhaseKilled     Phase = "killed"   // by our SIGKILL
	PhaseDied       Phase = "died"     // ended by itself; Reason says how
)

// State is a worker as the supervisor sees it. It is a value: a copy is safe to keep.
type State struct {
	Name  string
	PID   int // 0 before the first start
	Phase Phase
	Since time.Time // when Phase began
	// The message in hand; for a killed or dead worker the one that it held when it ended. "" is none.
	ID         string
	Order      string
	Deliveries int64
	WorkSince  time.Time // when its handler began; zero before
	Armed      CrashPoint
	Reason     string // of BackingOff, Died
	Done       int64  // messages whose work succeeded, since the first start
	Failed     int64
	Restarts   int
}

// Alive says whether the process runs.
func (s State) Alive() bool {
	switch s.Phase {
	case PhaseStopped, PhaseKilled, PhaseDied:
		return false
	}
	return s.PID != 0
}
