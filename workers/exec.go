package workers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"example.com/unacked/redisq/guard"
)

// execOutputMost is how much of the end of a command's output is kept for the reason of its failure.
const execOutputMost = 4096

// execPipesWithin is how long the pipes of a command that ended may stay open in processes that it left behind.
const execPipesWithin = 500 * time.Millisecond

// Exec returns a handler that runs a command for each message; argv must not be empty, and no shell is involved. Exit
// code 0 is done; for any other the reason is the last line that the command wrote.
//
// The message is on its standard input, one JSON object: {"id", "original", "order", "deliveries", "fields": [[name,
// value], …]}. Where names or values are not valid UTF-8 there is "fields_base64" too, all of them exact. Its environment
// is the worker's with UNACKED_ID, UNACKED_ORIGINAL, UNACKED_ORDER and UNACKED_DELIVERIES.
//
// The command runs in a process group of its own, which ends with the worker, also one that is killed; where there is no
// /bin/sh, on Linux the command does, and what it started stays. What a command that ended has left behind is on its own.
func Exec(argv []string) Handler { return execHandler(argv) }

type execHandler []string

func (h execHandler) Handle(ctx context.Context, m Message) error {
	input, err := execInput(m)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, h[0], h[1:]...)
	cmd.Env = append(os.Environ(), execEnv(m)...)
	cmd.Stdin = bytes.NewReader(input)
	output := &tail{most: execOutputMost}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = childAttributes()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if over, err := guard.Start(); err == nil {
		defer over.Dismiss()
		cmd.SysProcAttr.Pgid = over.Group()
		cmd.Cancel = func() error { over.Kill(); return nil }
	}
	cmd.WaitDelay = execPipesWithin

	// The kernel kills the command when the thread that started it ends: it must not end before the command.
	runtime.LockOSThread()
	err = cmd.Run()
	runtime.UnlockOSThread()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if line := output.lastLine(); line != "" {
		return fmt.Errorf("%s: %w: %s", h[0], err, line)
	}
	return fmt.Errorf("%s: %w", h[0], err)
}

func execInput(m Message) ([]byte, error) {
	type pair [2]string
	var message struct {
		ID         string      `json:"id"`
		Original   string      `json:"original"`
		Order      string      `json:"order"`
		Deliveries int64       `json:"deliveries"`
		Fields     []pair      `json:"fields"`
		Exact      [][2][]byte `json:"fields_base64,omitempty"`
	}
	message.ID, message.Original, message.Order, message.Deliveries = m.ID, m.Original, m.Order, m.Deliveries
	message.Fields = []pair{}
	binary := false
	for _, f := range m.Entry.Fields {
		message.Fields = append(message.Fields, pair{f.Name, f.Value})
		binary = binary || !utf8.ValidString(f.Name) || !utf8.ValidString(f.Value)
	}
	if binary {
		for _, f := range m.Entry.Fields {
			message.Exact = append(message.Exact, [2][]byte{[]byte(f.Name), []byte(f.Value)})
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(message); err != nil {
		return nil, fmt.Errorf("make the command's input: %w", err)
	}
	return b.Bytes(), nil
}

func execEnv(m Message) []string {
	env := []string{"UNACKED_DELIVERIES=" + strconv.FormatInt(m.Deliveries, 10)}
	for _, v := range []struct{ name, value string }{
		{"UNACKED_ID", m.ID}, {"UNACKED_ORIGINAL", m.Original}, {"UNACKED_ORDER", m.Order},
	} {
		// A NUL cannot stand in an environment; the input has it.
		env = append(env, v.name+"="+strings.ReplaceAll(v.value, "\x00", ""))
	}
	return env
}

// tail keeps the end of what is written to it. It is written to by one goroutine at a time.
type tail struct {
	most int
	b    []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if extra := len(t.b) - t.most; extra > 0 {
		t.b = append(t.b[:0], t.b[extra:]...)
	}
	return len(p), nil
}

// lastLine is the last line with anything in it.
func (t *tail) lastLine() string {
	text := strings.TrimSpace(string(t.b))
	return clip(strings.TrimSpace(text[strings.LastIndexAny(text, "\r\n")+1:]))
}
