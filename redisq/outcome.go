package redisq

import "strconv"

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

// rest completes Text, which tells what was done, with what was not.
func (o Outcome) rest() Outcome {
	if n := len(o.Skipped); n > 0 {
		o.Text += ", left alone " + strconv.Itoa(n)
		if n == 1 {
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
		o.Done++
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
