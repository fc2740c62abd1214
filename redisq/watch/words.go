package watch

import (
	"math"
	"strconv"
	"strings"

	"example.com/unacked/redisq/safe"
)

// longName bounds, in bytes, what is said of a name of the server.
const longName = 120

// short makes a name of the server harmless.
func short(name string) string { return safe.TextN(name, longName) }

// count writes "1 consumer", "3 consumers", "2 deliveries".
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		noun = stem + "ie"
	}
	return strconv.FormatInt(n, 10) + " " + noun + "s"
}

// delivery says which delivery an entry is at.
func delivery(n int64) string {
	if n == math.MaxInt64 {
		return "marked fatal" // XNACK FATAL, Redis 8.8
	}
	return "delivery " + strconv.FormatInt(n, 10)
}
