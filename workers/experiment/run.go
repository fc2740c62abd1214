package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/server"
	"example.com/unacked/workers/lab"
)

// Bounds of Options.Scale.
const (
	MinScale = 0.05
	MaxScale = 5
)

// closeWithin is how long the end of a lab may take, after Ctrl-C too.
const closeWithin = 8 * time.Second

// ErrLeft is in the error of a run that could not be cleaned up after its end.
var ErrLeft = errors.New("something of the experiment may be left")

// Options say where and how an experiment is played. The zero value is a private server at full scale.
type Options struct {
	// Target is a given server, on which each experiment uses and removes keys of its own. nil is a private server of
	// Server's kind ("" is [server.Auto]).
	Target *redisq.Target
	Server server.Mode
	SMTP   string   // host:port of another mail server; what arrives there is then not known, and not judged
	Self   []string // how the command line of a worker process begins; nil is this program with "worker"
	// Scale shrinks every time: at 0.1 a mail takes 30 ms and 500 orders come in a second. 0 is 1; [MinScale] …
	// [MaxScale].
	Scale float64

	// Narrate is told each step before it is done, and the verdict at the end. nil is nobody.
	Narrate func(Step)
	// Pace is called after each step, and after the verdict while the lab still runs: the pause in which people look.
	// It returns when the presenter steps on, and with an error when the experiment is to end. nil is no pause.
	Pace func(context.Context, Step) error
	// Running is given the lab as soon as it runs; the caller may read its Updates and use it, and must not close it.
	Running func(*lab.Lab)
	// Verdict is told the result, before the last Pace. nil is nobody.
	Verdict func(Result)

	Interval time.Duration // of the lab's readings, as in [lab.Options]
	LogTo    io.Writer     // likewise
	Go       func(func())  // likewise
}

// Check returns an error that says which option is out of its range, or nil.
func (o Options) Check() error {
	if o.Scale != 0 && !(o.Scale >= MinScale && o.Scale <= MaxScale) {
		return fmt.Errorf("scale %v: use %v to %v", o.Scale, MinScale, MaxScale)
	}
	return nil
}

// scale is that at which an experiment is played.
func (o Options) scale(e Experiment) float64 {
	if o.Scale == 0 {
		return 1
	}
	return max(o.Scale, e.Floor)
}

// Run plays an experiment to its end and returns what was measured. Whatever happens, also when ctx ends, nothing of it
// is left when Run returns: no process, and no key on the server. The error is why it could not be played, or could not
// be cleaned up; a figure that is off is no error.
func Run(ctx context.Context, e Experiment, o Options) (result Result, err error) {
	began := time.Now()
	result = Result{Name: e.Name, Title: e.Title, Decision: e.Decision, Scale: o.scale(e)}
	defer func() {
		if err != nil {
			err = fmt.Errorf("experiment %s: %w", e.Name, err)
			result.Err, result.Rows = err, nil
		}
	}()
	if err := o.Check(); err != nil {
		return result, err
	}
	s, err := open(ctx, e, o)
	if err != nil {
		return result, err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
		defer cancel()
		if left := s.close(end); left != nil {
			err = errors.Join(err, fmt.Errorf("%w: %w", ErrLeft, left))
		}
	}()
	result.Server = s.server
	if o.Running != nil {
		o.Running(s.lab)
	}
	facts, err := s.play(ctx)
	if err != nil {
		return result, err
	}
	for _, figure := range e.Figures {
		result.Rows = append(result.Rows, facts.judge(figure))
	}
	result.Took = time.Since(began)
	if o.Verdict != nil {
		o.Verdict(result)
	}
	last := Step{N: len(e.Steps) + 1, Of: len(e.Steps) + 1, Say: result.Verdict(), Look: e.Decision}
	return result, s.tell(ctx, last, nil)
}

// play does the steps and reads how it ended.
func (s *stage) play(ctx context.Context) (*facts, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	for i, step := range s.experiment.Steps {
		step.N, step.Of = i+1, len(s.experiment.Steps)+1
		step.Say, step.Look = fill(step.Say, s.scale), fill(step.Look, s.scale)
		if err := s.tell(ctx, step, step.do); err != nil {
			return nil, err
		}
	}
	if s.end == nil {
		if err := s.finish(ctx); err != nil {
			return nil, err
		}
	}
	if c := s.lab.Checkouts(); c.Failed+c.Unknown > 0 {
		return nil, errors.Join(fmt.Errorf("the server failed %d checkouts, and left %d without an answer", c.Failed, c.Unknown), c.Err)
	}
	return &facts{stage: s, reading: s.end}, nil
}

// tell narrates a step, does it, and lets people look.
func (s *stage) tell(ctx context.Context, step Step, do action) error {
	if s.o.Narrate != nil {
		s.o.Narrate(step)
	}
	if do != nil {
		if err := do(ctx, s); err != nil {
			return err
		}
	}
	if s.o.Pace != nil {
		return s.o.Pace(ctx, step)
	}
	return ctx.Err()
}

var slot = regexp.MustCompile(`\{([0-9.]+)(/s|ms|s)\}`)

// fill puts times and rates at the scale into a line of narration: {600ms}, {10s}, {50/s}.
func fill(text string, scale float64) string {
	return slot.ReplaceAllStringFunc(text, func(m string) string {
		part := slot.FindStringSubmatch(m)
		value, err := strconv.ParseFloat(part[1], 64)
		switch {
		case err != nil:
			return m
		case part[2] == "/s":
			return strings.TrimSuffix(rate(value/scale), "/s") + " a second"
		}
		return number(value*scale) + " " + part[2]
	})
}
