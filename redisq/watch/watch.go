package watch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/redisq/doctor"
)

const (
	defaultInterval = 500 * time.Millisecond
	// readTimeout bounds one reading, so that a server that is there and silent is noticed within two seconds.
	readTimeout  = 1500 * time.Millisecond
	commandsKept = 300

	// What a goroutine rests after a reading that failed, when it may be better in a while: it grows to patience.
	firstRetry = 250 * time.Millisecond
	patience   = 3 * time.Second

	// frugal is how many bytes a second the readings of one kind may bring on the average: XINFO STREAM brings two bodies,
	// and where these are large there are fewer readings.
	frugal = 1 << 20
)

// Options are what is watched and how. The zero value but for Target watches every stream of the server.
type Options struct {
	Target redisq.Target
	// Embedded says that the server is miniredis, in some process.
	Embedded bool

	Stream     string // the only stream to look at, "" is all there are
	Group      string // the group to begin with, "" is to be chosen: the only one there is, or by Choose
	Match      string // a glob for the names of the streams, as SCAN MATCH has it; "" is every name
	DeadLetter string // key of the dead letters, "" is found by the usual names

	// Write allows changes by Plan: through a client of its own, the reading stays read-only.
	Write bool

	Interval   time.Duration // between two readings of the chosen group, 50 ms … 1 min; 0 is 500 ms
	Thresholds doctor.Thresholds
	Clock      func() time.Time // nil is time.Now
	// Go starts each goroutine. It must run the function; nil is a plain go statement.
	Go func(func())
}

// Watch is under way from Start until Close. Its methods are safe from any goroutine and do not wait for the server.
type Watch struct {
	o       Options
	client  *redisq.Client
	log     *redisq.CommandLog
	acting  *redisq.Client // nil where nothing may be changed
	desk    *desk.Desk     // likewise
	cost    redisq.Cost
	traffic redisq.Traffic
	updates chan Update // holds the newest only
	running sync.WaitGroup
	stop    context.Context
	cancel  context.CancelFunc
	closing sync.Once
	closed  error

	// Each wakes a goroutine: what is chosen, or how it is to be read, has changed.
	reading, listing, examining chan struct{}

	mu         sync.Mutex // guards what follows, and the sending of updates
	now        Update
	chosenBy   chosenBy
	filter     redisq.PendingFilter
	interval   time.Duration
	browsing   bool // a person looks at the list
	generation uint64
	stories    *stories
	letters    string // key of the dead letters of what is chosen
	answered   bool   // the server did, at least once
	ended      bool
}

// chosenBy says who made the choice that is in force.
type chosenBy int

const (
	byNobody chosenBy = iota
	byItself          // it was the only one
	byPerson
)

// New makes a Watch that has not begun. The error is one of the target's certificate files.
func New(o Options) (*Watch, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Go == nil {
		o.Go = func(f func()) { go f() }
	}
	if o.Interval == 0 {
		o.Interval = defaultInterval
	}
	if o.Thresholds == (doctor.Thresholds{}) {
		o.Thresholds = doctor.Defaults()
	}
	log := redisq.NewCommandLog(commandsKept)
	client, err := redisq.Connect(o.Target, redisq.Options{
		Name: "watch", Log: log, PoolSize: 4, ReadOnly: true, Embedded: o.Embedded,
	})
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", o.Target, err)
	}
	w := &Watch{
		o: o, client: client, log: log, updates: make(chan Update, 1),
		reading: make(chan struct{}, 1), listing: make(chan struct{}, 1), examining: make(chan struct{}, 1),
		interval: min(max(o.Interval, redisq.MinInterval), redisq.MaxInterval), browsing: true, stories: newStories(),
	}
	if err := w.openDesk(); err != nil {
		return nil, fmt.Errorf("watch %s: %w", o.Target, err)
	}
	w.stop, w.cancel = context.WithCancel(context.Background())
	if o.Stream != "" && o.Group != "" {
		w.choose(Choice{o.Stream, o.Group}, byPerson, o.DeadLetter)
		w.browsing = false
	}
	return w, nil
}

// Start begins to watch; it is called once. It does not wait for the server: what is wrong with that comes with the
// updates.
func (w *Watch) Start() {
	w.spawn(w.observe)
	w.spawn(w.list)
	w.spawn(w.examine)
}

// spawn starts one of the goroutines; each ends when w.stop does.
func (w *Watch) spawn(f func()) {
	w.running.Add(1)
	w.o.Go(func() {
		defer w.running.Done()
		f()
	})
}

// Updates is where each change comes out. It holds the newest only: a slow reader misses those between. It is closed
// when watching has ended.
func (w *Watch) Updates() <-chan Update { return w.updates }

// Close ends the watching and returns when nothing of it is left. Closing twice is fine.
func (w *Watch) Close() error {
	w.closing.Do(func() {
		w.cancel()
		w.closed = w.client.Close() // ends the reads that wait for a reply
		if w.acting != nil {
			w.closed = errors.Join(w.closed, w.acting.Close())
		}
		w.running.Wait()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended = true
		close(w.updates)
	})
	return w.closed
}

// Choose has a group of a stream read. An empty group is a stream that has none.
func (w *Watch) Choose(stream, group string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	dead := w.o.DeadLetter
	if dead == "" && w.now.Streams != nil {
		for i := range w.now.Streams.Rows {
			if r := &w.now.Streams.Rows[i]; r.Stream == stream {
				dead = r.DeadLetter
				break
			}
		}
	}
	w.choose(Choice{stream, group}, byPerson, dead)
	w.publish()
}

// choose is Choose with w.mu held, or before anything runs.
func (w *Watch) choose(c Choice, by chosenBy, letters string) {
	w.chosenBy = by
	if c == w.now.Chosen {
		return
	}
	if letters == "" {
		letters = redisq.DeadLetterKey(c.Stream)
	}
	w.letters, w.filter, w.stories = letters, redisq.PendingFilter{}, newStories()
	w.now = Update{Chosen: c, Streams: w.now.Streams}
	wake(w.reading)
	wake(w.examining)
}

// SetFilter sets which pending entries are read.
func (w *Watch) SetFilter(f redisq.PendingFilter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.filter = f
	wake(w.reading)
}

// SetInterval sets the time between two readings of the chosen group, 50 ms … 1 min.
func (w *Watch) SetInterval(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.interval = min(max(d, redisq.MinInterval), redisq.MaxInterval)
	wake(w.reading)
}

// Watch names the entry whose story comes with each update; "" is none.
func (w *Watch) Watch(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now.Watched, w.now.Story = id, w.stories.tell(id)
	w.publish()
	wake(w.reading) // its body may not have been read yet
}

// Browse says whether a person looks at the list of streams: it is read less often while nobody does.
func (w *Watch) Browse(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.browsing = on; on {
		wake(w.listing)
	}
}

// publish sends what is known now. w.mu is held.
func (w *Watch) publish() {
	if w.ended || w.stop.Err() != nil {
		return
	}
	w.now.Commands = w.log.Last(commandsKept)
	w.now.Cost, w.now.Bytes = w.cost.PerSecond(w.o.Clock()), w.traffic.PerSecond(w.o.Clock())
	select {
	case <-w.updates: // one that nobody took
	default:
	}
	w.updates <- w.now // there is room: whoever sends has mu
}

// retry is the pause after so many readings in a row that failed, usual where the last did not, or of what will not pass.
func retry(failed int, err error, usual time.Duration) time.Duration {
	if failed == 0 || !redisq.Passing(err) {
		return usual
	}
	return min(firstRetry<<min(failed-1, 10), patience)
}

// digest is the pause that a reading of so many bytes asks for.
func digest(bytes int64) time.Duration {
	return time.Duration(float64(bytes) / frugal * float64(time.Second))
}

// wake asks a goroutine to look again.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// rest waits until it is time, or somebody wakes; false when watching has ended.
func (w *Watch) rest(d time.Duration, woken <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-woken:
	case <-w.stop.Done():
		return false
	}
	return true
}
