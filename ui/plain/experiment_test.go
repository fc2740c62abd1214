package plain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
	"example.com/unacked/workers/experiment"
)

// sample are results of every kind.
func sample() []experiment.Result {
	known := func(x float64) experiment.Measured { return experiment.Measured{Known: true, Value: x} }
	orders := func(names ...string) experiment.Measured {
		return experiment.Measured{Known: true, Named: true, Value: float64(len(names)), Orders: names}
	}
	var many []string
	for n := 1; n < 400; n += 2 {
		many = append(many, strconv.Itoa(n))
	}
	noted := known(1)
	noted.Note = "1-0, order 4: 550 no such \x1b[2Juser"
	return []experiment.Result{
		{
			Name: "held", Title: "One that holds", Scale: 1, Took: 3140 * time.Millisecond,
			Server: redisq.ServerInfo{Product: "redis", Version: "7.0.15"},
			Rows: []experiment.Row{
				{Name: "checkout, median", Unit: "ms", Expected: "about 300 (290–340)", Measured: known(301.24), Holds: experiment.Yes},
				{Name: "lost", Unit: "orders", Expected: "order 4", Measured: orders("4"), Holds: experiment.Yes},
				{Name: "… with reason and id", Unit: "messages", Expected: "1", Measured: noted, Holds: experiment.Yes},
			},
		},
		{
			Name: "is-off", Title: "One that is off", Scale: 1, Took: 10 * time.Second,
			Rows: []experiment.Row{
				{Name: "mails", Unit: "mails", Expected: "9", Measured: known(10), Holds: experiment.No},
				{Name: "lost", Unit: "orders", Expected: "none", Measured: orders(many...), Holds: experiment.No},
			},
		},
		{
			Name: "elsewhere", Title: "One with another mail server", Scale: 1, Took: time.Second,
			Rows: []experiment.Row{{
				Name: "mails", Unit: "mails", Expected: "9", Measured: experiment.Measured{Reason: "not ours"}, Reason: "not ours",
			}},
		},
		{Name: "broken", Title: "One that was not played", Scale: 1, Err: errors.New("experiment broken: no server")},
	}
}

func TestExperimentTable(t *testing.T) {
	var b bytes.Buffer
	if err := ExperimentTable(&b, sample()); err != nil {
		t.Fatal(err)
	}
	const want = `  figure                       expected                measured            holds

held                                                                3.1 s  holds
  One that holds
  checkout, median             about 300 (290–340) ms  301.2 ms            yes
  lost                         order 4                 order 4             yes
  … with reason and id         1                       1                   yes
      1-0, order 4: 550 no such ␛[2Juser

is-off                                                         10.0 s  HOLDS NOT
  One that is off
  mails                        9                       10                  NO
  lost                         none                    200 orders          NO
      orders 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33,
      35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63, 65, 67, 69,
      71, 73, 75, 77, 79, 81, 83, 85, 87, 89, 91, 93, 95, 97, 99, 101, 103,
      105, 107, 109, 111, 113, 115, 117, 119, 121, 123, 125, 127, 129, 131, …

elsewhere                                                           1.0 s  holds
  One with another mail server
  mails                        9                       ?                   ?
      not ours

broken                                                         0.0 s  NOT PLAYED
  One that was not played
  experiment broken: no server

2 of 4 hold, on redis 7.0.15.
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	for line := range strings.Lines(b.String()) {
		if w := cell.Width(strings.TrimSuffix(line, "\n")); w > 80 {
			t.Errorf("%d columns: %s", w, line)
		}
	}
}

// Every line about every experiment fits, whatever its figures came to.
func TestEveryExperimentFits(t *testing.T) {
	var results []experiment.Result
	for _, e := range experiment.All() {
		r := experiment.Result{Name: e.Name, Title: e.Title, Scale: 0.1, Took: 10 * time.Second}
		for _, f := range e.Figures {
			r.Rows = append(r.Rows, experiment.Row{
				Name: f.Name, Unit: f.Unit, Expected: f.Want.String(), Measured: experiment.Measured{Known: true, Value: 12345.678},
			})
		}
		results = append(results, r)
	}
	var table, list bytes.Buffer
	if err := errors.Join(ExperimentTable(&table, results), ExperimentList(&list, experiment.All())); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(list.String(), "\n"); n != 16 {
		t.Errorf("%d lines list the experiments, want 16", n)
	}
	for line := range strings.Lines(table.String() + list.String()) {
		if w := cell.Width(strings.TrimSuffix(line, "\n")); w > 80 {
			t.Errorf("%d columns: %s", w, line)
		}
	}
	for _, r := range results {
		for _, row := range r.Rows {
			if !strings.Contains(table.String(), row.Name+" ") || !strings.Contains(table.String(), row.Expected) {
				t.Errorf("%s: %q or %q was cut", r.Name, row.Name, row.Expected)
			}
		}
	}
}

func TestExperimentTableSaysItsScale(t *testing.T) {
	var b bytes.Buffer
	if err := ExperimentTable(&b, []experiment.Result{{Name: "a", Scale: 0.1}, {Name: "b", Scale: 0.3}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"multiplied by 0.1", "b at 0.3", "2 of 2 hold."} {
		if !strings.Contains(strings.ReplaceAll(b.String(), "\n", " "), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

func TestExperimentJSON(t *testing.T) {
	var b bytes.Buffer
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	if err := ExperimentJSON(&b, at, sample()); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	look := func(path ...any) any {
		var v any = got
		for _, p := range path {
			switch p := p.(type) {
			case string:
				m, _ := v.(map[string]any)
				v = m[p]
			case int:
				v = v.([]any)[p]
			}
		}
		return v
	}
	for _, c := range []struct {
		want any
		path []any
	}{
		{"unacked.experiment/1", []any{"schema"}},
		{"2026-01-02T03:04:05.006Z", []any{"at"}},
		{"redis", []any{"server", "product"}},
		{"held", []any{"experiments", 0, "name"}},
		{true, []any{"experiments", 0, "holds"}},
		{3.14, []any{"experiments", 0, "seconds"}},
		{"checkout, median", []any{"experiments", 0, "figures", 0, "name"}},
		{"about 300 (290–340)", []any{"experiments", 0, "figures", 0, "expected"}},
		{true, []any{"experiments", 0, "figures", 0, "measured", "known"}},
		{301.24, []any{"experiments", 0, "figures", 0, "measured", "value"}},
		{"derived", []any{"experiments", 0, "figures", 0, "measured", "source"}},
		{"ms", []any{"experiments", 0, "figures", 0, "unit"}},
		{true, []any{"experiments", 0, "figures", 0, "holds"}},
		{"4", []any{"experiments", 0, "figures", 1, "orders", 0}},
		{"counted", []any{"experiments", 0, "figures", 1, "measured", "source"}},
		{"1-0, order 4: 550 no such ␛[2Juser", []any{"experiments", 0, "figures", 2, "note"}},
		{false, []any{"experiments", 1, "holds"}},
		{false, []any{"experiments", 1, "figures", 0, "holds"}},
		{"399", []any{"experiments", 1, "figures", 1, "orders", 199}},
		{true, []any{"experiments", 2, "holds"}},
		{nil, []any{"experiments", 2, "figures", 0, "holds"}},
		{false, []any{"experiments", 2, "figures", 0, "measured", "known"}},
		{"not ours", []any{"experiments", 2, "figures", 0, "measured", "reason"}},
		{nil, []any{"experiments", 2, "figures", 0, "measured", "value"}},
		{"experiment broken: no server", []any{"experiments", 3, "error"}},
		{false, []any{"experiments", 3, "holds"}},
	} {
		if v := look(c.path...); v != c.want {
			t.Errorf("%v is %v, want %v", c.path, v, c.want)
		}
	}
	if figures, ok := look("experiments", 3, "figures").([]any); !ok || len(figures) != 0 {
		t.Errorf("figures of one that was not played: %v", figures)
	}
}

func TestWhatIsOffIsNamed(t *testing.T) {
	err := offError(sample())
	if err == nil {
		t.Fatal("nothing is off")
	}
	for _, want := range []string{"is-off: mails 10, expected 9; lost 200 orders (1, 3", "broken: no server"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
	if err := offError(sample()[:1]); err != nil {
		t.Errorf("all hold, and %v is off", err)
	}
}

func TestProgress(t *testing.T) {
	all := []experiment.Experiment{{Name: "a", Title: "First", Takes: 3 * time.Second}, {Name: "b", Title: "Second", Takes: time.Second}}
	now := time.Unix(0, 0)
	play := func(b *bytes.Buffer, bar bool) *progress {
		o := ExperimentOptions{Experiments: all, Err: b, Bar: bar, Clock: func() time.Time { return now }}
		p := newProgress(o)
		p.begin(all[0], 0)
		p.step(experiment.Step{N: 1, Of: 2, Say: "Ten customers\x1b[2J order."})
		p.step(experiment.Step{N: 2, Of: 2, Say: "the verdict"})
		p.end(experiment.Result{Name: "a", Took: 3 * time.Second})
		return p
	}

	var lines bytes.Buffer
	p := play(&lines, false)
	p.begin(all[1], 1)
	p.end(sample()[1])
	want := `a (1 of 2): First
  Ten customers␛[2J order.
  a holds (3.0 s)
b (2 of 2): Second
  is-off does not hold: mails 10, expected 9; lost 200 orders (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, …), expected none (10.0 s)
`
	if lines.String() != want {
		t.Errorf("got\n%s\nwant\n%s", lines.String(), want)
	}

	var screen bytes.Buffer
	p = play(&screen, true)
	if s := screen.String(); !strings.HasSuffix(s, "\ra holds (3.0 s)\x1b[K\n") || strings.Contains(s, "\x1b[2J") {
		t.Errorf("the bar left %q", s)
	}
	p.now, p.since, p.say = 1, now, strings.Repeat("long ", 40)
	now = now.Add(500 * time.Millisecond)
	// 3 s of 4 are over, and half of the last one.
	if line := p.line(); !strings.HasPrefix(line, "[#################---] 2/2 b  long long") || cell.Width(line) != 79 {
		t.Errorf("%d columns: %s", cell.Width(line), line)
	}
	now = now.Add(time.Hour)
	if line := p.line(); !strings.HasPrefix(line, "[####################] ") {
		t.Errorf("after an hour: %s", line)
	}
}

func ExampleExperimentList() {
	var b bytes.Buffer
	_ = ExperimentList(&b, experiment.All()[:2])
	fmt.Print(b.String())
	// Output:
	// sync                 The checkout sends the mail itself, no queue
	// queued               The checkout adds to the queue; no worker runs
}
