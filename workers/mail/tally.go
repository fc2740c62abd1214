package mail

import (
	"cmp"
	"math"
	"strconv"
)

// tally counts mails by order. Order numbers come one after the other, so that a slice holds nearly all of them in two
// bytes each; whatever is no such number goes to a map.
type tally struct {
	numbered []uint16 // by order number; stays at its largest value
	other    map[string]int
}

func (t *tally) get(order string) int {
	if n, ok := number(order); ok && n < uint64(len(t.numbered)) && t.numbered[n] > 0 {
		return int(t.numbered[n])
	}
	return t.other[order]
}

// add counts one mail and returns how many the order has now.
func (t *tally) add(order string) int {
	// The slice grows by what is near its end only: one mail that claims a huge number must not take the memory.
	if n, ok := number(order); ok && n < 2*uint64(len(t.numbered))+1024 && t.other[order] == 0 {
		for uint64(len(t.numbered)) <= n {
			t.numbered = append(t.numbered, 0)
		}
		if t.numbered[n] < math.MaxUint16 {
			t.numbered[n]++
		}
		return int(t.numbered[n])
	}
	if t.other == nil {
		t.other = make(map[string]int)
	}
	t.other[order]++
	return t.other[order]
}

// number returns the number that an order is, where it is written as one in the shortest way.
func number(order string) (uint64, bool) {
	n, err := strconv.ParseUint(order, 10, 32)
	return n, err == nil && strconv.FormatUint(n, 10) == order
}

// CompareOrders sorts orders: numbers first, by their value, and then the others as text.
func CompareOrders(a, b string) int {
	n, okN := number(a)
	m, okM := number(b)
	switch {
	case okN && okM:
		return cmp.Compare(n, m)
	case okN:
		return -1
	case okM:
		return 1
	}
	return cmp.Compare(a, b)
}
