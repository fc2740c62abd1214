package plain

import (
	"context"
	"errors"
	"io"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
)

// The exit statuses of Doctor.
const (
	DoctorHealthy  = 0 // there is no finding
	DoctorFindings = 1 // there is one at least
	DoctorNoLook   = 2 // something could not be looked at, so nothing can be said of it, and no finding was made
)

// DoctorOptions say what Doctor looks at and how it is written. Thresholds are to be [doctor.Defaults] or made from them;
// the rest may be zero: every stream of the server, read once, as text of 80 columns.
type DoctorOptions struct {
	Streams    []string // keys; none are all streams of the server
	Group      string   // only this group, "" is all
	DeadLetter string   // key of the dead letters, "" is found by the usual names
	Thresholds doctor.Thresholds
	For        time.Duration   // how long is watched for findings that need rates, 0 is one reading; [doctor.DefaultFor] is usual
	Least      doctor.Severity // findings below are left out, and do not count for the exit status; "" is all
	JSON       bool            // one JSON object of the schema [DoctorSchema]
	Width      int             // columns of the text, 0 is 80
	Log        *redisq.CommandLog
	Clock      func() time.Time // nil is time.Now
	// Progress is told of each reading, and of how many there will be; nil is fine.
	Progress func(done, of int)
}

// Doctor looks at a server's queues, with commands that only read, and writes to w what is wrong and what mends it. The
// status is for the process to exit with. With an error, which is why nothing could be looked at, the status is
// [DoctorNoLook] and nothing was written.
func Doctor(ctx context.Context, target redisq.Target, w io.Writer, o DoctorOptions) (status int, err error) {
	c, err := redisq.Connect(target, redisq.Options{Name: "doctor", ReadOnly: true, Log: o.Log})
	if err != nil {
		return DoctorNoLook, err
	}
	defer c.Close()
	readings, err := doctor.Examine(ctx, c, doctor.Options{
		Streams: o.Streams, Group: o.Group, DeadLetter: o.DeadLetter, For: o.For, Thresholds: o.Thresholds, Clock: o.Clock, Progress: o.Progress,
	})
	if err != nil {
		return DoctorNoLook, err
	}
	v := verdictOf(readings, o)
	if v.server.Product == "" { // there was no stream to look at
		if v.server, err = c.Identify(ctx); err != nil {
			return DoctorNoLook, err
		}
	}
	if v.at.IsZero() {
		v.at = time.Now()
		if o.Clock != nil {
			v.at = o.Clock()
		}
	}
	if o.JSON {
		err = writeJSON(w, v.json())
	} else {
		err = v.text(w, o.Width)
	}
	switch {
	case err != nil:
		return DoctorNoLook, err
	case len(v.findings) > 0:
		return DoctorFindings, nil
	case len(v.unread) > 0:
		return DoctorNoLook, nil
	}
	return DoctorHealthy, nil
}

// verdict is what Doctor writes.
type verdict struct {
	at       time.Time
	watched  time.Duration // from the first reading to the last
	server   redisq.ServerInfo
	streams  int
	groups   int
	unread   []doctor.Reading // could not be read, the last time that it was tried
	findings []doctor.Finding
}

func verdictOf(readings []doctor.Reading, o DoctorOptions) verdict {
	v := verdict{findings: doctor.Diagnose(readings, o.Thresholds)}
	if o.Least != "" {
		v.findings = doctor.AtLeast(v.findings, o.Least)
	}
	var first time.Time
	last := map[string]doctor.Reading{}
	var names []string
	for _, r := range readings {
		if first.IsZero() || r.At.Before(first) {
			first = r.At
		}
		if !r.At.Before(v.at) {
			v.at, v.server = r.At, r.Server
		}
		if _, ok := last[r.Name]; !ok && r.Name != "" {
			names = append(names, r.Name)
		}
		last[r.Name] = r
	}
	v.watched = v.at.Sub(first)
	for _, name := range names {
		r := last[name]
		if r.Err != nil {
			v.unread = append(v.unread, r)
			continue
		}
		v.streams++
		if err := halfRead(r, o.Group); err != nil {
			r.Err = err
			v.unread = append(v.unread, r)
		}
		for _, g := range r.Groups {
			if !g.Missing && (o.Group == "" || o.Group == g.Name) {
				v.groups++
			}
		}
	}
	return v
}

// halfRead is the first thing of a stream, or of its groups, that the server did not tell for a reason that no finding
// speaks of: nobody can call healthy what was not looked at.
func halfRead(r doctor.Reading, group string) error {
	problems := r.Problems
	for _, g := range r.Groups {
		if group == "" || group == g.Name {
			problems = append(problems[:len(problems):len(problems)], g.Problems...)
		}
	}
	for _, p := range problems {
		if p.Code == redisq.ProblemError {
			return errors.New(p.Text)
		}
	}
	return nil
}
