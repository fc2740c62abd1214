// Command with is a program with package background. See the test.
package main

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	_ "example.com/unacked/ui/background"
)

func main() {
	_ = tea.Quit
	fmt.Println("main began")
}
