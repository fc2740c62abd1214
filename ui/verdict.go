package ui

import (
	"strconv"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
	"example.com/unacked/workers/lab"
)

// Thresholds of the verdict. They stand in the help too.
const (
	strandedGrace = time.Second      // past the lease, before an entry under a living worker counts as stranded
	newsFor       = 12 * time.Second // how long a lasting fact leads after it grew
	poisonNoLimit = 5                // deliveries, where there is no limit
)

// level is how a finding is to be taken. It chooses the colour; the word says the same.
type level int

const (
	levelCalm level = iota
	levelGood
	levelWarn
	levelBad
)

// finding is one thing that holds now: a word in capitals and a sentence with its numbers and reasons.
type finding struct {
	level level
	word  string
	text  string
	about string // tells findings of one word apart; "" where there is one only
}

// condition is a state of the verdict: when it holds, and how it is said.
type condition struct {
	level level
	word  string
	when  string // for the help; "" where the same word stands above
	find  func(d *data) (string, bool)
	about func(d *data) string // nil is nothing: see finding
}

// The thresholds in words.
var (
	leads = "leads for " + durText(newsFor)
	some  = strconv.Itoa(redisq.SmallBacklog)
)

// conditions lists the states, worst first: the verdict is the first that holds.
var conditions = []condition{
	{levelCalm, "STARTING", "nothing was read yet", starting, nil},
	{levelBad, "NO ANSWER", "the server did not answer the last reading, or none came for " + strconv.Itoa(staleIntervals) + " intervals (at least " + durText(staleGrace) + ")", noAnswer, nil},
	{levelBad, "QUEUE GONE", "the stream or the group is missing, or the key holds something else", queueGone, nil},
	{levelBad, "LOST", "an accepted order has no mail and Redis does not know it; " + leads + ", then stands below", lostNow, nil},
	{levelBad, "NOT ACKING", "somebody holds an entry who will never ack it: killed, stopped, unknown, or past the lease by " + durText(strandedGrace), notAcking, strandedWho},
	{levelBad, "NO WORKERS", "no worker process runs, and one is wanted", noWorkers, nil},
	{levelBad, "BACKING OFF", "a worker pauses after an error; red when all do", backingOffAll, nil},
	{levelWarn, "POISON", "an entry has at most one delivery left before the limit (without a limit: " + many(poisonNoLimit, "delivery") + ")", poison, poisonID},
	{levelWarn, "FALLING BEHIND", "backlog of " + some + " or more that grows: more comes in than is done", fallingBehind, nil},
	{levelWarn, "STALLED", "messages wait, not only for a lease; nobody works on one, none done in 10 s", stalled, nil},
	{levelWarn, "FULL", "a checkout waits for room, or was refused in the last " + durText(newsFor), full, nil},
	{levelWarn, "TRIMMED", "entries were cut off the stream before the group read them", trimmed, nil},
	{levelWarn, "TWICE", "an order has two mails or more: at-least-once at work; " + leads, twiceNow, nil},
	{levelWarn, "BACKING OFF", "", backingOffSome, nil},
	{levelWarn, "DEAD LETTERS", "messages were given up; " + leads + " after one came", deadNow, nil},
	{levelBad, "LOST", "", lostEver, nil},
	{levelWarn, "BOOKS OFF", "the orders do not add up: once + twice + not yet + never", booksOff, nil},
	{levelWarn, "PARTLY READ", "a panel could not be read: no permission, wrong type", partlyRead, nil},
	{levelCalm, "PAUSED", "the workers are told to take nothing", paused, nil},
	{levelGood, "DRAINING", "backlog of " + some + " or more, and more is done than comes in", draining, nil},
	{levelGood, "IDLE", "nothing waits, nothing comes in", idle, nil},
	{levelGood, "FLOWING", "none of the above", flowing, nil},
	{levelWarn, "TWICE", "", twiceEver, nil},
	{levelWarn, "DEAD LETTERS", "", deadEver, nil},
}

// findings returns all that hold, worst first. A word is said once. Without an answer from the server there is only
// that to say.
func findings(d *data) []finding {
	if d.watch != nil {
		return watchFindings(d)
	}
	var found []finding
	said := make(map[string]bool, 4)
	for i := range conditions {
		c := &conditions[i]
		if said[c.word] {
			continue
		}
		text, ok := c.find(d)
		if !ok {
			continue
		}
		said[c.word] = true
		one := finding{level: c.level, word: c.word, text: text}
		if c.about != nil {
			one.about = c.about(d)
		}
		found = append(found, one)
		if c.word == "STARTING" || c.word == "NO ANSWER" {
			break
		}
		switch c.word {
		case "QUEUE GONE":
			said["FLOWING"], said["IDLE"], said["DRAINING"] = true, true, true
		case "NO WORKERS", "FALLING BEHIND", "STALLED", "DRAINING", "IDLE":
			said["FLOWING"] = true // they tell of the same figures
		}
	}
	return found
}

// verdict is the finding that matters most.
func verdict(d *data) finding { return worst(findings(d)) }

func worst(all []finding) finding {
	if len(all) > 0 {
		return all[0]
	}
	return finding{level: levelCalm, word: "STARTING", text: "nothing is known yet"}
}

func starting(d *data) (string, bool) {
	if d.good != nil || d.last.Snapshot != nil && d.last.Snapshot.Err != nil {
		return "", false
	}
	return "the server, the workers and the mail sink are coming up", true
}

func noAnswer(d *data) (string, bool) {
	var err error
	if s := d.last.Snapshot; s != nil {
		err = s.Err
	}
	switch {
	case d.good == nil && err == nil:
		return "", false
	case d.good == nil:
		return trying(d.now.Sub(d.silent)) + clean(err.Error()), true
	case !d.stale && err == nil:
		return "", false
	}
	text := "no answer for " + seconds(d.sinceReading()) + ", the figures are of " + clockText(d.good.At)
	if err != nil {
		text += ": " + clean(err.Error())
	}
	return text, true
}

// trying begins what is said of a server that did not answer so far.
func trying(since time.Duration) string {
	if since < leastTrying {
		return "trying: "
	}
	return "still trying after " + seconds(since) + ": "
}

// leastTrying is how long a server is tried before that is counted.
const leastTrying = 2 * time.Second

func queueGone(d *data) (string, bool) {
	if d.isList() {
		return "", false
	}
	s, g := d.good.Stream, d.good.Group
	q := d.good.Queue
	switch {
	case s.WrongType != "":
		return "the key " + clean(q.Stream) + " holds a " + clean(s.WrongType) + ", not a stream: nothing can be read or added", true
	case s.Missing:
		return "there is no stream " + clean(q.Stream) + ": deleted, flushed or evicted with what was in it; a worker creates it again", true
	case g.Missing:
		return "there is no group " + clean(q.Group) + " on " + clean(q.Stream) + ": a worker creates it again at 0, so that nothing is skipped", true
	}
	for _, p := range d.good.Problems {
		if p.Code == "replaced" {
			return clean(p.Text), true
		}
	}
	return "", false
}

func lostNow(d *data) (string, bool) {
	if !d.recent(d.news.never) {
		return "", false
	}
	return lostEver(d)
}

func lostEver(d *data) (string, bool) {
	b := d.state().Books
	if !b.Known || b.Never <= 0 {
		return "", false
	}
	text := many(b.Never, "order") + " will never be mailed: accepted, no mail, and nothing in Redis knows " + them(b.Never)
	if len(b.NeverIDs) > 0 {
		text += " (" + orders(b.NeverIDs) + ")"
	}
	if why := whyLost(d.state().Decisions); why != "" {
		text += "; " + why
	}
	return text, true
}

// whyLost names the decision in force that can lose an order, "" when none can.
func whyLost(dec lab.Decisions) string {
	switch {
	case dec.Worker.Kind == redisq.List:
		return "a list forgets a message when it hands it out"
	case dec.Worker.AckBefore:
		return "it is acked before the work, so a crash loses it"
	case dec.Worker.Idempotent == workers.RecordBefore:
		return "it is recorded before the work, so a crash between the two skips it for ever"
	case dec.Full == lab.Cap:
		return "the cap of " + strconv.FormatInt(dec.Limit, 10) + " cuts entries that nobody has read"
	}
	return ""
}

func fallingBehind(d *data) (string, bool) {
	in, done, n := d.rates.In, d.rates.Done, d.waiting()
	if !d.drain.Never || n.Value < redisq.SmallBacklog {
		return "", false
	}
	if why := whyNothingIsDone(d); done.PerSecond < 0.05 && why != "" {
		return perSecond(in.PerSecond) + " come in and none are done, " + n.String() + " wait: " + why, true
	}
	text := perSecond(in.PerSecond) + " come in and " + perSecond(done.PerSecond) + " are done: " + n.String() + " wait and " +
		perSecond(in.PerSecond-done.PerSecond) + " are added"
	switch {
	case d.drain.Workers > 0:
		text += "; " + many(int64(d.drain.Workers), "worker") + " would keep up, " + strconv.Itoa(len(d.alive())) + " " +
			isAre(int64(len(d.alive()))) + " there"
	case allGiven(d):
		text += "; each of them was " + givenWords
	}
	return text, true
}

// allGiven says that nothing of the backlog waits for a worker.
func allGiven(d *data) bool {
	n := d.good.Group.Undelivered
	return n.Known && n.Value == 0 && !d.isList()
}

const givenWords = "given to a worker and is not acked: more workers would not help"

func full(d *data) (string, bool) {
	p, dec := d.state().Producer, d.state().Decisions
	limit := strconv.FormatInt(dec.Limit, 10)
	switch {
	case dec.Full == lab.Wait && p.Waiting:
		return "the queue is at its limit of " + limit + ": a customer waits at the checkout (p99 " + durText(p.P99) + ")", true
	case dec.Full == lab.Refuse && p.Refused > 0 && d.recent(d.news.refused):
		return "the queue is at its limit of " + limit + ": " + many(p.Refused, "checkout") + " refused so far", true
	}
	return "", false
}

func trimmed(d *data) (string, bool) {
	n := d.good.Group.TrimmedUnread
	if d.isList() || !n.Known || n.Value <= 0 {
		return "", false
	}
	text := manyOf(n, "message") + " cut off the stream before the group read " + them(n.Value)
	if dec := d.state().Decisions; dec.Full == lab.Cap {
		text += ": MAXLEN " + strconv.FormatInt(dec.Limit, 10) + " keeps the newest, read or not"
	}
	return text, true
}

func twiceNow(d *data) (string, bool) {
	if !d.recent(d.news.twice) {
		return "", false
	}
	return twiceEver(d)
}

func twiceEver(d *data) (string, bool) {
	b := d.state().Books
	if !b.Known || b.Twice <= 0 {
		return "", false
	}
	text := many(b.Twice, "order") + " got a second mail"
	if ids := d.state().Sink.TwiceIDs; len(ids) > 0 {
		text += " (" + orders(ids) + ")"
	}
	return text + ": the work was done, the ack was not, so it was done again", true
}

func deadNow(d *data) (string, bool) {
	if !d.recent(d.news.dead) {
		return "", false
	}
	return deadEver(d)
}

func deadEver(d *data) (string, bool) {
	n := d.good.Dead.Length
	if !n.Known || n.Value <= 0 {
		return "", false
	}
	text := manyOf(n, "message") + " given up"
	if rows := d.good.Dead.Rows; len(rows) > 0 {
		last := rows[len(rows)-1]
		text += "; the last one"
		if order, ok := (redisq.Entry{Fields: last.Fields}).Get("order"); ok {
			text += " (order " + clean(order) + ")"
		}
		text += " after " + many(last.Deliveries, "delivery")
		if last.Reason != "" {
			text += ": " + clean(last.Reason)
		}
	}
	return text + d.hint(keyOf(d.keys.Replay, "r")+" puts one back to work"), true
}

func booksOff(d *data) (string, bool) {
	b := d.state().Books
	if !b.Known || b.Balanced {
		return "", false
	}
	return clean(b.Off), true
}

func partlyRead(d *data) (string, bool) {
	for _, p := range d.good.Problems {
		if p.Code == "replaced" {
			continue
		}
		return clean(p.Panel) + ": " + clean(p.Text), true
	}
	return "", false
}

func paused(d *data) (string, bool) {
	return "the workers are told to take nothing new", d.state().Decisions.Worker.Paused
}

func draining(d *data) (string, bool) {
	in, done, n := d.rates.In, d.rates.Done, d.waiting()
	if d.drain.In == 0 || n.Value < redisq.SmallBacklog {
		return "", false
	}
	return n.String() + " wait, " + perSecond(done.PerSecond) + " are done and " + perSecond(in.PerSecond) + " come in: empty in " +
		durText(d.drain.In), true
}

func idle(d *data) (string, bool) {
	in, n := d.rates.In, d.waiting()
	if !n.Known || n.Value > 0 || !in.Known || in.PerSecond >= 0.05 {
		return "", false
	}
	return "nothing waits and nothing comes in" + d.hint(keyOf(d.keys.AddLoad, "l")+" adds "+strconv.Itoa(burst)+" orders"), true
}

func flowing(d *data) (string, bool) {
	n := d.waiting()
	text := perSecond(d.rates.In.PerSecond) + " come in and " + perSecond(d.rates.Done.PerSecond) + " are done by " +
		many(int64(len(d.alive())), "worker")
	switch in, done := d.rates.In, d.rates.Done; {
	case !in.Known:
		text = many(int64(len(d.alive())), "worker") + " at work, the rates are not known yet"
	case !done.Known:
		text = perSecond(in.PerSecond) + " come in to " + many(int64(len(d.alive())), "worker") + "; how many are done is not known: " +
			clean(done.Reason)
	}
	switch {
	case !n.Known:
		text += "; how many wait is not known: " + clean(n.Reason)
	case n.Value == 0:
		text += "; nothing waits"
	default:
		text += "; " + n.String() + " not acked yet"
		if left, waits := leaseLeft(d); waits && d.rates.Done.Known && d.rates.Done.PerSecond < 0.05 {
			who := ": it"
			if n.Value > 1 {
				who = ": the first"
			}
			text += who + " may be claimed when its lease is over, in " + seconds(left)
		}
	}
	return text, true
}

// hint is what a key would do about it, where there are keys for it.
func (d *data) hint(text string) string {
	if d.keyless {
		return ""
	}
	return "; " + text
}

// recent says that something happened within the last newsFor.
func (d *data) recent(at time.Time) bool { return !at.IsZero() && d.now.Sub(at) < newsFor }
