package redisq

import (
	"math"
	"strconv"
	"time"
)

const (
	defaultWindow = 10 * time.Second
	leastWindow   = time.Second // a shorter time makes a rate of a few entries jump about
	keptSamples   = 15 * 60 * 4 // 15 minutes at 4 readings a second
)

// SmallBacklog is the number of messages below which a backlog is not called growing or draining: that many come and go.
const SmallBacklog = 10

// History keeps the figures of the last readings and computes rates from them: those of the list where it is in use,
// whose messages count as done when they are taken, since Redis knows no more. It has no clock: time is that of the
// readings. It is not safe for concurrent use. The zero value is ready, with a window of 10 s.
type History struct {
	// Window is the time over which rates are taken, 0 is 10 s. It is shorter while there is less to look at, and longer
	// where readings are further apart.
	Window time.Duration

	samples []sample // a ring once it is full
	first   int      // index of the oldest
	segment int      // rises at each gap and restart: rates are not taken across
}

// sample is what one reading told.
type sample struct {
	at      time.Time
	segment int
	gap     bool
	value   [figures]float64 // NaN where not known
	stream  Number           // entries ever added to the stream, whatever is in use
	kind    Kind
	flow    Flow // of what is in use
	rates   Rates
}

// Add takes in a reading. One that failed is a gap; one that is older than the last is left out. Where a counter went
// back (the stream was replaced, the server came back with less) the rates begin again.
func (h *History) Add(s *Snapshot) {
	if s.Err != nil {
		h.Gap(s.At)
		return
	}
	last := h.last()
	if last != nil && !s.At.After(last.at) {
		return
	}
	if last != nil && wentBack(last, s) {
		h.Gap(last.at.Add(s.At.Sub(last.at) / 2))
	}
	if last != nil && last.kind != s.Kind {
		h.segment++ // the figures are of something else now
	}
	n := sample{
		at: s.At, segment: h.segment, stream: s.Stream.Added, kind: s.Kind,
		flow: Flow{
			At: s.At, Added: s.Stream.Added, Backlog: s.Group.Backlog, RemovedUnread: s.Group.RemovedUnread, Losses: s.Group.Losses,
		},
	}
	if s.Kind == List {
		n.flow = Flow{At: s.At, Added: s.Pushed, Backlog: s.ListLen}
	}
	for i := range n.value {
		n.value[i] = math.NaN()
	}
	for figure, number := range map[Figure]Number{
		FigBacklog: s.Group.Backlog, FigUndelivered: s.Group.Undelivered, FigPending: s.Group.Pending,
		FigDead: s.Dead.Length, FigOldestIdle: s.Group.OldestIdle, FigList: s.ListLen,
	} {
		if number.Known {
			n.value[figure] = float64(number.Value)
		}
	}
	n.value[FigOldestIdle] /= 1000
	n.rates = h.ratesWith(n)
	if n.rates.In.Known {
		n.value[FigIn] = n.rates.In.PerSecond
	}
	if n.rates.Done.Known {
		n.value[FigDone] = n.rates.Done.PerSecond
	}
	h.push(n)
}

// wentBack says that the reading cannot follow the last one: there is less than there was ever.
func wentBack(last *sample, s *Snapshot) bool {
	if last.gap {
		return false
	}
	for _, p := range s.Problems {
		if p.Code == ProblemReplaced && last.stream.Known && !s.Stream.Added.Known {
			return true
		}
	}
	return last.stream.Known && s.Stream.Added.Known && s.Stream.Added.Value < last.stream.Value
}

// Gap notes that nothing was known at that time.
func (h *History) Gap(at time.Time) {
	h.segment++
	if last := h.last(); last != nil && (last.gap || !at.After(last.at)) {
		return // one mark is enough for a gap
	}
	h.push(sample{at: at, gap: true, segment: h.segment})
}

func (h *History) push(s sample) {
	if len(h.samples) < keptSamples {
		h.samples = append(h.samples, s)
		return
	}
	h.samples[h.first] = s
	h.first = (h.first + 1) % len(h.samples)
}

// sampleAt returns the i-th sample, 0 is the oldest.
func (h *History) sampleAt(i int) *sample { return &h.samples[(h.first+i)%len(h.samples)] }

func (h *History) last() *sample {
	if len(h.samples) == 0 {
		return nil
	}
	return h.sampleAt(len(h.samples) - 1)
}

// Since returns when the oldest reading that is kept was made, the zero time where there is none.
func (h *History) Since() time.Time {
	if len(h.samples) == 0 {
		return time.Time{}
	}
	return h.sampleAt(0).at
}

// Points returns a figure's values, oldest first, with a Gap wherever it was not known.
func (h *History) Points(figure Figure) []Point {
	points := make([]Point, 0, len(h.samples))
	for i := range len(h.samples) {
		s := h.sampleAt(i)
		p := Point{At: s.at, Gap: true}
		if !s.gap && figure >= 0 && figure < figures && !math.IsNaN(s.value[figure]) {
			p.Value, p.Gap = s.value[figure], false
		}
		points = append(points, p)
	}
	return points
}

// Rates returns those of the last reading.
func (h *History) Rates() Rates {
	last := h.last()
	if last == nil || last.gap {
		return unknownRates("there is no reading")
	}
	return last.rates
}

func unknownRates(reason string) Rates {
	return Rates{In: Rate{Reason: reason}, Done: Rate{Reason: reason}}
}

// ratesWith compares n with the oldest sample of its segment that lies within the window.
func (h *History) ratesWith(n sample) Rates {
	window := h.Window
	if window <= 0 {
		window = defaultWindow
	}
	var base *sample
	var done DoneMeter
	for i, next := len(h.samples)-1, n.flow; i >= 0; i-- {
		s := h.sampleAt(i)
		if s.gap || s.segment != n.segment || base != nil && n.at.Sub(s.at) > window {
			break
		}
		done.Between(s.flow, next)
		base, next = s, s.flow
	}
	if base == nil || n.at.Sub(base.at) < leastWindow {
		return unknownRates("watched for less than a second")
	}
	r := Rates{Window: n.at.Sub(base.at)}
	if reason := unknownReason(base.flow.Added, n.flow.Added); reason != "" {
		r.In.Reason, r.Done.Reason = reason, reason
		return r
	}
	r.In = Rate{PerSecond: float64(n.flow.Added.Value-base.flow.Added.Value) / r.Window.Seconds(), Known: true}
	switch backlog := n.flow.Backlog; {
	case !backlog.Known:
		r.Done.Reason = backlog.Reason
	case backlog.AtLeast:
		r.Done.Reason = boundReason
	default:
		r.Done, r.DoneOver = done.Rate()
	}
	return r
}

// Drain tells what becomes of the backlog at the present rates. workers is how many work on it, 0 when not known.
func (h *History) Drain(workers int) Drain {
	last := h.last()
	if last == nil || last.gap {
		return Drain{Text: "?", Reason: "there is no reading"}
	}
	backlog, in, done := last.flow.Backlog, last.rates.In, last.rates.Done
	switch {
	case !backlog.Known:
		return Drain{Text: "?", Reason: backlog.Reason}
	case backlog.Value == 0 && !backlog.AtLeast:
		return Drain{Text: "empty", Known: true}
	case !in.Known:
		return Drain{Text: "?", Reason: in.Reason}
	case !done.Known:
		return Drain{Text: "?", Reason: done.Reason}
	}
	// Less than this is the noise of counting whole entries, and of each worker being in the middle of one.
	noise := max(0.05, 0.02*max(in.PerSecond, done.PerSecond), float64(max(workers, 1)+1)/last.rates.DoneOver.Seconds())
	net := done.PerSecond - in.PerSecond
	// All that waits was given to a worker: more of them would have nothing to do.
	given := last.value[FigUndelivered] == 0 && last.kind != List
	grows := net < -noise && backlog.Value >= SmallBacklog
	switch {
	case done.PerSecond < 0.05 && in.PerSecond < 0.05:
		return Drain{Text: "stalled", Known: true, Stalled: true}
	case done.PerSecond >= 0.05 && (given && !grows || backlog.Value <= int64(max(workers, 1))):
		return Drain{Text: "keeping up", Known: true, KeepsUp: true}
	case net > noise:
		d := time.Duration(float64(backlog.Value) / net * float64(time.Second))
		text := "drains in " + roughly(d)
		if backlog.AtLeast {
			text = "drains in more than " + roughly(d)
		}
		return Drain{Text: text, Known: true, In: d}
	case net >= -noise:
		return Drain{Text: "stalled", Known: true, Stalled: true}
	}
	d := Drain{Text: "never drains", Known: true, Never: true}
	switch {
	case given:
		d.Text = "never drains: not acked"
	case workers > 0 && done.PerSecond >= 0.05:
		each := done.PerSecond / float64(workers)
		d.Workers = int(math.Floor(in.PerSecond/each)) + 1
		d.Text = "never drains: " + strconv.Itoa(d.Workers) + " workers would"
	}
	return d
}

// roughly writes a duration for a person: "8 s", "3 min", "2 h", "5 days".
func roughly(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 120:
		return strconv.Itoa(int(math.Ceil(s))) + " s"
	case s < 2*3600:
		return strconv.Itoa(int(math.Round(s/60))) + " min"
	case s < 48*3600:
		return strconv.Itoa(int(math.Round(s/3600))) + " h"
	case s < 1000*86400:
		return strconv.Itoa(int(math.Round(s/86400))) + " days"
	}
	return "more than 1000 days"
}
