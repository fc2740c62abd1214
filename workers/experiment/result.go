package experiment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/unacked/redisq"
)

// Holds is what is said of a figure.
type Holds int

// What is said of a figure.
const (
	Unclaimed Holds = iota // not known, or not ours to judge: Row.Reason
	Yes
	No
)

// Row is one figure with what was measured.
type Row struct {
	Name     string
	Unit     string
	Expected string // in words, with its tolerance, at the scale of the run
	Measured Measured
	Holds    Holds
	Reason   string // why it is Unclaimed
	// Clocked says that the figure depends on how quick this machine is, not only on what was done.
	Clocked bool
}

// Result is what came of an experiment.
type Result struct {
	Name     string
	Title    string
	Decision string
	Scale    float64
	Server   redisq.ServerInfo
	Took     time.Duration
	Rows     []Row
	// Err is why it could not be played to its end; Rows is empty then.
	Err error
}

// Holds says that it was played and no figure is off.
func (r Result) Holds() bool { return r.Err == nil && len(r.Off()) == 0 }

// Off lists the figures that are not as expected.
func (r Result) Off() []Row {
	var off []Row
	for _, row := range r.Rows {
		if row.Holds == No {
			off = append(off, row)
		}
	}
	return off
}

// Verdict is one sentence about the result, with its figures.
func (r Result) Verdict() string {
	switch {
	case errors.Is(r.Err, context.Canceled):
		return r.Name + " was interrupted"
	case r.Err != nil:
		return r.Name + " could not be played: " + r.Err.Error()
	}
	var held, off, unclaimed []string
	for _, row := range r.Rows {
		switch row.Holds {
		case Yes:
			held = append(held, row.Name+" "+withUnit(row.Measured.String(), row.Unit))
		case No:
			off = append(off, row.Words())
		case Unclaimed:
			unclaimed = append(unclaimed, row.Name)
		}
	}
	text := r.Name + " holds"
	switch {
	case len(off) > 0:
		text = r.Name + " does not hold: " + strings.Join(off, "; ")
	case len(held) > 0:
		text += ", as the article says: " + strings.Join(held, "; ")
	}
	if len(unclaimed) > 0 {
		text += "; not judged: " + strings.Join(unclaimed, ", ")
	}
	if r.Scale != 1 {
		text += fmt.Sprintf(" (at scale %s, with its tolerances)", number(r.Scale))
	}
	return text
}

// Words are the figure in words: "mails 10, expected 11".
func (r Row) Words() string {
	const most = 12 // orders that are named in a sentence
	text := withUnit(r.Measured.String(), r.Unit)
	if n := len(r.Measured.Orders); r.Measured.Named && n > most {
		text = fmt.Sprintf("%d orders (%s, …)", n, strings.Join(r.Measured.Orders[:most], ", "))
	}
	return fmt.Sprintf("%s %s, expected %s", r.Name, text, r.Expected)
}

// withUnit adds a unit that is not said by the name already.
func withUnit(text, unit string) string {
	if unit != "ms" || text == "?" {
		return text
	}
	return text + " ms"
}

// judge compares what was measured with what is wanted.
func (f *facts) judge(figure Figure) Row {
	want := figure.Want.at(f.scale)
	row := Row{
		Name: figure.Name, Unit: figure.Unit, Expected: want.String(),
		Clocked: figure.Rests&(OnService|OnClock|OnServer) != 0,
	}
	foreign := f.foreign()
	if foreign != "" && figure.Rests&OnSink != 0 {
		row.Measured, row.Reason = unknown(foreign), foreign
		return row
	}
	row.Measured = figure.of(f)
	switch {
	case !row.Measured.Known:
		row.Reason = row.Measured.Reason
	case foreign != "" && figure.Rests&OnService != 0:
		row.Reason = foreign + "; nor is how long a mail takes there"
	case figure.Rests&OnServer != 0 && f.server.Embedded && f.scale < 1:
		row.Reason = "at this scale orders come quicker than the embedded server is"
	case want.holds(row.Measured):
		row.Holds = Yes
	default:
		row.Holds = No
	}
	return row
}
