// Package producer is the shop's checkout: it places orders at a rate, and in bursts, by adding each to the queue once,
// and measures how long that took.
//
// Orders are started by a schedule that does not wait for the answers, as customers do not, with a bounded number of
// them under way. A checkout is never tried again: a lost reply makes the order unknown, a refusal makes it failed, and
// both are counted.
package producer
