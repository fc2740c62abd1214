package watch

import (
	"context"
	"slices"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
)

const (
	examineEvery   = 3 * time.Second
	examineFirst   = 1200 * time.Millisecond // between the first two readings, so that rates are soon known
	examineReads   = 5                       // readings that findings rest on: some 12 s
	examineTimeout = 4 * time.Second
	examineSlow    = 20 // examining rests for this many times what it took
)

// Examiner reads one stream every now and then for the doctor. It is for one goroutine at a time.
type Examiner struct {
	surveyor *redisq.Surveyor
	stream   string
	t        doctor.Thresholds
	readings []doctor.Reading
}

// NewExaminer returns an examiner of a group of a stream, through a client that may be read-only. An empty group is all
// that the stream has; an empty deadLetter is found by the usual names. A nil clock is time.Now.
func NewExaminer(c *redisq.Client, chosen Choice, deadLetter string, t doctor.Thresholds, clock func() time.Time) *Examiner {
	return &Examiner{
		stream: chosen.Stream, t: t,
		surveyor: redisq.NewSurveyor(c, redisq.SurveyOptions{
			Named: true, Group: chosen.Group, DeadLetter: deadLetter, PendingRows: 1000, CountAtMost: 1000, Consumers: true,
			BodiesOver: t.MaxDeliveries, // a remedy has to spell out what it moves to the dead letters
			Held:       10, Ghosts: 50, DeadRows: 10, Clock: clock,
		}),
	}
}

// Look reads once more and says what is wrong by the last readings.
func (e *Examiner) Look(ctx context.Context) (d *Diagnosis, last *redisq.StreamReading, took time.Duration) {
	survey := e.surveyor.Read(ctx, []string{e.stream})
	d = &Diagnosis{At: survey.At, Bytes: survey.Bytes, Err: survey.Err}
	if survey.Err == nil && len(survey.Streams) == 1 {
		d.Err = survey.Streams[0].Err
	}
	if d.Err != nil || len(survey.Streams) != 1 {
		return d, nil, survey.Took
	}
	e.readings = append(e.readings, survey.Streams[0])
	if len(e.readings) > examineReads {
		e.readings = slices.Clone(e.readings[1:])
	}
	d.Findings = doctor.Diagnose(e.readings, e.t)
	d.Watched = survey.At.Sub(e.readings[0].At)
	return d, &survey.Streams[0], survey.Took
}

// examine has the doctor look at what is chosen, every few seconds until watching ends.
func (w *Watch) examine() {
	var (
		examiner *Examiner
		of       Choice
		looks    int
		failed   int
	)
	for {
		w.mu.Lock()
		chosen := w.now.Chosen
		w.mu.Unlock()
		if chosen == (Choice{}) {
			if !w.rest(idleCheck, w.examining) {
				return
			}
			continue
		}
		if examiner == nil || chosen != of {
			examiner, of, looks = NewExaminer(w.client, chosen, w.o.DeadLetter, w.o.Thresholds, w.o.Clock), chosen, 0
		}
		ctx, cancel := context.WithTimeout(w.stop, examineTimeout)
		d, last, took := examiner.Look(ctx)
		cancel()
		if w.stop.Err() != nil {
			return
		}
		if d.Err != nil {
			failed++
		} else {
			failed = 0
			looks++
		}
		w.cost.Add("doctor", w.o.Clock(), took, d.Err)
		w.traffic.Add(w.o.Clock(), d.Bytes)
		w.diagnosed(chosen, d, last)
		pause := examineEvery
		if looks == 1 {
			pause = examineFirst
		}
		if !w.rest(retry(failed, d.Err, max(pause, examineSlow*took, digest(d.Bytes))), w.examining) {
			return
		}
	}
}

// diagnosed publishes what the doctor found, unless another group was chosen meanwhile.
func (w *Watch) diagnosed(of Choice, d *Diagnosis, last *redisq.StreamReading) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if of != w.now.Chosen {
		return
	}
	if d.Err != nil && w.now.Doctor != nil {
		kept := *w.now.Doctor
		kept.Err = d.Err
		d = &kept
	}
	w.now.Doctor = d
	if last != nil && w.o.DeadLetter == "" && last.Dead.Length.Value > 0 && last.DeadLetter != w.letters {
		w.letters = last.DeadLetter // they are under another of the usual names than was thought
		wake(w.reading)
	}
	w.publish()
}
