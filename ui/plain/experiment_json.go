package plain

import (
	"encoding/json"
	"io"
	"math"
	"time"

	"example.com/unacked/redisq/safe"
	"example.com/unacked/workers/experiment"
)

// ExperimentSchema names the JSON that ExperimentJSON writes.
const ExperimentSchema = "unacked.experiment/1"

type experimentsJSON struct {
	Schema      string           `json:"schema"`
	At          string           `json:"at"` // when the first one began
	Server      *serverJSON      `json:"server,omitempty"`
	Experiments []experimentJSON `json:"experiments"`
}

type serverJSON struct {
	Product string `json:"product"`
	Version string `json:"version,omitempty"`
}

type experimentJSON struct {
	Name    string       `json:"name"`
	Holds   bool         `json:"holds"`
	Seconds float64      `json:"seconds"`
	Scale   float64      `json:"scale"`
	Error   string       `json:"error,omitempty"` // why it could not be played
	Figures []figureJSON `json:"figures"`
}

type figureJSON struct {
	Name     string      `json:"name"`
	Expected string      `json:"expected"`
	Measured measureJSON `json:"measured"`
	Unit     string      `json:"unit"`
	Holds    *bool       `json:"holds"`            // null where it is not known or not judged
	Reason   string      `json:"reason,omitempty"` // why it is null
	Note     string      `json:"note,omitempty"`
	Orders   []string    `json:"orders,omitempty"` // by number
}

type measureJSON struct {
	Known   bool     `json:"known"`
	Value   *float64 `json:"value,omitempty"`
	AtLeast *bool    `json:"at_least,omitempty"`
	Source  string   `json:"source,omitempty"`
	Reason  string   `json:"reason,omitempty"`
}

// ExperimentJSON writes results as one JSON object of the schema [ExperimentSchema]; at is when the first one began.
func ExperimentJSON(w io.Writer, at time.Time, results []experiment.Result) error {
	out := experimentsJSON{
		Schema: ExperimentSchema, At: at.Format(time.RFC3339Nano), Experiments: make([]experimentJSON, 0, len(results)),
	}
	for _, r := range results {
		if r.Server.Product != "" && out.Server == nil {
			out.Server = &serverJSON{safe.Text(r.Server.Product), safe.Text(r.Server.Version)}
		}
		e := experimentJSON{
			Name: r.Name, Holds: r.Holds(), Seconds: math.Round(r.Took.Seconds()*1000) / 1000, Scale: r.Scale,
			Figures: make([]figureJSON, 0, len(r.Rows)),
		}
		if r.Err != nil {
			e.Error = safe.Text(r.Err.Error())
		}
		for _, row := range r.Rows {
			e.Figures = append(e.Figures, figure(row))
		}
		out.Experiments = append(out.Experiments, e)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func figure(row experiment.Row) figureJSON {
	f := figureJSON{
		Name: row.Name, Expected: row.Expected, Unit: row.Unit, Reason: safe.Text(row.Reason),
		Note: safe.Text(row.Measured.Note), Orders: row.Measured.Orders,
	}
	if row.Holds != experiment.Unclaimed {
		holds := row.Holds == experiment.Yes
		f.Holds = &holds
	}
	if !row.Measured.Known {
		f.Measured.Reason = safe.Text(row.Measured.Reason)
		return f
	}
	value, exact := row.Measured.Value, false
	f.Measured = measureJSON{Known: true, Value: &value, AtLeast: &exact, Source: "counted"}
	if row.Unit == "ms" {
		f.Measured.Source = "derived"
	}
	return f
}
