package term

import (
	"os"

	"github.com/charmbracelet/x/ansi"
)

// Output is a terminal to which every Write goes as one synchronized update. Bubble Tea's renderer writes each frame
// with one Write and everything else with WriteString, which is the file's own. It embeds the file because the
// renderer has to see a terminal.
type Output struct {
	*os.File
	frame []byte // reused; the renderer writes one frame at a time
}

// Write writes p between the marks of a synchronized update, in one system call where the terminal takes it.
func (o *Output) Write(p []byte) (int, error) {
	o.frame = append(o.frame[:0], ansi.SetModeSynchronizedOutput...)
	o.frame = append(o.frame, p...)
	o.frame = append(o.frame, ansi.ResetModeSynchronizedOutput...)
	n, err := o.File.Write(o.frame)
	return min(max(n-len(ansi.SetModeSynchronizedOutput), 0), len(p)), err
}
