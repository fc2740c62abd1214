package plain

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/doctor"
	"example.com/unacked/redisq/safe"
)

// mostOfACode is how many findings of one code the text spells out: on a server with thousands of streams the same may be
// wrong with all of them.
const mostOfACode = 20

// mostOfAGroup is how many of these may be of one group, where there are more of a code than are spelled out: no group is
// to be hidden behind another. A finding that stands for many consumers is said beside.
const mostOfAGroup = 3

// spelledOut are the findings that the text has, and how many more there are of each code.
func (v verdict) spelledOut() (shown []doctor.Finding, more map[doctor.Code]int) {
	type place struct {
		code          doctor.Code
		stream, group string
	}
	all, places, at := map[doctor.Code]int{}, map[doctor.Code]int{}, map[place]int{}
	for _, f := range v.findings {
		all[f.Code]++
		if p := (place{f.Code, f.Stream, f.Group}); at[p] == 0 {
			places[f.Code], at[p] = places[f.Code]+1, 1
		}
	}
	clear(at)
	more = map[doctor.Code]int{}
	said := map[doctor.Code]int{}
	for _, f := range v.findings {
		p := place{f.Code, f.Stream, f.Group}
		if f.Others == nil {
			at[p]++
		}
		crowded := all[f.Code] > mostOfACode && places[f.Code] > 1 && f.Others == nil && at[p] > mostOfAGroup
		if crowded || said[f.Code] >= mostOfACode && (places[f.Code] > 1 || f.Others == nil) {
			more[f.Code]++
			continue
		}
		said[f.Code]++
		shown = append(shown, f)
	}
	return shown, more
}

// text writes the findings for a person. Commands stand on lines of their own, as redis-cli takes them, however long.
func (v verdict) text(w io.Writer, width int) error {
	if width <= 0 {
		width = 80
	}
	width = max(width, leastWidth)
	out := bufio.NewWriter(w)
	say := func(first, text string) {
		before := first
		for _, line := range paragraph(safe.Text(text), width-len(first)) {
			fmt.Fprintln(out, before+line)
			before = strings.Repeat(" ", len(first))
		}
	}
	shown, more := v.spelledOut()
	for i, f := range shown {
		if i > 0 {
			fmt.Fprintln(out)
		}
		say("", strings.ToUpper(string(f.Severity))+"  "+string(f.Code)+"  "+about(f))
		say("  ", f.Text)
		for _, r := range f.Remedies {
			say("  - ", r.Text)
			for _, command := range r.Commands {
				fmt.Fprintln(out, "      "+redisq.RedisCLI(command))
			}
		}
	}
	if len(v.findings) > 0 {
		fmt.Fprintln(out)
	}
	for _, code := range doctor.Codes() {
		if n := more[code]; n > 0 {
			say("", fmt.Sprintf("… and %d more of %s: name a stream, or take the JSON, to see them.", n, code))
		}
	}
	for _, r := range v.unread {
		say("", "NOT LOOKED AT  "+r.Name+": "+errorText(r.Err))
	}
	say("", v.summary())
	return out.Flush()
}

// about is what a finding is about: stream ▸ group ▸ consumer.
func about(f doctor.Finding) string {
	var names []string
	for _, name := range []string{f.Stream, f.Group, f.Consumer} {
		if name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ▸ ")
}

func (v verdict) summary() string {
	looked := fmt.Sprintf("looked at %s with %s on %s", plural(v.streams, "stream"), plural(v.groups, "group"), header(v.server))
	if v.watched > 0 {
		looked += ", for " + span(v.watched.Round(100*time.Millisecond))
	}
	switch {
	case len(v.findings) > 0:
		counts := map[doctor.Severity]int{}
		for _, f := range v.findings {
			counts[f.Severity]++
		}
		var parts []string
		for _, s := range []doctor.Severity{doctor.Critical, doctor.Warning, doctor.Info} {
			if counts[s] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
			}
		}
		return strings.Join(parts, ", ") + "; " + looked + "."
	case len(v.unread) > 0:
		return "Nothing was found in the rest; " + looked + "."
	case v.streams == 0:
		return "There is no stream to look at on " + header(v.server) + "."
	}
	return "Healthy: " + looked + "."
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
