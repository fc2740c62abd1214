// Command without is a program without package background. See the test.
package main

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
)

func main() {
	_ = tea.Quit
	fmt.Println("main began")
}
