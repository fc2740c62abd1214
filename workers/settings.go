package workers

import (
	"fmt"
	"time"

	"example.com/unacked/redisq"
)

// Idempotence is what a consumer records so that it does not do a message's work twice.
type Idempotence string

// The ways of the idempotent consumer.
const (
	RecordNever  Idempotence = "off"    // every delivery does the work
	RecordBefore Idempotence = "before" // recorded before the work: a crash between the two loses it
	RecordAfter  Idempotence = "after"  // recorded after the work: a crash between the two repeats it
)

// CrashPoint is a place in a worker's handling of one message where it can be made to wait for its SIGKILL.
type CrashPoint string

// The crash points, in the order in which a worker passes them. CrashAfterRecord lies between the record and the
// work with RecordBefore, and between the record and the ack with RecordAfter.
const (
	CrashNone        CrashPoint = ""
	CrashBeforeWork  CrashPoint = "before-work"
	CrashAfterWork   CrashPoint = "after-work"
	CrashAfterRecord CrashPoint = "after-record"
)

// Settings are the decisions that a worker can change while it runs. They take effect with the next message.
type Settings struct {
	Kind          redisq.Kind   `json:"kind"`
	AckBefore     bool          `json:"ack_before"`     // ack on delivery, before the work: at most once
	MaxDeliveries int64         `json:"max_deliveries"` // 0 is no limit
	Idempotent    Idempotence   `json:"idempotent"`
	Lease         time.Duration `json:"lease"` // idle time after which a pending entry may be claimed, > 0
	Batch         int           `json:"batch"` // entries read at once, >= 1
	Paused        bool          `json:"paused"`
}

// DefaultSettings are the ones of the command line: lease 5 s, limit 5, ack after the work, one at a time.
func DefaultSettings() Settings {
	return Settings{
		Kind: redisq.Stream, MaxDeliveries: 5, Idempotent: RecordNever, Lease: 5 * time.Second, Batch: 1,
	}
}

// records says whether workers with these settings write records, so that CrashAfterRecord is a point of its own.
func (s Settings) records() bool {
	return s.Kind != redisq.List && (s.Idempotent == RecordBefore || s.Idempotent == RecordAfter)
}

// Check returns an error that says which setting is out of its range and what it may be, or nil.
func (s Settings) Check() error {
	switch {
	case s.Kind != redisq.Stream && s.Kind != redisq.List:
		return fmt.Errorf("kind %q: use stream or list", s.Kind)
	case s.Idempotent != RecordNever && s.Idempotent != RecordBefore && s.Idempotent != RecordAfter:
		return fmt.Errorf("idempotent %q: use off, before or after", s.Idempotent)
	case s.Lease < time.Millisecond:
		return fmt.Errorf("lease %v: use a millisecond or more, as in 5s", s.Lease)
	case s.MaxDeliveries < 0:
		return fmt.Errorf("max-deliveries %d: use 0 for no limit, or more", s.MaxDeliveries)
	case s.Batch < 1:
		return fmt.Errorf("batch %d: use 1 or more", s.Batch)
	}
	return nil
}
