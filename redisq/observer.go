package redisq

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	readTimeout    = 2 * time.Second
	identifyEvery  = 5 * time.Second  // a failover is seen within this time
	manyConsumers  = 1000             // above, XINFO CONSUMERS (0.2 ms a thousand) is sent less often
	consumersEvery = 10 * time.Second // then
	replacedShown  = 10 * time.Second // how long a replaced stream is said
	countedAtMost  = 1000             // undelivered entries that are counted one by one
	leastCounted   = 3                // and of large ones
	pendingPage    = 1000             // rows of one XPENDING at most: 0.3 ms
	pendingAll     = 500              // pending entries that are all looked at in each reading: 0.1 ms
	filterPages    = 4                // further pages that a filter by idle time may look at in one reading
)

// The bounds of the time between two readings that a person may choose.
const (
	MinInterval = 50 * time.Millisecond
	MaxInterval = time.Minute
)

// ObserverOptions are how an Observer reads. The zero value reads 50 pending rows and 50 dead letters.
type ObserverOptions struct {
	PendingRows int              // rows of XPENDING that are kept with their bodies, 0 is 50
	DeadRows    int              // dead letters that are kept, the newest, 0 is 50
	Clock       func() time.Time // nil is time.Now
	// Added tells how many entries were ever added, where the server does not count (the embedded one, Redis before
	// 7.0). It is asked before Redis is read. nil is not known.
	Added func() Number
	// Pushed tells whether the stream or the list is in use, and how many messages were ever pushed to the list, which no
	// server counts. It is asked before Redis is read. nil is the stream.
	Pushed func() (Kind, Number)
}

// Observer reads one queue. Read is for one goroutine at a time; SetFilter is safe from any.
//
// A reading costs two or three round trips and, on the server, less than 1 ms whatever the number of pending entries:
// of XPENDING it asks a page, of bodies those of the rows that it keeps, and a whole XINFO CONSUMERS of more than 1,000
// consumers every 10 s only.
type Observer struct {
	c *Client
	q Queue
	o ObserverOptions

	mu     sync.Mutex
	filter PendingFilter // guarded by mu
	wanted string        // guarded by mu

	// What follows belongs to the goroutine that reads.
	generation   uint64
	server       ServerInfo
	identified   time.Time // zero when the server is to be asked what it is
	track        tracker
	consumers    []Consumer
	consumerTime time.Time
	consumerMany bool
	pendingCount int64 // of the last reading
	dead         deadCache
	bodies       bodyCache
	replacedAt   time.Time
	replacedText string
}

// NewObserver returns an observer of queue q through client c, which may be read-only.
func NewObserver(c *Client, q Queue, o ObserverOptions) *Observer {
	if o.PendingRows <= 0 {
		o.PendingRows = 50
	}
	o.PendingRows = min(o.PendingRows, pendingPage-1)
	if o.DeadRows <= 0 {
		o.DeadRows = 50
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Observer{c: c, q: q, o: o}
}

// SetFilter sets the form of XPENDING for the readings that begin after it.
func (o *Observer) SetFilter(f PendingFilter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.filter = f
}

// Want names a pending entry whose body is read before those of the others, where they are too large to be read at once.
func (o *Observer) Want(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wanted = id
}

// reading is one Read on its way.
type reading struct {
	*Observer
	snap *Snapshot

	filter     PendingFilter
	wants      string // the entry whose body comes first
	added      Number // Options.Added, asked beforehand
	haveStream bool
	haveGroup  bool
	stream     streamFacts
	group      groupFacts
	members    int64 // consumers that the group has
	now        time.Time
	statRows   []PendingEntry // the page that the figures are taken from
	statAll    bool           // it is all there is

	lastFiltered string // id of the last row that the filter's first page looked at
}

// Read reads the queue once. It never returns nil: what failed is said in Err or Problems. Without a deadline in ctx it
// takes 2 s at most.
func (o *Observer) Read(ctx context.Context) *Snapshot {
	began := time.Now()
	o.generation++
	o.mu.Lock()
	filter, wanted := o.filter, o.wanted
	o.mu.Unlock()
	r := &reading{
		Observer: o, filter: filter, wants: wanted,
		snap: &Snapshot{At: o.o.Clock(), Generation: o.generation, Queue: o.q},
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, readTimeout)
		defer cancel()
	}
	if err := r.read(ctx); err != nil {
		o.identified = time.Time{}
		r.snap = &Snapshot{At: r.snap.At, Generation: o.generation, Queue: o.q, Server: o.server, Bytes: r.snap.Bytes, Err: err}
	}
	r.snap.Took = time.Since(began)
	return r.snap
}

func (r *reading) read(ctx context.Context) error {
	if r.identified.IsZero() || r.snap.At.Sub(r.identified) >= identifyEvery || r.snap.At.Before(r.identified) {
		server, err := r.c.Identify(ctx)
		if err != nil {
			return err
		}
		r.server, r.identified = server, r.snap.At
	}
	r.snap.Server = r.server
	r.now = r.snap.At
	r.added = Unknown("this server does not count what is added")
	if r.o.Added != nil {
		r.added = r.o.Added()
	}
	r.snap.Pushed = Unknown("Redis does not count what is pushed to a list")
	if r.o.Pushed != nil {
		r.snap.Kind, r.snap.Pushed = r.o.Pushed()
	}
	if r.server.Role == "replica" {
		r.addProblem("server", ProblemReplica, "this is a replica: it can be watched, not changed; what it tells of a group may be incomplete")
	}

	var b batch
	now := b.add("TIME")
	info := b.add("XINFO", "STREAM", r.q.Stream)
	groups := b.add("XINFO", "GROUPS", r.q.Stream)
	consumers := -1
	if !r.consumerMany || r.snap.At.Sub(r.consumerTime) >= consumersEvery {
		consumers = b.add("XINFO", "CONSUMERS", r.q.Stream, r.q.Group)
	}
	stat, filtered := r.askPending(&b)
	first, top := -1, -1
	if r.server.Embedded {
		first = b.add("XRANGE", r.q.Stream, "-", "+", "COUNT", 1)
		top = b.add("XREVRANGE", r.q.Stream, "+", "-", "COUNT", 1)
	}
	deadLen, deadTop := -1, -1
	if r.q.DeadLetter != "" {
		deadLen = b.add("XLEN", r.q.DeadLetter)
		if !r.dead.restsOn(r.snap.At) {
			deadTop = b.add("XREVRANGE", r.q.DeadLetter, "+", "-", "COUNT", 1)
		}
	}
	list := -1
	if r.q.List != "" {
		list = b.add("LLEN", r.q.List)
	}
	err := b.send(ctx, r.c)
	r.snap.Bytes += b.bytes
	if err != nil {
		return err
	}
	if err := unusable(b.results[info].err); err != nil {
		return err
	}

	if at, ok := serverTime(b.results[now].reply); ok {
		r.now = at
	}
	r.readStream(b.results[info], b.at(first), b.at(top))
	r.readGroup(b.results[groups])
	r.readConsumerList(b.at(consumers))
	r.noteReplaced()
	r.readPending(b.results[stat], b.at(filtered))
	r.readList(b.at(list))

	if err := r.second(ctx, b.at(deadLen), b.at(deadTop)); err != nil {
		return err
	}
	r.finishPending(ctx)
	return nil
}

// second asks for what the first answers showed to be needed: bodies, the dead letters where they changed, the count
// of undelivered entries, the type of a key that is no stream.
func (r *reading) second(ctx context.Context, deadLen, deadTop *result) error {
	var b batch
	bodies := r.askBodies(&b)
	dead := r.askDead(&b, deadLen, deadTop)
	counted, came, went, most, undelivered := -1, -1, -1, 0, Number{}
	if r.haveStream && r.haveGroup {
		var count bool
		if undelivered, count = r.track.undelivered(r.stream, r.group); count {
			// Up to the top of the first answers: what came, and was delivered, since then belongs to the next reading.
			most = affordable(r.stream.entrySize, leastCounted, countedAtMost)
			counted = b.add("XRANGE", r.q.Stream, r.group.lastDelivered.beyond(), r.stream.top.String(), "COUNT", most+1)
			if t := &r.track; t.follows(r.stream, r.group) {
				came = b.add("XRANGE", r.q.Stream, t.stream.top.beyond(), r.stream.top.String(), "COUNT", most+1)
				went = b.add("XRANGE", r.q.Stream, t.group.lastDelivered.beyond(), r.group.lastDelivered.String(), "COUNT", most+1)
			}
		}
	}
	kind := -1
	if r.snap.Stream.WrongType != "" {
		kind = b.add("TYPE", r.q.Stream)
	}
	err := b.send(ctx, r.c)
	r.snap.Bytes += b.bytes
	if err != nil {
		return err
	}
	r.readBodies(b.results, bodies)
	r.readDead(b.at(dead))
	if counted >= 0 {
		undelivered = r.readCounted(b.results[counted], most)
		if undelivered.AtLeast && came >= 0 {
			undelivered = r.readFollowed(undelivered, b.results[came], b.results[went], most)
		}
	}
	if kind >= 0 && b.results[kind].err == nil {
		r.snap.Stream.WrongType = asString(b.results[kind].reply)
	}
	r.readBacklog(undelivered)
	return nil
}

func (r *reading) readCounted(counted result, most int) Number {
	if counted.err != nil {
		return Unknown(r.problem("group", counted.err))
	}
	n := int64(len(asList(counted.reply)))
	if n > int64(most) {
		return AtLeast(int64(most), Counted)
	}
	return Exact(n, Counted)
}

// readFollowed is the exact number where only bound could be counted: that of the last reading with the difference.
func (r *reading) readFollowed(bound Number, came, went result, most int) Number {
	in, out := int64(len(asList(came.reply))), int64(len(asList(went.reply)))
	left := r.track.left.Value + in - out
	if came.err != nil || went.err != nil || max(in, out) > int64(most) || left < bound.Value || left > r.stream.length {
		return bound
	}
	return Exact(left, Counted)
}

func (r *reading) readBacklog(undelivered Number) {
	g := &r.snap.Group
	switch {
	case r.haveStream && r.haveGroup:
		g.Undelivered = undelivered
		g.Backlog = g.Undelivered.Add(g.Pending)
		g.TrimmedUnread = r.track.learn(r.stream, r.group, undelivered)
		g.RemovedUnread, g.Losses = r.track.removed, r.track.losses
		if n := g.TrimmedUnread; n.Known && n.Value > 0 {
			r.addProblem("group", ProblemUnread, n.String()+" entries were trimmed before the group read them")
		}
	default:
		r.track = tracker{losses: r.track.losses + 1}
	}
}

func (r *reading) readConsumerList(consumers *result) {
	r.consumerMany = r.members > manyConsumers
	if consumers != nil {
		r.readConsumers(*consumers)
		r.consumers, r.consumerTime = r.snap.Group.Consumers, r.snap.At
		return
	}
	r.snap.Group.Consumers = r.consumers
}

func (r *reading) readList(length *result) {
	switch {
	case length == nil:
		r.snap.ListLen = Unknown("this queue has no list")
	case length.err != nil:
		r.snap.ListLen = Unknown(r.problem("list", length.err))
	default:
		if n, ok := asInt(length.reply); ok {
			r.snap.ListLen = Exact(n, FromServer)
		}
	}
}

// noteReplaced sees that ids or counters went back, and says so for a while.
func (r *reading) noteReplaced() {
	t, text := &r.track, ""
	if r.haveStream {
		text = t.replaced(r.stream, r.group, r.haveGroup)
	}
	if text != "" {
		r.replacedAt, r.replacedText = r.snap.At, text
		*t, r.bodies = tracker{losses: t.losses + 1}, nil
	}
	if r.replacedText != "" && r.snap.At.Sub(r.replacedAt) < replacedShown {
		r.addProblem("stream", ProblemReplaced, r.replacedText)
	} else {
		r.replacedText = ""
	}
}

// unusable returns err where it means that the server answers nothing for now: such a reading has no figures.
func unusable(err error) error {
	if code := CodeOf(err); code == "NOAUTH" || code == "WRONGPASS" || Passing(err) {
		return err
	}
	return nil
}

// problem notes an error where it belongs and returns it as the reason of an unknown figure.
func (r *reading) problem(panel string, err error) string {
	key := r.q.Stream
	switch panel {
	case "dead":
		key = r.q.DeadLetter
	case "list":
		key = r.q.List
	}
	p := problemOf(panel, err, key, r.q.Group, r.c.target.User)
	r.note(p)
	return p.Text
}

func (r *reading) addProblem(panel, code, text string) {
	r.note(Problem{Panel: panel, Code: code, Text: text})
}

func (r *reading) note(p Problem) {
	if !slices.Contains(r.snap.Problems, p) {
		r.snap.Problems = append(r.snap.Problems, p)
	}
}

// serverTime reads TIME.
func serverTime(reply any) (time.Time, bool) {
	parts := asList(reply)
	if len(parts) != 2 {
		return time.Time{}, false
	}
	s, okS := asInt(parts[0])
	us, okUS := asInt(parts[1])
	return time.Unix(s, us*1000), okS && okUS
}
