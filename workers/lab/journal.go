package lab

import (
	"slices"
	"sync"
	"time"
)

const (
	// maxMarks bounds the marks, and the notices, that are kept.
	maxMarks = 300
	// sameHand is how long a switch that is turned on and on makes one mark.
	sameHand = 2 * time.Second
)

// journal keeps what was done and what happened by itself. Safe from any goroutine.
type journal struct {
	now func() time.Time

	mu      sync.Mutex // guards what follows
	marks   []Mark
	notices []Mark
	// The switch that made the last mark, "" when something else did, and the value before.
	turned string
	from   string
}

// mark notes something that was done, to the entry id where it concerns one.
func (j *journal) mark(text, id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.turned = ""
	j.marks = keep(append(j.marks, Mark{At: j.now(), Text: text, ID: id}))
}

// markAt notes something that was done at that time, and came out later.
func (j *journal) markAt(at time.Time, text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i := len(j.marks)
	for i > 0 && j.marks[i-1].At.After(at) {
		i--
	}
	if i == len(j.marks) {
		j.turned = ""
	}
	// A State that was handed out may share the old ones.
	j.marks = keep(slices.Insert(slices.Clone(j.marks), i, Mark{At: at, Text: text}))
}

// turn notes a decision that was switched: "lease 5s → 2s".
func (j *journal) turn(name, from, to string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := j.now()
	if last := len(j.marks) - 1; last >= 0 && j.turned == name && at.Sub(j.marks[last].At) < sameHand {
		from = j.from
		j.marks = slices.Clone(j.marks[:last]) // a State that was handed out may share it
	}
	j.turned, j.from = name, from
	if from != to {
		j.marks = keep(append(j.marks, Mark{At: at, Text: name + " " + from + " → " + to}))
	}
}

// notice notes something that happened by itself.
func (j *journal) notice(text, id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notices = keep(append(j.notices, Mark{At: j.now(), Text: text, ID: id}))
}

// all returns marks and notices, oldest first. They are never changed afterwards.
func (j *journal) all() (marks, notices []Mark) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clip(j.marks), slices.Clip(j.notices)
}

// keep drops the oldest; the new slice shares nothing with one that was handed out.
func keep(marks []Mark) []Mark {
	if len(marks) <= maxMarks {
		return marks
	}
	return slices.Clone(marks[len(marks)-maxMarks:])
}
