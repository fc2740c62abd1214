package ui

import (
	"strconv"
	"time"

	"github.com/charmbracelet/bubbles/key"

	"example.com/unacked/redisq"
	"example.com/unacked/workers"
)

// stranded is what a consumer holds that will not ack it.
type stranded struct {
	consumer string
	held     int64
	how      string        // "was killed 4.1 s ago"
	idle     time.Duration // of its entry that was idle longest, -1 where no row shows one
	order    string        // of that entry, "" when not told
}

// strandedEntries finds the consumers that hold entries which they will never ack: a worker that ended, a name that no
// worker has, or a living worker whose entry is past the lease while it works on another or on none.
func strandedEntries(d *data) []stranded {
	if d.good == nil || d.isList() {
		return nil
	}
	lease := d.lease()
	var found []stranded
	for _, c := range d.good.Pending.ByConsumer {
		if c.Pending <= 0 {
			continue
		}
		s := stranded{consumer: c.Name, held: c.Pending, idle: -1}
		w, known := d.worker(c.Name)
		for _, row := range d.good.Pending.Rows {
			if row.Consumer != c.Name || known && w.Alive() && (row.ID == w.ID || d.idleNow(row) <= lease+strandedGrace) {
				continue
			}
			if idle := d.idleNow(row); idle > s.idle {
				s.idle = idle
				s.order, _ = row.Get("order")
			}
		}
		switch {
		case known && w.Alive():
			if s.idle < 0 {
				continue
			}
			s.held, s.how = 1, "is alive and does not work on it"
		case known:
			s.how = endedHow(w, d.now)
		case s.idle >= 0 && s.idle <= lease+strandedGrace:
			continue // a consumer from elsewhere that may well be at work
		default:
			s.how = "is no worker of ours"
		}
		found = append(found, s)
	}
	return found
}

// endedHow says how and when a worker ended.
func endedHow(w workers.State, now time.Time) string {
	ago := ""
	if since := now.Sub(w.Since); !w.Since.IsZero() && since < time.Second/10 {
		ago = " just now"
	} else if !w.Since.IsZero() {
		ago = " " + seconds(since) + " ago"
	}
	switch w.Phase {
	case workers.PhaseKilled:
		return "was killed" + ago
	case workers.PhaseDied:
		if w.Reason != "" {
			return "died" + ago + " (" + clean(w.Reason) + ")"
		}
		return "died" + ago
	}
	return "was stopped" + ago
}

// longest is the one of them whose entry was idle longest, and how much all of them hold.
func longest(all []stranded) (first stranded, held int64) {
	first = all[0]
	for _, s := range all {
		held += s.held
		if s.idle > first.idle {
			first = s
		}
	}
	return first, held
}

// strandedWho is the consumer that the sentence is about.
func strandedWho(d *data) string {
	first, _ := longest(strandedEntries(d))
	return first.consumer + " " + first.order
}

func notAcking(d *data) (string, bool) {
	all := strandedEntries(d)
	if len(all) == 0 {
		return "", false
	}
	first, held := longest(all)
	text := clean(first.consumer) + " " + first.how + " and holds " + many(first.held, "message")
	if first.order != "" && first.held == 1 {
		text += " (order " + clean(first.order) + ")"
	}
	if rest := len(all) - 1; rest > 0 {
		text += ", " + strconv.Itoa(rest) + " more " + plural(rest == 1, "consumer") + " " + many(held-first.held, "message")
	}
	return text + "; " + whoClaims(d, first), true
}

// whoClaims says who may take over, and when.
func whoClaims(d *data, s stranded) string {
	var others []string
	for _, w := range d.state().Workers {
		if w.Alive() && w.Name != s.consumer {
			others = append(others, clean(w.Name))
		}
	}
	lease := d.lease()
	who := oneOf(others, "or", fewNames)
	switch {
	case len(others) == 0:
		return "no other worker is there to claim " + them(s.held) + d.hint(keyOf(d.keys.AddWorker, "a")+" adds one")
	case s.idle < 0:
		return who + " may claim " + them(s.held) + " after " + durText(lease) + " idle"
	case s.idle < lease:
		return who + " may claim " + them(s.held) + " in " + seconds(lease-s.idle)
	}
	return who + " may claim " + them(s.held) + " now (idle " + seconds(s.idle) + ", lease " + durText(lease) + ")"
}

// poisoned counts the entries that have at most one delivery left, and returns the one with the most.
func poisoned(d *data) (worst redisq.PendingEntry, count int) {
	limit := d.limit()
	from := limit - 1
	switch {
	case limit <= 0:
		from = poisonNoLimit
	case from < 2:
		from = 2
	}
	for _, row := range d.good.Pending.Rows {
		if row.Deliveries < from {
			continue
		}
		if count++; row.Deliveries > worst.Deliveries {
			worst = row
		}
	}
	return worst, count
}

func poisonID(d *data) string {
	worst, _ := poisoned(d)
	return worst.ID
}

func poison(d *data) (string, bool) {
	if d.isList() {
		return "", false
	}
	limit := d.limit()
	worst, count := poisoned(d)
	if count == 0 {
		return "", false
	}
	text := "entry " + clean(worst.ID)
	if order, ok := worst.Get("order"); ok {
		text = "order " + clean(order)
		if to, ok := worst.Get("to"); ok {
			text += " to " + clean(to)
		}
	}
	text += " was delivered " + strconv.FormatInt(worst.Deliveries, 10) + " times"
	switch {
	case limit <= 0:
		text += " and there is no limit: it comes back for ever"
	case worst.Deliveries >= limit:
		text += " of " + strconv.FormatInt(limit, 10) + ": not acked by its end, it becomes a dead letter"
	default:
		text += " of " + strconv.FormatInt(limit, 10) + " and never acked: " +
			many(limit-worst.Deliveries, "delivery") + " more, then it is a dead letter"
	}
	if why := noticeOf(d, worst.ID); why != "" && !d.told {
		text += " (" + why + ")"
	}
	if count > 1 {
		text += "; " + strconv.Itoa(count-1) + " more like it"
	}
	return text, true
}

// noticeOf returns the last thing that the lab noticed about an entry, "" when nothing.
func noticeOf(d *data, id string) string {
	all := d.state().Notices
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].ID == id {
			return clean(all[i].Text)
		}
	}
	return ""
}

// keyOf names the key of a binding as the key bar does; other where it has none.
func keyOf(b key.Binding, other string) string {
	if h := b.Help().Key; h != "" {
		return h
	}
	return other
}
