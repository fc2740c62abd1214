package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/unacked/redisq/safe"
	"example.com/unacked/workers/experiment"
)

// ExperimentOptions say which experiments are played and how they are told. Options' Narrate and Verdict are taken.
type ExperimentOptions struct {
	Experiments []experiment.Experiment
	Options     experiment.Options
	JSON        bool      // results as [ExperimentSchema] instead of a table
	Out         io.Writer // gets the results, and nothing else
	Err         io.Writer // gets the progress
	Bar         bool      // Err is a terminal that shows a bar; otherwise each step is a line
	Width       int       // of that terminal, 0 is 80
	Clock       func() time.Time
}

// RunExperiments plays experiments one after the other and writes what came of them, of those too that were over when
// ctx ended. The error names the figures that are off, and the experiments that could not be played.
func RunExperiments(ctx context.Context, o ExperimentOptions) error {
	if err := o.Options.Check(); err != nil {
		return err
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	began := o.Clock()
	if t := o.Options.Target; t != nil {
		fmt.Fprintf(o.Err, "The experiments use keys of their own, unacked:lab:*, on %s and remove them.\n", safe.Text(t.String()))
	}
	p := newProgress(o)
	o.Options.Narrate = p.step
	o.Options.Verdict = nil
	var results []experiment.Result
	var interrupted error
	for i, e := range o.Experiments {
		p.begin(e, i)
		result, err := experiment.Run(ctx, e, o.Options)
		p.end(result)
		if err != nil && ctx.Err() != nil {
			interrupted = fmt.Errorf("interrupted after %d of %d experiments: %w", i, len(o.Experiments), err)
			break
		}
		results = append(results, result)
	}
	var err error
	if o.JSON {
		err = ExperimentJSON(o.Out, began, results)
	} else {
		err = ExperimentTable(o.Out, results)
	}
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	return errors.Join(offError(results), interrupted)
}

// offError says which figures are off; nil when every experiment holds.
func offError(results []experiment.Result) error {
	var off []string
	for _, r := range results {
		switch {
		case r.Err != nil:
			off = append(off, safe.Text(r.Err.Error()))
		case !r.Holds():
			var rows []string
			for _, row := range r.Off() {
				rows = append(rows, row.Words())
			}
			off = append(off, fmt.Sprintf("experiment %s: %s", r.Name, safe.Text(strings.Join(rows, "; "))))
		}
	}
	if len(off) == 0 {
		return nil
	}
	return fmt.Errorf("off: %s", strings.Join(off, "\n     "))
}
