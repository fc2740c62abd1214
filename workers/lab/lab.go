package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
	"example.com/unacked/redisq/server"
	"example.com/unacked/redisq/watch"
	"example.com/unacked/workers"
	"example.com/unacked/workers/mail"
	"example.com/unacked/workers/producer"
)

const (
	defaultInterval = 250 * time.Millisecond
	// commandsKept is how many commands of each role the lab remembers.
	commandsKept = 100
	// callTimeout bounds one action, and one command of a count.
	callTimeout = 2 * time.Second
	// readTimeout bounds one reading, so that a server that is there and silent is noticed within two seconds.
	readTimeout = 1500 * time.Millisecond
)

// Options are what a lab is made of. The zero value is the demonstration on a private server, without workers or load.
type Options struct {
	// Target is a given server, on which the lab uses and removes keys of its own. nil is a private server of Server's
	// kind ("" is [server.Auto]).
	Target *redisq.Target
	Server server.Mode
	// SMTP is the host:port of the mail server that the workers send to. "" is a sink of the lab's own, which counts
	// what arrives; without it nobody does.
	SMTP      string
	Decisions Decisions
	// Self is how the command line of a worker process begins. nil is this program with the argument "worker".
	Self []string
	// Interval is the time between two readings, 50 ms … 1 min; 0 is 250 ms.
	Interval time.Duration
	Clock    func() time.Time // nil is time.Now
	LogTo    io.Writer        // gets what libraries and workers log, too; nil is nobody
	// Go starts each goroutine of the lab. It must run the function; nil is a plain go statement.
	Go func(func())

	// OnOrder, OnMail and OnEvent are told what the checkout, the sink and the workers say: each order that is in the
	// queue or may be, each mail that arrived (with how many its order has now), each event. They run under the locks of
	// those, so they must be quick and must not call the lab. nil is nobody.
	OnOrder func(producer.Order)
	OnMail  func(at time.Time, order string, mails int)
	OnEvent func(workers.Event)
	// Checkout makes what the checkout puts orders into, of the queue and of the address of the mail server. nil is the
	// queue.
	Checkout func(queue producer.Queue, smtp string) producer.Queue
}

// Lab is the running demonstration. Its methods are safe from any goroutine and may block for a reply.
type Lab struct {
	o       Options
	private *server.Server // nil on a given server
	target  redisq.Target
	queue   redisq.Queue
	prefix  string // of every key
	owns    bool   // keys may have been made
	warning string
	log     *logRing
	// What each role sent, apart, so that a busy one does not push the others' out.
	commands [3]*redisq.CommandLog

	// Each role has its own connections, so that none waits for another's: see "Observer starved" in redisq.
	watching *redisq.Client
	counting *redisq.Client
	ordering *redisq.Client
	acting   *redisq.Client

	group      *redisq.Group // acts through acting
	desk       *desk.Desk    // likewise, for what a person wants
	observer   *redisq.Observer
	sink       *mail.Sink // nil where the workers send to a given server
	producer   *producer.Producer
	supervisor *workers.Supervisor

	witness witness
	hands   hands
	stories *stories
	journal *journal
	cost    *redisq.Cost
	books   atomic.Pointer[Books]
	service atomic.Int64 // time.Duration that a mail takes now
	// settings are the workers' now, for those who may not take mu.
	settings atomic.Pointer[workers.Settings]
	watched  atomic.Pointer[string]
	doctor   atomic.Pointer[watch.Diagnosis] // nil before the first look

	updates  chan Update   // holds the newest only
	poke     chan struct{} // wants a reading now
	interval chan time.Duration
	running  sync.WaitGroup // the lab's own goroutines
	stop     context.Context
	cancel   context.CancelFunc
	ended    atomic.Bool // Close has begun
	paused   atomic.Bool // between Pause and Resume; changed with mu held
	closing  sync.Once
	closed   error

	mu        sync.Mutex // guards what follows; held for a whole action, so that actions follow one another
	decisions Decisions
	counted   map[string]bool // workers that Decisions.Workers counts; the others were told to stop
}

// Start starts a lab. ctx bounds the start only. On a given server it fails when that is not there, or the lab may not
// use it.
func Start(ctx context.Context, o Options) (*Lab, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Go == nil {
		o.Go = func(f func()) { go f() }
	}
	if o.Self == nil {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("start the lab: find this program, to start workers: %w", err)
		}
		o.Self = []string{exe, "worker"}
	}
	if o.Interval == 0 {
		o.Interval = defaultInterval
	}
	o.Interval = min(max(o.Interval, redisq.MinInterval), redisq.MaxInterval)
	l := &Lab{
		o:         o,
		log:       &logRing{to: o.LogTo},
		journal:   &journal{now: o.Clock},
		cost:      &redisq.Cost{},
		updates:   make(chan Update, 1),
		poke:      make(chan struct{}, 1),
		interval:  make(chan time.Duration, 1),
		decisions: o.Decisions.clean(),
		counted:   make(map[string]bool),
	}
	l.stop, l.cancel = context.WithCancel(context.Background())
	for i := range l.commands {
		l.commands[i] = redisq.NewCommandLog(commandsKept)
	}
	l.apply(l.decisions)
	l.stories = newStories(func() time.Duration { return l.settings.Load().Lease })
	l.watched.Store(new(string))
	l.books.Store(&Books{Reason: "not counted yet"})
	if err := l.start(ctx); err != nil {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
		defer cancel()
		_ = l.Close(end) // the error that kept it from starting is the one to tell
		return nil, err
	}
	return l, nil
}

// start brings the parts up: the server, the sink, the eyes, the workers, and the load last.
func (l *Lab) start(ctx context.Context) error {
	redisq.SilenceLibrary(l.log)
	if err := l.openServer(ctx); err != nil {
		return err
	}
	if err := l.connect(ctx); err != nil {
		return err
	}
	if err := l.group.CheckKeys(ctx); err != nil {
		return fmt.Errorf("start the lab: %w", err)
	}
	l.owns = true
	if _, err := l.group.Ensure(ctx); err != nil {
		return fmt.Errorf("start the lab: %w", err)
	}
	smtp := l.o.SMTP
	if smtp == "" {
		sink, err := mail.Start(mail.Options{
			Service: func() time.Duration { return time.Duration(l.service.Load()) },
			OnMail:  l.onMail, Log: log.New(l.log, "", 0), Go: l.o.Go,
		})
		if err != nil {
			return fmt.Errorf("start the lab: %w", err)
		}
		l.sink, smtp = sink, sink.Addr()
	}
	l.supervisor = workers.NewSupervisor(workers.SupervisorOptions{
		Argv: func(name string) []string {
			return argv(l.o.Self, l.queue, *l.settings.Load(), smtp, l.embedded(), name)
		},
		Env:      environment(l.target),
		OnEvent:  l.onEvent,
		Settings: l.decisions.Worker,
		Clock:    l.o.Clock,
	})
	var queue producer.Queue = redisq.NewGroup(l.ordering, l.queue)
	if l.o.Checkout != nil {
		queue = l.o.Checkout(queue, smtp)
	}
	l.producer = producer.Start(producer.Options{
		Queue: queue, OnOrder: l.onOrder, Now: l.o.Clock, Go: l.o.Go,
	})
	l.spawn(l.count)
	l.spawn(l.observe)
	l.spawn(l.examine)
	if l.private != nil {
		l.spawn(l.nurse)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.staff(l.decisions.Workers); err != nil {
		return fmt.Errorf("start the lab: %w", err)
	}
	l.producer.Configure(l.decisions.checkout())
	return nil
}

// openServer starts the private server, or takes the given one.
func (l *Lab) openServer(ctx context.Context) error {
	if l.o.Target != nil {
		part, err := randomPart()
		if err != nil {
			return err
		}
		l.target, l.prefix = *l.o.Target, keyPrefix+part+":"
		l.queue = redisq.NewQueue(l.prefix+streamName, groupName)
		return nil
	}
	mode := l.o.Server
	if mode == "" {
		mode = server.Auto
	}
	private, err := server.Start(ctx, mode)
	if err != nil {
		return fmt.Errorf("start the lab: %w", err)
	}
	l.private = private
	if l.target, err = redisq.ParseTarget(private.URL()); err != nil {
		return fmt.Errorf("start the lab: %w", err)
	}
	l.prefix = keyPrefix
	l.queue = redisq.NewQueue(l.prefix+streamName, groupName)
	if note := private.Note(); note != "" {
		fmt.Fprintln(l.log, note)
	}
	return nil
}

// embedded says whether the server is in this process.
func (l *Lab) embedded() bool { return l.private != nil && l.private.Embedded() }

// connect makes the clients and looks whether the server is there.
func (l *Lab) connect(ctx context.Context) error {
	for _, c := range []struct {
		client   **redisq.Client
		name     string
		pool     int
		readOnly bool
		log      *redisq.CommandLog
	}{
		{&l.watching, "observer", 2, true, l.commands[0]},
		{&l.counting, "books", 2, true, l.commands[0]},
		{&l.ordering, "producer", 32, false, l.commands[1]},
		{&l.acting, "action", 4, false, l.commands[2]},
	} {
		client, err := redisq.Connect(l.target, redisq.Options{
			Name: c.name, Log: c.log, PoolSize: c.pool, Private: l.private != nil, Embedded: l.embedded(), ReadOnly: c.readOnly,
		})
		if err != nil {
			return fmt.Errorf("start the lab: %w", err)
		}
		*c.client = client
	}
	l.group, l.desk = redisq.NewGroup(l.acting, l.queue), desk.NewDesk(l.acting)
	l.observer = redisq.NewObserver(l.watching, l.queue, redisq.ObserverOptions{Clock: l.o.Clock, Added: l.added, Pushed: l.pushed})
	if _, err := l.acting.Identify(ctx); err != nil {
		return fmt.Errorf("start the lab: %w", err)
	}
	if l.private == nil {
		found, all := leftovers(ctx, l.acting, l.o.Clock)
		l.warning = warning(l.target, l.prefix, found, all)
	}
	return nil
}

// spawn starts one of the lab's goroutines; each ends when l.stop does.
func (l *Lab) spawn(f func()) {
	l.running.Add(1)
	l.o.Go(func() {
		defer l.running.Done()
		f()
	})
}

// Warning says which keys of a given server the lab uses and removes, and whether other labs left some there. It is ""
// on a private server.
func (l *Lab) Warning() string { return l.warning }

// Close ends the lab, the load first and the server last, and returns when nothing of it is left: usually within a
// second, a worker being given half a second for the message in hand. On a given server it removes the lab's keys; the
// error is why that failed. Closing twice is fine.
func (l *Lab) Close(ctx context.Context) error {
	l.closing.Do(func() { l.closed = l.close(ctx) })
	return l.closed
}

func (l *Lab) close(ctx context.Context) error {
	l.ended.Store(true)
	var errs []error
	if l.producer != nil {
		patience, cancel := context.WithTimeout(ctx, 150*time.Millisecond)
		// The end of a context does not end a call that waits for a reply; the end of its client does.
		context.AfterFunc(patience, func() { _ = l.ordering.Close() })
		l.producer.Close(patience)
		cancel()
	}
	if l.supervisor != nil {
		errs = append(errs, l.supervisor.Close(ctx))
	}
	l.cancel()
	for _, c := range []*redisq.Client{l.watching, l.counting, l.ordering} {
		if c != nil {
			errs = append(errs, c.Close()) // ends their reads too
		}
	}
	l.running.Wait()
	close(l.updates)
	if l.sink != nil {
		errs = append(errs, l.sink.Close())
	}
	if l.acting != nil {
		if l.private == nil && l.owns {
			errs = append(errs, l.removeKeys(ctx))
		}
		errs = append(errs, l.acting.Close())
	}
	if l.private != nil {
		errs = append(errs, l.private.Close())
	}
	return errors.Join(errs...)
}

func (l *Lab) removeKeys(ctx context.Context) error {
	if err := remove(ctx, l.acting, l.queue, l.prefix); err != nil {
		return fmt.Errorf("remove the lab's keys %s*: %w", l.prefix, err)
	}
	return nil
}
