package lab

import (
	"context"
	"fmt"
	"time"
)

const (
	// mourning is how long a private server that died is left dead, so that a person sees what that does.
	mourning = time.Second
	// restartTimeout bounds one try to start it again.
	restartTimeout = 5 * time.Second
)

// nurse starts the private server again when it died. It comes back empty: the books say what was lost.
func (l *Lab) nurse() {
	for {
		select {
		case <-l.private.Exited():
		case <-l.stop.Done():
			return
		}
		l.journal.notice("the Redis server ended; it is started again", "")
		l.hurry()
		for {
			if !l.rest(mourning) {
				return
			}
			err := l.revive()
			if l.stop.Err() != nil {
				return
			}
			if err == nil {
				break
			}
			l.journal.notice("the Redis server did not start again: "+err.Error(), "")
		}
		l.journal.notice("the Redis server is back, empty: the group was created again", "")
		l.hurry()
	}
}

func (l *Lab) revive() error {
	ctx, cancel := context.WithTimeout(l.stop, restartTimeout)
	defer cancel()
	if err := l.private.Restart(ctx); err != nil {
		return fmt.Errorf("restart the private server: %w", err)
	}
	_, err := l.group.Ensure(ctx)
	return err
}

// rest waits; false when the lab ends meanwhile.
func (l *Lab) rest(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.stop.Done():
		return false
	}
}
