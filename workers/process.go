package workers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// drainWithin is how long the outputs of a worker that is gone may stay open, held by something that it started.
const drainWithin = 300 * time.Millisecond

// sendWithin is how long a control may wait for room in the pipe to a worker that does not read, a suspended one say.
const sendWithin = 100 * time.Millisecond

// child is one worker process. Fields without a comment do not change.
type child struct {
	name    string
	cmd     *exec.Cmd
	in      *os.File // our end of its standard input
	started time.Time
	exited  chan struct{} // closed when it was reaped, its last event was told and the state shows its end

	arming chan struct{} // closed when the worker confirms a crash point; nil when none is asked for; guarded by Supervisor.mu
	last   string        // last line of its standard error; guarded by Supervisor.mu
	final  string        // why it said that it ends; guarded by Supervisor.mu
}

// send writes one control in one piece: a line is shorter than what a pipe takes at once, so it is never cut.
func (c *child) send(control Control) error {
	line, err := json.Marshal(control)
	if err != nil {
		return err
	}
	if err := c.in.SetWriteDeadline(time.Now().Add(sendWithin)); err != nil {
		return err
	}
	_, err = c.in.Write(append(line, '\n'))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("worker %s does not read its controls", c.name)
	}
	return err
}

// confirmation returns what is closed when the worker answers the crash point that it was just sent.
func (c *child) confirmation() <-chan struct{} {
	if c.arming == nil {
		c.arming = make(chan struct{})
	}
	return c.arming
}

// launch starts m's process. Called with s.mu held.
func (s *Supervisor) launch(m *member) (err error) {
	argv := s.o.Argv(m.hand.state.Name)
	if len(argv) == 0 {
		return errors.New("start a worker: its command line is empty")
	}
	var files []*os.File
	defer func() {
		if err != nil {
			for _, f := range files {
				_ = f.Close()
			}
			err = fmt.Errorf("start worker %s: %w", m.hand.state.Name, err)
		}
	}()
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		files = append(files, r, w)
	}
	inR, inW, outR, outW, errR, errW := files[0], files[1], files[2], files[3], files[4], files[5]

	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), s.o.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, errW
	cmd.SysProcAttr = childAttributes()
	c := &child{name: m.hand.state.Name, cmd: cmd, in: inW, started: time.Now(), exited: make(chan struct{})}

	// There before the worker looks, so that it never begins with the settings of its command line.
	settings := s.settings
	if err := c.send(Control{Settings: &settings}); err != nil {
		return err
	}
	if err := s.spawner.start(cmd); err != nil {
		return err
	}
	for _, f := range []*os.File{inR, outW, errW} {
		_ = f.Close()
	}
	if m.hand.state.PID != 0 {
		m.hand.state.Restarts++
	}
	m.child, m.down, m.killed, m.any = c, false, false, false
	m.hand.began(cmd.Process.Pid, s.o.Clock())
	s.running.Add(1)
	go s.watch(m, c, outR, errR)
	return nil
}

// watch owns a process and our ends of its outputs until it is reaped.
func (s *Supervisor) watch(m *member, c *child, out, log *os.File) {
	defer s.running.Done()
	read := make(chan struct{}, 2)
	go func() { s.readEvents(m, c, out); read <- struct{}{} }()
	go func() { s.readLog(m, c, log); read <- struct{}{} }()
	err := c.cmd.Wait()
	deadline := time.Now().Add(drainWithin)
	_ = out.SetReadDeadline(deadline)
	_ = log.SetReadDeadline(deadline)
	<-read
	<-read
	_ = out.Close()
	_ = log.Close()
	s.ended(m, c, err)
}

// readEvents takes the worker's events until its output closes.
func (s *Supervisor) readEvents(m *member, c *child, out io.Reader) {
	lines := newLines(out)
	for lines.next() {
		var e Event
		if lines.long || json.Unmarshal(lines.line, &e) != nil || e.Kind == "" {
			s.mu.Lock()
			e = s.event(m, EventLog, "not an event: "+clip(string(lines.line)))
			s.mu.Unlock()
			s.tell(e)
			continue
		}
		e.Worker = c.name
		s.mu.Lock()
		m.hand.apply(e, s.o.Clock())
		switch e.Kind {
		case EventArmed:
			if c.arming != nil {
				close(c.arming)
				c.arming = nil
			}
		case EventAtPoint:
			// It waits there for good, so an error can only mean that it is gone already.
			_ = m.kill()
			if m.any {
				s.disarmOthers(m)
			}
		case EventStopped:
			c.final = e.Reason
		}
		s.mu.Unlock()
		s.tell(e)
	}
}

// disarmOthers lets the workers go on that were armed together with m. Called with s.mu held.
func (s *Supervisor) disarmOthers(m *member) {
	for _, other := range s.order {
		if other != m && other.any && other.child != nil {
			other.any = false
			_ = other.child.send(Control{Disarm: true})
		}
	}
}

// readLog takes the lines of the worker's standard error.
func (s *Supervisor) readLog(m *member, c *child, log io.Reader) {
	lines := newLines(log)
	for lines.next() {
		text := clip(strings.TrimRight(string(lines.line), "\r"))
		if strings.TrimSpace(text) == "" {
			continue
		}
		s.mu.Lock()
		// What a crash begins with says more than the last line of its trace.
		if !strings.HasPrefix(c.last, "panic:") && !strings.HasPrefix(c.last, "fatal error:") {
			c.last = text
		}
		e := s.event(m, EventLog, text)
		s.mu.Unlock()
		s.tell(e)
	}
}

// ended sets down how a process ended, and plans its restart when nobody wanted it to end.
func (s *Supervisor) ended(m *member, c *child, err error) {
	s.mu.Lock()
	_ = c.in.Close()
	m.child = nil
	now := s.o.Clock()
	e := s.event(m, EventExited, "")
	e.ID, e.Order, e.Deliveries = m.hand.state.ID, m.hand.state.Order, m.hand.state.Deliveries
	switch {
	case m.killed:
		e.Reason = "killed"
		m.hand.ended(PhaseKilled, "", now)
	case m.down:
		m.hand.ended(PhaseStopped, "", now)
	default:
		e.Reason = how(c, err)
		if time.Since(c.started) >= respawnReset {
			m.pauses.Reset()
		}
		s.again(m, e.Reason)
	}
	s.mu.Unlock()
	close(c.exited)
	s.tell(e)
}

// how says in words how a process ended that nobody ended.
func how(c *child, err error) string {
	text := "ended by itself"
	if err != nil {
		text = err.Error()
	}
	switch {
	case c.final != "":
		text += ": " + c.final
	case c.last != "":
		text += ": " + c.last
	}
	return text
}

// again plans the next start of a worker that died. Called with s.mu held.
func (s *Supervisor) again(m *member, reason string) {
	pause := m.pauses.NextBackOff()
	m.hand.ended(PhaseDied, fmt.Sprintf("%s; again in %.1f s", reason, pause.Seconds()), s.o.Clock())
	m.respawn = time.AfterFunc(pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closed || m.respawn == nil || m.child != nil {
			return
		}
		m.respawn = nil
		if err := s.launch(m); err != nil {
			s.again(m, err.Error())
		}
	})
}

// lineMost is the longest line that is taken; of a longer one the beginning.
const lineMost = 64 << 10

// lines reads lines without their end, of any length, keeping the first lineMost bytes.
type lines struct {
	r    *bufio.Reader
	line []byte
	long bool // line was cut
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReader(r)} }

// next reads one line; false is the end of the input, or an error of it.
func (l *lines) next() bool {
	l.line, l.long = l.line[:0], false
	for {
		part, err := l.r.ReadSlice('\n')
		if room := lineMost - len(l.line); len(part) > room {
			l.long = l.long || len(bytes.TrimRight(part, "\r\n")) > room
			part = part[:room]
		}
		l.line = append(l.line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(l.line) == 0:
			return false
		}
		l.line = bytes.TrimSuffix(l.line, []byte("\n"))
		return true
	}
}

// clip cuts a text of unknown length to what is worth keeping of a reason.
func clip(s string) string {
	const most = 500
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
