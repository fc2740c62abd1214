package plain

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"example.com/unacked/redisq/safe"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers/experiment"
)

const (
	barWidth = 20
	redraw   = 100 * time.Millisecond
	clearEnd = "\x1b[K"
)

// progress tells what is going on: a bar that is drawn again and again, or a line for each step. Its methods belong to
// one goroutine.
type progress struct {
	w     io.Writer
	bar   bool
	width int
	clock func() time.Time
	all   []experiment.Experiment
	scale float64

	mu    sync.Mutex // guards what follows
	now   int        // index of the experiment
	since time.Time  // when it began
	say   string
	done  time.Duration // what those before were to take, at full scale

	stop chan struct{} // closed to end the drawing; nil where nothing is drawn
	gone chan struct{}
}

func newProgress(o ExperimentOptions) *progress {
	p := &progress{
		w: o.Err, bar: o.Bar, width: o.Width, clock: o.Clock, all: o.Experiments, scale: o.Options.Scale,
	}
	if p.width <= 0 {
		p.width = tableWidth
	}
	if p.scale == 0 {
		p.scale = 1
	}
	return p
}

// begin begins experiment i.
func (p *progress) begin(e experiment.Experiment, i int) {
	p.mu.Lock()
	p.now, p.since, p.say = i, p.clock(), "starts its server and workers"
	p.mu.Unlock()
	if !p.bar {
		fmt.Fprintf(p.w, "%s (%d of %d): %s\n", e.Name, i+1, len(p.all), e.Title)
		return
	}
	p.stop, p.gone = make(chan struct{}), make(chan struct{})
	go p.draw()
}

// step tells a step; the last one is the verdict, which end tells.
func (p *progress) step(s experiment.Step) {
	if s.N == s.Of {
		return
	}
	p.mu.Lock()
	p.say = safe.Text(s.Say)
	p.mu.Unlock()
	if !p.bar {
		fmt.Fprintf(p.w, "  %s\n", safe.Text(s.Say))
	}
}

// end tells what came of the experiment.
func (p *progress) end(r experiment.Result) {
	if p.bar {
		close(p.stop)
		<-p.gone
	}
	p.mu.Lock()
	p.done += p.all[p.now].Takes
	p.mu.Unlock()
	before, after := "  ", ""
	if p.bar {
		before, after = "\r", clearEnd
	}
	text := r.Name + " holds"
	if !r.Holds() {
		text = safe.Text(r.Verdict())
	}
	fmt.Fprintf(p.w, "%s%s (%.1f s)%s\n", before, text, r.Took.Seconds(), after)
}

// draw draws the bar until it is stopped, and wipes it away.
func (p *progress) draw() {
	defer close(p.gone)
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for {
		fmt.Fprint(p.w, "\r"+p.line()+clearEnd)
		select {
		case <-tick.C:
		case <-p.stop:
			fmt.Fprint(p.w, "\r"+clearEnd)
			return
		}
	}
}

// line is the bar: how much of the time that all experiments take is over, and what is done now.
func (p *progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all time.Duration
	for _, e := range p.all {
		all += e.Takes
	}
	e := p.all[p.now]
	// What takes longer than it was to take waits at its end.
	part := min(time.Duration(float64(p.clock().Sub(p.since))/p.scale), e.Takes)
	filled := min(int(barWidth*(p.done+part)/max(all, 1)), barWidth)
	text := fmt.Sprintf("[%s%s] %d/%d %s  %s",
		strings.Repeat("#", filled), strings.Repeat("-", barWidth-filled), p.now+1, len(p.all), e.Name, p.say)
	// The last column stays free: some terminals begin a new line when it is filled.
	return cell.Cut(text, max(p.width-1, 1))
}
