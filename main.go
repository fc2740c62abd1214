// Command unacked is a terminal dashboard for Redis Streams used as work queues. See README.md.
package main

import (
	"os"

	"example.com/unacked/ui/cli"
)

// version is set by a release build: -ldflags "-X main.version=1.2.3".
var version = "development"

func main() { os.Exit(cli.Run(version, keyMap(), os.Args[1:])) }
