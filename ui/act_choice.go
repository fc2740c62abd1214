package ui

import (
	"strconv"
	"strings"

	"example.com/unacked/redisq"
)

// rowMatch is all pending entries of the group that the filters of a pane are for, not only the rows that were read.
type rowMatch struct {
	text   string // the filters in words
	choice redisq.PendingChoice
}

// letterMatch is all dead letters that a filter, or rows of the same reason, are for.
type letterMatch struct {
	text string
	only func(redisq.Entry) bool
}

// matching is what the form and the filter of the pane are for, nil where both are empty. The result does not change
// with the pane: it is asked by the goroutine that makes a plan.
func (p *pendingPane) matching(d *data) *rowMatch {
	if d.good == nil {
		return nil
	}
	form, text := d.good.Pending.Filter, p.list.filter
	m := rowMatch{choice: redisq.PendingChoice{Idle: form.MinIdle, Start: form.Start, End: form.End}}
	var words []string
	if form.MinIdle > 0 {
		words = append(words, "idle for "+durText(form.MinIdle)+" or longer")
	}
	if form.Start != "" || form.End != "" {
		words = append(words, "the ids from "+orSign(form.Start, "-")+" to "+orSign(form.End, "+"))
	}
	if form.Consumer != "" {
		m.choice.Consumers = []string{form.Consumer}
		words = append(words, "held by "+clean(form.Consumer))
	}
	if text.on() {
		words = append(words, text.words())
		look, then := *d.look, *d
		then.look = &look
		of := pendingPane{d: &then}
		m.choice.Only = func(e redisq.PendingEntry) bool {
			return text.passes(func(int) []string { return of.cells(e) }, 0)
		}
	}
	if len(words) == 0 {
		return nil
	}
	m.text = strings.Join(words, ", ")
	return &m
}

func orSign(id, sign string) string {
	if id == "" {
		return sign
	}
	return clean(id)
}

// words are a filter for a sentence: `with "550"`, `without "550"`.
func (f *filter) words() string {
	with := "with "
	if f.not {
		with = "without "
	}
	return with + strconv.Quote(clean(strings.TrimPrefix(f.in.text(), "!")))
}

// matching is what the filter of the pane, or the reason that is opened, is for; nil where there is neither.
func (p *deadPane) matching(d *data) *letterMatch {
	if !p.list.filter.on() && p.inside == nil {
		return nil
	}
	if p.groups != nil {
		return p.reasons(p.list.order)
	}
	text, glyphs, compact := p.list.filter, d.look.glyphs, p.compact
	var words []string
	inside := ""
	if p.inside != nil {
		inside = *p.inside
		words = append(words, "of the reason "+strconv.Quote(clean(inside)))
	}
	within := p.inside != nil
	if text.on() {
		words = append(words, text.words())
	}
	of := deadPane{}
	return &letterMatch{strings.Join(words, ", "), func(e redisq.Entry) bool {
		l := redisq.ParseDeadLetter(e)
		return (!within || reasonOf(l) == inside) && text.passes(func(int) []string {
			if compact {
				return deadCells(l)
			}
			return of.letterCells(l, glyphs)
		}, 0)
	}}
}

// reasons is all letters of the reasons of some rows.
func (p *deadPane) reasons(rows []int) *letterMatch {
	wanted := map[string]bool{}
	var named []string
	for _, row := range rows {
		reason := p.groups[row].reason
		wanted[reason] = true
		named = append(named, strconv.Quote(clean(reason)))
	}
	return &letterMatch{"of the reason " + oneOf(named, "or", 3), func(e redisq.Entry) bool {
		return wanted[reasonOf(redisq.ParseDeadLetter(e))]
	}}
}
