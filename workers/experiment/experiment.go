package experiment

import (
	"context"
	"fmt"
	"slices"
	"time"

	"example.com/unacked/workers/lab"
)

// Experiment is one experiment, at full scale.
type Experiment struct {
	Name     string // as on the command line
	Title    string // what is done, at most 60 characters
	Teaches  string // a sentence
	Decision string // the question that it asks of the reader
	// Setup is the queue, its workers and the mail server. Its Rate is 0: orders come from the steps.
	Setup lab.Decisions
	// Direct makes the checkout send the mail itself, without a queue.
	Direct bool
	Takes  time.Duration // about how long it takes
	// Floor is the smallest scale at which it shows what it should: below, what this machine adds to each mail is no
	// longer small against the mail. A smaller Options.Scale is taken as this one. 0 is none.
	Floor   float64
	Steps   []Step
	Figures []Figure
}

// Step is one thing that is done, with its line of narration.
type Step struct {
	N, Of int // first is 1; set when the step is told
	// Say is what is done now. In the experiments' data {600ms} stands for a time and {50/s} for a rate at full scale.
	Say string
	// Look is what a person would want to look at afterwards; "" is nothing: go on.
	Look string
	do   action
}

// action does a step. It returns when what the step's Look says can be seen.
type action func(context.Context, *stage) error

// Figure is one thing that is measured.
type Figure struct {
	Name  string // at most 28 characters
	Unit  string // "ms", "orders", "mails", … or ""
	Want  Want
	Rests Rests
	of    func(*facts) Measured
}

// Rests says what a figure rests on beside Redis and the workers; the values can be joined with |.
type Rests uint

// What a figure rests on.
const (
	// OnSink is the mails that arrived: with a mail server that is not ours they are not known.
	OnSink Rests = 1 << iota
	// OnService is how long a mail takes: with a mail server that is not ours the figure is shown and not judged.
	OnService
	// OnClock is how quick this machine is: one that is busy with something else can miss the figure.
	OnClock
	// OnServer is how quick the server is: at a smaller scale, with as many orders in less time, the embedded one is too
	// slow, and the figure is shown and not judged.
	OnServer
)

// All returns the experiments in the order in which they are told.
func All() []Experiment {
	return slices.Concat(checkoutExperiments(), crashExperiments(), poisonExperiments(), fullExperiments())
}

// Find returns the experiment of that name.
func Find(name string) (Experiment, bool) {
	all := All()
	i := slices.IndexFunc(all, func(e Experiment) bool { return e.Name == name })
	if i < 0 {
		return Experiment{}, false
	}
	return all[i], true
}

// Select returns the experiments of these names, each once and in the order of [All]; "all" is every one. The error
// names the first that is not there.
func Select(names ...string) ([]Experiment, error) {
	for _, name := range names {
		if _, ok := Find(name); !ok && name != "all" {
			return nil, fmt.Errorf("there is no experiment %q; unacked experiment lists them", name)
		}
	}
	return slices.DeleteFunc(All(), func(e Experiment) bool {
		return !slices.Contains(names, "all") && !slices.Contains(names, e.Name)
	}), nil
}
