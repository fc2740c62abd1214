package workers

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func sh(script string) Handler { return Exec([]string{"sh", "-c", script}) }

func TestExecGivesTheMessage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out")
	m := message("order", "31", "a", "1", "a", "<2>", "", "", "bin", "\xff\x00")
	m.Deliveries = 2
	err := sh(`cat >'`+file+`'; echo "$UNACKED_ID $UNACKED_ORIGINAL $UNACKED_ORDER $UNACKED_DELIVERIES" >>'`+file+`'`).
		Handle(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	input, env, _ := strings.Cut(string(must[[]byte](t)(os.ReadFile(file))), "\n")
	if want := "1764365984740-0 1764365984700-3 31 2\n"; env != want {
		t.Errorf("environment %q, want %q", env, want)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(input), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"id": "1764365984740-0", "original": "1764365984700-3", "order": "31", "deliveries": 2.0,
		"fields": []any{
			[]any{"order", "31"}, []any{"a", "1"}, []any{"a", "<2>"}, []any{"", ""}, []any{"bin", "\ufffd\x00"},
		},
		"fields_base64": []any{
			[]any{"b3JkZXI=", "MzE="}, []any{"YQ==", "MQ=="}, []any{"YQ==", "PDI+"}, []any{"", ""}, []any{"Ymlu", "/wA="},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("input %v\nwant  %v", got, want)
	}
}

func TestExecOutcomes(t *testing.T) {
	tests := []struct {
		name string
		h    Handler
		want string // the error, "" is done
	}{
		{"done", sh("exit 0"), ""},
		{"does not read its input", sh("exec true"), ""},
		{"fails silently", sh("exit 3"), "sh: exit status 3"},
		{"says why, last", sh("echo working; echo 'no such user' >&2; exit 1"), "sh: exit status 1: no such user"},
		{"says much", sh("head -c 200000 /dev/zero | tr '\\0' x; echo; echo the end; exit 1"), "sh: exit status 1: the end"},
		{"is killed", sh("kill -9 $$"), "sh: signal: killed"},
		{"is not there", Exec([]string{"/nowhere/to/be/found"}), "/nowhere/to/be/found: fork/exec /nowhere/to/be/found: no such file or directory"},
		{"leaves a process behind", sh("sleep 5 & exit 0"), ""},
	}
	big := message("order", "1", "body", strings.Repeat("x", 1<<20))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.h.Handle(t.Context(), big)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// When the worker has to end, the command goes with what it started.
func TestExecEndsWithItsGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- sh("sleep 300 & echo $! >'"+file+"'; wait").Handle(ctx, message("order", "1"))
	}()
	var pid string
	eventually(t, "the command runs", func() bool {
		text, _ := os.ReadFile(file)
		pid = strings.TrimSpace(string(text))
		return pid != ""
	})
	cancel()
	select {
	case err := <-done:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(patience):
		t.Fatal("the handler did not return")
	}
	eventually(t, "its child is gone", func() bool { return orphanGone(must[int](t)(strconv.Atoi(pid))) })
}

// A worker that is killed takes the command along, with what it started.
func TestExecDiesWithItsWorker(t *testing.T) {
	r := embedded(t)
	file := filepath.Join(t.TempDir(), "pids")
	sup := r.supervise(quick(), map[string]string{"": "exec sleep 300 & echo $$ $! >'" + file + "'; wait"}, "w1")
	r.orders(1, 1)
	var pids []string
	r.await("the command runs", func() bool {
		text, _ := os.ReadFile(file)
		pids = strings.Fields(string(text))
		return len(pids) == 2
	})
	if err := sup.Kill("w1", CrashNone, ""); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		eventually(t, "process "+pid+" is gone", func() bool { return orphanGone(must[int](t)(strconv.Atoi(pid))) })
	}
}

// What a command leaves behind when it ends is not the worker's.
func TestExecLeavesAloneWhatACommandLeft(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	if err := sh("sleep 300 >/dev/null 2>&1 & echo $! >'"+file+"'").Handle(t.Context(), message("order", "1")); err != nil {
		t.Fatal(err)
	}
	pid := must[int](t)(strconv.Atoi(strings.TrimSpace(string(must[[]byte](t)(os.ReadFile(file))))))
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("process %d: %v, want it to be there still", pid, err)
	}
}
