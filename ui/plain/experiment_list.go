package plain

import (
	"bytes"
	"fmt"
	"io"

	"example.com/unacked/workers/experiment"
)

// ExperimentList writes what experiments there are, in lines of 80 columns at most.
func ExperimentList(w io.Writer, all []experiment.Experiment) error {
	var b bytes.Buffer
	for _, e := range all {
		fmt.Fprintf(&b, "%-19s  %s\n", e.Name, e.Title)
	}
	_, err := b.WriteTo(w)
	return err
}
