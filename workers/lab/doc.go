// Package lab is the live demonstration: a producer, worker processes, a mail sink that counts what really arrived,
// and an observer, on a private server or in keys of its own on a given one.
package lab
