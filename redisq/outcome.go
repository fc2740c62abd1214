package redisq

import (
	"slices"
	"strconv"
	"strings"
)

func (o *Outcome) fail(err error) {
	if o.Err == nil {
		o.Err = err
	}
}

// unknown notes a message of which nobody knows what became.
func (o *Outcome) unknown(id string, err error) {
	o.Unknown++
	o.Unclear = append(o.Unclear, id)
	o.fail(err)
}

// Ids that a note tells: so many in a line, and in all.
const (
	notedLine = 50
	notedIDs  = 5000
)

// noteIDs adds notes that name ids: what is gone is to be written down.
func (o *Outcome) noteIDs(what string, ids []string) {
	shown := ids[:min(len(ids), notedIDs)]
	for line := range slices.Chunk(shown, notedLine) {
		o.Notes = append(o.Notes, what+": "+strings.Join(line, ", "))
	}
	if more := len(ids) - len(shown); more > 0 {
		o.Notes = append(o.Notes, what+": "+strconv.Itoa(more)+" more")
	}
}

// meanwhile tells of those that the plan counted and the run did not meet: another was faster.
func (o *Outcome) meanwhile(n int, did string) {
	if n > 0 && !o.Stopped && o.Err == nil {
		o.Text += ", " + strconv.Itoa(n) + " " + did + " meanwhile"
	}
}

// rest completes Text, which tells what was done, with what was not.
func (o Outcome) rest() Outcome {
	if n := len(o.Skipped); n > 0 {
		o.Text += ", left alone " + strconv.Itoa(n)
		if !slices.ContainsFunc(o.Skipped, func(s Skipped) bool { return s.Reason != o.Skipped[0].Reason }) {
			o.Text += " (" + o.Skipped[0].Reason + ")"
		}
	}
	if n := len(o.Failed); n > 0 {
		o.Text += ", failed " + strconv.Itoa(n)
	}
	if o.Unknown > 0 {
		o.Text += ", not known of " + strconv.Itoa(o.Unknown)
	}
	if o.Err != nil {
		o.Text += ": " + o.Err.Error()
	}
	return o
}

// note adds what became of one message: err, or why it was left alone, or that it is done. It returns false when going
// on makes no sense.
func (o *Outcome) note(id, skipped string, err error) bool {
	switch {
	case err == nil && skipped == "":
		if o.Done++; o.names {
			o.named = append(o.named, id)
		}
	case err == nil:
		o.Skipped = append(o.Skipped, Skipped{ID: id, Reason: skipped})
	case CodeOf(err) == CodeLostReply:
		o.unknown(id, err)
		return false
	case CodeOf(err) == CodeCanceled:
		o.Stopped = true
		return false
	default:
		o.Failed = append(o.Failed, Skipped{ID: id, Reason: err.Error()})
		o.fail(err)
		return CodeOf(err) == CodeTooBig
	}
	return true
}
