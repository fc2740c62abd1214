package ui

import (
	"strconv"
	"strings"

	"example.com/unacked/ui/cell"
)

// verdictLines draws the verdict in verdictHeight lines: the sentence, and below it what else holds, where the sentence
// leaves room for that.
func verdictLines(d *data, width int) []string {
	t := d.look.theme
	all := findings(d)
	first := worst(all)
	badge, text := badgeOf(d, first), levelStyle(t, first.level)
	left := 1 + cell.Width(badge.text) + 2
	sentence := wholeSentences(first.text, width-left-1, verdictHeight)
	lines := make([]string, verdictHeight)
	lines[0] = " " + badge.style.On(badge.text) + "  " + text.On(sentence[0])
	switch {
	case len(sentence) > 1:
		more := moreText(d, all[1:], width)
		if more == "" {
			lines[1] = cell.Spaces(left) + text.On(sentence[1])
			break
		}
		room := width - left - 1 - cell.Width(more)
		lines[1] = cell.Spaces(left) + text.On(cell.Pad(sentence[1], room)) + t.Warn.On(more)
	case len(all) > 1:
		lines[1] = cell.Spaces(left) + alsoText(d, all[1:], width-left-1)
	}
	for i := range lines {
		lines[i] = cell.Pad(lines[i], width)
	}
	return lines
}

// doctorView is the place of the Doctor among the keys of the views.
const doctorView = 5

// moreText says how many other things are wrong, and where they are, where there is no room for them.
func moreText(d *data, rest []finding, width int) string {
	n := 0
	for _, f := range rest {
		if f.level == levelBad || f.level == levelWarn {
			n++
		}
	}
	if n == 0 || d.watch == nil {
		return ""
	}
	key := keyOf(d.keys.Views[doctorView], "6")
	if width < 80 {
		return "  +" + strconv.Itoa(n) + ": " + key
	}
	return "  " + strconv.Itoa(n) + " more: press " + key
}

// wholeSentences is wrapWords without the last sentences where not all of them fit.
func wholeSentences(text string, width, most int) []string {
	for kept := text; len(wrap(kept, width)) > most; {
		end := strings.LastIndex(strings.TrimSuffix(kept, "."), ". ")
		if end < 0 {
			return wrapWords(text, width, most)
		}
		kept = kept[:end+1]
		if len(wrap(kept, width)) <= most {
			return wrap(kept, width)
		}
	}
	return wrapWords(text, width, most)
}

type badge struct {
	text  string
	style cell.Style
}

func badgeOf(d *data, f finding) badge {
	t := d.look.theme
	if d.plain {
		return badge{"[" + f.word + "]", t.Text}
	}
	switch f.level {
	case levelBad:
		return badge{" " + f.word + " ", t.VerdictBad}
	case levelWarn:
		return badge{" " + f.word + " ", t.VerdictWarn}
	case levelGood:
		return badge{" " + f.word + " ", t.VerdictGood}
	}
	return badge{" " + f.word + " ", t.Selected}
}

func levelStyle(t *cell.Theme, l level) cell.Style {
	switch l {
	case levelBad:
		return t.Bad
	case levelWarn:
		return t.Value
	}
	return t.Text
}

// wordStyle is that of a level's word; other is for a level that is neither good nor bad.
func wordStyle(t *cell.Theme, l level, other cell.Style) cell.Style {
	switch l {
	case levelBad:
		return t.Bad
	case levelWarn:
		return t.Warn
	case levelGood:
		return t.Good
	}
	return other
}

// firstPartOf is a sentence up to where its reasons begin; a colon within a name is none.
func firstPartOf(text string) string {
	for _, end := range []string{": ", "; ", " (", ". "} {
		if at := strings.Index(text, end); at > 0 {
			text = text[:at]
		}
	}
	return strings.TrimSuffix(strings.TrimSpace(text), ".")
}

// alsoText names the other findings, the first part of each sentence.
func alsoText(d *data, rest []finding, room int) string {
	t := d.look.theme
	var p parts
	p.add("also", t.Dim)
	for i, f := range rest {
		sep := "  "
		if i > 0 {
			sep = "   "
		}
		word := sep + f.word
		text := firstPartOf(f.text)
		if !p.fits(word, room) {
			break
		}
		p.add(word, wordStyle(t, f.level, t.Dim))
		p.add(cell.Cut(" "+text, room-p.width), t.Dim)
	}
	return p.b.String()
}
