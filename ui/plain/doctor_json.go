package plain

import (
	"bytes"
	"encoding/json"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
)

// DoctorSchema names the JSON that Doctor writes.
const DoctorSchema = "unacked.doctor/1"

type doctorJSON struct {
	Schema   string           `json:"schema"`
	At       string           `json:"at"` // the last reading
	Healthy  bool             `json:"healthy"`
	Findings []findingJSON    `json:"findings"` // worst first
	Server   lookedServerJSON `json:"server"`
	Watched  int64            `json:"watched_ms"`
	Streams  int              `json:"streams"` // how many were looked at
	Groups   int              `json:"groups"`
	Unread   []unreadJSON     `json:"not_looked_at"`
}

type unreadJSON struct {
	Stream       string `json:"stream"`
	StreamBase64 string `json:"stream_base64,omitempty"`
	Error        string `json:"error"`
}

// Of the names, null is one that the finding is not about.
type findingJSON struct {
	Code           doctor.Code     `json:"code"`
	Severity       doctor.Severity `json:"severity"`
	Stream         *string         `json:"stream"`
	StreamBase64   string          `json:"stream_base64,omitempty"`
	Group          *string         `json:"group"`
	GroupBase64    string          `json:"group_base64,omitempty"`
	Consumer       *string         `json:"consumer"`
	ConsumerBase64 string          `json:"consumer_base64,omitempty"`
	IDs            []string        `json:"ids"`
	Text           string          `json:"text"`
	Evidence       evidenceJSON    `json:"evidence"`
	Remedies       []remedyJSON    `json:"remedies"`
}

type remedyJSON struct {
	Text     string     `json:"text"`
	Commands [][]string `json:"commands"`
	// CommandsBase64 has every argument in base64, where one of them is no UTF-8.
	CommandsBase64 [][]string `json:"commands_base64,omitempty"`
}

// evidenceJSON is an object with its names in the order of the facts.
type evidenceJSON []doctor.Fact

// MarshalJSON implements [json.Marshaler].
func (e evidenceJSON) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteByte('{')
	member := func(name string, value any) error {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		if err := encoder.Encode(name); err != nil {
			return err
		}
		b.WriteByte(':')
		return encoder.Encode(value)
	}
	for _, fact := range e {
		value, beside := fact.Value, any(nil)
		switch v := fact.Value.(type) {
		case redisq.Number:
			value = numberOf(v)
		case string:
			value = readable(v)
			if text := encoded(v); text != "" {
				beside = text
			}
		case []string:
			value = each(v, readable)
			if anyEncoded(v) {
				beside = each(v, base64Of)
			}
		}
		if err := member(fact.Name, value); err != nil {
			return nil, err
		}
		if beside != nil {
			if err := member(fact.Name+"_base64", beside); err != nil {
				return nil, err
			}
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (v verdict) json() doctorJSON {
	out := doctorJSON{
		Schema: DoctorSchema, At: stamp(v.at), Healthy: len(v.findings) == 0 && len(v.unread) == 0,
		Findings: make([]findingJSON, 0, len(v.findings)), Server: serverOf(v.server), Watched: v.watched.Milliseconds(),
		Streams: v.streams, Groups: v.groups, Unread: []unreadJSON{},
	}
	for _, f := range v.findings {
		out.Findings = append(out.Findings, findingOf(f))
	}
	for _, r := range v.unread {
		out.Unread = append(out.Unread, unreadJSON{readable(r.Name), encoded(r.Name), readable(errorText(r.Err))})
	}
	return out
}

func findingOf(f doctor.Finding) findingJSON {
	out := findingJSON{
		Code: f.Code, Severity: f.Severity, Text: readable(f.Text), Evidence: f.Evidence,
		Stream: orNull(f.Stream), StreamBase64: encoded(f.Stream), Group: orNull(f.Group), GroupBase64: encoded(f.Group),
		Consumer: orNull(f.Consumer), ConsumerBase64: encoded(f.Consumer), IDs: each(f.IDs, readable),
		Remedies: make([]remedyJSON, 0, len(f.Remedies)),
	}
	for _, r := range f.Remedies {
		one := remedyJSON{Text: readable(r.Text), Commands: make([][]string, 0, len(r.Commands))}
		binary := false
		for _, command := range r.Commands {
			one.Commands = append(one.Commands, each(command, readable))
			binary = binary || anyEncoded(command)
		}
		for _, command := range r.Commands {
			if binary {
				one.CommandsBase64 = append(one.CommandsBase64, each(command, base64Of))
			}
		}
		out.Remedies = append(out.Remedies, one)
	}
	return out
}
