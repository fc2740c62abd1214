package cli

import (
	"cmp"
	"os"
	"os/exec"

	tea "github.com/charmbracelet/bubbletea"

	"example.com/unacked/ui"
	"example.com/unacked/ui/term"
)

// editorOn is the person's editor on the terminal of a program that is there by the time it is wanted: VISUAL, EDITOR,
// else vi. These may have arguments of their own, which the shell reads.
func editorOn(program func() *term.Program) ui.Editor {
	return func(path string) tea.ExecCommand {
		editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi")
		return program().Lend(exec.Command("sh", "-c", editor+` "$1"`, "sh", path))
	}
}
