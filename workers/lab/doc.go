// Package lab is the live demonstration: a producer, worker processes, a mail sink that counts what really arrived,
// and an observer, on a private server or in keys of its own on a given one.
//
// A Lab owns its goroutines: one reads and sends updates, one keeps the books, one restarts a private server that died.
// They share what the checkout, the workers and the mail server report through small types with a lock each (witness,
// hands, stories, journal); the books themselves (ledger, sight) belong to the counting goroutine alone. Close ends the
// parts in the order of the flow: producer, workers, these goroutines, sink, keys, server.
//
// Where an order is, is what Redis and the mail server say. What workers say only adds what neither can know: that a
// message which the queue has forgotten is still in a living worker's hand.
package lab
