package workers

import (
	"os/exec"
	"runtime"
)

// spawner starts processes from one operating-system thread that lives as long as it: on Linux a process can be made
// to die with the thread that started it, which then is with us.
type spawner struct {
	work chan func()
	done chan struct{}
}

func newSpawner() *spawner {
	s := &spawner{work: make(chan func()), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for f := range s.work {
			f()
		}
	}()
	return s
}

func (s *spawner) start(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	s.work <- func() { result <- cmd.Start() }
	return <-result
}

// stop ends the thread; no start may follow, and no process that it started may be left.
func (s *spawner) stop() {
	close(s.work)
	<-s.done
}
