package redisq

import "strconv"

// Source says how a Number was found out.
type Source string

// The sources of a Number, as they stand in machine-readable output.
const (
	FromServer Source = "server"  // a field of a reply, taken as it is
	Derived    Source = "derived" // computed from fields of one reading
	Counted    Source = "counted" // counted entry by entry by this program
)

// Number is a figure that may be unknown. The zero value is unknown, without a reason.
type Number struct {
	Value   int64
	Known   bool
	AtLeast bool   // Value is a lower bound: shown as "1000+"
	Source  Source // meaningful when Known
	Reason  string // why it is not known; empty when Known
}

// Exact returns a known Number.
func Exact(value int64, source Source) Number {
	return Number{Value: value, Known: true, Source: source}
}

// AtLeast returns a Number known only as a lower bound.
func AtLeast(value int64, source Source) Number {
	return Number{Value: value, Known: true, AtLeast: true, Source: source}
}

// Unknown returns a Number that is not known, and why.
func Unknown(reason string) Number { return Number{Reason: reason} }

// Add returns the sum; it is unknown when either is unknown, and a bound when either is a bound.
func (n Number) Add(m Number) Number {
	switch {
	case !n.Known:
		return n
	case !m.Known:
		return m
	}
	return Number{Value: n.Value + m.Value, Known: true, AtLeast: n.AtLeast || m.AtLeast, Source: Derived}
}

// String returns "12", "1000+" or "?".
func (n Number) String() string {
	switch {
	case !n.Known:
		return "?"
	case n.AtLeast:
		return strconv.FormatInt(n.Value, 10) + "+"
	}
	return strconv.FormatInt(n.Value, 10)
}
