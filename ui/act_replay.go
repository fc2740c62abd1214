package ui

import (
	"errors"
	"math"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/desk"
)

// The fields of the replay form.
const (
	repDry = iota
	repRate
	repLimit
	repKeep
	repForce
	repTo
	repGroup
	repLeading
	repNames
	repOriginal
)

// replayForm asks how letters are put back.
func (m *Model) replayForm(l letterAim) *formDialog {
	f := &formDialog{
		head: "Replay " + l.what, do: "shows what would be done",
		fields: []formField{
			repDry:   switchField("dry run", "look at every letter and say what would be done, change nothing"),
			repRate:  textField("letters a second", "", "at most so many; empty is as fast as the server answers"),
			repLimit: textField("at most", "", "put back so many letters and stop; empty is no limit"),
			repKeep:  switchField("keep the letters", "each stays, marked, so that it is not replayed again unforced"),
			repForce: switchField("force", "also those that were replayed "+itoa(redisq.DefaultMaxReplays)+" times and came back, or were replayed and kept"),
			repTo:    textField("to another stream", "", "its key; empty is the stream that they came from"),
			repGroup: textField("to one group only", "", "the original entry becomes pending again for that group alone, where it still exists; empty is every group"),
		},
	}
	if first, ok := foreignAmong(m.d, l.named); ok {
		f.intro = []string{"Written by another tool among them: " + fieldsText(first.Fields)}
		f.fields = append(
			f.fields,
			textField("metadata: first fields", "0", "of letters by other tools: so many leading fields are metadata and stay behind; 0 puts all back"),
			textField("metadata: by name", "", "of letters by other tools: fields of these names stay behind too, names divided by commas"),
			textField("original id in", "", "of letters by other tools: the field that holds the id of the original entry, so that replays are counted"),
		)
	}
	f.submit = func(m *Model, f *formDialog) (tea.Cmd, error) {
		o, err := f.replayOptions()
		if err != nil {
			return nil, err
		}
		o.IDs, o.Only = l.of.IDs, l.of.Only
		q := m.d.good.Queue
		if err := o.Check(q); err != nil {
			var e *redisq.Error
			if errors.As(err, &e) {
				err = e.Err
			}
			return nil, err
		}
		m.dialog = nil
		return m.wish(desk.Wish{Deed: desk.Replay, Replay: o, DryRun: f.fields[repDry].on()}, l.extra...), nil
	}
	return f
}

// foreignAmong finds a letter by another tool among those, or among all that were read.
func foreignAmong(d *data, letters []redisq.DeadLetter) (redisq.DeadLetter, bool) {
	if len(letters) == 0 && d.good != nil {
		letters = d.good.Dead.Rows
	}
	for i := range letters {
		if letters[i].Foreign {
			return letters[i], true
		}
	}
	return redisq.DeadLetter{}, false
}

// replayOptions reads the form.
func (f *formDialog) replayOptions() (o redisq.ReplayOptions, err error) {
	text := func(i int) string { return strings.TrimSpace(f.fields[i].in.text()) }
	wrong := func(at int, what string) (redisq.ReplayOptions, error) {
		f.at = at
		return o, errors.New(f.fields[at].label + ": " + what)
	}
	if s := text(repRate); s != "" {
		if o.Rate, err = strconv.ParseFloat(s, 64); err != nil || !(o.Rate > 0) || math.IsInf(o.Rate, 0) {
			return wrong(repRate, "a number above 0, like 5 or 0.5")
		}
	}
	if s := text(repLimit); s != "" {
		if o.Limit, err = strconv.Atoi(s); err != nil || o.Limit < 1 {
			return wrong(repLimit, "1 or more")
		}
	}
	o.Keep, o.Force = f.fields[repKeep].on(), f.fields[repForce].on()
	o.To, o.Group = f.fields[repTo].in.text(), f.fields[repGroup].in.text()
	if len(f.fields) <= repLeading {
		return o, nil
	}
	if s := text(repLeading); s != "" {
		if o.Foreign.Leading, err = strconv.Atoi(s); err != nil || o.Foreign.Leading < 0 {
			return wrong(repLeading, "0 or more")
		}
	}
	if s := f.fields[repNames].in.text(); s != "" {
		o.Foreign.Names = strings.Split(s, ",")
	}
	o.Foreign.Original = f.fields[repOriginal].in.text()
	return o, nil
}
