// Package ui is the screen: a Bubble Tea model that draws the readings that it is sent and turns keys into commands.
//
// Data flows one way. A goroutine outside sends a [lab.Update]; Update stores it; View draws what is stored. Neither
// calls Redis, reads a clock or touches a file: the time is that of the last tick message. A key makes a tea.Cmd that
// works elsewhere and comes back as a message.
package ui
