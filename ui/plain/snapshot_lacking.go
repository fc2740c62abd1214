package plain

import (
	"errors"
	"strings"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
)

// mostNamed is how many groups are named where another was asked for.
const mostNamed = 8

// lacking says what was asked for by name and is not there, or could not be read; nil where nothing is.
func (l *looker) lacking(s *redisq.Survey) error {
	var reasons []string
	shown := 0
	for i := range s.Streams {
		r := &s.Streams[i]
		if !l.shown(r) {
			continue
		}
		shown++
		if len(l.o.Streams) == 0 {
			continue
		}
		if text := streamError(r); text != "" {
			reasons = append(reasons, text)
			continue // no more can be known of its group
		}
		if g := r.Group(l.o.Group); l.o.Group != "" && g != nil && (g.Missing || !g.Pending.Known) {
			reasons = append(reasons, groupError(r, g))
		}
	}
	if shown == 0 && l.o.Group != "" {
		reasons = append(reasons, "no stream has a group "+safe.Text(l.o.Group))
	}
	if len(reasons) == 0 {
		return nil
	}
	return errors.New(strings.Join(reasons, "; "))
}

// groupError is why there are no figures of a group: of one that is missing, with those that there are.
func groupError(r *redisq.StreamReading, g *redisq.GroupReading) string {
	text := g.Pending.Reason
	if !g.Missing || r.Stream.Missing || r.Partial {
		return text
	}
	var names []string
	for i := range r.Groups {
		if other := &r.Groups[i]; !other.Missing {
			names = append(names, safe.Text(other.Name))
		}
	}
	switch more := len(names) - mostNamed; {
	case len(names) == 0:
		return text + ", which has no group"
	case more > 0:
		return text + "; its groups are " + strings.Join(names[:mostNamed], ", ") + " and " + plural(more, "other")
	case len(names) == 1:
		return text + "; its only group is " + names[0]
	}
	return text + "; its groups are " + strings.Join(names, ", ")
}
