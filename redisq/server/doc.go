// Package server starts a private Redis server: a redis-server or valkey-server found on PATH as a child process, or
// the embedded miniredis in this process where there is none.
//
// A private server listens on 127.0.0.1 only, writes nothing to disk, and is gone when this process is gone, however
// it ended: a guard process holds the other end of a pipe and kills the child at its end of file, which also comes
// after a SIGKILL of this process.
package server
