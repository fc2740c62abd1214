package doctor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/unacked/redisq"
)

// number writes n for a person: 12,400.
func number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, c := range digits {
		if left := len(digits) - i; i > 0 && left%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// count writes "1 entry", "3 entries".
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

func entries(n int64) string { return count(n, "entry", "entries") }

// counted is entries of a Number that is known: "1,000+ entries".
func counted(n redisq.Number) string {
	if n.AtLeast {
		return number(n.Value) + "+ entries"
	}
	return entries(n.Value)
}

// span writes a duration for a person: "0.4 s", "12 s", "4 min", "3 h", "5 days".
func span(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 10:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", s), ".0") + " s"
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	case s < 2*3600:
		return fmt.Sprintf("%.0f min", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%.0f h", s/3600)
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}

func millis(n redisq.Number) time.Duration { return time.Duration(n.Value) * time.Millisecond }

// rate writes entries a second.
func rate(perSecond float64) string {
	if perSecond < 10 {
		return fmt.Sprintf("%.1f/s", perSecond)
	}
	return fmt.Sprintf("%.0f/s", perSecond)
}

// be is "is" or "are".
func be(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// verb is "is" or "are" for a Number that is known.
func verb(n redisq.Number) string {
	if n.AtLeast {
		return "are"
	}
	return be(n.Value)
}

// were is "was" or "were".
func were(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// round keeps a rate to two digits after the point.
func round(f float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', 2, 64), 64)
	if err != nil {
		return f
	}
	return r
}

// aclName is a command as ACL SETUSER names it: xinfo|consumers.
func aclName(command string) string {
	return strings.ReplaceAll(strings.ToLower(command), " ", "|")
}
