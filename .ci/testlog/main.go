// Command testlog reads the output of go test -json and writes it as go test does without -v: a line a package, and
// what failing tests said. A skipped test is a failure here.
//
// Exit codes: 0 all passed, 1 something failed, was skipped or could not be read, or there was no package at all.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is what go doc test2json tells; build events have ImportPath in place of Package.
type event struct {
	Action     string
	Package    string
	Test       string
	ImportPath string
	Output     string
}

type test struct{ pkg, name string }

type log struct {
	out     io.Writer
	said    map[test][]string // what tests and packages (name "") printed that have not ended
	order   map[string][]string
	servers map[string]bool
	passed  int // packages
	failed  int
	skipped []string
}

func main() {
	l := &log{
		out:     os.Stdout,
		said:    map[test][]string{},
		order:   map[string][]string{},
		servers: map[string]bool{},
	}
	if err := l.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testlog:", err)
		os.Exit(1)
	}
	for _, s := range l.skipped {
		fmt.Fprintln(l.out, "SKIPPED, which counts as a failure:", s)
	}
	if l.failed > 0 || len(l.skipped) > 0 || l.passed == 0 {
		fmt.Fprintf(l.out, "FAIL: %d packages passed, %d failed, %d tests skipped\n", l.passed, l.failed, len(l.skipped))
		os.Exit(1)
	}
}

func (l *log) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) == nil && e.Action != "" {
				l.take(e)
			} else {
				fmt.Fprint(l.out, line)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (l *log) take(e event) {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(l.out, e.Output)
	case "output":
		if len(l.said[t]) == 0 {
			l.order[e.Package] = append(l.order[e.Package], e.Test)
		}
		l.said[t] = append(l.said[t], e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			l.endPackage(e)
			return
		}
		if e.Action == "skip" {
			l.skipped = append(l.skipped, e.Package+" "+e.Test)
		}
		if e.Action != "pass" {
			l.print(t)
		}
		delete(l.said, t)
	}
}

// endPackage prints the package's own line, and where it failed all that was not printed yet: a panic or a timeout
// ends tests without an event.
func (l *log) endPackage(e event) {
	if e.Action == "fail" {
		l.failed++
		for _, name := range l.order[e.Package] {
			if name != "" {
				l.print(test{e.Package, name})
			}
		}
		l.print(test{e.Package, ""})
	} else {
		if e.Action == "pass" {
			l.passed++
		}
		for _, line := range l.said[test{e.Package, ""}] {
			switch {
			case strings.HasPrefix(line, "ok  "), strings.HasPrefix(line, "?   "):
				fmt.Fprint(l.out, line)
			case strings.HasPrefix(line, "servers used:") && !l.servers[line]:
				l.servers[line] = true
				fmt.Fprint(l.out, line)
			}
		}
	}
	for _, name := range l.order[e.Package] {
		delete(l.said, test{e.Package, name})
	}
	delete(l.order, e.Package)
}

func (l *log) print(t test) {
	for _, s := range l.said[t] {
		if !strings.HasPrefix(s, "=== ") {
			fmt.Fprint(l.out, s)
		}
	}
	delete(l.said, t)
}
