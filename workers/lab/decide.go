package lab

import (
	"fmt"
	"strconv"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
	"example.com/unacked/workers/producer"
)

// The bounds of decisions beside those of [Decisions.Check].
const (
	minLease   = 50 * time.Millisecond // below it a claim would come before the news of the delivery
	maxLease   = 24 * time.Hour
	maxService = time.Minute
	maxBatch   = 1000
)

// clean makes every decision one that the lab can go by: a zero value becomes the default, and what is out of its range
// the nearest that is in it.
func (d Decisions) clean() Decisions {
	usual := Defaults()
	w := &d.Worker
	if w.Kind != redisq.List {
		w.Kind = redisq.Stream
	}
	if w.Idempotent != workers.RecordBefore && w.Idempotent != workers.RecordAfter {
		w.Idempotent = workers.RecordNever
	}
	if w.Lease <= 0 {
		w.Lease = usual.Worker.Lease
	}
	w.Lease = min(max(w.Lease, minLease), maxLease)
	w.MaxDeliveries = max(w.MaxDeliveries, 0)
	w.Batch = min(max(w.Batch, 1), maxBatch)
	switch d.Full {
	case Cap, Wait, Refuse:
	default:
		d.Full = Grow
	}
	if d.Limit <= 0 {
		d.Limit = usual.Limit
	}
	d.Workers = min(max(d.Workers, 0), MaxWorkers)
	d.Service = min(max(d.Service, 0), maxService)
	if !(d.Rate >= 0) { // not a number too
		d.Rate = 0
	}
	d.Rate = min(d.Rate, MaxRate)
	if !(d.BadShare >= 0) {
		d.BadShare = 0
	}
	d.BadShare = min(d.BadShare, 1)
	return d
}

// checkout is what the decisions mean for the producer.
func (d Decisions) checkout() producer.Settings {
	s := producer.Settings{Kind: d.Worker.Kind, Rate: d.Rate, BadShare: d.BadShare}
	switch d.Full {
	case Cap:
		s.MaxLen = d.Limit
	case Wait:
		s.Limit, s.Wait = d.Limit, true
	case Refuse:
		s.Limit = d.Limit
	}
	return s
}

// turned is one decision that differs.
type turned struct{ name, from, to string }

// differences lists what was switched between two sets of decisions, in words.
func differences(from, to Decisions) []turned {
	var all []turned
	add := func(name, a, b string) {
		if a != b {
			all = append(all, turned{name, a, b})
		}
	}
	add("queue", string(from.Worker.Kind), string(to.Worker.Kind))
	add("ack", ackWords(from), ackWords(to))
	add("deliveries limit", limitWords(from.Worker.MaxDeliveries), limitWords(to.Worker.MaxDeliveries))
	add("record", recordWords(from), recordWords(to))
	add("lease", span(from.Worker.Lease), span(to.Worker.Lease))
	add("batch", strconv.Itoa(from.Worker.Batch), strconv.Itoa(to.Worker.Batch))
	add("workers", pausedWords(from), pausedWords(to))
	add("full queue", fullWords(from), fullWords(to))
	add("number of workers", strconv.Itoa(from.Workers), strconv.Itoa(to.Workers))
	add("rate", rateWords(from), rateWords(to))
	add("bad addresses", percent(from.BadShare), percent(to.BadShare))
	add("mail", span(from.Service), span(to.Service))
	return all
}

func ackWords(d Decisions) string {
	if d.Worker.AckBefore {
		return "before the work"
	}
	return "after the work"
}

func limitWords(n int64) string {
	if n == 0 {
		return "none"
	}
	return strconv.FormatInt(n, 10)
}

func recordWords(d Decisions) string {
	switch d.Worker.Idempotent {
	case workers.RecordBefore:
		return "before the work"
	case workers.RecordAfter:
		return "after the work"
	}
	return "none"
}

func pausedWords(d Decisions) string {
	if d.Worker.Paused {
		return "paused"
	}
	return "at work"
}

func fullWords(d Decisions) string {
	if d.Full == Grow {
		return string(Grow)
	}
	return fmt.Sprintf("%s at %d", d.Full, d.Limit)
}

func rateWords(d Decisions) string { return strconv.FormatFloat(d.Rate, 'g', 4, 64) + "/s" }

func percent(share float64) string { return strconv.FormatFloat(100*share, 'g', 3, 64) + "%" }
