package plain

import (
	"cmp"

	"example.com/unacked/redisq"
)

// ReplaySchema names the JSON that Replay writes.
const ReplaySchema = "unacked.replay/1"

type replayJSON struct {
	Schema           string            `json:"schema"`
	At               string            `json:"at"` // when it began
	DeadLetter       string            `json:"dead_letter"`
	DeadLetterBase64 string            `json:"dead_letter_base64,omitempty"`
	To               string            `json:"to"` // the stream that got the messages
	ToBase64         string            `json:"to_base64,omitempty"`
	DryRun           bool              `json:"dry_run"`
	Matched          int               `json:"matched"`                // letters that were chosen
	Would            *int              `json:"would_replay,omitempty"` // of a dry run only
	Replayed         int               `json:"replayed"`
	Skipped          []replaySkipJSON  `json:"skipped"`
	Unknown          int               `json:"unknown"` // the reply was lost, and looking again failed
	UnknownIDs       []string          `json:"unknown_ids"`
	Failed           []replayFaultJSON `json:"failed"`
	Stopped          bool              `json:"stopped"` // before all was done
	Error            *string           `json:"error"`   // the first, null where there is none
}

type replaySkipJSON struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

type replayFaultJSON struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

func (r *replayJSON) names(q redisq.Queue, o redisq.ReplayOptions) {
	to := cmp.Or(o.To, q.Stream)
	r.DeadLetter, r.DeadLetterBase64 = readable(q.DeadLetter), encoded(q.DeadLetter)
	r.To, r.ToBase64 = readable(to), encoded(to)
	r.Skipped, r.Failed, r.UnknownIDs = []replaySkipJSON{}, []replayFaultJSON{}, []string{}
}

func (r *replayJSON) planned(p redisq.ReplayPlan) {
	r.Matched, r.Would = p.Matched, &p.Count
	r.skip(p.Skipped)
}

func (r *replayJSON) done(o redisq.Outcome) {
	r.Matched, r.Replayed, r.Unknown, r.Stopped = o.Matched, o.Done, o.Unknown, o.Stopped
	r.skip(o.Skipped)
	r.UnknownIDs = append(r.UnknownIDs, o.Unclear...)
	for _, f := range o.Failed {
		r.Failed = append(r.Failed, replayFaultJSON{f.ID, readable(f.Reason)})
	}
	if o.Err != nil {
		r.Error = orNull(o.Err.Error())
	}
}

func (r *replayJSON) skip(list []redisq.Skipped) {
	for _, s := range list {
		r.Skipped = append(r.Skipped, replaySkipJSON{s.ID, readable(s.Reason)})
	}
}
