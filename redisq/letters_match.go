package redisq

import (
	"fmt"
	"strings"
)

// FieldMatch is a condition on a letter: one of its fields of that name has a value that the pattern matches. The
// letter's metadata count as fields too: unacked:reason=550*.
type FieldMatch struct {
	Field   string
	Pattern string // as MATCH of SCAN has it: * ? [a-z] [^a] \x; bytes, not letters
}

// ParseFieldMatch reads field=glob.
func ParseFieldMatch(s string) (FieldMatch, error) {
	field, pattern, ok := strings.Cut(s, "=")
	if !ok {
		return FieldMatch{}, fmt.Errorf("%q: want field=glob, as in to=*@example.com", s)
	}
	return FieldMatch{Field: field, Pattern: pattern}, nil
}

// Matches says that one of the fields fulfils the condition.
func (m FieldMatch) Matches(fields []Field) bool {
	for _, f := range fields {
		if f.Name == m.Field && glob(m.Pattern, f.Value) {
			return true
		}
	}
	return false
}

// LetterChoice says which dead letters an action is about. The zero value is all that are there when the plan is made.
type LetterChoice struct {
	IDs  []string         // these, in this order; nil is all
	Only func(Entry) bool // those of them for which this is true, nil is all; metadata are fields too
}

// chooses says that a letter is one of those.
func (c LetterChoice) chooses(e Entry) bool { return c.Only == nil || c.Only(e) }

// chooses says that a letter is one of those to be put back.
func (o *ReplayOptions) chooses(e Entry) bool {
	return matchesAll(o.Match, e.Fields) && (o.Only == nil || o.Only(e))
}

func matchesAll(conditions []FieldMatch, fields []Field) bool {
	for _, m := range conditions {
		if !m.Matches(fields) {
			return false
		}
	}
	return true
}

// glob says that the pattern matches all of s. After a * it goes back no further than to the last one, so its time is
// at most the product of both lengths.
func glob(pattern, s string) bool {
	p, i := 0, 0
	star, from := -1, 0
	for i < len(s) {
		if p < len(pattern) && pattern[p] == '*' {
			star, from = p, i
			p++
			continue
		}
		if width, ok := globOne(pattern[p:], s[i]); ok {
			p += width
			i++
			continue
		}
		if star < 0 {
			return false
		}
		from++
		p, i = star+1, from
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// globOne matches one byte with the beginning of a pattern and returns how long that beginning is.
func globOne(pattern string, c byte) (width int, ok bool) {
	if pattern == "" {
		return 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, true
	case '\\':
		if len(pattern) > 1 {
			return 2, pattern[1] == c
		}
	case '[':
		return globClass(pattern, c)
	}
	return 1, pattern[0] == c
}

// globClass matches one byte with [abc], [a-z] or [^a]; one that is not closed goes to the end of the pattern.
func globClass(pattern string, c byte) (width int, ok bool) {
	i := 1
	not := i < len(pattern) && pattern[i] == '^'
	if not {
		i++
	}
	for i < len(pattern) && pattern[i] != ']' {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		low, high := pattern[i], pattern[i]
		i++
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			high = pattern[i+1]
			i += 2
		}
		if low > high {
			low, high = high, low
		}
		ok = ok || low <= c && c <= high
	}
	return min(i+1, len(pattern)), ok != not
}
