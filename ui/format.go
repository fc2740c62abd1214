package ui

import (
	"strconv"
	"strings"
	"time"

	"example.com/unacked/redisq"
	"example.com/unacked/redisq/safe"
)

// longName bounds, in bytes, what is shown of a name or an error of the server before it is measured.
const longName = 240

// fewNames is how many names stand in a sentence before the rest is counted.
const fewNames = 4

// clean makes a string of the server harmless for one line of the screen.
func clean(s string) string { return safe.TextN(s, longName) }

// durText writes a duration for a sentence: "180 ms", "4.1 s", "42 s", "3 min 12 s", "5 h 12 min", "3 d 4 h".
func durText(d time.Duration) string { return duration(d, " ") }

// seconds writes a duration that a person watches running: durText, but in seconds from the first one on, "0.9 s".
func seconds(d time.Duration) string {
	if d < time.Second {
		return strconv.FormatFloat(float64(max(d, 0)/(100*time.Millisecond))/10, 'f', 1, 64) + " s"
	}
	return durText(d)
}

// durShort writes a duration for a column: "180ms", "4.1s", "42s", "3m12s", "5h12m", "3d4h".
func durShort(d time.Duration) string { return duration(d, "") }

func duration(d time.Duration, gap string) string {
	minute, hour := "m", "h"
	if gap != "" {
		minute = "min"
	}
	pair := func(a time.Duration, au string, b time.Duration, bu string) string {
		s := strconv.FormatInt(int64(a), 10) + gap + au
		if b == 0 {
			return s
		}
		return s + gap + strconv.FormatInt(int64(b), 10) + gap + bu
	}
	switch {
	case d < 0:
		d = 0
		fallthrough
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + gap + "ms"
	case d < 10*time.Second:
		// Cut, not rounded: a lease of 5.0 s must not look reached at 4.96 s.
		return strconv.FormatFloat(float64(d/(100*time.Millisecond))/10, 'f', 1, 64) + gap + "s"
	case d < time.Minute:
		return strconv.FormatInt(int64(d/time.Second), 10) + gap + "s"
	case d < time.Hour:
		return pair(d/time.Minute, minute, d%time.Minute/time.Second, "s")
	case d < 24*time.Hour:
		return pair(d/time.Hour, hour, d%time.Hour/time.Minute, minute)
	}
	return pair(d/(24*time.Hour), "d", d%(24*time.Hour)/time.Hour, hour)
}

// compact writes a count in six cells at most: "412", "999999", "1.2M", "3.4G".
func compact(n int64) string {
	if n < 1_000_000 {
		return strconv.FormatInt(n, 10)
	}
	x, units := float64(n)/1e6, "MGTPE"
	for x >= 999.95 && len(units) > 1 {
		x, units = x/1000, units[1:]
	}
	return strconv.FormatFloat(x, 'f', 1, 64) + units[:1]
}

// many writes a count with its noun: "1 order", "3 orders", "2 deliveries".
func many(n int64, noun string) string {
	return strconv.FormatInt(n, 10) + " " + plural(n == 1, noun)
}

func plural(one bool, noun string) string {
	if one {
		return noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		return stem + "ies"
	}
	return noun + "s"
}

// manyOf is many for a figure that may be unknown or a bound.
func manyOf(n redisq.Number, noun string) string {
	return n.String() + " " + plural(n.Known && !n.AtLeast && n.Value == 1, noun)
}

// them returns the pronoun for a count.
func them(n int64) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// orders names orders by their numbers, which came from the server: "order 30", "orders 30, 41, …".
func orders(ids []string) string {
	safeIDs := make([]string, len(ids))
	for i, id := range ids {
		safeIDs[i] = clean(id)
	}
	return plural(len(ids) == 1, "order") + " " + listed(safeIDs, fewNames)
}

// isAre returns the verb for a count.
func isAre(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// oneOf joins names with a word before the last: "w1", "w1 or w3", "w1, w3 or w4"; more than most are counted.
func oneOf(names []string, word string, most int) string {
	if len(names) > most {
		rest := len(names) - most + 1
		return strings.Join(names[:most-1], ", ") + " " + word + " " + strconv.Itoa(rest) + " others"
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + word + " " + names[len(names)-1]
}

// listed joins ids with commas; more than most end in "…".
func listed(ids []string, most int) string {
	if len(ids) > most {
		return strings.Join(ids[:most], ", ") + ", …"
	}
	return strings.Join(ids, ", ")
}

// perSecond writes a rate: "0/s", "0.4/s", "3.2/s", "50/s", "1234/s".
func perSecond(f float64) string {
	switch {
	case f < 0.05:
		return "0/s"
	case f < 99.95:
		return strconv.FormatFloat(f, 'f', 1, 64) + "/s"
	}
	return strconv.FormatFloat(f, 'f', 0, 64) + "/s"
}

// rateText is perSecond of a rate that may be unknown.
func rateText(r redisq.Rate) string {
	if !r.Known {
		return "?"
	}
	return perSecond(r.PerSecond)
}

// clockText is the time of day of a reading.
func clockText(t time.Time) string { return t.Format("15:04:05") }

// decimal writes a small number with one digit after the point where that says something: "0.4", "3.2", "41".
func decimal(f float64) string {
	if f < 10 {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'f', 0, 64)
}

// longText bounds, in bytes, what is shown of a sentence or a command of the doctor.
const longText = 2000

// cleanLong is clean for what is wrapped.
func cleanLong(s string) string { return safe.TextN(s, longText) }
