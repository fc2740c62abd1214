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
	reason  string
	letters []redisq.DeadLetter // newest first
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

// shape makes the rows of all letters: each of them, those of the reason that is opened, or one for each reason.
func (p *deadPane) shape() {
	p.rows, p.groups = p.all, nil
	switch {
	case p.inside != nil:
		p.rows = slices.DeleteFunc(slices.Clone(p.all), func(l redisq.DeadLetter) bool { return reasonOf(l) != *p.inside })
	case p.folded:
		at := map[string]int{}
		for _, l := range p.all {
			reason := reasonOf(l)
			i, ok := at[reason]
			if !ok {
				i = len(p.groups)
				at[reason] = i
				p.groups = append(p.groups, letterGroup{reason: reason})
			}
			p.groups[i].letters = append(p.groups[i].letters, l)
		}
		slices.SortStableFunc(p.groups, func(a, b letterGroup) int { return cmp.Compare(len(b.letters), len(a.letters)) })
	}
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
	cells[letterID] = many(int64(len(g.letters)), "letter")
	cells[letterReason] = clean(g.reason)
	cells[letterBody] = fieldsText(g.letters[0].Fields)
	least, most, replays := g.letters[0].Deliveries, int64(0), int64(0)
	for _, l := range g.letters {
		least, most, replays = min(least, l.Deliveries), max(most, l.Deliveries), max(replays, l.Replays)
	}
	if g.reason == foreignText {
		return cells
	}
	cells[letterDeliveries] = strconv.FormatInt(most, 10)
	if least < most {
		cells[letterDeliveries] = strconv.FormatInt(least, 10) + "-" + cells[letterDeliveries]
	}
	cells[letterReplays] = replaysText(replays, glyphs)
	return cells
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
		p.shape()
		p.fill(d)
		p.list.left = ""
		return true
	default:
		return false
	}
	p.list.sel, p.list.cursor = "", 0
	p.shape()
	p.fill(d)
	p.list.left = ""
	return true
}
