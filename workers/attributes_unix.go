//go:build unix && !linux

package workers

import "syscall"

// childAttributes put a process into a group of its own, so that a terminal's Ctrl-C does not reach it. Nothing here
// makes the kernel end it with us: a worker ends when its standard input closes, a command of an exec handler by its guard.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
