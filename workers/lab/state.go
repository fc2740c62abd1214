package lab

import (
	"fmt"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/watch"
	"example.com/unacked/workers"
)

// Full is what a checkout does when the queue is full.
type Full string

// The policies of a full queue.
const (
	Grow   Full = "grow"   // the queue has no limit
	Cap    Full = "cap"    // XADD MAXLEN: the oldest entries are cut, read or not
	Wait   Full = "wait"   // the checkout waits for room: the user waits
	Refuse Full = "refuse" // the checkout is refused at once
)

// Decisions are the questions that `queue.add(...)` hides. They are switched while the lab runs.
type Decisions struct {
	Worker   workers.Settings
	Full     Full
	Limit    int64         // entries, for every policy but Grow
	Workers  int           // processes to keep; a killed one counts until it is replaced by hand
	Rate     float64       // orders a second
	BadShare float64       // 0 … 1, share of orders with an address that the mail server refuses
	Service  time.Duration // how long the mail server takes for a mail
}

// Defaults are the demonstration's: 3 workers, 2 orders a second, 300 ms a mail, one bad address in twenty.
func Defaults() Decisions {
	return Decisions{
		Worker: workers.DefaultSettings(), Full: Grow, Limit: 100,
		Workers: 3, Rate: 2, BadShare: 0.05, Service: 300 * time.Millisecond,
	}
}

// Limits of what can be decided: a laptop's worth.
const (
	MaxWorkers = 100
	MaxRate    = 1000
)

// Check returns an error that says which decision is out of its range and what it may be, or nil.
func (d Decisions) Check() error {
	switch {
	case d.Full != Grow && d.Full != Cap && d.Full != Wait && d.Full != Refuse:
		return fmt.Errorf("full %q: use grow, cap, wait or refuse", d.Full)
	case d.Limit < 1:
		return fmt.Errorf("limit %d: use 1 or more", d.Limit)
	case d.Workers < 0 || d.Workers > MaxWorkers:
		return fmt.Errorf("workers %d: use 0 to %d", d.Workers, MaxWorkers)
	case !(d.Rate >= 0 && d.Rate <= MaxRate):
		return fmt.Errorf("rate %v: use 0 to %d orders a second", d.Rate, MaxRate)
	case !(d.BadShare >= 0 && d.BadShare <= 1):
		return fmt.Errorf("bad %v: use 0 to 1", d.BadShare)
	case d.Service < 0 || d.Service > time.Minute:
		return fmt.Errorf("service %v: use 0 to 1m", d.Service)
	}
	if lease := d.Worker.Lease; lease < minLease || lease > maxLease {
		return fmt.Errorf("lease %v: use 50ms to 24h", lease)
	}
	return d.Worker.Check()
}

// State is the lab at one moment. It is immutable: readers share it.
type State struct {
	At        time.Time
	Decisions Decisions
	Workers   []workers.State
	Producer  Producer
	Sink      Sink
	Books     Books
	Marks     []Mark // what was done, oldest first, the last few hundred
	Notices   []Mark // what happened by itself and is worth a line (group re-created, worker died), oldest first
}

// Producer is the checkout's side.
type Producer struct {
	Offered  int64 // checkouts begun
	Accepted int64 // orders whose XADD or LPUSH was answered
	Refused  int64 // told that the queue is full
	Unknown  int64 // the reply was lost: the order may be in the queue
	Failed   int64 // the server said no: not in the queue
	Waiting  bool  // a checkout waits for room now, or for the server
	Error    string
	// Latencies of accepted checkouts, in all.
	P50, P99, Max time.Duration
}

// Sink is the mail server's count, the witness.
type Sink struct {
	Known    bool   // false where the workers send to a server that is not ours
	Reason   string // why it is not known
	Mails    int64  // arrived in all
	Refused  int64  // RCPT answered 550
	Once     int64  // orders with exactly one mail
	Twice    int64  // orders with two or more
	TwiceIDs []string
}

// Books tell where the accepted orders are. Orders = Once + Twice + NotYet + Never when they balance.
type Books struct {
	At       time.Time
	Known    bool   // false before the first count, and when the sink is not ours
	Reason   string // why it is not known
	Orders   int64  // accepted
	Once     int64
	Twice    int64
	NotYet   int64    // no mail yet, and the order is still in Redis or in a living worker's hand
	Never    int64    // no mail, and nothing in Redis knows of it
	NeverIDs []string // the first of them, by order number
	Dead     int64    // of NotYet: in the dead-letter stream
	Vanished int64    // entries dropped by a claim because their body was gone
	Balanced bool
	Off      string // what does not add up, in words; "" when Balanced
}

// Mark is something that was done, for the time axis and the story of a message.
type Mark struct {
	At   time.Time
	Text string // "killed w2", "+100", "replayed 1"
	ID   string // the entry it concerns, or ""
}

// StoryLine is one line of a message's story: "delivered to w2", "claimed by w3 from w2 (delivery 2)".
type StoryLine = watch.StoryLine

// Update is what the screen gets once a reading: one reading of Redis and the lab at that time. It is immutable.
type Update struct {
	Snapshot *redisq.Snapshot
	State    *State
	Commands []redisq.Command // what the dashboard sent, oldest first, the last few hundred
	Cost     time.Duration    // time a second that the server and the way to it spend on our readings; 0 is not known: none was answered in 10 s
	Watched  string           // the entry whose story is in Story, as asked for by Lab.Watch
	Story    []StoryLine      // oldest first; nil where nothing is known
	Log      []string         // last lines of what libraries logged, made harmless
	Doctor   *watch.Diagnosis // what the doctor finds, looked for every few seconds; nil before the first look
}
