// Package workers is what runs against the queue: the worker loop and its process, and the supervisor that starts,
// stops and kills such processes.
//
// A worker is a process of its own, so that killing it is the real thing. It tells what it does as [Event]s, one JSON
// object a line on its standard output, takes [Control]s the same way on its standard input, and ends when that
// closes. What workers say only enriches the picture: facts come from Redis.
package workers
