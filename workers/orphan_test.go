package workers

import (
	"fmt"
	"os"
	"strings"
)

// orphanGone says that a process that is not our child is gone. One that nobody has reaped yet is: who adopts orphans
// in a container may take its time.
func orphanGone(pid int) bool {
	if gone(pid) {
		return true
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && strings.Contains(string(status), "\nState:\tZ")
}
