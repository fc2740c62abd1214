package producer

import (
	"fmt"
	"math"

	"example.com/unacked/redisq"
	"example.com/unacked/workers/mail"
)

// MaxRate is the highest rate, in orders a second; a higher one is taken as this.
const MaxRate = 1000

// Settings are what can be switched while the producer runs. A checkout that is under way goes by the new ones.
type Settings struct {
	Kind   redisq.Kind
	MaxLen int64   // entries that the queue is cut down to, the oldest going first, read or not; 0 is no cap
	Limit  int64   // entries of backlog at which the queue is full; 0 is no limit
	Wait   bool    // at the limit a checkout waits for room; otherwise it is refused at once
	Rate   float64 // orders a second, 0 … MaxRate
	// Closed lets no checkout begin, and those that are under way wait, until it is open again.
	Closed   bool
	BadShare float64 // 0 … 1, the share of orders whose address the mail server refuses
}

// clean makes every figure one that the producer can go by.
func (s Settings) clean() Settings {
	s.Rate = clamp(s.Rate, MaxRate)
	s.BadShare = clamp(s.BadShare, 1)
	s.MaxLen = max(s.MaxLen, 0)
	s.Limit = max(s.Limit, 0)
	return s
}

// clamp brings x into 0 … highest; what is no number is 0.
func clamp(x, highest float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, 0), highest)
}

// Bad says whether the order of that number has a bad address, at a share of 0 … 1. It goes by the number alone, spread
// evenly: at 0.05 it is every twentieth order, beginning with the 5th, so that one comes up soon after the start.
func Bad(number uint64, share float64) bool {
	const phase = 0.775
	count := func(n uint64) float64 { return math.Floor(float64(n)*share + phase) }
	return number > 0 && count(number) > count(number-1)
}

// address returns the customer's mail address.
func address(number uint64, bad bool) string {
	host := "shop.example"
	if bad {
		host = mail.BadHost
	}
	return fmt.Sprintf("customer%d@%s", number, host)
}
