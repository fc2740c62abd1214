package workers

import "syscall"

// childAttributes put a process into a group of its own, so that a terminal's Ctrl-C does not reach it, and have the
// kernel kill it when the thread that started it ends, even where that is by SIGKILL.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
