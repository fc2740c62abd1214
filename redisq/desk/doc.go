// Package desk makes the plans of what a person may want done with a queue: one description of the wish, one place that
// turns it into a plan of package redisq. A screen needs to know nothing else of how a queue is changed.
package desk
