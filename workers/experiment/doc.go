// Package experiment plays experiments on a queue and compares what came of them with what an article said would.
//
// An [Experiment] is data: how the queue is set up, what is done, and the figures that are expected, each with its
// tolerance. One engine plays them all in a [lab.Lab] of their own: a producer, real worker processes and a mail sink.
// Figures come from Redis and from the sink, never from what the experiment meant to do; what only the workers or the
// checkout can know (a delivery that is over, how long a customer waited) comes from them.
//
// Another experiment is another value in one of the files crash.go, checkout.go, poison.go and full.go.
package experiment
