package ui

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/redisq"
	"example.com/unacked/ui/cell"
)

// letterGroup is the dead letters of one reason.
type letterGroup struct {
	reason               string
	letters              []redisq.DeadLetter // newest first; the newest of them where all were looked at
	n                    int64               // how many there are
	least, most, replays int64               // deliveries and replays
	all                  bool                // all letters were looked at, not only those read
}

// foldID is the id of a row that stands for the letters of a reason: no letter has it.
const foldID = "reason\x00"

// reasonOf is what letters are put together by.
func reasonOf(l redisq.DeadLetter) string {
	if l.Foreign {
		return foreignText
	}
	return l.Reason
}

// shape makes the rows of all letters: each of them, those of the reason that is opened, or one for each reason. Where
// all letters were looked at, the reasons are of all.
func (p *deadPane) shape(d *data) {
	p.rows, p.groups = p.all, nil
	switch {
	case p.compact:
	case p.inside != nil:
		p.rows = p.ofReason(d, *p.inside)
	case p.folded:
		if p.groups = sweptGroups(d.letters); len(p.groups) == 0 {
			p.groups = readGroups(p.all)
		}
	}
}

// ofReason are the letters of a reason, as far as they were read.
func (p *deadPane) ofReason(d *data, reason string) []redisq.DeadLetter {
	rows := slices.DeleteFunc(slices.Clone(p.all), func(l redisq.DeadLetter) bool { return reasonOf(l) != reason })
	have := make(map[string]bool, len(rows))
	for i := range rows {
		have[rows[i].ID] = true
	}
	for _, g := range sweptGroups(d.letters) {
		if g.reason != reason {
			continue
		}
		for _, l := range g.letters {
			if len(p.all) == 0 || older(l, p.all[len(p.all)-1]) && !have[l.ID] { // those that were read tell what is there
				rows = append(rows, l)
			}
		}
	}
	return rows
}

func older(a, b redisq.DeadLetter) bool {
	order, ok := redisq.CompareIDs(a.ID, b.ID)
	return ok && order < 0
}

// readGroups puts the letters that were read together.
func readGroups(all []redisq.DeadLetter) []letterGroup {
	groups, at := []letterGroup{}, map[string]int{}
	for _, l := range all {
		reason := reasonOf(l)
		i, ok := at[reason]
		if !ok {
			i = len(groups)
			at[reason] = i
			groups = append(groups, letterGroup{reason: reason, least: l.Deliveries})
		}
		g := &groups[i]
		g.letters = append(g.letters, l)
		g.n++
		g.least, g.most, g.replays = min(g.least, l.Deliveries), max(g.most, l.Deliveries), max(g.replays, l.Replays)
	}
	slices.SortStableFunc(groups, func(a, b letterGroup) int { return cmp.Compare(b.n, a.n) })
	return groups
}

// sweptGroups are the reasons of a look at all letters, nil where there was none.
func sweptGroups(look *lettersLook) []letterGroup {
	if look == nil {
		return nil
	}
	groups := make([]letterGroup, 0, len(look.Reasons))
	for _, r := range look.Reasons {
		g := letterGroup{
			reason: r.Reason, letters: r.Newest, n: r.Letters, least: r.LeastDeliveries, most: r.MostDeliveries, replays: r.MostReplays, all: true,
		}
		if r.Foreign {
			g.reason = foreignText
		}
		groups = append(groups, g)
	}
	return groups
}

// lettersOf are the letters of a row.
func (p *deadPane) lettersOf(row int) []redisq.DeadLetter {
	if p.groups != nil {
		return p.groups[row].letters
	}
	return p.rows[row : row+1]
}

// groupCells is the row of a reason: "12 letters  550 no such user  3-5 …".
func (p *deadPane) groupCells(g letterGroup, glyphs cell.Glyphs) []string {
	cells := make([]string, letterBody+1)
	cells[letterID] = many(g.n, "letter")
	cells[letterReason] = clean(g.reason)
	cells[letterBody] = fieldsText(g.letters[0].Fields)
	if g.reason == foreignText {
		return cells
	}
	cells[letterDeliveries] = strconv.FormatInt(g.most, 10)
	if g.least < g.most {
		cells[letterDeliveries] = strconv.FormatInt(g.least, 10) + "-" + cells[letterDeliveries]
	}
	cells[letterReplays] = replaysText(g.replays, glyphs)
	return cells
}

// foldTitle says how many letters there are of how many reasons, as far as they were looked at.
func (p *deadPane) foldTitle(d *data) string {
	title := d.good.Dead.Length.String() + " of " + many(int64(len(p.groups)), "reason")
	switch {
	case d.letters != nil:
		title += dot(d) + d.letters.text(d)
		if n := d.letters.Other; n > 0 {
			title += dot(d) + many(n, "letter") + " of other reasons"
		}
	case d.good.Dead.More:
		title = strconv.Itoa(len(p.all)) + " read of " + d.good.Dead.Length.String() + " are of " + many(int64(len(p.groups)), "reason") +
			dot(d) + keyOf(d.keys.Sweep, "n") + " looks at all"
	}
	return title
}

// foldKey handles the keys that put letters of the same reason together, open such a row and go back from it.
func (p *deadPane) foldKey(d *data, k tea.KeyMsg) bool {
	if p.compact || k.Paste || p.list.filter.open {
		return false
	}
	switch {
	case key.Matches(k, d.keys.Fold):
		p.folded, p.inside = !p.folded && p.inside == nil, nil
		p.list.marks = nil
	case key.Matches(k, d.keys.Open) && p.groups != nil:
		row, ok := p.list.at()
		if !ok {
			return false
		}
		reason := p.groups[row].reason
		p.inside, p.list.marks = &reason, nil
	case key.Matches(k, d.keys.Back) && p.inside != nil && !p.list.filter.on() && len(p.list.marks) == 0:
		p.list.sel = foldID + *p.inside
		p.inside = nil
		p.shape(d)
		p.fill(d)
		p.list.left = ""
		return true
	default:
		return false
	}
	p.list.sel, p.list.cursor = "", 0
	p.shape(d)
	p.fill(d)
	p.list.left = ""
	return true
}
