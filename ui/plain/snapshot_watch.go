package plain

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
)

// mostHistories is how many groups a watch keeps rates of.
const mostHistories = 50

// histories are what is known of groups from earlier readings, by stream and group.
type histories map[[2]string]*redisq.History

func (h *histories) of(r *redisq.StreamReading, group string) *redisq.History {
	key := [2]string{r.Name, group}
	if (*h)[key] == nil {
		if len(*h) >= mostHistories {
			return nil
		}
		if *h == nil {
			*h = histories{}
		}
		(*h)[key] = &redisq.History{}
	}
	return (*h)[key]
}

// writeLines writes a reading as lines for a log: name=value, one line a group, or one JSON object.
func (l *looker) writeLines(w io.Writer, s *redisq.Survey) error {
	if l.o.JSON {
		return writeJSON(w, l.snapshotOf(s))
	}
	out := bufio.NewWriter(w)
	for i := range s.Streams {
		r := &s.Streams[i]
		if !l.shown(r) {
			continue
		}
		begin := "at=" + stamp(s.At) + " stream=" + value(r.Name) + " stored=" + r.Stream.Length.String()
		if text := streamError(r); text != "" {
			fmt.Fprintln(out, begin+" error="+value(text))
			continue
		}
		if r.DeadLetter != "" {
			begin += " dead=" + r.Dead.Length.String()
		}
		groups := l.groups(r)
		for _, g := range groups {
			fmt.Fprintln(out, begin+l.groupLine(r, g))
		}
		if len(groups) == 0 {
			fmt.Fprintln(out, begin)
		}
	}
	return out.Flush()
}

func (l *looker) groupLine(r *redisq.StreamReading, g *redisq.GroupReading) string {
	line := " group=" + value(g.Name)
	if g.Missing {
		return line + " error=" + value(groupError(r, g))
	}
	line += " undelivered=" + g.Undelivered.String() + " pending=" + g.Pending.String() + " backlog=" + g.Backlog.String() +
		" oldest_idle_ms=" + g.OldestIdle.String() + " deliveries=" + deliveries(g.MaxDeliveries) + " consumers=" + consumers(g)
	if t := g.TrimmedUnread; t.Known && t.Value > 0 || t.Reason == redisq.LostSome || t.Reason == redisq.LossReason {
		line += " trimmed_unread=" + t.String()
	}
	if h := l.of(r, g.Name); h != nil {
		h.Add(r.Snapshot(g.Name))
		rates := h.Rates()
		line += " in=" + perSecond(rates.In) + " done=" + perSecond(rates.Done) + " drain=" + value(h.Drain(0).Text)
	}
	for _, p := range g.Problems {
		if p.Code != redisq.ProblemUnread {
			line += " problem=" + value(p.Text)
		}
	}
	return line
}

func perSecond(r redisq.Rate) string {
	if !r.Known {
		return "?"
	}
	return strconv.FormatFloat(r.PerSecond, 'f', 1, 64) + "/s"
}

// value is a string for name=value: in quotes where it has a blank or a quote.
func value(s string) string {
	s = safe.Text(s)
	if s != "" && !strings.ContainsAny(s, " \"=\\") {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// writeFailure writes that a reading failed; the next may be better.
func (l *looker) writeFailure(w io.Writer, err error) error {
	if l.o.JSON {
		return writeJSON(w, snapshotJSON{
			Schema: SnapshotSchema, At: stamp(l.now()), Server: serverOf(redisq.ServerInfo{}), Streams: []streamJSON{}, Error: readable(errorText(err)),
		})
	}
	_, failed := fmt.Fprintln(w, "at="+stamp(l.now())+" error="+value(errorText(err)))
	return failed
}
